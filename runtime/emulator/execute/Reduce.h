// Reductions of elements in memory, as copies and red.async make them.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_EXECUTE_REDUCE_H
#define TILEWRIGHT_RUNTIME_EMULATOR_EXECUTE_REDUCE_H

#include "runtime/emulator/program/Program.h"
#include <cstddef>

namespace tilewright::emulator {

enum class ReduceOp : uint8_t {
  add,
  min,
  max,
  inc,
  dec,
  bitAnd,
  bitOr,
  bitXor
};

/// `name` is a modifier: add, min, max, inc, dec, and, or, xor.
[[nodiscard]] ReduceOp reduceOpFromName(std::string_view name);

/// Consecutive elements, at any address, in `bytes` bytes; each of `to` becomes
/// the result of itself and of that of `from`.
using ReduceElements = void (*)(std::byte *to, const std::byte *from,
                                size_t bytes);

/// Null: there is no such operation (PTX section 9.7.9.25.4.2). Additions of
/// f32 flush subnormals, those of f16 and bf16 do not; integers wrap.
[[nodiscard]] ReduceElements reduceElements(ReduceOp op, Type type);

/// An operation on a type of the above in one byte, and back.
[[nodiscard]] uint8_t packReduction(ReduceOp op, Type type);
[[nodiscard]] ReduceElements unpackReduction(uint8_t packed);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_EXECUTE_REDUCE_H
