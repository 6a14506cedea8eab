//===- BodyVectors.h - The body of an op, on vectors ------------*- C++ -*-===//
#ifndef TILEWRIGHT_SPATIAL_TRANSFORMS_BODYVECTORS_H
#define TILEWRIGHT_SPATIAL_TRANSFORMS_BODYVECTORS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "spatial/transforms/AluBuilder.h"
#include "spatial/transforms/Points.h"

namespace tilewright::spatial {

/// Computes scalars of a body for points of the op's loops. Errors name an op
/// that the machine has no operation for.
class BodyVectors {
public:
  BodyVectors(Tensors &tensors, mlir::linalg::GenericOp op, Points points)
      : tensors(tensors), op(op), points(std::move(points)),
        alu(tensors, op.getLoc(), this->points.count()) {}

  mlir::FailureOr<VectorScalar> scalar(mlir::Value value);
  /// The scalar as vectors of `dtype`, one for each vector of points.
  mlir::FailureOr<Reads> vectors(mlir::Value value, DType dtype);
  /// Instead of what an argument of the body is.
  void set(mlir::Value value, VectorScalar scalar) {
    scalars[value] = std::move(scalar);
  }

private:
  mlir::FailureOr<VectorScalar> compute(mlir::Value value);
  mlir::FailureOr<VectorScalar> argument(mlir::BlockArgument argument);
  mlir::FailureOr<VectorScalar> constant(mlir::TypedAttr value);
  mlir::FailureOr<VectorScalar> extract(mlir::tensor::ExtractOp extract);
  /// What an extract reads: its indices, and which of them are data.
  struct Element {
    int64_t tensor = 0;
    llvm::SmallVector<int64_t> shape;
    llvm::SmallVector<VectorScalar> indices;
    llvm::SmallVector<unsigned> unknown;
  };
  [[nodiscard]] Rows rowsOfChoice(const Element &element, int64_t choice) const;
  [[nodiscard]] bool isSameInLanes(mlir::tensor::ExtractOp extract,
                                   const Element &element) const;
  mlir::FailureOr<VectorScalar> gather(mlir::tensor::ExtractOp extract,
                                       const Element &element);
  mlir::FailureOr<VectorScalar> select(mlir::tensor::ExtractOp extract,
                                       const Element &element);
  mlir::FailureOr<VectorScalar> operation(mlir::Operation *inner);
  mlir::FailureOr<VectorScalar> elements(mlir::Location where, const Rows &rows,
                                         mlir::Type type);

  Tensors &tensors;
  mlir::linalg::GenericOp op;
  Points points;
  AluBuilder alu;
  llvm::DenseMap<mlir::Value, VectorScalar> scalars;
};

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_TRANSFORMS_BODYVECTORS_H
