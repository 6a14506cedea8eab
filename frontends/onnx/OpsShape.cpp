// Shapes: constants, shape arithmetic, reshapes.
#include "frontends/onnx/GraphImporter.h"
#include "frontends/onnx/Readers.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/FoldBinary.h"
#include "graph/build/Regions.h"
#include "graph/build/Shape.h"

using namespace mlir;

namespace tilewright::onnx {
namespace {

LogicalResult importConstant(Node &node) {
  GraphBuilder &b = node.b;
  if (const auto *value = node.attributes.find("value"))
    return node.done(node.importer.decode(value->t));
  if (node.attributes.has("value_float")) {
    TRY(double value, node.attributes.number("value_float", 0));
    return node.set(0, floatTensor(b, {float(value)}, {}));
  }
  if (node.attributes.has("value_int")) {
    TRY(int64_t value, node.attributes.integer("value_int", 0));
    return node.set(0, integerTensor(b, {b.sizes.constant(value)}, {}, i64(b)));
  }
  if (node.attributes.has("value_floats")) {
    TRY(SmallVector<double> numbers, node.attributes.numbers("value_floats"));
    SmallVector<float> values(numbers.begin(), numbers.end());
    return node.set(0, floatTensor(b, values, {int64_t(values.size())}));
  }
  if (node.attributes.has("value_ints")) {
    TRY(SmallVector<int64_t> values, node.attributes.integers("value_ints"));
    return node.set(0, shapeTensor(b, exprsOf(b.sizes, values)));
  }
  return node.fail("strings and sparse constants are not supported");
}

LogicalResult importConstantOfShape(Node &node) {
  GraphBuilder &b = node.b;
  TRY(SmallVector<Expr> dims, sizesOf(node, 0, "the shape", 0));
  TypedAttr value = b.builder.getF32FloatAttr(0);
  Element element = f32(b);
  if (const auto *attribute = node.attributes.find("value")) {
    TRY(Tensor tensor, node.importer.decode(attribute->t));
    if (countOf(*tensor) != 1)
      return node.fail("attribute 'value' must have one element");
    value = scalarAttr(*tensor, 0);
    element = tensor->element;
  }
  return node.done(filled(b, dims, value, element));
}

LogicalResult importShape(Node &node) {
  TRY(Tensor x, node.input(0));
  int64_t rank = x->rank();
  auto bound = [&](StringRef name, int64_t otherwise) -> FailureOr<int64_t> {
    TRY(int64_t value, node.attributes.integer(name, otherwise));
    if (value < 0)
      value += rank;
    return std::clamp<int64_t>(value, 0, rank);
  };
  TRY(int64_t start, bound("start", 0));
  TRY(int64_t end, bound("end", rank));
  ArrayRef<Expr> dims = x->dims;
  return node.set(
      0, shapeTensor(node.b,
                     dims.slice(start, std::max<int64_t>(0, end - start))));
}

LogicalResult importSize(Node &node) {
  TRY(Tensor x, node.input(0));
  return node.set(0, countTensor(node.b, x));
}

LogicalResult importReshape(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(bool allowZero, node.attributes.flag("allowzero", false));
  SmallVector<Expr> dims;
  if (node.opset >= 5) {
    TRY(Tensor shape, knownInput(node, 1));
    if (!shape->element.isInteger() || shape->rank() != 1 ||
        !(shape->content || isReadable(*shape)))
      return failUnknown(node, 1, "the shape");
    TRY(dims, readShape(b, x, shape, /*keepsZeros=*/allowZero));
  } else {
    TRY(SmallVector<int64_t> shape, node.attributes.integers("shape"));
    dims = exprsOf(b.sizes, shape);
  }
  return node.done(reshapeTo(b, x, dims, /*keepsZeros=*/allowZero));
}

LogicalResult importFlatten(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(int64_t axis, node.attributes.integer("axis", 1));
  if (axis < -x->rank() || axis > x->rank())
    return node.fail("axis is " + Twine(axis) + ", the input has shape " +
                     b.sizes.str(x->dims));
  if (axis < 0)
    axis += x->rank();
  return node.done(flatten(b, x, axis));
}

LogicalResult importSqueeze(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(auto given, integersOrInput(node, "axes", 1, 13));
  SmallVector<int64_t> axes;
  if (given) {
    TRY(axes, axesOf(node.b, *given, x->rank()));
  } else {
    axes = unitAxes(node.b, x);
  }
  return node.done(squeeze(node.b, x, axes));
}

LogicalResult importUnsqueeze(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(auto given, integersOrInput(node, "axes", 1, 13));
  if (!given)
    return node.fail("axes are missing");
  TRY(auto axes, axesOf(node.b, *given, x->rank() + given->size()));
  return node.set(0, unsqueeze(node.b, x, axes));
}

LogicalResult importIdentity(Node &node) {
  TRY(NamedValue x, node.value(0));
  return node.set(0, x);
}

/// At inference Dropout is the identity and its mask is true.
LogicalResult importDropout(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  if (node.opset >= 12 && node.hasInput(2)) {
    TRY(double training, scalarOf(node, 2, "training_mode"));
    double ratio = 0.5;
    if (node.hasInput(1)) {
      TRY(ratio, scalarOf(node, 1, "ratio"));
    }
    if (training != 0 && ratio != 0)
      return node.fail("training mode is not supported");
  }
  if (node.hasOutput(1)) {
    Element element = node.opset >= 10 ? boolean(b) : x->element;
    Tensor one = scalarConstant(b, element, 1);
    TRY(Tensor mask, broadcastTo(b, one, x->dims));
    if (failed(node.set(1, mask)))
      return failure();
  }
  return node.set(0, x);
}

LogicalResult importExpand(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(SmallVector<Expr> dims, sizesOf(node, 1, "the shape", 0));
  return node.done(expand(node.b, x, dims));
}

/// A float Range whose bounds are whole numbers over sizes, if it is one.
FailureOr<std::optional<Tensor>> wholeRange(Node &node, Element element) {
  SmallVector<Expr> bounds;
  for (int64_t i = 0; i < 3; ++i) {
    TRY(Tensor tensor, knownInput(node, i));
    auto known = knownIntegers(node.b.sizes, *tensor);
    if (!known || known->size() != 1)
      return std::optional<Tensor>();
    bounds.push_back((*known)[0]);
  }
  if (constantsOf(bounds))
    return std::optional<Tensor>();
  TRY(Tensor range,
      integerRange(node.b, bounds[0], bounds[1], bounds[2], element));
  return std::optional<Tensor>(range);
}

/// Whether the bounds and the step of a Range are constants.
FailureOr<bool> areConstant(Node &node) {
  bool all = true;
  for (int64_t i = 0; i < 3; ++i) {
    TRY(Tensor bound, knownInput(node, i));
    all &= bound->constant != nullptr;
  }
  return all;
}

LogicalResult importRange(Node &node) {
  TRY(Tensor start, node.input(0));
  TRY(Tensor limit, node.input(1));
  TRY(Tensor delta, node.input(2));
  Element element = start->element;
  if (element.isFloat()) {
    TRY(std::optional<Tensor> whole, wholeRange(node, element));
    if (whole)
      return node.set(0, *whole);
    TRY(bool isKnown, areConstant(node));
    if (!isKnown)
      return node.done(computedRange(node.b, start, limit, delta));
    TRY(double from, scalarOf(node, 0, "start"));
    TRY(double to, scalarOf(node, 1, "limit"));
    TRY(double step, scalarOf(node, 2, "delta"));
    return node.done(floatRange(node.b, from, to, step, element));
  }
  TRY(delta, knownInput(node, 2));
  if (!delta->content)
    return node.done(computedRange(node.b, start, limit, delta));
  TRY(Expr from, sizeOf(node, 0, "start"));
  TRY(Expr to, sizeOf(node, 1, "limit"));
  TRY(Expr step, oneOf(node, 2, "delta"));
  return node.done(integerRange(node.b, from, to, step, element));
}

LogicalResult importEyeLike(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  if (x->rank() != 2)
    return node.fail("the input has shape " + b.sizes.str(x->dims) +
                     ", expected two dimensions");
  TRY(Element element, node.attributes.element("dtype", x->element));
  TRY(int64_t k, node.attributes.integer("k", 0));
  return node.done(diagonal(b, x->dims, k, element));
}

} // namespace

void addShapeOps(OpTable &t) {
  t.add("Constant", 1, importConstant, "no strings, no sparse tensors");
  t.add("ConstantOfShape", 9, importConstantOfShape);
  t.add("Shape", 1, importShape);
  t.add("Size", 1, importSize);
  t.add("Reshape", 1, importReshape);
  t.add("Flatten", 1, importFlatten);
  t.add("Squeeze", 1, importSqueeze,
        "axes constant; without axes, an open size is not 1");
  t.add("Unsqueeze", 1, importUnsqueeze, "axes constant");
  t.add("Identity", 1, importIdentity);
  t.add("Dropout", 1, importDropout, "inference only");
  t.add("Expand", 8, importExpand);
  t.add("Range", 11, importRange);
  t.add("EyeLike", 9, importEyeLike);
}

} // namespace tilewright::onnx
