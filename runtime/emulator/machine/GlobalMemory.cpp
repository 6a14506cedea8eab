#include "runtime/emulator/machine/GlobalMemory.h"
#include "runtime/emulator/program/AddressMap.h"
#include "support/Format.h"
#include <algorithm>
#include <sys/mman.h>

namespace tilewright::emulator {

namespace {
/// Bytes between allocations that belong to none, so that running over an end
/// is seen; also what allocations are aligned to.
constexpr uint64_t gap = 64 << 10;

/// Memory that the host allocates on first touch; zero until then.
std::byte *mapBytes(size_t bytes) {
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte *>(memory);
}
} // namespace

Allocation::~Allocation() {
  if (mappedBytes)
    munmap(host, mappedBytes);
  if (writtenBytes)
    munmap(written, writtenBytes);
}

void markWritten(uint8_t *written, uint64_t offset, uint64_t count) {
  for (uint64_t i = offset; i < offset + count;) {
    if (i % 8 == 0 && i + 8 <= offset + count) {
      written[i / 8] = 0xff;
      i += 8;
    } else {
      written[i / 8] = uint8_t(written[i / 8] | 1u << i % 8);
      ++i;
    }
  }
}

void GlobalMemory::add(const std::shared_ptr<Allocation> &allocation) {
  std::lock_guard lock(mutex);
  uint64_t address = globalStart + next;
  next += (allocation->bytes / gap + 2) * gap;
  allocation->address = address;
  map[address] = allocation;
}

StatusOr<std::shared_ptr<Allocation>> GlobalMemory::allocate(uint64_t bytes,
                                                             bool tracked) {
  std::shared_ptr<Allocation> allocation(new Allocation);
  allocation->bytes = bytes;
  auto rejected = [&] {
    return Status::resourceExhausted(
        format("no memory for a buffer of {} bytes", {bytes}));
  };
  if (bytes > uint64_t{1} << 44)
    return rejected();
  size_t mapped = std::max<uint64_t>(bytes, 1);
  allocation->host = mapBytes(mapped);
  if (!allocation->host)
    return rejected();
  allocation->mappedBytes = mapped;
  if (tracked) {
    size_t bits = mapped / 8 + 8;
    allocation->written = reinterpret_cast<uint8_t *>(mapBytes(bits));
    if (!allocation->written)
      return rejected();
    allocation->writtenBytes = bits;
  }
  add(allocation);
  return allocation;
}

StatusOr<std::shared_ptr<Allocation>>
GlobalMemory::constant(std::span<const std::byte> contents,
                       std::shared_ptr<const void> owner) {
  // What is aligned for a kernel is read by aligned accesses of the host. A
  // file of weights of another program may have them anywhere.
  constexpr uintptr_t widestAccess = 32;
  if (reinterpret_cast<uintptr_t>(contents.data()) % widestAccess) {
    TILEWRIGHT_ASSIGN_OR_RETURN(std::shared_ptr<Allocation> copy,
                                allocate(contents.size(), /*tracked=*/false));
    if (!contents.empty())
      std::memcpy(copy->host, contents.data(), contents.size());
    copy->readOnly = true;
    return copy;
  }
  std::shared_ptr<Allocation> allocation(new Allocation);
  allocation->bytes = contents.size();
  allocation->host = const_cast<std::byte *>(contents.data());
  allocation->readOnly = true;
  allocation->owner = std::move(owner);
  add(allocation);
  return allocation;
}

std::shared_ptr<const GlobalMemory::Snapshot> GlobalMemory::snapshot() {
  std::lock_guard lock(mutex);
  auto made = std::make_shared<Snapshot>();
  for (auto entry = map.begin(); entry != map.end();) {
    if (std::shared_ptr<Allocation> allocation = entry->second.lock()) {
      made->allocations.push_back(std::move(allocation));
      ++entry;
    } else {
      entry = map.erase(entry);
    }
  }
  return made;
}

Allocation *GlobalMemory::Snapshot::nearest(uint64_t address) const {
  auto above = std::upper_bound(
      allocations.begin(), allocations.end(), address,
      [](uint64_t value, const auto &entry) { return value < entry->address; });
  return above == allocations.begin() ? nullptr : std::prev(above)->get();
}

Allocation *GlobalMemory::Snapshot::find(uint64_t address) const {
  Allocation *found = nearest(address);
  return found && found->contains(address, 1) ? found : nullptr;
}

} // namespace tilewright::emulator
