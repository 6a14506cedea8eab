// What atomic operations and reductions make of the old value and the operand.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_EXECUTE_ATOMICOPS_H
#define TILEWRIGHT_RUNTIME_EMULATOR_EXECUTE_ATOMICOPS_H

#include "runtime/emulator/numeric/Arithmetic.h"

// PTX section 9.7.13.5.

namespace tilewright::emulator {
inline namespace TILEWRIGHT_ISA {

struct And {
  template <class T> static T apply(T old, T b) { return T(old & b); }
};
struct Or {
  template <class T> static T apply(T old, T b) { return T(old | b); }
};
struct Xor {
  template <class T> static T apply(T old, T b) { return T(old ^ b); }
};
struct Exchange {
  template <class T> static T apply(T, T b) { return b; }
};
/// Integers wrap.
struct AddInteger {
  template <class T> static T apply(T old, T b) { return T(old + b); }
};
struct MinInteger {
  template <class T> static T apply(T old, T b) { return b < old ? b : old; }
};
struct MaxInteger {
  template <class T> static T apply(T old, T b) { return b > old ? b : old; }
};
/// Up to b, then 0.
struct Inc {
  template <class T> static T apply(T old, T b) {
    return old >= b ? T{0} : T(old + 1);
  }
};
/// Down to 0, then b.
struct Dec {
  template <class T> static T apply(T old, T b) {
    return old == 0 || old > b ? b : T(old - 1);
  }
};
/// f32 in global memory flushes subnormals, in shared memory it does not.
template <bool Flushes> struct AddFloat {
  template <class T> static T apply(T old, T b) {
    constexpr Rounding rn = Rounding::nearestEven;
    if constexpr (Flushes)
      return flushed(add<rn>(flushed(old), flushed(b)));
    else
      return add<rn>(old, b);
  }
};
struct MinFloat {
  template <class T> static T apply(T old, T b) {
    return min<NanRule::ignore>(old, b);
  }
};
struct MaxFloat {
  template <class T> static T apply(T old, T b) {
    return max<NanRule::ignore>(old, b);
  }
};
/// Each half of 32 bits.
template <class Op, class T> struct OnPairs {
  static uint32_t apply(uint32_t old, uint32_t b) {
    uint32_t low = Op::apply(T{uint16_t(old)}, T{uint16_t(b)}).bits;
    uint32_t high =
        Op::apply(T{uint16_t(old >> 16)}, T{uint16_t(b >> 16)}).bits;
    return high << 16 | low;
  }
};

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_EXECUTE_ATOMICOPS_H
