#include "frontends/onnx/Node.h"

#include "frontends/onnx/GraphImporter.h"

using namespace mlir;

namespace tilewright::onnx {

using Attribute = ::onnx::AttributeProto;

bool Node::hasInput(int64_t i) const {
  return i < proto.input_size() && !proto.input(i).empty() &&
         !importer.isAbsent(proto.input(i));
}

FailureOr<Tensor> Node::input(int64_t i) {
  TRY(Tensor tensor, optionalInput(i));
  if (!tensor)
    return fail("input " + Twine(i) + " is missing");
  return tensor;
}

FailureOr<Tensor> Node::optionalInput(int64_t i) {
  if (!hasInput(i))
    return Tensor();
  Tensor tensor = importer.lookup(proto.input(i));
  if (!tensor)
    return fail("input '" + proto.input(i) +
                "' is not the output of an earlier node, an input or an "
                "initializer");
  return tensor;
}

FailureOr<SmallVector<Tensor>> Node::inputs(int64_t atLeast) {
  SmallVector<Tensor> tensors;
  for (int64_t i = 0; i < std::max(numInputs(), atLeast); ++i) {
    TRY(Tensor tensor, input(i));
    tensors.push_back(tensor);
  }
  return tensors;
}

FailureOr<Tensor> Node::knownInput(int64_t i) {
  TRY(Tensor tensor, input(i));
  Tensor known = b.evaluate(tensor);
  if (!known || known == tensor)
    return tensor;
  importer.define(proto.input(i), known);
  return known;
}

LogicalResult Node::failUnknown(int64_t i, StringRef what) {
  TRY(Tensor tensor, input(i));
  return b.failUnknown(what + " (input '" + proto.input(i) +
                           "') must be known when the model is imported",
                       tensor);
}

FailureOr<SmallVector<Expr>> Node::contentOf(int64_t i, StringRef what) {
  TRY(Tensor tensor, knownInput(i));
  if (!tensor->content)
    return failUnknown(i, what);
  return SmallVector<Expr>(*tensor->content);
}

FailureOr<SmallVector<int64_t>> Node::integersOf(int64_t i, StringRef what) {
  TRY(SmallVector<Expr> content, contentOf(i, what));
  auto values = constantsOf(content);
  if (!values)
    return fail(what + " (input '" + proto.input(i) +
                "') must be constant, found " + b.sizes.str(content) +
                b.sizeRemedy(*llvm::find_if(
                    content, [](Expr e) { return !constantOf(e); })));
  return *values;
}

FailureOr<Expr> Node::oneOf(int64_t i, StringRef what) {
  TRY(SmallVector<Expr> content, contentOf(i, what));
  if (content.size() != 1)
    return fail(what + " (input '" + proto.input(i) + "') has " +
                Twine(content.size()) + " elements, expected one");
  return content[0];
}

FailureOr<int64_t> Node::oneIntegerOf(int64_t i, StringRef what) {
  TRY(Expr value, oneOf(i, what));
  if (auto constant = constantOf(value))
    return *constant;
  return fail(what + " (input '" + proto.input(i) +
              "') must be constant, found " + b.sizes.str(value) +
              b.sizeRemedy(value));
}

FailureOr<double> Node::scalarOf(int64_t i, StringRef what) {
  TRY(SmallVector<double> values, numbersOf(i, what, 1));
  if (values.empty())
    return fail(what + " (input '" + proto.input(i) + "') has no elements");
  return values[0];
}

FailureOr<SmallVector<double>> Node::numbersOf(int64_t i, StringRef what,
                                               int64_t most) {
  TRY(Tensor tensor, knownInput(i));
  auto count = countOf(*tensor);
  if (!count || !tensor->constant) {
    if (!tensor->content)
      return failUnknown(i, what);
    return fail(what + " (input '" + proto.input(i) +
                "') must be constant, found " + b.sizes.str(*tensor->content) +
                b.sizeRemedy(tensor->content->front()));
  }
  if (*count > most)
    return fail(what + " (input '" + proto.input(i) + "') has " +
                Twine(*count) + " values, expected at most " + Twine(most));
  SmallVector<double> values;
  for (int64_t at = 0; at < *count; ++at)
    values.push_back(floatAt(*tensor, at));
  return values;
}

LogicalResult Node::expectRank(const Tensor &tensor, int64_t atLeast,
                               StringRef what) {
  if (tensor->rank() >= atLeast)
    return success();
  return fail(what + " has shape " + b.sizes.str(tensor->dims) +
              ", expected at least " + Twine(atLeast) + " dimensions");
}

const Attribute *Node::find(StringRef name) const {
  for (const Attribute &attribute : proto.attribute())
    if (attribute.name() == name)
      return &attribute;
  return nullptr;
}

static LogicalResult expectKind(Node &node, const Attribute &attribute,
                                Attribute::AttributeType kind,
                                StringRef kindName) {
  // Files of IR version 1 leave the type out.
  if (attribute.type() == kind || attribute.type() == Attribute::UNDEFINED)
    return success();
  return node.fail("attribute '" + attribute.name() + "' is not " + kindName);
}

FailureOr<int64_t> Node::integer(StringRef name, int64_t otherwise) {
  const Attribute *attribute = find(name);
  if (!attribute)
    return otherwise;
  if (failed(expectKind(*this, *attribute, Attribute::INT, "an integer")))
    return failure();
  return int64_t(attribute->i());
}

FailureOr<bool> Node::flag(StringRef name, bool otherwise) {
  TRY(int64_t value, integer(name, otherwise));
  return value != 0;
}

FailureOr<double> Node::number(StringRef name, double otherwise) {
  const Attribute *attribute = find(name);
  if (!attribute)
    return otherwise;
  if (failed(expectKind(*this, *attribute, Attribute::FLOAT, "a float")))
    return failure();
  return double(attribute->f());
}

FailureOr<std::string> Node::string(StringRef name, StringRef otherwise) {
  const Attribute *attribute = find(name);
  if (!attribute)
    return otherwise.str();
  if (failed(expectKind(*this, *attribute, Attribute::STRING, "a string")))
    return failure();
  return attribute->s();
}

FailureOr<SmallVector<int64_t>> Node::integers(StringRef name,
                                               ArrayRef<int64_t> otherwise) {
  const Attribute *attribute = find(name);
  if (!attribute)
    return SmallVector<int64_t>(otherwise);
  if (failed(
          expectKind(*this, *attribute, Attribute::INTS, "a list of integers")))
    return failure();
  return SmallVector<int64_t>(attribute->ints().begin(),
                              attribute->ints().end());
}

FailureOr<SmallVector<double>> Node::numbers(StringRef name) {
  const Attribute *attribute = find(name);
  if (!attribute)
    return SmallVector<double>();
  if (failed(
          expectKind(*this, *attribute, Attribute::FLOATS, "a list of floats")))
    return failure();
  return SmallVector<double>(attribute->floats().begin(),
                             attribute->floats().end());
}

FailureOr<const ::onnx::GraphProto *> Node::graph(StringRef name) {
  const Attribute *attribute = find(name);
  if (!attribute || !attribute->has_g())
    return fail("attribute '" + name + "' with a graph is missing");
  return &attribute->g();
}

FailureOr<std::optional<SmallVector<int64_t>>>
Node::integersOrInput(StringRef name, int64_t i, int64_t since) {
  using Result = std::optional<SmallVector<int64_t>>;
  if (opset >= since) {
    if (!hasInput(i))
      return Result();
    TRY(SmallVector<int64_t> values, integersOf(i, name));
    return Result(values);
  }
  if (!has(name))
    return Result();
  TRY(SmallVector<int64_t> values, integers(name));
  return Result(values);
}

FailureOr<int64_t> Node::axis(int64_t value, int64_t rank) {
  if (value < -rank || value >= rank)
    return fail("axis is " + Twine(value) + ", expected a value in [" +
                Twine(-rank) + ", " + Twine(rank - 1) + "]");
  return value < 0 ? value + rank : value;
}

FailureOr<int64_t> Node::axisAttribute(int64_t otherwise, int64_t rank) {
  TRY(int64_t value, integer("axis", otherwise));
  return axis(value, rank);
}

FailureOr<SmallVector<int64_t>> Node::axes(ArrayRef<int64_t> values,
                                           int64_t rank) {
  SmallVector<int64_t> result;
  for (int64_t value : values) {
    TRY(int64_t nonNegative, axis(value, rank));
    result.push_back(nonNegative);
  }
  llvm::sort(result);
  if (std::adjacent_find(result.begin(), result.end()) != result.end())
    return fail("axes name a dimension twice");
  return result;
}

FailureOr<Element> Node::elementAttribute(StringRef name, Element otherwise) {
  TRY(int64_t value, integer(name, 0));
  if (value == 0)
    return otherwise;
  auto element = elementOf(b.builder.getContext(), value);
  if (!element)
    return fail("attribute '" + name + "' asks for data type " + Twine(value) +
                ", which is not supported");
  return *element;
}

LogicalResult Node::set(int64_t i, const Tensor &tensor) {
  if (hasOutput(i))
    importer.define(proto.output(i), tensor);
  return success();
}

LogicalResult Node::done(FailureOr<Tensor> tensor) {
  if (failed(tensor))
    return failure();
  return set(0, *tensor);
}

void OpTable::add(StringRef name, int64_t since, Handler handler,
                  StringRef limits, StringRef domain) {
  positions[(domain + "::" + name).str()] = rows.size();
  rows.push_back({name.str(), domain.str(), since, handler, limits.str()});
}

const OpEntry *OpTable::find(StringRef domain, StringRef name) const {
  auto it = positions.find((domain + "::" + name).str());
  return it == positions.end() ? nullptr : &rows[it->second];
}

const OpTable &opTable() {
  static const OpTable table = [] {
    OpTable all;
    for (auto add :
         {addElementwiseOps, addActivationOps, addLogicOps,   addReduceOps,
          addNormOps,        addMatMulOps,     addConvOps,    addPoolOps,
          addShapeOps,       addMovementOps,   addGatherOps,  addResizeOps,
          addQuantOps,       addAttentionOps,  addControlOps, addLossOps,
          addSampleOps,      addScatterOps,    addSignalOps,  addArrangeOps,
          addRecurrentOps,   addTopKOps})
      add(all);
    return all;
  }();
  return table;
}

} // namespace tilewright::onnx
