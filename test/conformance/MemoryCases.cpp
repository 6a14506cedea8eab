#include "Conformance.h"

namespace tilewright::runtime::conformance {

using DevicePointer = std::shared_ptr<Device>;

static std::string describesItself(const DevicePointer &device) {
  EXPECT(!device->info().name.empty());
  EXPECT(!device->info().description.empty());
  EXPECT(!device->info().targets.empty());
  return "";
}

static std::string allocates(const DevicePointer &device) {
  auto one = makeBuffer(*device, 100), two = makeBuffer(*device, 1);
  auto none = makeBuffer(*device, 0);
  EXPECT(one && two && none);
  EXPECT(one->size() == 100 && two->size() == 1 && none->size() == 0);
  EXPECT(one->address() % 64 == 0 && two->address() % 64 == 0);
  EXPECT(one->address() + 100 <= two->address() ||
         two->address() + 1 <= one->address());
  return "";
}

static std::string rejectsTooMuch(const DevicePointer &device) {
  for (size_t bytes : {SIZE_MAX, SIZE_MAX / 2, size_t{1} << 60}) {
    auto buffer = device->allocate(bytes);
    EXPECT(!buffer.ok());
    EXPECT(buffer.status().code() == StatusCode::resourceExhausted);
  }
  return "";
}

static std::string copiesRoundTrip(const DevicePointer &device) {
  auto stream = makeStream(*device);
  auto buffer = makeBuffer(*device, 24);
  EXPECT(stream && buffer);
  EXPECT(write(*stream, *buffer, {1, 2, 3}).ok());
  int64_t middle = 20;
  EXPECT(stream->copyToDevice(*buffer, 8, &middle, 8).ok());
  EXPECT(read(*stream, *buffer, 3) == std::vector<int64_t>{1, 20, 3});
  int64_t last = 0;
  EXPECT(stream->copyToHost(&last, *buffer, 16, 8).ok());
  EXPECT(stream->synchronize().ok());
  EXPECT(last == 3);
  EXPECT(stream->copyToHost(nullptr, *buffer, 24, 0).ok());
  return "";
}

static std::string copiesWithin(const DevicePointer &device) {
  auto stream = makeStream(*device);
  auto from = makeBuffer(*device, 24), to = makeBuffer(*device, 24);
  EXPECT(stream && from && to);
  EXPECT(write(*stream, *from, {1, 2, 3}).ok());
  EXPECT(write(*stream, *to, {7, 8, 9}).ok());
  EXPECT(stream->copy(*to, 8, *from, 0, 16).ok());
  EXPECT(read(*stream, *to, 3) == std::vector<int64_t>{7, 1, 2});
  return "";
}

static std::string rejectsRanges(const DevicePointer &device) {
  auto stream = makeStream(*device);
  auto small = makeBuffer(*device, 8), large = makeBuffer(*device, 64);
  EXPECT(stream && small && large);
  char data[64] = {};
  EXPECT(!stream->copyToDevice(*small, 0, data, 9).ok());
  EXPECT(!stream->copyToDevice(*small, 8, data, 1).ok());
  EXPECT(!stream->copyToDevice(*small, 9, data, 0).ok());
  EXPECT(!stream->copyToDevice(*small, SIZE_MAX, data, 2).ok());
  EXPECT(!stream->copyToHost(data, *small, 1, 8).ok());
  EXPECT(!stream->copyToHost(data, *small, 1, SIZE_MAX).ok());
  EXPECT(!stream->copy(*small, 0, *large, 0, 9).ok());
  EXPECT(!stream->copy(*large, 0, *small, 0, 9).ok());
  // A rejected call does not change the stream.
  EXPECT(stream->synchronize().ok());
  return "";
}

static std::string holdsConstants(const DevicePointer &device) {
  auto stream = makeStream(*device);
  EXPECT(stream);
  auto owner = std::make_shared<std::vector<int64_t>>(
      std::vector<int64_t>{5, 6, 7, 8, 9});
  auto bytes = std::as_bytes(std::span(*owner));
  auto whole = device->constant(bytes, owner);
  auto part = device->constant(bytes.subspan(8, 16), owner);
  EXPECT(whole.ok() && part.ok());
  EXPECT((*part)->address() % 64 == 0);
  std::vector<int64_t> expected = *owner;
  owner.reset(); // The device keeps what it needs.
  EXPECT(read(*stream, **whole, 5) == expected);
  EXPECT(read(*stream, **part, 2) == std::vector<int64_t>{6, 7});
  return "";
}

/// Host memory that is aligned to its elements and no more, or the error.
static std::string usesHostMemory(const DevicePointer &device) {
  auto owner = std::make_shared<std::vector<int64_t>>(
      std::vector<int64_t>{5, 6, 7, 8, 9});
  auto memory = device->inPlace(
      std::as_writable_bytes(std::span(*owner)).subspan(8, 24), owner);
  if (!memory.ok()) {
    EXPECT(memory.status().code() == StatusCode::unsupported);
    return "";
  }
  EXPECT((*memory)->size() == 24);
  EXPECT((*memory)->hostPointer() ==
         reinterpret_cast<std::byte *>(owner->data() + 1));
  auto stream = makeStream(*device);
  auto kernel = makeKernel(*device, multiplyAdd(*device));
  EXPECT(stream && kernel);
  EXPECT(launchMultiplyAdd(*stream, *kernel, **memory, 10, 3).ok());
  EXPECT(stream->synchronize().ok());
  EXPECT(*owner == std::vector<int64_t>{5, 63, 73, 83, 9});
  std::weak_ptr<const void> alive = owner;
  owner.reset();
  EXPECT(!alive.expired());
  memory->reset();
  EXPECT(alive.expired());
  return "";
}

std::span<const Case> memoryCases() {
  static constexpr Case cases[] = {
      {"the device describes itself", describesItself},
      {"memory is aligned and its own", allocates},
      {"too much memory is rejected", rejectsTooMuch},
      {"copies round trip", copiesRoundTrip},
      {"copies within the device", copiesWithin},
      {"copies beyond a buffer are rejected", rejectsRanges},
      {"constants hold their contents", holdsConstants},
      {"memory of the host is used in place", usesHostMemory},
  };
  return cases;
}

} // namespace tilewright::runtime::conformance
