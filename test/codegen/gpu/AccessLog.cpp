#include "test/codegen/gpu/AccessLog.h"
#include "runtime/emulator/counters/Addresses.h"
#include <algorithm>
#include <bit>

namespace tilewright::test {

using namespace emulator;

AccessLog::AccessLog(Launch &launch) : program(*launch.program) {
  for (size_t i = 0; i < program.functions.size(); ++i)
    traits.push_back(traitsOf(program, i));
  launch.options.threads = 1;
  launch.makeObserver = [this]() -> Observer * { return this; };
}

void AccessLog::begins(Warp &warp, const Instruction &in) {
  const Traits *met = nullptr;
  for (size_t i = 0; i < program.functions.size(); ++i) {
    const auto &code = program.functions[i]->code;
    if (&in >= code.data() && &in < code.data() + code.size())
      met = &traits[i][size_t(&in - code.data())];
  }
  if (!met || met->traffic == Traffic::none)
    return;
  for (uint32_t rest = warp.active; rest; rest &= rest - 1) {
    const unsigned lane = unsigned(std::countr_zero(rest));
    const LaneAddress at = addressOf(warp, in, 0, met->address, lane);
    if (at.region != CountedMemory::global)
      continue;
    const Block &block = *warp.block;
    const Touch touch = {block.location.blockIndex[0], warp.index * 32 + lane,
                         block.barriers[0].phase,
                         met->traffic != Traffic::load};
    for (uint64_t byte = 0; byte < met->bytes; ++byte) {
      std::vector<Touch> &known = touches[at.address + byte];
      if (std::ranges::find(known, touch) == known.end())
        known.push_back(touch);
    }
  }
}

std::string AccessLog::conflict() const {
  for (const auto &[address, known] : touches)
    for (const Touch &a : known)
      for (const Touch &b : known) {
        const bool isSame = a.block == b.block && a.thread == b.thread;
        const bool isOrdered = a.block == b.block && a.phase != b.phase;
        if (a.writes && !isSame && !isOrdered)
          return "thread " + std::to_string(a.thread) + " of block " +
                 std::to_string(a.block) + " writes byte " +
                 std::to_string(address) + ", which thread " +
                 std::to_string(b.thread) + " of block " +
                 std::to_string(b.block) + " touches";
      }
  return "";
}

} // namespace tilewright::test
