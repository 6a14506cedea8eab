#ifndef TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_ISA_H
#define TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_ISA_H

/// The emulator's arithmetic is compiled for several instruction sets into one
/// program. Every inline function of `numeric/` and `tensor/` is in
///
///     namespace tilewright::emulator { inline namespace TILEWRIGHT_ISA {
///
/// so that the linker never takes the copy made for one instruction set for
/// the copy of another. For the same reason these headers use compiler
/// builtins, not inline functions of the standard library.
///
/// They must be compiled with -ffp-contract=off (the CMake target
/// tilewright_emulator_numeric sets it) and run in the default floating-point
/// environment: round to nearest, subnormals kept.
#ifndef TILEWRIGHT_ISA
#define TILEWRIGHT_ISA portable
#endif

namespace tilewright::emulator {
inline namespace TILEWRIGHT_ISA {

/// The bits of \p value as another type of the same size.
template <class To, class From> constexpr To bitCast(From value) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, value);
}

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_ISA_H
