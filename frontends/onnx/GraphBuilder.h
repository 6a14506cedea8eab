// Builds graph-level IR: generics, reshapes, pads, slices over symbolic sizes.
#pragma once

#include "frontends/onnx/Scalar.h"
#include "frontends/onnx/Tensor.h"
#include "support/Status.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>

namespace tilewright::graph {
struct KnownElement;
class Evaluator;
} // namespace tilewright::graph

namespace tilewright::onnx {

using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;
using mlir::failure;
using mlir::FailureOr;
using mlir::LogicalResult;
using mlir::success;
using mlir::Value;

#define TILEWRIGHT_TRY_IMPL(RESULT, TARGET, ...)                               \
  auto RESULT = (__VA_ARGS__);                                                 \
  if (::mlir::failed(RESULT))                                                  \
    return ::mlir::failure();                                                  \
  TARGET = std::move(*RESULT)

/// Declares or assigns TARGET from an expression (a FailureOr), or returns
/// failure from the function: TRY(Tensor x, node.input(0)). It is several
/// statements, so a branch or a loop around it needs braces.
#define TRY(TARGET, ...)                                                       \
  TILEWRIGHT_TRY_IMPL(TILEWRIGHT_CONCAT(tryResult, __COUNTER__), TARGET,       \
                      __VA_ARGS__)

/// Writes a generic's body: gets one scalar per operand and, in a reduction,
/// the accumulator as the last one; returns the result's scalar.
using BodyFn = llvm::function_ref<Value(Scalar &, ArrayRef<Value>)>;

/// A tensor read by a generic: for each of its dimensions, the index to read as
/// an affine expression of the generic's loops.
struct Operand {
  Tensor tensor;
  Dims at;
};

using graph::Evaluator;
using graph::KnownElement;

/// How a generic treats its operands.
struct GenericOptions {
  /// Element-wise arithmetic is done in f32 for floats of 16 bits and fewer.
  bool widen = true;
  /// Read transposed operands through their indexing maps.
  bool absorbTranspose = false;
  /// Operands with one value for all elements stay tensors, so that the
  /// generic keeps the form of a contraction.
  bool keepSplats = false;
  /// Loops from here on are reductions.
  std::optional<unsigned> parallelLoops;
  /// What a reduction starts from.
  mlir::TypedAttr init;
  /// Parallel loops of size 1 that need not be there: the result is stored
  /// without these dimensions.
  SmallVector<bool> unitLoops;
};

/// One function under construction. Helpers that can fail because of the model
/// return FailureOr and leave one message in `error`.
class GraphBuilder {
public:
  /// `diagnostic` receives what the context's verifiers say.
  GraphBuilder(mlir::MLIRContext *context, mlir::func::FuncOp function,
               const std::string &diagnostic);

  Sizes sizes;
  mlir::OpBuilder builder;
  mlir::Location loc;
  std::string error;

  LogicalResult fail(const llvm::Twine &message);
  /// Fails because a tensor's elements are not known at import. The message
  /// names the model's inputs that they come from.
  LogicalResult failUnknown(const llvm::Twine &message, const Tensor &tensor);
  /// The model's inputs that the unknown elements come from.
  std::vector<std::string> unknownInputs;
  /// The same for a size, which a fixed shape makes a number.
  std::string sizeRemedy(Expr size) const;
  const std::string &diagnostic;
  /// Verifies the operations after `last` (null: all) in the function's body.
  LogicalResult verifyAfter(mlir::Operation *last);
  mlir::Operation *lastOperation() {
    return entry->empty() ? nullptr : &entry->back();
  }

  // Values.
  /// A tensor over an SSA value with all dimensions in order.
  FailureOr<Tensor> wrap(Value value, ArrayRef<Expr> dims, Element element);
  /// The SSA value with all dimensions, row-major.
  Value dense(const Tensor &tensor);
  /// A size as an index value at the function's entry, one per expression.
  Value index(Expr size);
  mlir::OpFoldResult indexOrConstant(Expr size);
  /// Declares that a symbol is the size of an argument's dimension.
  void defineSymbol(Expr symbol, Value argument, int64_t dim);
  /// Says what the model calls an argument.
  void nameArgument(Value argument, StringRef name) {
    argumentNames[argument] = name.str();
  }
  mlir::RankedTensorType typeOf(ArrayRef<Expr> dims, Element element);

  // Constants.
  /// The attribute of a number; infinity gives an integer type's extremes.
  mlir::TypedAttr constantAttr(Element element, double value);
  Tensor scalarConstant(Element element, double value);
  Tensor splat(mlir::TypedAttr value, ArrayRef<Expr> dims, Element element);
  Tensor integers(ArrayRef<Expr> values, ArrayRef<Expr> dims, Element element);
  Tensor floats(ArrayRef<float> values, ArrayRef<int64_t> dims);

  // Computation.
  /// One linalg.generic with loops of these sizes; the result has the sizes of
  /// the parallel ones. What `folded` folds of it is a constant.
  FailureOr<Tensor> generic(ArrayRef<Operand> operands, ArrayRef<Expr> loops,
                            Element out, BodyFn body,
                            const GenericOptions &options = {});
  /// NumPy broadcasting.
  FailureOr<Tensor> elementwise(ArrayRef<Tensor> operands, Element out,
                                BodyFn body, bool widen = true);

  // Broadcasting.
  /// The size to which sizes broadcast; `what` begins the message of an error,
  /// or of the check at run time.
  FailureOr<Expr> broadcastSize(ArrayRef<Expr> given, const llvm::Twine &what);
  FailureOr<Dims> broadcastDims(ArrayRef<ArrayRef<Expr>> shapes);
  FailureOr<Dims> broadcastDims(ArrayRef<Tensor> operands);
  /// A tensor as an operand of a generic over `dims`, to which it broadcasts.
  FailureOr<Operand> broadcastOperand(const Tensor &tensor,
                                      ArrayRef<Expr> dims);
  /// The tensor with the wanted sizes in place of dynamic ones that may be 1
  /// at run time, which is checked.
  FailureOr<Tensor> repeatUnits(const Tensor &tensor, ArrayRef<Expr> wanted);
  /// Element by element over `dims`, to which each operand broadcasts.
  FailureOr<Tensor> elementwiseOver(ArrayRef<Expr> dims,
                                    ArrayRef<Tensor> tensors, Element out,
                                    BodyFn body, bool widen = true);
  /// A tensor whose dimensions are known to be these, or are checked to be at
  /// run time.
  FailureOr<Tensor> withDims(const Tensor &tensor, ArrayRef<Expr> dims,
                             const llvm::Twine &where);

  // Reductions.
  /// Reduces `axes` (sorted, unique) with `combine(value, accumulator)`.
  FailureOr<Tensor> reduce(const Tensor &tensor, ArrayRef<int64_t> axes,
                           bool keepDims, Element accumulator,
                           mlir::TypedAttr init, BodyFn combine);
  FailureOr<Tensor> reduceSum(const Tensor &tensor, ArrayRef<int64_t> axes,
                              bool keepDims);
  FailureOr<Tensor> reduceMax(const Tensor &tensor, ArrayRef<int64_t> axes,
                              bool keepDims);
  /// Sum of products of two operands; floats narrower than f32 are summed in
  /// f32. The first `parallel` loops are the result's dimensions.
  FailureOr<Tensor> contract(const Operand &a, const Operand &b,
                             ArrayRef<Expr> loops, unsigned parallel,
                             Element out);
  FailureOr<Tensor> convert(const Tensor &tensor, Element to,
                            bool saturate = true);

  /// The tensor with its elements known, where they follow from constants and
  /// sizes; else null. Small tensors only.
  Tensor evaluate(const Tensor &tensor);
  /// The same where sizes that may be equal are taken to be, which is checked
  /// at run time.
  Tensor evaluateAssumingEqual(const Tensor &tensor);
  /// The same as `evaluate` for whole numbers and truths whose sources are all
  /// constants, as those of shapes are; else the tensor as it is. Floats are
  /// folded by the graph level.
  Tensor folded(const Tensor &tensor, ArrayRef<Tensor> sources);
  /// A tensor of these elements; null if one has another type.
  Tensor knownTensor(ArrayRef<KnownElement> elements, ArrayRef<Expr> dims,
                     Element element);
  /// The size that an index value stands for; null if it is not a size.
  Expr sizeOf(Value index) const { return indexedSizes.lookup(index); }

  // Data movement.
  FailureOr<Tensor> reshape(const Tensor &tensor, ArrayRef<Expr> dims);
  /// Adds or drops dimensions of size 1 (costs nothing). `kept[i]` is the old
  /// dimension at the new position i, or -1 for a new one.
  Tensor rearrange(const Tensor &tensor, ArrayRef<int64_t> kept);
  FailureOr<Tensor> transpose(const Tensor &tensor, ArrayRef<int64_t> order);
  FailureOr<Tensor> broadcastTo(const Tensor &tensor, ArrayRef<Expr> dims);
  /// Constant padding.
  FailureOr<Tensor> pad(const Tensor &tensor, ArrayRef<Expr> low,
                        ArrayRef<Expr> high, mlir::TypedAttr value);
  FailureOr<Tensor> slice(const Tensor &tensor, ArrayRef<Expr> offsets,
                          ArrayRef<Expr> wanted, ArrayRef<int64_t> steps);
  FailureOr<Tensor> concat(ArrayRef<Tensor> tensors, int64_t axis);
  /// A generic over `dims` whose element is computed from its index.
  FailureOr<Tensor> gather(ArrayRef<Operand> operands, ArrayRef<Expr> dims,
                           Element out, BodyFn body);
  /// Reads one element inside a body. The indices must lie within the tensor;
  /// a dimension that is indexed by a loop must have the loop's size, unless
  /// `isPart`.
  Value extract(Scalar &s, const Tensor &tensor, ArrayRef<Value> indices,
                bool isPart = false);

  /// An affine expression of loop `i`.
  Expr loop(unsigned i) {
    return mlir::getAffineDimExpr(i, builder.getContext());
  }
  Expr zero() { return sizes.constant(0); }
  Element boolean() { return {builder.getI1Type(), true}; }
  Element f32() { return {builder.getF32Type()}; }
  Element i64() { return {builder.getI64Type()}; }

  /// Fails where a size cannot be the expected one, else checks it at run time.
  LogicalResult matchSize(Expr size, Expr expected, const llvm::Twine &where);
  /// A size that is constant wherever no dynamic dimension is 0 as that
  /// constant, which is checked at run time; any other size as it is.
  Expr staticUnlessEmpty(Expr size);
  /// Records that two sizes must be equal at run time.
  void check(Expr a, Expr b, const llvm::Twine &message);
  /// Records that a size must not be greater than another, unless it is known.
  void checkAtMost(Expr size, Expr most, const llvm::Twine &message);
  void checkEither(Expr size, Expr expected, const llvm::Twine &message);
  struct Check {
    Expr size, expected;
    /// Whether `size` may be smaller.
    bool isLimit;
    std::string message;
  };
  std::vector<Check> checks;
  /// Writes the checks as operations.
  void emitChecks();

private:
  void addCheck(Check check);
  struct Storage {
    Value value;
    SmallVector<unsigned, 4> axes;
  };
  /// A value to read, with increasing axes unless transposes are absorbed.
  Storage storage(const Tensor &tensor, bool absorbTranspose);
  Value constantValue(const TensorInfo &tensor, mlir::RankedTensorType type);
  Value materializeContent(const TensorInfo &tensor);
  Value empty(ArrayRef<Expr> dims, mlir::Type element);
  Value reshapeValue(Value value, ArrayRef<Expr> dims, Element element);
  /// The scalar of a constant or known operand that all iterations read.
  Value scalarOperand(Scalar &s, const TensorInfo &tensor);
  bool isScalarOperand(const TensorInfo &tensor);
  Evaluator makeEvaluator();
  Tensor evaluateBy(Evaluator &evaluator, const Tensor &tensor);
  bool isInBody(const Operand &operand, const GenericOptions &options);
  LogicalResult matchLoops(ArrayRef<Operand> operands, ArrayRef<Expr> loops);

  mlir::Block *entry;
  /// Sizes of the loops of the generic whose body is being written.
  ArrayRef<Expr> loopExtents;
  /// Sizes are computed at the start of the function, before this operation.
  mlir::Operation *entryEnd = nullptr;
  llvm::DenseMap<Expr, Value> indices;
  llvm::DenseMap<Value, Expr> indexedSizes;
  llvm::DenseMap<Value, std::string> argumentNames;
  /// Goes where the next size is computed.
  void toEntry();
};

/// Whether two sizes may be equal: a dynamic size goes with any.
bool compatible(Expr a, Expr b);

} // namespace tilewright::onnx
