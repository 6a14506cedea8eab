// The machine's arithmetic (M10), on vectors. The same bits on every host.
//
// Elements are held in 32-bit lanes: f32, f16 and bf16 values as the bits of
// the f32 that equals them, i32, i8, u8 and i1 as the i32 that equals them.
#ifndef TILEWRIGHT_SPATIAL_NUMERIC_NUMERIC_H
#define TILEWRIGHT_SPATIAL_NUMERIC_NUMERIC_H

#include "spatial/machine/AluOps.h"
#include "spatial/machine/ValueTypes.h"
#include "tilewright/support/Export.h"
#include <cstddef>
#include <cstdint>
#include <span>

namespace tilewright::spatial {

/// The bits of an f32, or an i32.
using Lane = uint32_t;

/// Computes `op` on all lanes and rounds the result to `valueType`. `operands`
/// has aluOperands(op) spans; one of size 1 is the same in each lane. `result`
/// may be one of the operands.
TILEWRIGHT_PRIVATE_API void
evaluateAlu(AluOp op, DType type,
            std::span<const std::span<const Lane>> operands, DType valueType,
            std::span<Lane> result);

/// A number as a lane of an operation on `type`: f32 by rounding; i32 must be
/// in range.
[[nodiscard]] TILEWRIGHT_PRIVATE_API Lane numberLane(DType type, double number);

/// Rounds lanes of f32 (i32) to a type that resultType names.
TILEWRIGHT_PRIVATE_API void roundLanes(DType valueType, std::span<Lane> lanes);

/// A product of a plane: result[c] = sum over k of x[k] weights[k][c], with +0
/// first, k ascending, each step rounded (f32; i32 of i8, wrapping). Then
/// accumulator[c] is added, if there is one. `weights[k]` has at least
/// result.size() lanes. `result` may be the accumulator.
TILEWRIGHT_PRIVATE_API void multiply(DType type, std::span<const Lane> x,
                                     std::span<const Lane *const> weights,
                                     const Lane *accumulator,
                                     std::span<Lane> result);

/// Lanes of elements in memory (little endian, dtypeBytes each), and back.
/// `bytes` may be unaligned.
TILEWRIGHT_PRIVATE_API void lanesOfElements(DType type,
                                            std::span<const std::byte> bytes,
                                            std::span<Lane> lanes);
TILEWRIGHT_PRIVATE_API void elementsOfLanes(DType type,
                                            std::span<const Lane> lanes,
                                            std::span<std::byte> bytes);

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_NUMERIC_NUMERIC_H
