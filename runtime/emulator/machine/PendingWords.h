// Words of shared memory that asynchronous copies are about to write.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_PENDINGWORDS_H
#define TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_PENDINGWORDS_H

#include <cstdint>
#include <vector>

namespace tilewright::emulator {

/// The words of a block's shared memory that cp.async writes, from the copy
/// until its thread has waited for it. Such a copy writes whole words of 4
/// bytes. Offsets are from the start of the block's shared memory.
class PendingWords {
public:
  [[nodiscard]] bool any() const { return count; }
  /// Whether one of these bytes is in such a word.
  [[nodiscard]] bool touches(uint64_t offset, uint64_t bytes) const;
  void add(uint32_t offset, uint32_t bytes);
  void remove(uint32_t offset, uint32_t bytes);

private:
  /// A bit for each word, up to the last that was ever added.
  std::vector<uint64_t> bits;
  uint64_t count = 0;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_PENDINGWORDS_H
