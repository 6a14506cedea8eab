#include "runtime/emulator/machine/CopyGroups.h"
#include <bit>

namespace tilewright::emulator {

void CopyGroups::start(unsigned lane, std::function<void()> land) {
  pending.push_back({lane, open[lane], std::move(land)});
}

void CopyGroups::commit(uint32_t lanes) {
  for (uint32_t rest = lanes; rest; rest &= rest - 1)
    ++open[size_t(std::countr_zero(rest))];
}

template <typename F> void CopyGroups::landIf(F isDue) {
  std::erase_if(pending, [&](const Copy &copy) {
    if (!isDue(copy))
      return false;
    copy.land();
    return true;
  });
}

void CopyGroups::wait(uint32_t lanes, uint32_t recent) {
  landIf([&](const Copy &copy) {
    return (lanes >> copy.lane & 1) && copy.group + recent < open[copy.lane];
  });
}

void CopyGroups::land(uint32_t lanes) {
  landIf([&](const Copy &copy) { return lanes >> copy.lane & 1; });
}

} // namespace tilewright::emulator
