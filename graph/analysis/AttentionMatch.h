//===- AttentionMatch.h - softmax(f(Q K)) V among the ops of a graph -*- C++
//-*-//
#ifndef TILEWRIGHT_GRAPH_ANALYSIS_ATTENTIONMATCH_H
#define TILEWRIGHT_GRAPH_ANALYSIS_ATTENTIONMATCH_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SetVector.h"
#include <string>

namespace tilewright::graph {

/// The ops of an attention: a product gives scores, elementwise functions mask
/// them, a softmax along the keys makes weights of them, and a second product
/// multiplies these with the values.
struct AttentionMatch {
  mlir::linalg::GenericOp scores, maximum, total, product;
  /// What the maximum is taken of.
  mlir::Value masked;
  /// exp(masked - maximum), which the total sums up.
  mlir::Value powers;
  /// Selections of the maximum for scores that are seen, and of 0 for others.
  llvm::SmallVector<mlir::Operation *, 2> shifts;
  /// The first input of the second product: the powers times a number of their
  /// row.
  mlir::Value weights;
  /// That number, or its inverse; it has the total's dimensions.
  mlir::Value factor;
  bool isDivisor = true;
  /// Whether weights that are NaN are replaced by 0.
  bool dropsNaN = false;
  /// The last key that a query sees: scores behind it are -infinity.
  struct LastKey {
    /// The queries' dimension of the scores.
    unsigned queries;
    /// The key less the query.
    int64_t ahead;
    /// The comparisons in bodies that hide them.
    llvm::SmallVector<mlir::Operation *, 2> conditions;
  };
  std::optional<LastKey> lastKey;
  /// All ops between the operands of the first product and the second one,
  /// without that.
  llvm::SmallSetVector<mlir::Operation *, 16> ops;
};

/// The attention that ends in `product`. Nothing where it is no second product
/// of a softmax, and where `reason` says why it is none that a kernel computes
/// block by block.
std::optional<AttentionMatch> matchAttention(mlir::linalg::GenericOp product,
                                             std::string &reason);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_ANALYSIS_ATTENTIONMATCH_H
