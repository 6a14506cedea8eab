// Sequences and optional values: evaluated during import.
#include "frontends/onnx/GraphImporter.h"
#include "frontends/onnx/Readers.h"
#include "graph/build/Constants.h"
#include "graph/build/Movement.h"
#include "graph/build/Remedy.h"
#include "graph/build/Slice.h"

using namespace mlir;

namespace tilewright::onnx {
namespace {

LogicalResult setSequence(Node &node, int64_t i, Element element,
                          ArrayRef<Tensor> tensors) {
  if (std::ssize(tensors) > maximumElements)
    return node.fail("a sequence has " + Twine(tensors.size()) +
                     " elements, expected at most " + Twine(maximumElements));
  for (const Tensor &tensor : tensors)
    if (tensor->element != element)
      return node.fail("the elements of a sequence have types " +
                       dtypeName(element) + " and " +
                       dtypeName(tensor->element));
  auto sequence = std::make_shared<SequenceInfo>();
  sequence->element = element;
  sequence->tensors.assign(tensors.begin(), tensors.end());
  return node.set(i, Sequence(sequence));
}

/// An operand that is one of `count` positions; negative ones count from the
/// end of the sequence.
FailureOr<int64_t> positionOf(Node &node, int64_t i, int64_t size,
                              int64_t count) {
  TRY(int64_t position, oneIntegerOf(node, i, "the position"));
  if (position < -size || position >= count)
    return node.fail("the position is " + Twine(position) +
                     ", the sequence has " + Twine(size) + " elements");
  return position < 0 ? position + size : position;
}

//===--- Sequences --------------------------------------------------------===//

LogicalResult importSequenceEmpty(Node &node) {
  TRY(Element element, node.attributes.element("dtype", f32(node.b)));
  return setSequence(node, 0, element, {});
}

LogicalResult importSequenceConstruct(Node &node) {
  TRY(SmallVector<Tensor> tensors, node.inputs());
  return setSequence(node, 0, tensors[0]->element, tensors);
}

LogicalResult importSequenceLength(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Sequence sequence, node.sequence(0));
  return node.set(
      0, integerTensor(b, {b.sizes.constant(sequence->size())}, {}, i64(b)));
}

LogicalResult importSequenceAt(Node &node) {
  TRY(Sequence sequence, node.sequence(0));
  TRY(int64_t at, positionOf(node, 1, sequence->size(), sequence->size()));
  return node.set(0, sequence->tensors[at]);
}

LogicalResult importSequenceInsert(Node &node) {
  TRY(Sequence sequence, node.sequence(0));
  TRY(Tensor tensor, node.input(1));
  int64_t at = sequence->size();
  if (node.hasInput(2)) {
    TRY(at, positionOf(node, 2, sequence->size(), sequence->size() + 1));
  }
  SmallVector<Tensor> tensors(sequence->tensors);
  tensors.insert(tensors.begin() + at, tensor);
  return setSequence(node, 0, sequence->element, tensors);
}

LogicalResult importSequenceErase(Node &node) {
  TRY(Sequence sequence, node.sequence(0));
  int64_t at = sequence->size() - 1;
  if (node.hasInput(1)) {
    TRY(at, positionOf(node, 1, sequence->size(), sequence->size()));
  }
  if (at < 0)
    return node.fail("the sequence has no elements");
  SmallVector<Tensor> tensors(sequence->tensors);
  tensors.erase(tensors.begin() + at);
  return setSequence(node, 0, sequence->element, tensors);
}

LogicalResult importConcatFromSequence(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Sequence sequence, node.sequence(0));
  if (sequence->tensors.empty())
    return node.fail("the sequence has no elements");
  if (!node.attributes.has("axis"))
    return node.fail("attribute 'axis' is missing");
  TRY(bool isNew, node.attributes.flag("new_axis", false));
  int64_t rank = sequence->tensors[0]->rank() + isNew;
  TRY(int64_t axis, axisAttribute(node, 0, rank));
  return node.done(isNew ? stack(b, sequence->tensors, axis)
                         : join(b, sequence->tensors, axis));
}

/// The sizes of the parts of x along an axis: as a list says, or `part` each
/// and less for the last one.
FailureOr<SmallVector<Expr>> partsOf(Node &node, const Tensor &x,
                                     int64_t axis) {
  GraphBuilder &b = node.b;
  int64_t part = 1;
  if (node.hasInput(1)) {
    TRY(Tensor split, node.input(1));
    if (split->rank() > 0)
      return contentOf(node, 1, "split");
    TRY(part, oneIntegerOf(node, 1, "split"));
  }
  if (part < 1)
    return node.fail("split is " + Twine(part) + ", expected at least 1");
  auto size = constantOf(x->dims[axis]);
  if (!size)
    return node.fail("the input has shape " + b.sizes.str(x->dims) + ", axis " +
                     Twine(axis) +
                     " must be static: it is the length of the sequence" +
                     sizeRemedy(b, x->dims[axis]));
  if (llvm::divideCeil(*size, part) > uint64_t(maximumElements))
    return node.fail("a sequence has " + Twine(llvm::divideCeil(*size, part)) +
                     " elements, expected at most " + Twine(maximumElements));
  SmallVector<Expr> lengths;
  for (int64_t at = 0; at < *size; at += part)
    lengths.push_back(b.sizes.constant(std::min(part, *size - at)));
  return lengths;
}

LogicalResult importSplitToSequence(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(int64_t axis, axisAttribute(node, 0, x->rank()));
  TRY(bool keepsAxis, node.attributes.flag("keepdims", true));
  TRY(SmallVector<Expr> lengths, partsOf(node, x, axis));
  TRY(SmallVector<Tensor> parts,
      splitAlong(b, x, axis, lengths, std::ssize(lengths)));
  if (!keepsAxis && !node.hasInput(1)) {
    SmallVector<int64_t> kept = axesFrom(0, x->rank());
    kept.erase(kept.begin() + axis);
    for (Tensor &part : parts)
      part = rearrange(b, part, kept);
  }
  return setSequence(node, 0, x->element, parts);
}

/// The operands of SequenceMap that its body gets for an element: of a sequence
/// its element, a tensor as it is.
FailureOr<llvm::StringMap<NamedValue>>
argumentsOf(Node &node, const GraphProto &body, int64_t at, int64_t size) {
  llvm::StringMap<NamedValue> arguments;
  for (int64_t i = 0; i < node.numInputs(); ++i) {
    TRY(NamedValue operand, node.value(i));
    if (operand.sequence && operand.sequence->size() != size)
      return node.fail("the sequences have " + Twine(size) + " and " +
                       Twine(operand.sequence->size()) + " elements");
    arguments[body.input[i].name] =
        operand.sequence ? NamedValue(operand.sequence->tensors[at]) : operand;
  }
  return arguments;
}

/// The element type of a result of the body, as it is declared.
FailureOr<Element> declaredElement(Node &node, const ValueInfoProto &output) {
  const int32_t type =
      output.type.tensorType.value_or(TensorTypeProto()).elemType;
  if (auto element = elementOf(node.b.builder.getContext(), type))
    return *element;
  return node.fail("output '" + output.name + "' of the body has " +
                   unsupportedType(type));
}

LogicalResult importSequenceMap(Node &node) {
  TRY(Sequence first, node.sequence(0));
  TRY(const GraphProto *body, node.attributes.graph("body"));
  if (std::ssize(body->input) != node.numInputs() ||
      std::ssize(body->output) < node.numOutputs())
    return node.fail("the body has " + Twine(std::ssize(body->input)) +
                     " inputs and " + Twine(std::ssize(body->output)) +
                     " outputs, the node has " + Twine(node.numInputs()) +
                     " and " + Twine(node.numOutputs()));
  SmallVector<SmallVector<Tensor>> mapped(node.numOutputs());
  for (int64_t at = 0; at < first->size(); ++at) {
    TRY(auto arguments, argumentsOf(node, *body, at, first->size()));
    TRY(auto results, node.importer.inlineGraph(*body, arguments));
    for (auto [tensors, result] : llvm::zip(mapped, results)) {
      if (!result.tensor)
        return node.fail("a result of the body is not a tensor");
      tensors.push_back(result.tensor);
    }
  }
  for (auto [i, tensors] : llvm::enumerate(mapped)) {
    Element element;
    if (tensors.empty()) {
      TRY(element, declaredElement(node, body->output[i]));
    } else {
      element = tensors[0]->element;
    }
    if (failed(setSequence(node, i, element, tensors)))
      return failure();
  }
  return success();
}

//===--- Optional values --------------------------------------------------===//

/// Without an operand, a value without an element.
LogicalResult importOptional(Node &node) {
  NamedValue element;
  if (node.numInputs() > 0 && !node.proto.input[0].empty()) {
    TRY(element, node.value(0));
  }
  return node.set(0, element);
}

LogicalResult importOptionalHasElement(Node &node) {
  GraphBuilder &b = node.b;
  bool isThere = false;
  if (node.hasInput(0)) {
    TRY(NamedValue value, node.value(0));
    isThere = !value.isAbsent();
  }
  return node.set(
      0, integerTensor(b, {b.sizes.constant(isThere)}, {}, boolean(b)));
}

LogicalResult importOptionalGetElement(Node &node) {
  TRY(NamedValue value, node.value(0));
  if (value.isAbsent())
    return node.fail("the optional value '" + node.proto.input[0] +
                     "' has no element");
  return node.set(0, value);
}

} // namespace

void addSequenceOps(OpTable &t) {
  t.add("ConcatFromSequence", 11, importConcatFromSequence);
  t.add("Optional", 15, importOptional);
  t.add("OptionalGetElement", 15, importOptionalGetElement);
  t.add("OptionalHasElement", 15, importOptionalHasElement);
  t.add("SequenceAt", 11, importSequenceAt, "position known at import");
  t.add("SequenceConstruct", 11, importSequenceConstruct);
  t.add("SequenceEmpty", 11, importSequenceEmpty);
  t.add("SequenceErase", 11, importSequenceErase, "position known at import");
  t.add("SequenceInsert", 11, importSequenceInsert, "position known at import");
  t.add("SequenceLength", 11, importSequenceLength);
  t.add("SequenceMap", 17, importSequenceMap, "the body once per element");
  t.add("SplitToSequence", 11, importSplitToSequence,
        "split known at import; without a list of parts, the axis static");
}

} // namespace tilewright::onnx
