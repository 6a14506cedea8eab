// What the functions that run instructions share: their 32 lanes.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_EXECUTE_LANES_H
#define TILEWRIGHT_RUNTIME_EMULATOR_EXECUTE_LANES_H

#include "runtime/emulator/machine/Warp.h"
#include "runtime/emulator/numeric/Isa.h"
#include "runtime/emulator/program/Form.h"

// Registers are arrays of 32 values. These sources are compiled for several
// instruction sets (so the namespace) and without strict aliasing: a register
// is read with the type of the instruction that reads it.

// Unrolled first, a short loop would end as 32 scalar operations.
#if defined(__clang__)
#define TILEWRIGHT_EACH_LANE                                                   \
  _Pragma(                                                                     \
      "clang loop vectorize(assume_safety) unroll(disable)") for (unsigned     \
                                                                      lane =   \
                                                                          0;   \
                                                                  lane < 32;   \
                                                                  ++lane)
#else
#define TILEWRIGHT_EACH_LANE                                                   \
  _Pragma("GCC ivdep") for (unsigned lane = 0; lane < 32; ++lane)
#endif

namespace tilewright::emulator {
inline namespace TILEWRIGHT_ISA {

/// The 32 values of an operand.
template <typename T> inline T *lanes(Warp &warp, Ref ref) {
  return reinterpret_cast<T *>(warp.banks[ref.bank()] + ref.offset());
}
template <typename T>
inline T *operand(Warp &warp, const Instruction &instruction, unsigned index) {
  return lanes<T>(warp, instruction.operands[index]);
}

/// A predicate operand: bit l is lane l's.
inline uint32_t &predicateRegister(Warp &warp, Ref ref) {
  return *reinterpret_cast<uint32_t *>(warp.banks[ref.bank()] + ref.offset());
}
inline uint32_t predicateOperand(Warp &warp, const Instruction &instruction,
                                 unsigned index) {
  uint32_t value = predicateRegister(warp, instruction.operands[index]);
  return instruction.negated >> index & 1 ? ~value : value;
}
/// Writes the active lanes' bits.
inline void setPredicate(Warp &warp, Ref ref, uint32_t value) {
  uint32_t &target = predicateRegister(warp, ref);
  target = (target & ~warp.active) | (value & warp.active);
}

/// d[lane] = function(lane) for the active lanes. `function` runs for all of
/// them, so it must be defined for whatever is in the others' registers.
template <typename T, typename F>
inline void forActive(Warp &warp, T *d, F function) {
  const uint32_t active = warp.active;
  if (active == ~uint32_t{0}) {
    TILEWRIGHT_EACH_LANE
    d[lane] = function(lane);
    return;
  }
  TILEWRIGHT_EACH_LANE {
    T value = function(lane);
    d[lane] = active >> lane & 1 ? value : d[lane];
  }
}

/// The mask of the lanes for which `function` is true.
template <typename F> inline uint32_t maskOf(F function) {
  uint32_t words[32];
  TILEWRIGHT_EACH_LANE
  words[lane] = function(lane) ? uint32_t{1} << lane : 0;
  uint32_t mask = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    mask |= words[lane];
  return mask;
}

//===--- Types ------------------------------------------------------------===//

/// function(value of the C++ type), for an integer type of PTX.
template <typename F> inline Execute withInteger(Type type, F function) {
  switch (type) {
  case Type::u16:
  case Type::b16:
    return function(uint16_t{});
  case Type::u32:
  case Type::b32:
    return function(uint32_t{});
  case Type::u64:
  case Type::b64:
    return function(uint64_t{});
  case Type::s16:
    return function(int16_t{});
  case Type::s32:
    return function(int32_t{});
  case Type::s64:
    return function(int64_t{});
  default:
    return nullptr;
  }
}

//===--- Functions for forms ----------------------------------------------===//

// `Op` is a struct with a static `apply`.

template <typename D, typename A, typename Op>
Step unary(Warp &warp, const Instruction &in) {
  D *d = operand<D>(warp, in, 0);
  const A *a = operand<A>(warp, in, 1);
  forActive(warp, d, [&](unsigned lane) { return Op::apply(a[lane]); });
  return Step::next;
}

template <typename D, typename A, typename B, typename Op>
Step binary(Warp &warp, const Instruction &in) {
  D *d = operand<D>(warp, in, 0);
  const A *a = operand<A>(warp, in, 1);
  const B *b = operand<B>(warp, in, 2);
  forActive(warp, d,
            [&](unsigned lane) -> D { return Op::apply(a[lane], b[lane]); });
  return Step::next;
}

template <typename D, typename A, typename B, typename C, typename Op>
Step ternary(Warp &warp, const Instruction &in) {
  D *d = operand<D>(warp, in, 0);
  const A *a = operand<A>(warp, in, 1);
  const B *b = operand<B>(warp, in, 2);
  const C *c = operand<C>(warp, in, 3);
  forActive(warp, d, [&](unsigned lane) -> D {
    return Op::apply(a[lane], b[lane], c[lane]);
  });
  return Step::next;
}

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_EXECUTE_LANES_H
