#include "runtime/emulator/machine/CopyGroups.h"
#include "runtime/emulator/machine/PendingWords.h"
#include <bit>
#include <utility>

namespace tilewright::emulator {

void CopyGroups::start(PendingCopy copy) {
  copy.group = open[copy.lane];
  pending.push_back(std::move(copy));
}

void CopyGroups::commit(uint32_t lanes) {
  for (uint32_t rest = lanes; rest; rest &= rest - 1)
    ++open[size_t(std::countr_zero(rest))];
}

template <typename F> void CopyGroups::endIf(PendingWords &words, F isDue) {
  std::erase_if(pending, [&](const PendingCopy &copy) {
    if (!isDue(copy))
      return false;
    if (copy.land)
      copy.land();
    if (copy.instruction)
      words.remove(copy.offset, copy.bytes);
    return true;
  });
}

void CopyGroups::wait(uint32_t lanes, uint32_t recent, PendingWords &words) {
  endIf(words, [&](const PendingCopy &copy) {
    return (lanes >> copy.lane & 1) && copy.group + recent < open[copy.lane];
  });
}

void CopyGroups::wait(uint32_t lanes, PendingWords &words) {
  endIf(words, [&](const PendingCopy &copy) { return lanes >> copy.lane & 1; });
}

void CopyGroups::land(uint32_t lanes) {
  for (PendingCopy &copy : pending)
    if ((lanes >> copy.lane & 1) && copy.land)
      std::exchange(copy.land, nullptr)();
  std::erase_if(pending, [&](const PendingCopy &copy) {
    return (lanes >> copy.lane & 1) && !copy.instruction;
  });
}

const PendingCopy *CopyGroups::find(uint64_t offset, uint64_t bytes) const {
  for (const PendingCopy &copy : pending)
    if (copy.instruction && copy.offset < offset + bytes &&
        offset < uint64_t{copy.offset} + copy.bytes)
      return &copy;
  return nullptr;
}

} // namespace tilewright::emulator
