// The operations of a vector unit, and the names of their delays.
#ifndef TILEWRIGHT_SPATIAL_MACHINE_ALUOPS_H
#define TILEWRIGHT_SPATIAL_MACHINE_ALUOPS_H

#include "tilewright/support/Export.h"
#include <cstdint>
#include <optional>
#include <string_view>

namespace tilewright::spatial {

enum class AluOp : uint8_t {
#define ALU_OP(ENUMERATOR, NAME, OPERANDS, DELAY) ENUMERATOR,
#include "spatial/machine/AluOps.inc"
#undef ALU_OP
};

/// What a machine file gives a delay for; several operations may share one.
enum class DelayClass : uint8_t {
  move,
  add,
  sub,
  mul,
  fma,
  min,
  max,
  compare,
  select,
  logic,
  shift,
  convert,
  round,
  abs,
  divide,
  sqrt,
  rsqrt,
  exp,
  log,
  tanh,
  erf,
  sin,
  cos,
  pow,
};

/// As in schedules: "add".
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string_view aluName(AluOp op);
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::optional<AluOp>
aluFromName(std::string_view name);
/// How many operands: 1, 2 or 3.
[[nodiscard]] TILEWRIGHT_PRIVATE_API int aluOperands(AluOp op);
[[nodiscard]] TILEWRIGHT_PRIVATE_API DelayClass delayClass(AluOp op);
/// As in machine files: "compare".
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string_view
delayName(DelayClass delay);
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::optional<DelayClass>
delayFromName(std::string_view name);

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_MACHINE_ALUOPS_H
