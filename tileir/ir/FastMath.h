//===- FastMath.h - Names of fast-math flags --------------------*- C++ -*-===//
#ifndef TILEWRIGHT_TILEIR_IR_FASTMATH_H
#define TILEWRIGHT_TILEIR_IR_FASTMATH_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include <optional>

namespace tilewright::tile {

/// The names of all flags, for errors.
inline constexpr llvm::StringLiteral kFastMathFlagNames =
    "contract, arcp, afn, reassoc, nsz, nnan, ninf";

/// The flags of "contract,afn": names of MLIR with commas; of an empty text
/// none. Nothing where a name is unknown.
std::optional<mlir::arith::FastMathFlags>
parseFastMathFlags(llvm::StringRef names);

/// Those of an op; none where it takes none.
mlir::arith::FastMathFlags fastMathFlagsOf(mlir::Operation *op);
/// Of an op that takes some.
void setFastMathFlags(mlir::Operation *op, mlir::arith::FastMathFlags flags);

} // namespace tilewright::tile

#endif // TILEWRIGHT_TILEIR_IR_FASTMATH_H
