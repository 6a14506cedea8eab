#include "runtime/emulator/machine/PendingWords.h"
#include <algorithm>

namespace tilewright::emulator {

bool PendingWords::touches(uint64_t offset, uint64_t bytes) const {
  if (!count || !bytes)
    return false;
  const uint64_t first = offset / 4;
  const uint64_t end =
      std::min<uint64_t>((offset + bytes + 3) / 4, bits.size() * 64);
  for (uint64_t word = first; word < end;) {
    const uint64_t here = std::min(end - word, 64 - word % 64);
    const uint64_t mask = ~uint64_t{0} >> (64 - here) << word % 64;
    if (bits[word / 64] & mask)
      return true;
    word += here;
  }
  return false;
}

void PendingWords::add(uint32_t offset, uint32_t bytes) {
  const uint32_t end = (offset + bytes) / 4;
  if (end > bits.size() * 64)
    bits.resize((end + 63) / 64);
  for (uint32_t word = offset / 4; word < end; ++word)
    bits[word / 64] |= uint64_t{1} << word % 64;
  count += bytes / 4;
}

void PendingWords::remove(uint32_t offset, uint32_t bytes) {
  for (uint32_t word = offset / 4; word < (offset + bytes) / 4; ++word)
    bits[word / 64] &= ~(uint64_t{1} << word % 64);
  count -= bytes / 4;
}

} // namespace tilewright::emulator
