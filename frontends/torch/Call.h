// One call of an operator while it is imported, and the table of operators.
#pragma once

#include "frontends/torch/Numbers.h"
#include "frontends/torch/Values.h"

#include "llvm/ADT/StringMap.h"

namespace tilewright::torch {

class GraphImporter;

/// The element type of a dtype; nothing if it is not supported.
std::optional<Element> elementOf(mlir::MLIRContext *context, DType dtype);

class Call;

using Handler = LogicalResult (*)(Call &);

/// What an operator's name says.
struct Operator {
  /// Null if it is not supported.
  Handler handler = nullptr;
  /// The name under which the table has it: "aten.mul.Tensor" for
  /// "aten.multiply_.Tensor".
  std::string target;
  /// The first result is written to the first argument.
  bool inPlace = false;
  /// Results have memory of their own where the table's operator makes views.
  bool copies = false;
};

/// A call's arguments by their names in the schema, with defaults, and its
/// results. A reader leaves one message in the builder and returns failure.
class Call {
public:
  Call(GraphImporter &importer, const Node &node, const Operator &op);

  LogicalResult fail(const llvm::Twine &message) { return b.fail(message); }

  /// An argument as it is; null if there is none of this name.
  const Argument *find(StringRef name) const;
  bool isNone(StringRef name) const;
  /// Whether an argument is a symbolic float.
  bool isReal(StringRef name) const;

  FailureOr<Tensor> tensor(StringRef name);
  /// Null for None.
  FailureOr<Tensor> optionalTensor(StringRef name);
  /// A list; elements may be null for None.
  FailureOr<SmallVector<Tensor>> tensors(StringRef name);
  FailureOr<Expr> size(StringRef name);
  FailureOr<SmallVector<Expr>> sizes(StringRef name);
  FailureOr<int64_t> integer(StringRef name);
  FailureOr<SmallVector<int64_t>> integers(StringRef name);
  /// As many as there are spatial dimensions: one for all stands for each.
  FailureOr<SmallVector<int64_t>> perDimension(StringRef name, int64_t count);
  FailureOr<double> number(StringRef name);
  FailureOr<bool> flag(StringRef name);
  FailureOr<std::string> text(StringRef name);
  /// The dtype; nothing for None.
  FailureOr<std::optional<Element>> element(StringRef name);
  /// A dimension of a tensor with this rank, made non-negative. Fails for a
  /// tensor without dimensions.
  FailureOr<int64_t> axis(StringRef name, int64_t rank);
  /// Several; all if there are none or the argument is None.
  FailureOr<SmallVector<int64_t>> axes(StringRef name, int64_t rank);

  /// What the program says of result i.
  size_t numResults() const { return resultNames.size(); }
  bool isRead(size_t i) const;
  FailureOr<Dims> dims(size_t i = 0);
  FailureOr<Element> resultElement(size_t i = 0);
  /// What the program says of a tensor among the arguments; null if nothing.
  const TensorMeta *meta(StringRef name) const;

  LogicalResult set(size_t i, const Tensor &tensor);
  LogicalResult setBoth(const Tensor &first, const Tensor &second) {
    return failure(failed(set(0, first)) || failed(set(1, second)));
  }
  LogicalResult done(FailureOr<Tensor> tensor, size_t i = 0);
  /// Makes the results these values.
  LogicalResult setSlots(ArrayRef<std::shared_ptr<Slot>> slots);
  /// Makes result i a view of an argument.
  LogicalResult setView(size_t i, StringRef base, View view);
  /// Makes the result the argument itself.
  LogicalResult setAlias(StringRef name);
  /// Writes to an argument.
  LogicalResult assign(StringRef name, const Tensor &tensor);
  /// The same; the argument is the result, too.
  LogicalResult write(StringRef name, const Tensor &tensor);

  GraphBuilder &b;
  GraphImporter &importer;
  const Node &node;
  /// The operator without the "_" of one that writes in place.
  const std::string target;

private:
  FailureOr<Tensor> tensorOf(const Argument &argument, StringRef name);
  FailureOr<const Argument::List *> list(StringRef name);
  FailureOr<Expr> sizeOf(const Argument &argument, StringRef name);
  FailureOr<double> numberOf(const Argument &argument, StringRef name);
  LogicalResult wrong(StringRef name, StringRef expected);

  const bool inPlace, copies;
  /// The type that floats among the arguments are converted to.
  std::optional<Element> castTo;
  /// Arguments by name, those at their defaults too.
  llvm::StringMap<Argument> arguments;
  /// Names of results; empty ones are not tensors.
  SmallVector<std::string> resultNames;
};

/// The operators by name: "aten.relu.default".
class OpTable {
public:
  void add(StringRef target, Handler handler) { rows[target] = handler; }
  /// Several overloads.
  void add(ArrayRef<StringRef> targets, Handler handler) {
    for (StringRef target : targets)
      add(target, handler);
  }
  /// An operator that writes in place is that without "_", and one that copies
  /// what another one views is that without "_copy".
  Operator find(StringRef target) const;
  const llvm::StringMap<Handler> &all() const { return rows; }

private:
  llvm::StringMap<Handler> rows;
};

const OpTable &opTable();

// One function per group of operators (Ops*.cpp).
void addElementwiseOps(OpTable &table);
void addActivationOps(OpTable &table);
void addCompareOps(OpTable &table);
void addReduceOps(OpTable &table);
void addNormOps(OpTable &table);
void addMatMulOps(OpTable &table);
void addConvOps(OpTable &table);
void addPoolOps(OpTable &table);
void addViewOps(OpTable &table);
void addMoveOps(OpTable &table);
void addCreateOps(OpTable &table);
void addIndexOps(OpTable &table);
void addAttentionOps(OpTable &table);
void addResizeOps(OpTable &table);
void addControlOps(OpTable &table);
void addCompositeOps(OpTable &table);
void addRecurrentOps(OpTable &table);
void addStackOps(OpTable &table);
void addDiagonalOps(OpTable &table);
void addOrderOps(OpTable &table);
void addLossOps(OpTable &table);
void addMarginLossOps(OpTable &table);
void addSpecialOps(OpTable &table);
void addProductOps(OpTable &table);
void addFloatOps(OpTable &table);
void addWriteOps(OpTable &table);
void addSeriesOps(OpTable &table);

} // namespace tilewright::torch
