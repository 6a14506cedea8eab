// Arithmetic with the carry flag CC.CF: PTX section 9.7.2.
#include "runtime/emulator/execute/Lanes.h"
#include "runtime/emulator/execute/Tables.h"
#include "runtime/emulator/numeric/Integer.h"

namespace tilewright::emulator {
inline namespace TILEWRIGHT_ISA {

/// In and Out: reads the flag, writes it. Bit l of Warp::carry is lane l's.
template <class T, bool In, bool Out, class F>
static Step carrying(Warp &warp, const Instruction &in, F function) {
  T *d = operand<T>(warp, in, 0);
  uint32_t carry = In ? warp.carry : 0, next = 0;
  T results[32];
  for (unsigned lane = 0; lane < 32; ++lane) {
    Carried<T> result = function(lane, bool(carry >> lane & 1));
    results[lane] = result.value;
    next |= uint32_t{result.carry} << lane;
  }
  forActive(warp, d, [&](unsigned lane) { return results[lane]; });
  if (Out)
    warp.carry = (warp.carry & ~warp.active) | (next & warp.active);
  return Step::next;
}

/// A subtraction is a + ~b + 1, and its flag the carry of that: set where
/// nothing was borrowed. Among subtractions that is the manual's borrow; code
/// of nvcc (the quotient of 128-bit integers) reads it with addc.
template <class T, bool Subtracts, bool In, bool Out>
static Step sum(Warp &warp, const Instruction &in) {
  const T *a = operand<T>(warp, in, 1), *b = operand<T>(warp, in, 2);
  return carrying<T, In, Out>(warp, in, [&](unsigned lane, bool carry) {
    if constexpr (!Subtracts)
      return addCarry(a[lane], b[lane], carry);
    Carried<T> result = subBorrow(a[lane], b[lane], In && !carry);
    result.carry = !result.carry;
    return result;
  });
}
template <class T, bool High, bool In, bool Out>
static Step product(Warp &warp, const Instruction &in) {
  const T *a = operand<T>(warp, in, 1), *b = operand<T>(warp, in, 2);
  const T *c = operand<T>(warp, in, 3);
  return carrying<T, In, Out>(warp, in, [&](unsigned lane, bool carry) {
    return High ? madHiCarry(a[lane], b[lane], c[lane], carry)
                : madLoCarry(a[lane], b[lane], c[lane], carry);
  });
}

template <bool Subtracts, bool In, bool Out>
static Execute buildSum(const Match &match, Instruction &) {
  bool wide = typeBits(match.type()) == 64;
  return wide ? sum<uint64_t, Subtracts, In, Out>
              : sum<uint32_t, Subtracts, In, Out>;
}
template <bool In, bool Out>
static Execute buildProduct(const Match &match, Instruction &) {
  bool high = match["half"] == "hi";
  return withInteger(match.type(), [high](auto t) -> Execute {
    using T = decltype(t);
    return high ? product<T, true, In, Out> : product<T, false, In, Out>;
  });
}

#define WORDS "type=u32|s32|u64|s64"
#define ABD "d:type, a:type, b:type"
#define ABCD "d:type, a:type, b:type, c:type"

static constexpr Form table[] = {
    {"add", ".cc " WORDS, ABD, "9.7.2.1", buildSum<false, false, true>},
    {"addc", WORDS, ABD, "9.7.2.2", buildSum<false, true, false>},
    {"addc", ".cc " WORDS, ABD, "9.7.2.2", buildSum<false, true, true>},
    {"sub", ".cc " WORDS, ABD, "9.7.2.3", buildSum<true, false, true>},
    {"subc", WORDS, ABD, "9.7.2.4", buildSum<true, true, false>},
    {"subc", ".cc " WORDS, ABD, "9.7.2.4", buildSum<true, true, true>},
    {"mad", "half=lo|hi .cc type=u32|s32|u64|s64", ABCD, "9.7.2.5",
     buildProduct<false, true>},
    {"madc", "half=lo|hi type=u32|s32|u64|s64", ABCD, "9.7.2.6",
     buildProduct<true, false>},
    {"madc", "half=lo|hi .cc type=u32|s32|u64|s64", ABCD, "9.7.2.6",
     buildProduct<true, true>},
};

std::span<const Form> carryForms() { return table; }

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator
