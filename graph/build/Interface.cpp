#include "graph/build/Interface.h"

#include "graph/analysis/States.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Checks.h"
#include "graph/build/Generic.h"
#include "graph/build/TensorValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tilewright::build {
namespace {

/// Each result has a separate buffer: inputs, constants and reshapes of either
/// are copied, as are results that are returned twice.
Value resultValue(GraphBuilder &b, const Tensor &tensor,
                  SmallPtrSetImpl<void *> &taken) {
  Value value = denseValue(b, tensor);
  Value source = value;
  while (auto reshape = source.getDefiningOp<tensor::ReshapeOp>())
    source = reshape.getSource();
  bool isOwn = !isa<BlockArgument>(source) &&
               !source.getDefiningOp<arith::ConstantOp>() &&
               taken.insert(source.getAsOpaquePointer()).second;
  if (isOwn)
    return value;
  auto copy = std::make_shared<TensorInfo>();
  copy->element = tensor->element;
  copy->dims = tensor->dims;
  copy->value = value;
  for (int64_t i = 0; i < tensor->rank(); ++i)
    copy->axes.push_back(i);
  Operand operand{copy, {}};
  for (int64_t i = 0; i < tensor->rank(); ++i)
    operand.at.push_back(b.loop(i));
  auto result = gather(b, {operand}, tensor->dims, tensor->element,
                       [](Scalar &, ArrayRef<Value> v) { return v[0]; });
  return succeeded(result) ? (*result)->value : value;
}

/// An element as it is in memory.
Element storedElement(GraphBuilder &b, Element element) {
  if (element.isInteger() && element.isUnsigned && element.bits() == 4)
    element.type = b.builder.getI8Type();
  return element;
}

RankedTensorType storedType(GraphBuilder &b, const FunctionArgument &argument) {
  return typeOf(argument.dims, storedElement(b, argument.element));
}

/// Whether a constant has zeros only.
bool isZero(const TensorInfo &tensor) {
  return llvm::all_of(tensor.constant->bytes,
                      [](char byte) { return byte == 0; });
}

/// Names an argument or result through `set`.
template <typename Set>
void annotate(Builder &builder, Element element, StringRef name, Set set) {
  set("graph.name", builder.getStringAttr(name));
  if (element.isUnsigned && !element.isBool())
    set("graph.dtype", builder.getStringAttr(dtypeName(element)));
}

} // namespace

void addArguments(GraphBuilder &b, func::FuncOp function,
                  ArrayRef<FunctionArgument> arguments) {
  SmallVector<Type> types;
  for (const FunctionArgument &argument : arguments)
    types.push_back(storedType(b, argument));
  function.setType(b.builder.getFunctionType(types, {}));
  function.front().addArguments(
      types, SmallVector<Location>(types.size(), function.getLoc()));
  for (const auto &[i, argument] : llvm::enumerate(arguments)) {
    Value value = function.getArgument(i);
    b.argumentNames[value] = argument.name;
    for (auto [d, dim] : llvm::enumerate(argument.dims))
      if (!constantOf(dim))
        b.indices.define(dim, value, d);
  }
}

FailureOr<Tensor> argumentTensor(GraphBuilder &b, func::FuncOp function,
                                 size_t index,
                                 const FunctionArgument &argument) {
  const Element stored = storedElement(b, argument.element);
  TRY(Tensor tensor,
      wrap(b, function.getArgument(unsigned(index)), argument.dims, stored));
  return stored == argument.element ? tensor
                                    : convert(b, tensor, argument.element);
}

LogicalResult finishFunction(GraphBuilder &b, func::FuncOp function,
                             ArrayRef<FunctionArgument> arguments,
                             ArrayRef<FunctionResult> results) {
  SmallVector<Value> values;
  SmallPtrSet<void *, 8> taken;
  for (const FunctionResult &result : results) {
    const Element stored = storedElement(b, result.tensor->element);
    Tensor tensor = result.tensor;
    if (stored != tensor->element) {
      TRY(tensor, convert(b, tensor, stored));
    }
    values.push_back(resultValue(b, tensor, taken));
  }
  emitChecks(b);
  func::ReturnOp::create(b.builder, b.loc, values);
  Builder &builder = b.builder;
  function.setType(builder.getFunctionType(
      function.getFunctionType().getInputs(), ValueRange(values).getTypes()));
  for (const auto &[i, argument] : llvm::enumerate(arguments)) {
    auto set = [&, i = i](StringRef key, Attribute value) {
      function.setArgAttr(i, key, value);
    };
    if (argument.isState) {
      set(graph::kStateAttr, builder.getStringAttr(argument.name));
      if (!isZero(*argument.known))
        set(graph::kInitialAttr,
            elementsAttr(*argument.known, storedType(b, argument)));
      continue;
    }
    annotate(builder, argument.element, argument.name, set);
    SmallVector<StringRef> symbols(argument.symbols.begin(),
                                   argument.symbols.end());
    set("graph.dims", builder.getStrArrayAttr(symbols));
    if (argument.known)
      set("graph.fixed",
          elementsAttr(*argument.known, storedType(b, argument)));
  }
  for (const auto &[i, result] : llvm::enumerate(results)) {
    auto set = [&, i = i](StringRef key, Attribute value) {
      function.setResultAttr(i, key, value);
    };
    const bool isState =
        result.isUpdate &&
        llvm::any_of(arguments, [&](const FunctionArgument &argument) {
          return argument.isState && argument.name == result.name;
        });
    if (isState) {
      set(graph::kUpdatesAttr, builder.getStringAttr(result.name));
      continue;
    }
    annotate(builder, result.tensor->element, result.name, set);
    if (result.isUpdate)
      set(graph::kOverwritesAttr, builder.getStringAttr(result.name));
  }
  std::vector<std::string> names = b.sizes.symbols.names();
  SmallVector<StringRef> symbols(names.begin(), names.end());
  function->setAttr("graph.symbols", builder.getStrArrayAttr(symbols));
  return success();
}

} // namespace tilewright::build
