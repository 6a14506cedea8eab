// Elements of graph-level values that are known before the model runs.
#ifndef TILEWRIGHT_GRAPH_ANALYSIS_EVALUATOR_H
#define TILEWRIGHT_GRAPH_ANALYSIS_EVALUATOR_H

#include "graph/analysis/Sizes.h"
#include "graph/ir/Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <functional>
#include <unordered_map>

namespace tilewright::graph {

/// An element: a constant, a whole number that is an expression over sizes, or
/// the quotient of two of them.
struct KnownElement {
  mlir::TypedAttr constant;
  Expr size;
  /// What the size is divided by, if it is; it may be 0.
  Expr divisor = {};
};

/// The constant as an attribute of this type; null if it has none.
mlir::TypedAttr constantAs(const KnownElement &element, mlir::Type type);
/// The whole number as a size; null if it is none.
Expr sizeOf(Sizes &sizes, const KnownElement &element);
/// A number as a quotient of sizes; nothing if it is none.
std::optional<std::pair<Expr, Expr>> ratioOf(Sizes &sizes,
                                             const KnownElement &element);

/// Computes elements of SSA values from their defining operations, one at a
/// time and only on request. The operations are evaluated by the folders of
/// their dialects, so folding and running share one definition. Used for one
/// request; caches its results.
class Evaluator {
public:
  using Position = llvm::SmallVector<int64_t>;
  /// The size of an index value; null if it is not a size.
  using SizeOf = std::function<Expr(mlir::Value)>;

  /// `budget`: scalar operations that may be folded. `sizes` outlives this.
  Evaluator(Sizes &sizes, SizeOf sizeOfIndex, int64_t budget)
      : sizes(sizes), sizeOfIndex(std::move(sizeOfIndex)), budget(budget) {}

  /// The element of a tensor of static shape, or nothing if it depends on an
  /// input's elements, has not been written, or costs too much.
  std::optional<KnownElement> element(mlir::Value tensor,
                                      llvm::ArrayRef<int64_t> at);

  /// The number of the update that replaces an element, by the element's
  /// number, both in row-major order.
  using LastUpdates = std::unordered_map<int64_t, int64_t>;
  /// Of a scatter "set"; nothing where an index is not known, or they are many.
  std::optional<LastUpdates> lastUpdatesOf(ScatterOp op);

  /// Takes sizes that may be equal to be equal where they are compared, and
  /// notes them.
  bool assumesEqual = false;
  llvm::SmallVector<std::pair<Expr, Expr>> assumed;

private:
  /// The scalars of a body for one iteration.
  struct Iteration {
    Position loops;
    llvm::SmallDenseMap<mlir::Value, std::optional<KnownElement>> scalars;
  };

  std::optional<KnownElement> compute(mlir::Value tensor,
                                      llvm::ArrayRef<int64_t> at);
  std::optional<KnownElement> ofGeneric(mlir::linalg::GenericOp op,
                                        unsigned result,
                                        llvm::ArrayRef<int64_t> at);
  std::optional<KnownElement> ofPad(mlir::tensor::PadOp op,
                                    llvm::ArrayRef<int64_t> at);
  std::optional<KnownElement> ofSlice(mlir::tensor::ExtractSliceOp op,
                                      llvm::ArrayRef<int64_t> at);
  std::optional<KnownElement> ofConcat(mlir::tensor::ConcatOp op,
                                       llvm::ArrayRef<int64_t> at);
  std::optional<KnownElement> ofReshape(mlir::Value source, mlir::Type type,
                                        llvm::ArrayRef<int64_t> at);
  std::optional<KnownElement> ofScatter(ScatterOp op,
                                        llvm::ArrayRef<int64_t> at);
  std::optional<KnownElement> scalar(mlir::Value value, Iteration &iteration);
  std::optional<KnownElement> computeScalar(mlir::Value value,
                                            Iteration &iteration);
  std::optional<KnownElement> ofArgument(mlir::BlockArgument argument,
                                         Iteration &iteration);
  std::optional<KnownElement> ofExtract(mlir::tensor::ExtractOp op,
                                        Iteration &iteration);
  std::optional<KnownElement> ofOperation(mlir::Operation *op,
                                          Iteration &iteration);
  std::optional<KnownElement> fold(mlir::Operation *op,
                                   llvm::ArrayRef<KnownElement> operands);
  std::optional<KnownElement>
  combineSizes(mlir::Operation *op, llvm::ArrayRef<KnownElement> operands);
  std::optional<KnownElement>
  compareFloats(mlir::arith::CmpFOp op, llvm::ArrayRef<KnownElement> operands);
  std::optional<bool> areEqual(Expr a, Expr b);
  std::optional<bool> compareSizes(mlir::arith::CmpIPredicate predicate, Expr a,
                                   Expr b);
  std::optional<int64_t> indexOf(mlir::OpFoldResult value);
  Sizes &sizes;
  SizeOf sizeOfIndex;
  int64_t budget;
  llvm::DenseMap<mlir::Value,
                 std::unordered_map<int64_t, std::optional<KnownElement>>>
      known;
  /// Nothing where an index is not known.
  llvm::DenseMap<mlir::Operation *, std::optional<LastUpdates>> lastUpdates;
};

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_ANALYSIS_EVALUATOR_H
