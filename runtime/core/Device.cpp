#include "tilewright/runtime/Device.h"
#include "runtime/core/LaunchFormulas.h"
#include "runtime/core/WorkspacePool.h"
#include "support/Format.h"

namespace tilewright::runtime {

Buffer::~Buffer() = default;
Event::~Event() = default;
Graph::~Graph() = default;
Kernel::Kernel(KernelManifest manifest, KernelDevice device)
    : description(std::move(manifest)), owner(std::move(device)),
      self(std::make_shared<bool>()), words(description.words()),
      evaluated(std::make_unique<LaunchFormulas>(description)) {}

Kernel::~Kernel() = default;
Module::~Module() = default;
Stream::Stream() : pool(std::make_unique<WorkspacePool>()) {}
Stream::~Stream() = default;
Device::~Device() = default;

static Status noGraphs() {
  return Status::unsupported("this device has no graphs");
}
Status Stream::beginCapture() { return noGraphs(); }
StatusOr<std::shared_ptr<Graph>> Stream::endCapture() { return noGraphs(); }
Status Stream::launch(const Graph &) { return noGraphs(); }

StatusOr<std::shared_ptr<Buffer>> Device::inPlace(std::span<std::byte>,
                                                  std::shared_ptr<const void>) {
  return Status::unsupported(format(
      "device '{}' reaches no memory of the host; copy to memory of the device",
      {info().name}));
}

StatusOr<int64_t> programCount(const Grid &grid) {
  // More would take years; sums and products with it do not overflow.
  constexpr int64_t mostPrograms = int64_t{1} << 48;
  int64_t count = 1;
  bool overflow = false;
  for (int64_t size : grid) {
    if (size < 0)
      return Status::invalidInput(
          format("grid {} has a negative dimension", {printShape(grid)}));
    overflow |= size > 0 && (__builtin_mul_overflow(count, size, &count) ||
                             count > mostPrograms);
  }
  for (int64_t size : grid)
    if (size == 0)
      return 0;
  if (overflow)
    return Status::invalidInput(
        format("expected a grid of at most {} programs, found {}",
               {mostPrograms, printShape(grid)}));
  return count;
}

Status checkRange(const Buffer &buffer, size_t offset, size_t bytes,
                  std::string_view what) {
  if (offset <= buffer.size() && bytes <= buffer.size() - offset)
    return {};
  return Status::invalidInput(
      format("{}: {} bytes at offset {} are not in the buffer of {} bytes",
             {what, bytes, offset, buffer.size()}));
}

} // namespace tilewright::runtime
