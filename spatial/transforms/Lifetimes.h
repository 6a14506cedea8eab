//===- Lifetimes.h - Until when a tensor's layout is needed -----*- C++ -*-===//
#ifndef TILEWRIGHT_SPATIAL_TRANSFORMS_LIFETIMES_H
#define TILEWRIGHT_SPATIAL_TRANSFORMS_LIFETIMES_H

#include "spatial/transforms/Tensors.h"

namespace tilewright::spatial {

/// Drops the tables of tensors that no later op of a graph reads: together they
/// are larger than the model.
class Lifetimes {
public:
  Lifetimes(Tensors &tensors, mlir::Block &graph);

  /// After an op is lowered; ops come in the order of the graph.
  void end(mlir::Operation *op);

private:
  void keep(int64_t tensor, int64_t until);

  Tensors &tensors;
  /// By tensor of the graph: the number of the last op that reads it.
  llvm::DenseMap<mlir::Value, int64_t> lastReader;
  /// By tensor: the op after which it is dropped. A view needs those whose
  /// elements it has.
  llvm::DenseMap<int64_t, int64_t> lastOp;
  /// By op: what may be dropped after it.
  std::vector<std::vector<int64_t>> ending;
  int64_t now = 0, known = 0;
};

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_TRANSFORMS_LIFETIMES_H
