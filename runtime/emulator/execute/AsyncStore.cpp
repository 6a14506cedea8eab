// Stores and reductions that signal an mbarrier: PTX sections 9.7.9.12 and
// 9.7.13.7.
#include "runtime/emulator/execute/MbarrierCopy.h"
#include "runtime/emulator/execute/Reduce.h"
#include "runtime/emulator/execute/Tables.h"
#include "runtime/emulator/machine/Observer.h"
#include <cstring>

namespace tilewright::emulator {

/// The addresses of the operands: the address, the values, the mbarrier.
constexpr unsigned valueOperand = 1;

/// T: the bits of an element.
template <class T> static Step runStore(Warp &warp, const Instruction &in) {
  const unsigned width = in.width;
  for (uint32_t rest = warp.active; rest; rest &= rest - 1) {
    unsigned lane = unsigned(std::countr_zero(rest));
    MbarrierCopy copyTarget =
        mbarrierCopyOf(warp, in, lane, 0, in.operands[0], 1,
                       in.operands[valueOperand + width]);
    copyTarget.to.bytes = copyTarget.to.alignment = uint32_t(width * sizeof(T));
    bool arrived =
        copyAndSignal(warp, in, lane, copyTarget, [&](SharedLocation location) {
          for (unsigned i = 0; i < width; ++i)
            std::memcpy(location.host + i * sizeof(T),
                        operand<T>(warp, in, valueOperand + i) + lane,
                        sizeof(T));
        });
    if (!arrived)
      return Step::failed;
    tellCopy(warp, in, DataPath::clusterShared, 0, copyTarget.to.bytes);
  }
  return Step::next;
}
static Execute buildStore(const Match &match, Instruction &) {
  return typeBits(match.type()) == 64 ? runStore<uint64_t> : runStore<uint32_t>;
}

template <class T> static Step runReduce(Warp &warp, const Instruction &in) {
  ReduceElements reduce = unpackReduction(in.mode);
  for (uint32_t rest = warp.active; rest; rest &= rest - 1) {
    unsigned lane = unsigned(std::countr_zero(rest));
    MbarrierCopy copyTarget = mbarrierCopyOf(warp, in, lane, 0, in.operands[0],
                                             1, in.operands[valueOperand + 1]);
    copyTarget.to.bytes = copyTarget.to.alignment = sizeof(T);
    copyTarget.to.access = Access::atomic;
    bool arrived =
        copyAndSignal(warp, in, lane, copyTarget, [&](SharedLocation location) {
          const T *value = operand<T>(warp, in, valueOperand) + lane;
          reduce(location.host, reinterpret_cast<const std::byte *>(value),
                 sizeof(T));
        });
    if (!arrived)
      return Step::failed;
    tellCopy(warp, in, DataPath::clusterShared, 0, copyTarget.to.bytes);
  }
  return Step::next;
}
static Execute buildReduce(const Match &match, Instruction &in) {
  Type type = match.type();
  in.mode = packReduction(reduceOpFromName(match["op"]), type);
  return typeBits(type) == 64 ? runReduce<uint64_t> : runReduce<uint32_t>;
}

//===--- The table --------------------------------------------------------===//

#define BYTES "ss?=shared::cluster .mbarrier::complete_tx::bytes "
#define STORE(TYPES)                                                           \
  {"st", ".async .weak? " BYTES TYPES, "[a], {b}:type, [m:ss]", "9.7.9.12",    \
   buildStore}
#define REDUCTION(OPERATION)                                                   \
  {"red", ".async .relaxed .cluster " BYTES OPERATION, "[a], b:type, [m:ss]",  \
   "9.7.13.7", buildReduce}

static constexpr Form table[] = {
    STORE("vec?=v2|v4 type=b32|u32|s32|f32"),
    STORE("vec?=v2 type=b64|u64|s64|f64"),
    REDUCTION("op=add type=u32|s32|u64|s64"),
    REDUCTION("op=min|max type=u32|s32"),
    REDUCTION("op=inc|dec type=u32"),
    REDUCTION("op=and|or|xor type=b32"),
};

std::span<const Form> asyncStoreForms() { return table; }

} // namespace tilewright::emulator
