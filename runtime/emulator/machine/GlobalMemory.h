// Global memory: allocations at fixed addresses, backed by host memory.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_GLOBALMEMORY_H
#define TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_GLOBALMEMORY_H

#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace tilewright::emulator {

/// Sets the bits of `count` bytes from `offset` on.
TILEWRIGHT_PRIVATE_API void markWritten(uint8_t *written, uint64_t offset,
                                        uint64_t count);

/// A piece of global memory: addresses [address, address + bytes).
class Allocation {
public:
  ~Allocation();
  Allocation(const Allocation &) = delete;
  Allocation &operator=(const Allocation &) = delete;

  uint64_t address = 0;
  uint64_t bytes = 0;
  std::byte *host = nullptr;
  bool readOnly = false;
  /// A bit for each byte: it was written. Null: not kept, all count as written.
  uint8_t *written = nullptr;

  [[nodiscard]] bool contains(uint64_t first, uint64_t count) const {
    return first >= address && count <= bytes &&
           first - address <= bytes - count;
  }

private:
  friend class GlobalMemory;
  Allocation() = default;
  /// Of a mapping of our own; else the host memory is another's.
  size_t mappedBytes = 0, writtenBytes = 0;
  std::shared_ptr<const void> owner;
};

/// The allocations of a device. Host memory is only used where it is touched,
/// so an allocation may be far larger than the machine's memory. A gap without
/// an allocation separates any two. Safe from many threads.
class TILEWRIGHT_PRIVATE_API GlobalMemory {
public:
  /// `tracked`: keep which bytes were written. Errors: no addresses are left,
  /// or the host rejects.
  StatusOr<std::shared_ptr<Allocation>> allocate(uint64_t bytes, bool tracked);
  /// Read-only memory with given contents, used in place, or copied where the
  /// host has them at an address that is not aligned. Errors: as `allocate`.
  StatusOr<std::shared_ptr<Allocation>>
  constant(std::span<const std::byte> contents,
           std::shared_ptr<const void> owner);

  using Map = std::map<uint64_t, std::weak_ptr<Allocation>>;
  /// Those that live now, by address; a launch looks at one snapshot.
  struct Snapshot {
    std::vector<std::shared_ptr<Allocation>> allocations;
    /// The allocation that has `address`, or null.
    [[nodiscard]] Allocation *find(uint64_t address) const;
    /// The nearest one below or around `address`, for messages; or null.
    [[nodiscard]] Allocation *nearest(uint64_t address) const;
  };
  [[nodiscard]] std::shared_ptr<const Snapshot> snapshot();

private:
  void add(const std::shared_ptr<Allocation> &allocation);

  std::mutex mutex;
  Map map;
  uint64_t next = 0;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_GLOBALMEMORY_H
