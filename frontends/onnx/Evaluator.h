// Elements of graph-level values that are known while a model is imported.
#pragma once

#include "frontends/onnx/GraphBuilder.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace tilewright::onnx {

/// An element: a constant, or a whole number that is an expression over sizes.
struct KnownElement {
  mlir::TypedAttr constant;
  Expr size;
};

/// The constant as an attribute of this type; null if it has none.
mlir::TypedAttr constantAs(const KnownElement &element, mlir::Type type);
/// The whole number as a size; null if it is none.
Expr sizeOf(Sizes &sizes, const KnownElement &element);

/// Computes elements of SSA values from the operations that define them, one at
/// a time and only where they are asked for. The operations are those that run,
/// folded by their dialects: folding and running are one definition. Used for
/// one request; keeps what it has computed.
class Evaluator {
public:
  using Position = SmallVector<int64_t>;

  /// `budget`: scalar operations that may be folded.
  Evaluator(GraphBuilder &builder, int64_t budget)
      : b(builder), budget(budget) {}

  /// The element of a tensor of static shape, or nothing if it depends on an
  /// input's elements, has not been written, or costs too much.
  std::optional<KnownElement> element(Value tensor, ArrayRef<int64_t> at);

  /// Takes sizes that may be equal to be equal where they are compared, and
  /// notes them.
  bool assumesEqual = false;
  SmallVector<std::pair<Expr, Expr>> assumed;

private:
  /// The scalars of a body for one iteration.
  struct Iteration {
    Position loops;
    llvm::SmallDenseMap<Value, std::optional<KnownElement>> scalars;
  };

  std::optional<KnownElement> compute(Value tensor, ArrayRef<int64_t> at);
  std::optional<KnownElement> ofGeneric(mlir::linalg::GenericOp op,
                                        unsigned result, ArrayRef<int64_t> at);
  std::optional<KnownElement> ofPad(mlir::tensor::PadOp op,
                                    ArrayRef<int64_t> at);
  std::optional<KnownElement> ofSlice(mlir::tensor::ExtractSliceOp op,
                                      ArrayRef<int64_t> at);
  std::optional<KnownElement> ofConcat(mlir::tensor::ConcatOp op,
                                       ArrayRef<int64_t> at);
  std::optional<KnownElement> ofReshape(Value source, mlir::Type type,
                                        ArrayRef<int64_t> at);
  std::optional<KnownElement> scalar(Value value, Iteration &iteration);
  std::optional<KnownElement> computeScalar(Value value, Iteration &iteration);
  std::optional<KnownElement> ofArgument(mlir::BlockArgument argument,
                                         Iteration &iteration);
  std::optional<KnownElement> ofExtract(mlir::tensor::ExtractOp op,
                                        Iteration &iteration);
  std::optional<KnownElement> ofOperation(mlir::Operation *op,
                                          Iteration &iteration);
  std::optional<KnownElement> fold(mlir::Operation *op,
                                   ArrayRef<KnownElement> operands);
  std::optional<KnownElement> combineSizes(mlir::Operation *op,
                                           ArrayRef<KnownElement> operands);
  std::optional<bool> areEqual(Expr a, Expr b);
  std::optional<bool> compareSizes(mlir::arith::CmpIPredicate predicate, Expr a,
                                   Expr b);
  std::optional<int64_t> indexOf(mlir::OpFoldResult value);

  GraphBuilder &b;
  int64_t budget;
  llvm::DenseMap<Value, llvm::DenseMap<int64_t, std::optional<KnownElement>>>
      known;
};

} // namespace tilewright::onnx
