//===- Combine.h - What reductions and atomics combine with -----*- C++ -*-===//
#ifndef TILEWRIGHT_VERIFY_THREADS_COMBINE_H
#define TILEWRIGHT_VERIFY_THREADS_COMBINE_H

#include "mlir/IR/Types.h"
#include <cstdint>

namespace tilewright::verify::threads {

enum class Combining : uint8_t {
  exchange,
  add,
  sub,
  mul,
  bitAnd,
  bitOr,
  bitXor,
  maxSigned,
  minSigned,
  maxUnsigned,
  minUnsigned,
  // Of floats: a number rather than a NaN, or NaN.
  maxNumber,
  minNumber,
  maximum,
  minimum
};

/// Of two numbers with `bits`, of which the upper bits are zero.
using Combine = uint64_t (*)(uint64_t a, uint64_t b, unsigned bits);

/// Null where scalars of the type are not combined in this way.
Combine combinerOf(Combining combining, mlir::Type scalar);

} // namespace tilewright::verify::threads

#endif // TILEWRIGHT_VERIFY_THREADS_COMBINE_H
