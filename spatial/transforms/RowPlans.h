//===- RowPlans.h - Rows as lanes of several vectors ------------*- C++ -*-===//
#ifndef TILEWRIGHT_SPATIAL_TRANSFORMS_ROWPLANS_H
#define TILEWRIGHT_SPATIAL_TRANSFORMS_ROWPLANS_H

#include "spatial/transforms/Tensors.h"

namespace tilewright::spatial {

/// A vector that some lanes of a row come from.
struct Source {
  Tensors::Vector vector;
  /// For each lane of the row the lane of this vector, or -1.
  llvm::SmallVector<int32_t> lanes;
};

/// A row as its sources.
using RowPlan = llvm::SmallVector<Source, 2>;

/// Rows of type `dtype` by products with ones, on a machine without an sxm.
/// Written to the places `which` of `found`. Fails with an error at `where` if
/// no mxm can do it.
mlir::LogicalResult moveByProducts(Tensors &tensors, mlir::Location where,
                                   llvm::ArrayRef<RowPlan> plans, DType dtype,
                                   llvm::ArrayRef<int64_t> which,
                                   std::vector<Tensors::Vector> &found);

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_TRANSFORMS_ROWPLANS_H
