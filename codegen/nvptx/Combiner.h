//===- Combiner.h - The region of a reduction or scan -----------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_NVPTX_COMBINER_H
#define TILEWRIGHT_CODEGEN_NVPTX_COMBINER_H

#include "codegen/numeric/Elementwise.h"
#include "mlir/IR/Builders.h"

#include <functional>

namespace tilewright::nvptx {

/// Elements of all inputs at some registers, and which of them are elements of
/// the tile: null if all are.
struct Parts {
  llvm::SmallVector<mlir::Value> values;
  mlir::Value valid;
};

/// Applies a combiner to vectors of elements.
class Combiner {
public:
  /// `outside` gives what stands for a scalar from outside the region.
  Combiner(mlir::OpBuilder &b, mlir::Location loc, mlir::Region &region,
           const numeric::Hardware &hardware,
           std::function<mlir::Value(mlir::Value)> outside)
      : b(b), loc(loc), block(region.front()), hardware(hardware),
        outside(std::move(outside)) {}

  /// Whether left and right may be exchanged: the region is one such op.
  bool commutes();
  llvm::SmallVector<mlir::Value> apply(mlir::ValueRange left,
                                       mlir::ValueRange right);
  /// Where only one side is valid, that one.
  Parts apply(const Parts &left, const Parts &right);

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Block &block;
  numeric::Hardware hardware;
  std::function<mlir::Value(mlir::Value)> outside;
};

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_CODEGEN_NVPTX_COMBINER_H
