//===- GatheredProducers.h - Computed where it is gathered ------*- C++ -*-===//
//-*-===//
#ifndef TILEWRIGHT_GRAPH_ANALYSIS_GATHEREDPRODUCERS_H
#define TILEWRIGHT_GRAPH_ANALYSIS_GATHEREDPRODUCERS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace tilewright::graph {

/// Decides which elementwise ops are computed where their results are gathered.
/// Where such an op is read in several ways, each computes it, and what it is
/// computed from, again; then its result is in memory, unless that costs more
/// (Recomputation.h).
class GatheredProducers {
public:
  /// `ops`: all generics of a function, in its order. Changes nothing.
  explicit GatheredProducers(llvm::ArrayRef<mlir::linalg::GenericOp> ops);

  /// The op of which `reader` computes the elements that it gathers of
  /// `tensor`; null if it reads them from memory.
  mlir::linalg::GenericOp computedIn(mlir::linalg::GenericOp reader,
                                     mlir::Value tensor) const;

private:
  /// How an op is read if nothing that is gathered is in memory.
  struct Reads {
    /// The gathers that reach it, by its result or by that of an op that reads
    /// it in place. More than mostGathers count as so many.
    llvm::SetVector<mlir::Operation *> gathers;
    /// Whether it is also read at its own loops.
    bool isInPlace = false;
    bool isInMemory = false;
  };
  static constexpr size_t mostGathers = 16;

  void collect(mlir::linalg::GenericOp op);
  void decide(mlir::linalg::GenericOp op);
  int64_t priceOf(mlir::linalg::GenericOp op);

  llvm::DenseMap<mlir::Operation *, Reads> reads;
  llvm::SmallPtrSet<mlir::Operation *, 16> chosen;
  llvm::DenseMap<mlir::Operation *, int64_t> prices;
};

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_ANALYSIS_GATHEREDPRODUCERS_H
