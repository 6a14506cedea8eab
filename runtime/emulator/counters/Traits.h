// What counting has to know of each instruction of a program.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_TRAITS_H
#define TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_TRAITS_H

#include "runtime/emulator/machine/Observer.h"

namespace tilewright::emulator {

/// The classes of Classes.inc.
enum class InstructionClass : uint8_t {
#define INSTRUCTION_CLASS(ENUMERATOR, NAME, MEANING) ENUMERATOR,
#include "runtime/emulator/counters/Classes.inc"
#undef INSTRUCTION_CLASS
};
constexpr size_t instructionClassCount = size_t(InstructionClass::other) + 1;
/// The name and the meaning, for reports.
[[nodiscard]] std::string_view className(InstructionClass kind);
[[nodiscard]] std::string_view classMeaning(InstructionClass kind);

/// What an instruction does with the memory at its addresses.
enum class Traffic : uint8_t {
  none,
  load,
  store,
  atomic,
  /// cp.async: from global memory at the second address to shared memory at the
  /// first; the third operand is the number of bytes.
  copy,
};

/// The meaning of the operand after these in a cp.async.
enum class CopyLimit : uint8_t {
  none,
  /// Bytes that are read; the others are zeros.
  bytes,
  /// A predicate: nothing is read.
  ignore,
};

struct Traits {
  InstructionClass kind = InstructionClass::other;
  Traffic traffic = Traffic::none;
  /// Of each lane with an address; of a matrix, of each row or column.
  uint32_t bytes = 0;
  /// Lanes whose addresses count; of a matrix, none.
  uint32_t addressLanes = ~uint32_t{0};
  /// Of a matrix (wmma.load, wmma.store) at one address: the number of rows, or
  /// columns; the bits from one to the next, if no operand has the stride; and
  /// the bits of an element.
  uint32_t runs = 0, runStrideBits = 0, elementBits = 0;
  /// The operand with the first address.
  uint16_t address = 0;
  CopyLimit limit = CopyLimit::none;
  /// A warp arrives at a barrier.
  bool arrives = false;
  /// What a warp adds to the counters of that name when it executes it.
  uint32_t tensorOperations = 0;
  uint64_t multiplyAdds = 0;
  uint32_t tensorSharedBytes = 0;
};

/// The traits of each instruction of `program`'s function `index`.
[[nodiscard]] std::vector<Traits> traitsOf(const Program &program,
                                           size_t index);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_TRAITS_H
