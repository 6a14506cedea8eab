#include "frontends/torch/Call.h"

#include "frontends/torch/Autocast.h"
#include "frontends/torch/GraphImporter.h"
#include "frontends/torch/program/Schemas.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Checks.h"
#include "graph/build/Dimensions.h"

using namespace mlir;

namespace tilewright::torch {

/// What the graph says of a tensor; null if nothing.
static const TensorMeta *metaOf(const Graph &graph, const std::string &name) {
  auto found = graph.tensors.find(name);
  return found == graph.tensors.end() ? nullptr : &found->second;
}

Call::Call(GraphImporter &importer, const Node &node, const Operator &op)
    : b(importer.b), importer(importer), node(node), target(op.target),
      inPlace(op.inPlace), copies(op.copies) {
  std::vector<Parameter> parameters = parametersOf(this->target);
  for (const Parameter &parameter : parameters)
    if (parameter.otherwise)
      arguments[parameter.name] = *parameter.otherwise;
  for (auto [i, input] : llvm::enumerate(node.inputs)) {
    // Arguments without a name are in the order of the parameters.
    StringRef name = input.name;
    if (name.empty() && i < parameters.size())
      name = parameters[i].name;
    arguments[name.empty() ? std::to_string(i) : name.str()] = input.value;
  }
  auto add = [&](const Argument &output) {
    const auto *name = std::get_if<TensorName>(&output.value);
    resultNames.push_back(name ? name->name : "");
  };
  for (const Argument &output : node.outputs) {
    if (const auto *list = std::get_if<Argument::List>(&output.value))
      llvm::for_each(*list, add);
    else
      add(output);
  }
  if (importer.isAutocast && isCastByAutocast(target) && !resultNames.empty())
    if (const TensorMeta *meta = metaOf(importer.graph(), resultNames[0]))
      castTo = elementOf(b.builder.getContext(), meta->dtype);
  if (castTo && !castTo->isFloat())
    castTo.reset();
}

LogicalResult Call::wrong(StringRef name, StringRef expected) {
  return b.fail("argument '" + name + "': expected " + expected);
}

const Argument *Call::find(StringRef name) const {
  auto found = arguments.find(name);
  return found == arguments.end() ? nullptr : &found->second;
}

bool Call::isNone(StringRef name) const {
  const Argument *argument = find(name);
  return !argument || std::holds_alternative<std::monostate>(argument->value);
}

bool Call::isReal(StringRef name) const {
  const Argument *argument = find(name);
  const auto *number =
      argument ? std::get_if<NumberName>(&argument->value) : nullptr;
  const auto &known = importer.graph().numbers;
  auto found = number ? known.find(number->name) : known.end();
  if (found == known.end())
    return false;
  using Kind = Expression::Kind;
  Kind kind = found->second.kind;
  return kind == Kind::Real || kind == Kind::ToReal || kind == Kind::Divide;
}

FailureOr<Tensor> Call::tensorOf(const Argument &argument, StringRef name) {
  if (!std::holds_alternative<TensorName>(argument.value))
    return wrong(name, "a tensor");
  TRY(auto slot, importer.slot(argument));
  TRY(Tensor tensor, readSlot(*slot));
  if (castTo && tensor->element.isFloat())
    return convert(b, tensor, *castTo);
  return tensor;
}

FailureOr<Tensor> Call::tensor(StringRef name) {
  const Argument *argument = find(name);
  return argument ? tensorOf(*argument, name)
                  : FailureOr<Tensor>(wrong(name, "a tensor"));
}

FailureOr<Tensor> Call::optionalTensor(StringRef name) {
  return isNone(name) ? FailureOr<Tensor>(Tensor()) : tensor(name);
}

FailureOr<const Argument::List *> Call::list(StringRef name) {
  const Argument *argument = find(name);
  const auto *list =
      argument ? std::get_if<Argument::List>(&argument->value) : nullptr;
  if (!list)
    return wrong(name, "a list");
  return list;
}

FailureOr<SmallVector<Tensor>> Call::tensors(StringRef name) {
  TRY(const Argument::List *all, list(name));
  SmallVector<Tensor> result;
  for (const Argument &each : *all) {
    if (std::holds_alternative<std::monostate>(each.value)) {
      result.push_back(nullptr);
      continue;
    }
    TRY(Tensor next, tensorOf(each, name));
    result.push_back(next);
  }
  return result;
}

FailureOr<Expr> Call::sizeOf(const Argument &argument, StringRef name) {
  if (const auto *integer = std::get_if<int64_t>(&argument.value))
    return b.sizes.constant(*integer);
  if (const auto *truth = std::get_if<bool>(&argument.value))
    return b.sizes.constant(*truth);
  const auto *number = std::get_if<NumberName>(&argument.value);
  const auto &known = importer.graph().numbers;
  auto found = number ? known.find(number->name) : known.end();
  if (found == known.end())
    return wrong(name, "a whole number");
  return importer.numbers.size(found->second);
}

FailureOr<Expr> Call::size(StringRef name) {
  const Argument *argument = find(name);
  return argument ? sizeOf(*argument, name)
                  : FailureOr<Expr>(wrong(name, "a whole number"));
}

FailureOr<SmallVector<Expr>> Call::sizes(StringRef name) {
  SmallVector<Expr> result;
  const Argument *argument = find(name);
  if (argument && !std::holds_alternative<Argument::List>(argument->value)) {
    TRY(Expr only, size(name));
    result.push_back(only);
    return result;
  }
  TRY(const Argument::List *all, list(name));
  for (const Argument &each : *all) {
    TRY(Expr next, sizeOf(each, name));
    result.push_back(next);
  }
  return result;
}

FailureOr<int64_t> Call::integer(StringRef name) {
  TRY(Expr value, size(name));
  if (auto constant = constantOf(value))
    return *constant;
  return b.fail("argument '" + name + "' is the size " + b.sizes.str(value) +
                ", expected a number that is known at import");
}

FailureOr<SmallVector<int64_t>> Call::integers(StringRef name) {
  TRY(SmallVector<Expr> values, sizes(name));
  if (auto constants = constantsOf(values))
    return *constants;
  return b.fail("argument '" + name + "' has the sizes " + b.sizes.str(values) +
                ", expected numbers that are known at import");
}

FailureOr<SmallVector<int64_t>> Call::perDimension(StringRef name,
                                                   int64_t count) {
  TRY(SmallVector<int64_t> values, integers(name));
  if (values.size() == 1)
    values.resize(count, values[0]);
  if (int64_t(values.size()) == count)
    return values;
  return b.fail("argument '" + name + "' has " + llvm::Twine(values.size()) +
                " values, expected " + llvm::Twine(count));
}

FailureOr<double> Call::numberOf(const Argument &argument, StringRef name) {
  if (const auto *real = std::get_if<double>(&argument.value))
    return *real;
  if (const auto *number = std::get_if<NumberName>(&argument.value)) {
    const auto &known = importer.graph().numbers;
    if (auto found = known.find(number->name); found != known.end())
      return importer.numbers.real(found->second);
  }
  if (const auto *tensor = std::get_if<TensorName>(&argument.value)) {
    (void)tensor;
    TRY(Tensor value, tensorOf(argument, name));
    if (value->constant && countOf(*value) == 1)
      return floatAt(*value, 0);
    return wrong(name, "a number that is known at import");
  }
  TRY(Expr value, sizeOf(argument, name));
  if (auto constant = constantOf(value))
    return double(*constant);
  return wrong(name, "a number that is known at import");
}

FailureOr<double> Call::number(StringRef name) {
  const Argument *argument = find(name);
  return argument ? numberOf(*argument, name)
                  : FailureOr<double>(wrong(name, "a number"));
}

FailureOr<bool> Call::flag(StringRef name) {
  TRY(int64_t value, integer(name));
  return value != 0;
}

FailureOr<std::string> Call::text(StringRef name) {
  const Argument *argument = find(name);
  const auto *text =
      argument ? std::get_if<std::string>(&argument->value) : nullptr;
  if (!text)
    return wrong(name, "a string");
  return *text;
}

FailureOr<std::optional<Element>> Call::element(StringRef name) {
  if (isNone(name))
    return std::optional<Element>();
  const auto *dtype = std::get_if<DType>(&find(name)->value);
  if (!dtype)
    return wrong(name, "a dtype");
  if (auto element = elementOf(b.builder.getContext(), *dtype))
    return element;
  return b.fail("elements of the type " +
                std::string(dtypeNames[size_t(*dtype)]) + " are not supported");
}

FailureOr<int64_t> Call::axis(StringRef name, int64_t rank) {
  TRY(int64_t value, integer(name));
  return axisOf(b, value, rank);
}

FailureOr<SmallVector<int64_t>> Call::axes(StringRef name, int64_t rank) {
  SmallVector<int64_t> values;
  if (!isNone(name)) {
    TRY(values, integers(name));
  }
  if (rank == 0)
    return SmallVector<int64_t>();
  if (values.empty())
    return axesFrom(0, rank);
  return axesOf(b, values, rank);
}

bool Call::isRead(size_t i) const {
  return i < resultNames.size() && !resultNames[i].empty() &&
         importer.isRead(resultNames[i]);
}

const TensorMeta *Call::meta(StringRef name) const {
  const Argument *argument = find(name);
  const auto *tensor =
      argument ? std::get_if<TensorName>(&argument->value) : nullptr;
  return tensor ? metaOf(importer.graph(), tensor->name) : nullptr;
}

FailureOr<Dims> Call::dims(size_t i) {
  const TensorMeta *meta = i < resultNames.size()
                               ? metaOf(importer.graph(), resultNames[i])
                               : nullptr;
  if (!meta)
    return b.fail("the program does not say which shape result " +
                  llvm::Twine(i) + " has");
  return importer.numbers.sizes(meta->sizes);
}

FailureOr<Element> Call::resultElement(size_t i) {
  const TensorMeta *meta = i < resultNames.size()
                               ? metaOf(importer.graph(), resultNames[i])
                               : nullptr;
  auto element = meta ? elementOf(b.builder.getContext(), meta->dtype)
                      : std::optional<Element>();
  if (!element)
    return b.fail("the program does not say which type result " +
                  llvm::Twine(i) + " has, or it is not supported");
  return *element;
}

/// The tensor with the sizes that the program gives it. Fails where it says
/// another type or rank.
static FailureOr<Tensor> asDeclared(Call &call, size_t i,
                                    const Tensor &tensor) {
  GraphBuilder &b = call.b;
  TRY(Element element, call.resultElement(i));
  TRY(Dims dims, call.dims(i));
  if (element != tensor->element || tensor->rank() != int64_t(dims.size()))
    return b.fail("its result is " + dtypeName(tensor->element) +
                  b.sizes.str(tensor->dims) + ", the program expects " +
                  dtypeName(element) + b.sizes.str(dims));
  if (tensor->dims == dims)
    return tensor;
  return withDims(b, tensor, dims, "the result");
}

LogicalResult Call::set(size_t i, const Tensor &tensor) {
  if (i >= resultNames.size() || resultNames[i].empty())
    return success();
  if (inPlace && i == 0) {
    StringRef self = node.inputs.empty() ? StringRef() : node.inputs[0].name;
    return write(self, tensor);
  }
  TRY(Tensor checked, asDeclared(*this, i, tensor));
  importer.define(resultNames[i], makeSlot(checked));
  return success();
}

LogicalResult Call::done(FailureOr<Tensor> tensor, size_t i) {
  return failed(tensor) ? failure() : set(i, *tensor);
}

LogicalResult Call::setSlots(ArrayRef<std::shared_ptr<Slot>> slots) {
  for (auto [name, slot] : llvm::zip(resultNames, slots))
    if (!name.empty())
      importer.define(name, slot);
  return success();
}

LogicalResult Call::setView(size_t i, StringRef base, View view) {
  const Argument *argument = find(base);
  if (!argument)
    return wrong(base, "a tensor");
  TRY(auto slot, importer.slot(*argument));
  TRY(auto result, makeView(slot, std::move(view)));
  TRY(result->tensor, asDeclared(*this, i, result->tensor));
  importer.define(resultNames[i],
                  copies ? makeSlot(result->tensor) : std::move(result));
  return success();
}

LogicalResult Call::setAlias(StringRef name) {
  const Argument *argument = find(name);
  if (!argument)
    return wrong(name, "a tensor");
  TRY(auto slot, importer.slot(*argument));
  if (copies) {
    TRY(Tensor tensor, readSlot(*slot));
    return set(0, tensor);
  }
  importer.define(resultNames[0], slot);
  return success();
}

LogicalResult Call::assign(StringRef name, const Tensor &tensor) {
  const Argument *argument = find(name);
  if (!argument)
    return wrong(name, "a tensor");
  TRY(auto slot, importer.slot(*argument));
  TRY(Tensor old, readSlot(*slot));
  TRY(Tensor same, convert(b, tensor, old->element));
  if (same->rank() > old->rank())
    return b.fail("writes " + b.sizes.str(same->dims) + " to a tensor of " +
                  b.sizes.str(old->dims));
  TRY(same, broadcastTo(b, same, old->dims));
  return writeSlot(b, *slot, same);
}

LogicalResult Call::write(StringRef name, const Tensor &tensor) {
  if (failed(assign(name, tensor)))
    return failure();
  return resultNames.empty() ? success() : setAlias(name);
}

} // namespace tilewright::torch
