// Shapes: constants, shape arithmetic, reshapes.
#include "frontends/onnx/OpsCommon.h"
#include "frontends/onnx/Readers.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Checks.h"
#include "graph/build/Constants.h"
#include "graph/build/FoldBinary.h"
#include "graph/build/Generic.h"
#include "graph/build/Movement.h"
#include "graph/build/Remedy.h"
#include "graph/build/TensorValues.h"

using namespace mlir;

namespace tilewright::onnx {
namespace {

LogicalResult importConstant(Node &node) {
  GraphBuilder &b = node.b;
  if (const auto *value = node.attributes.find("value"))
    return node.done(node.importer.decode(value->t()));
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
  TRY(SmallVector<Expr> dims, contentOf(node, 0, "the shape"));
  TypedAttr value = b.builder.getF32FloatAttr(0);
  Element element = f32(b);
  if (const auto *attribute = node.attributes.find("value")) {
    TRY(Tensor tensor, node.importer.decode(attribute->t()));
    if (countOf(*tensor) != 1)
      return node.fail("attribute 'value' must have one element");
    value = scalarAttr(*tensor, 0);
    element = tensor->element;
  }
  TRY(Tensor checked, wrap(b, nullptr, dims, element));
  if (constantsOf(dims))
    return node.set(0, splat(b, value, dims, element));
  return node.done(broadcastTo(b, splat(b, value, {}, element), dims));
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
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  return node.set(0, integerTensor(b, {b.sizes.product(x->dims)}, {}, i64(b)));
}

LogicalResult importReshape(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  SmallVector<Expr> dims;
  if (node.opset >= 5) {
    TRY(dims, contentOf(node, 1, "the shape"));
  } else {
    TRY(SmallVector<int64_t> shape, node.attributes.integers("shape"));
    dims = exprsOf(b.sizes, shape);
  }
  TRY(bool allowZero, node.attributes.flag("allowzero", false));
  int64_t unknown = -1;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (isConst(dim, 0) && !allowZero) {
      if (int64_t(i) >= x->rank())
        return node.fail("the shape " + b.sizes.str(dims) +
                         " copies dimension " + Twine(i) +
                         " of an input of shape " + b.sizes.str(x->dims));
      dim = x->dims[i];
    } else if (isConst(dim, -1)) {
      if (unknown >= 0)
        return node.fail("the shape " + b.sizes.str(dims) +
                         " has two sizes of -1");
      unknown = i;
    } else if (constantOf(dim).value_or(0) < 0) {
      return node.fail("the shape " + b.sizes.str(dims) +
                       " has a negative size");
    }
  }
  if (unknown >= 0) {
    // Sizes in common cancel, then what is left is divided.
    SmallVector<Expr> from(x->dims), known;
    for (auto [i, dim] : llvm::enumerate(dims)) {
      if (int64_t(i) == unknown)
        continue;
      auto same = llvm::find(from, dim);
      if (same != from.end() && !isConst(dim, 0))
        from.erase(same);
      else
        known.push_back(dim);
    }
    Expr total = b.sizes.product(from), divisor = b.sizes.product(known);
    if (isConst(divisor, 0) || (constantOf(total) && constantOf(divisor) &&
                                *constantOf(total) % *constantOf(divisor) != 0))
      return node.fail("cannot reshape " + b.sizes.str(x->dims) + " to " +
                       b.sizes.str(dims));
    dims[unknown] = b.sizes.floorDiv(total, divisor);
  }
  return node.done(reshape(b, x, dims));
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
  ArrayRef<Expr> dims = x->dims;
  return node.done(reshape(b, x,
                           {b.sizes.product(dims.take_front(axis)),
                            b.sizes.product(dims.drop_front(axis))}));
}

LogicalResult importSqueeze(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(auto given, integersOrInput(node, "axes", 1, 13));
  SmallVector<int64_t> axes;
  if (given) {
    TRY(axes, axesOf(node.b, *given, x->rank()));
  } else {
    for (auto [i, dim] : llvm::enumerate(x->dims)) {
      if (!constantOf(dim))
        return node.fail("without axes, the shape must be static, found " +
                         b.sizes.str(x->dims) + sizeRemedy(b, dim));
      if (isConst(dim, 1))
        axes.push_back(i);
    }
  }
  SmallVector<Expr> dims;
  for (auto [i, dim] : llvm::enumerate(x->dims)) {
    if (!llvm::is_contained(axes, int64_t(i))) {
      dims.push_back(dim);
      continue;
    }
    if (!compatible(dim, b.sizes.constant(1)))
      return node.fail("dimension " + Twine(i) + " of " + b.sizes.str(x->dims) +
                       " is not 1");
    checkEqual(b, dim, b.sizes.constant(1),
               "Squeeze of " + b.sizes.str(x->dims) + " needs a size of 1");
  }
  if (llvm::all_of(axes, [&](int64_t a) { return isConst(x->dims[a], 1); })) {
    SmallVector<int64_t> kept;
    for (int64_t i = 0; i < x->rank(); ++i)
      if (!llvm::is_contained(axes, i))
        kept.push_back(i);
    return node.set(0, rearrange(b, x, kept));
  }
  return node.done(reshape(b, x, dims));
}

LogicalResult importUnsqueeze(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(auto given, integersOrInput(node, "axes", 1, 13));
  if (!given)
    return node.fail("axes are missing");
  int64_t rank = x->rank() + given->size();
  TRY(auto axes, axesOf(node.b, *given, rank));
  SmallVector<int64_t> kept;
  int64_t next = 0;
  for (int64_t i = 0; i < rank; ++i)
    kept.push_back(llvm::is_contained(axes, i) ? -1 : next++);
  return node.set(0, rearrange(node.b, x, kept));
}

LogicalResult importIdentity(Node &node) {
  TRY(Tensor x, node.input(0));
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
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(SmallVector<Expr> dims, contentOf(node, 1, "the shape"));
  auto shape = std::make_shared<TensorInfo>();
  shape->dims.assign(dims.begin(), dims.end());
  TRY(Dims both, broadcastDims(b, ArrayRef<Tensor>{x, shape}));
  if (x->content && !x->constant && x->content->size() == 1)
    if (auto sizes = constantsOf(both)) {
      TRY(Tensor shaped, wrap(b, nullptr, both, x->element));
      if (auto count = countOf(*shaped); count && *count <= 1024)
        return node.set(
            0, integerTensor(b, SmallVector<Expr>(*count, (*x->content)[0]),
                             both, x->element));
    }
  return node.done(broadcastTo(b, x, both));
}

/// The number of elements of a range of constants: as unsigned numbers, since
/// its ends may be further apart than 2^63.
int64_t rangeLength(int64_t from, int64_t to, int64_t step) {
  if (step > 0 ? from >= to : from <= to)
    return 0;
  uint64_t low = step > 0 ? from : to, high = step > 0 ? to : from;
  uint64_t width = step > 0 ? step : -uint64_t(step), span = high - low;
  uint64_t count = span / width + (span % width != 0);
  return int64_t(std::min<uint64_t>(count, INT64_MAX));
}

/// ceil((to - from) / step), at least 0.
Expr rangeLength(Sizes &z, Expr from, Expr to, int64_t step) {
  auto first = constantOf(from), end = constantOf(to);
  if (first && end)
    return z.constant(rangeLength(*first, *end, step));
  Expr span = step > 0 ? z.sub(to, from) : z.sub(from, to);
  if (std::abs(step) < int64_t(1) << 62)
    return z.positivePart(z.ceilDiv(span, std::abs(step)));
  // One where the span is positive, another where it is more than the step:
  // nothing is added to a step near the end of 64 bits.
  auto isPositive = [&](Expr e) {
    return z.min(z.positivePart(e), z.constant(1));
  };
  return z.add(isPositive(span), isPositive(z.add(span, -std::abs(step))));
}

FailureOr<Tensor> integerRange(Node &node, Expr from, Expr to, Expr step,
                               Element element) {
  GraphBuilder &b = node.b;
  auto stepValue = constantOf(step);
  bool isKnown = constantOf(from) && constantOf(to);
  if (!stepValue || *stepValue == 0 || (*stepValue == INT64_MIN && !isKnown))
    return node.fail("delta must be a constant other than 0 and -2^63, found " +
                     b.sizes.str(step));
  Expr count = rangeLength(b.sizes, from, to, *stepValue);
  if (auto known = constantOf(count); known && *known <= 1024) {
    SmallVector<Expr> values;
    for (int64_t i = 0; i < *known; ++i) {
      // No element lies beyond the ends, though a multiple of the step may.
      uint64_t moved = uint64_t(i) * uint64_t(*stepValue);
      auto first = constantOf(from);
      values.push_back(first ? b.sizes.constant(uint64_t(*first) + moved)
                             : b.sizes.add(from, int64_t(moved)));
    }
    return integerTensor(b, values, {count}, element);
  }
  return gather(b, {}, {count}, element, [&](Scalar &s, ArrayRef<Value>) {
    Value at = s.add(b.index(from), s.mul(s.loop(0), s.index(*stepValue)));
    return s.fromIndex(at, element.type);
  });
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
      integerRange(node, bounds[0], bounds[1], bounds[2], element));
  return std::optional<Tensor>(range);
}

LogicalResult importRange(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor start, node.input(0));
  TRY(Tensor limit, node.input(1));
  TRY(Tensor delta, node.input(2));
  Element element = start->element;
  if (element.isFloat()) {
    TRY(std::optional<Tensor> whole, wholeRange(node, element));
    if (whole)
      return node.set(0, *whole);
    TRY(double from, scalarOf(node, 0, "start"));
    TRY(double to, scalarOf(node, 1, "limit"));
    TRY(double step, scalarOf(node, 2, "delta"));
    double count = std::ceil((to - from) / step);
    if (!(count < 1e9) || step == 0)
      return node.fail("the range has no end");
    return node.done(
        gather(b, {}, {b.sizes.constant(int64_t(std::max(0.0, count)))},
               element, [&](Scalar &s, ArrayRef<Value>) {
                 Type type = element.isNarrowFloat() ? s.builder.getF32Type()
                                                     : element.type;
                 Value i = s.fromIndex(s.loop(0), type);
                 return s.add(s.constant(type, from),
                              s.mul(i, s.constant(type, step)));
               }));
  }
  TRY(Expr from, oneOf(node, 0, "start"));
  TRY(Expr to, oneOf(node, 1, "limit"));
  TRY(Expr step, oneOf(node, 2, "delta"));
  return node.done(integerRange(node, from, to, step, element));
}

LogicalResult importEyeLike(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  if (x->rank() != 2)
    return node.fail("the input has shape " + b.sizes.str(x->dims) +
                     ", expected two dimensions");
  TRY(Element element, node.attributes.element("dtype", x->element));
  TRY(int64_t k, node.attributes.integer("k", 0));
  return node.done(
      gather(b, {}, x->dims, element, [&](Scalar &s, ArrayRef<Value>) {
        Value hit = s.eq(s.add(s.loop(0), s.index(k)), s.loop(1));
        return s.select(hit, s.constant(element.type, 1),
                        s.constant(element.type, 0));
      }));
}

} // namespace

void addShapeOps(OpTable &t) {
  t.add("Constant", 1, importConstant, "no strings, no sparse tensors");
  t.add("ConstantOfShape", 9, importConstantOfShape, "shape known at import");
  t.add("Shape", 1, importShape);
  t.add("Size", 1, importSize);
  t.add("Reshape", 1, importReshape, "shape known at import");
  t.add("Flatten", 1, importFlatten);
  t.add("Squeeze", 1, importSqueeze, "axes constant");
  t.add("Unsqueeze", 1, importUnsqueeze, "axes constant");
  t.add("Identity", 1, importIdentity, "no sequences");
  t.add("Dropout", 1, importDropout, "inference only");
  t.add("Expand", 8, importExpand, "shape known at import");
  t.add("Range", 11, importRange, "bounds known at import");
  t.add("EyeLike", 9, importEyeLike);
}

} // namespace tilewright::onnx
