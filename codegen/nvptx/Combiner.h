//===- Combiner.h - The region of a reduction or scan -----------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_NVPTX_COMBINER_H
#define TILEWRIGHT_CODEGEN_NVPTX_COMBINER_H

#include "codegen/nvptx/Emission.h"

namespace tilewright::nvptx {

/// Elements of all inputs at some registers, and which of them are elements of
/// the tile: null if all are.
struct Parts {
  llvm::SmallVector<mlir::Value> values;
  mlir::Value valid;
};

/// Applies a combiner to vectors of elements: as ops on vectors where it has
/// ops of arith and math alone, else element by element.
class Combiner {
public:
  Combiner(Emission &e, mlir::Region &region) : e(e), block(region.front()) {}

  /// Whether left and right may be exchanged: the region is one such op.
  bool commutes();
  /// The element that the region leaves as it is, for one input; null where
  /// none is known.
  mlir::TypedAttr neutral();
  llvm::SmallVector<mlir::Value> apply(mlir::ValueRange left,
                                       mlir::ValueRange right);
  /// Where only one side is valid, that one.
  Parts apply(const Parts &left, const Parts &right);
  /// Failure where an op of the region was rejected; it has an error then.
  [[nodiscard]] mlir::LogicalResult status() const { return result; }

private:
  bool isVectorizable();
  llvm::SmallVector<mlir::Value> applyVectors(mlir::ValueRange operands);
  llvm::SmallVector<mlir::Value> applyScalars(mlir::ValueRange operands);
  /// Emits the region for scalar arguments; returns the yielded values.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  emitScalars(mlir::ValueRange scalars);

  Emission &e;
  mlir::Block &block;
  mlir::LogicalResult result = mlir::success();
};

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_CODEGEN_NVPTX_COMBINER_H
