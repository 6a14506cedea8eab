// Preprocessing of traditional machine learning (ai.onnx.ml).
#include "frontends/onnx/OpsTraditional.h"

#include "frontends/onnx/GraphImporter.h"
#include "frontends/onnx/Readers.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Elementwise.h"
#include "graph/build/Gather.h"
#include "graph/build/Logic.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduce.h"
#include "graph/build/Reduction.h"

#include <cmath>
#include <set>

using namespace mlir;

namespace tilewright::onnx {

LogicalResult rejectStrings(Node &node, ArrayRef<StringRef> names) {
  for (StringRef name : names)
    if (const auto *attribute = node.attributes.find(name);
        attribute && !attribute->strings.empty())
      return node.fail("attribute '" + name +
                       "' has strings, which are not supported");
  return success();
}

FailureOr<Tensor> floatsOf(Node &node, int64_t i) {
  TRY(Tensor x, node.input(i));
  return convert(node.b, x, f32(node.b));
}

FailureOr<Tensor> featuresOf(Node &node, Element element) {
  TRY(Tensor x, node.input(0));
  if (x->rank() == 1)
    x = rearrange(node.b, x, {-1, 0});
  if (x->rank() != 2)
    return node.fail("the input has shape " + node.b.sizes.str(x->dims) +
                     ", expected rows of features");
  return convert(node.b, x, element);
}

Tensor vectorOf(GraphBuilder &b, ArrayRef<double> values) {
  SmallVector<float> floats(values.begin(), values.end());
  return floatTensor(b, floats, {int64_t(floats.size())});
}

namespace {

/// A list of one number, or of one for each feature, which broadcasts to x.
FailureOr<Tensor> perFeature(Node &node, StringRef name, const Tensor &x,
                             double otherwise) {
  TRY(SmallVector<double> values, node.attributes.numbers(name));
  if (values.empty())
    values.push_back(otherwise);
  const Expr features = x->rank() ? x->dims.back() : node.b.zero();
  if (values.size() > 1 && !(constantOf(features) &&
                             *constantOf(features) == int64_t(values.size())))
    return node.fail("attribute '" + name + "' has " + Twine(values.size()) +
                     " values, the input has shape " +
                     node.b.sizes.str(x->dims));
  return vectorOf(node.b, values);
}

LogicalResult importScaler(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, floatsOf(node, 0));
  TRY(Tensor offset, perFeature(node, "offset", x, 0));
  TRY(Tensor scale, perFeature(node, "scale", x, 1));
  TRY(Tensor moved, arithmetic(b, Arithmetic::Subtract, x, offset));
  return node.done(arithmetic(b, Arithmetic::Multiply, moved, scale));
}

LogicalResult importNormalizer(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, floatsOf(node, 0));
  TRY(std::string norm, node.attributes.string("norm", "MAX"));
  if (failed(expectRank(b, x, 1, "the input")))
    return failure();
  const SmallVector<int64_t> axes = {x->rank() - 1};
  FailureOr<Tensor> divisor = failure();
  if (norm == "MAX")
    divisor = extremeAlong(b, x, axes, /*keepDims=*/true, /*isMax=*/true);
  else if (norm == "L1")
    divisor = sumAlong(b, x, axes, /*keepDims=*/true, absoluteSum);
  else if (norm == "L2")
    divisor = sumAlong(b, x, axes, /*keepDims=*/true, squareSumRoot);
  else
    return node.fail("attribute 'norm' is '" + norm +
                     "', expected MAX, L1 or L2");
  if (failed(divisor))
    return failure();
  return node.done(
      elementwise(b, {x, *divisor}, x->element, [](Scalar &s, Values v) {
        return s.select(s.eq(v[1], s.like(v[1], 0)), v[0], s.div(v[0], v[1]));
      }));
}

LogicalResult importBinarizer(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(double threshold, node.attributes.number("threshold", 0));
  return node.done(elementwise(b, {x}, x->element, [&](Scalar &s, Values v) {
    return s.select(s.gt(v[0], s.like(v[0], threshold)), s.like(v[0], 1),
                    s.like(v[0], 0));
  }));
}

LogicalResult importImputer(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  Tensor imputed, replaced;
  if (x->element.isFloat()) {
    TRY(imputed, perFeature(node, "imputed_value_floats", x, 0));
    TRY(double value, node.attributes.number("replaced_value_float", 0));
    replaced = scalarConstant(b, f32(b), value);
  } else {
    TRY(SmallVector<int64_t> values,
        node.attributes.integers("imputed_value_int64s"));
    TRY(int64_t value, node.attributes.integer("replaced_value_int64", 0));
    if (values.size() != 1 &&
        (x->rank() == 0 ||
         constantOf(x->dims.back()) != std::optional<int64_t>(values.size())))
      return node.fail("attribute 'imputed_value_int64s' has " +
                       Twine(values.size()) + " values, the input has shape " +
                       b.sizes.str(x->dims));
    imputed = integerTensor(b, exprsOf(b.sizes, values),
                            {b.sizes.constant(values.size())}, i64(b));
    replaced = integerTensor(b, {b.sizes.constant(value)}, {}, i64(b));
  }
  TRY(imputed, convert(b, imputed, x->element));
  TRY(replaced, convert(b, replaced, x->element));
  return node.done(elementwise(
      b, {x, imputed, replaced}, x->element, [](Scalar &s, Values v) {
        Value bothNaN = s.logicalAnd(s.ne(v[0], v[0]), s.ne(v[2], v[2]));
        Value same = s.logicalOr(s.eq(v[0], v[2]), bothNaN);
        return s.select(same, v[1], v[0]);
      }));
}

/// Cuts features off, or adds zeros.
FailureOr<Tensor> withFeatures(Node &node, const Tensor &x, int64_t wanted) {
  GraphBuilder &b = node.b;
  auto features = constantOf(x->dims[1]);
  if (!features)
    return node.fail("an input has shape " + b.sizes.str(x->dims) +
                     ", expected a static number of features");
  if (wanted < 0)
    return node.fail("attribute 'inputdimensions' has the value " +
                     Twine(wanted));
  if (*features > wanted)
    return slice(b, x, {b.zero(), b.zero()},
                 {x->dims[0], b.sizes.constant(wanted)}, {1, 1});
  if (*features == wanted)
    return x;
  return pad(b, x, {b.zero(), b.zero()},
             {b.zero(), b.sizes.constant(wanted - *features)},
             zeroOf(b, x->element));
}

LogicalResult importFeatureVectorizer(Node &node) {
  GraphBuilder &b = node.b;
  TRY(SmallVector<Tensor> inputs, node.inputs());
  TRY(SmallVector<int64_t> wanted, node.attributes.integers("inputdimensions"));
  if (!wanted.empty() && wanted.size() != inputs.size())
    return node.fail("attribute 'inputdimensions' has " + Twine(wanted.size()) +
                     " values, the node has " + Twine(inputs.size()) +
                     " inputs");
  SmallVector<Tensor> parts;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    TRY(Tensor x, convert(b, input, f32(b)));
    if (x->rank() == 1)
      x = rearrange(b, x, {-1, 0});
    if (x->rank() != 2)
      return node.fail("an input has shape " + b.sizes.str(x->dims) +
                       ", expected rows of features");
    if (!wanted.empty()) {
      TRY(x, withFeatures(node, x, wanted[i]));
    }
    parts.push_back(x);
  }
  return node.done(concat(b, parts, 1));
}

LogicalResult importArrayFeatureExtractor(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(Tensor at, node.input(1));
  if (failed(expectRank(b, x, 1, "the input")))
    return failure();
  TRY(at, reshape(b, at, {b.sizes.product(at->dims)}));
  TRY(Tensor taken, gatherAlong(b, x, at, x->rank() - 1));
  if (x->rank() == 1)
    taken = rearrange(b, taken, {-1, 0});
  return node.set(0, taken);
}

/// A list of keys or values of LabelEncoder: an attribute of floats, integers
/// or a tensor, of which one is there.
FailureOr<Tensor> labelList(Node &node, StringRef what) {
  GraphBuilder &b = node.b;
  if (failed(rejectStrings(node, {(what + "_strings").str()})))
    return failure();
  if (const auto *tensor = node.attributes.find((what + "_tensor").str()))
    return node.importer.decode(tensor->t);
  const std::string floats = (what + "_floats").str(),
                    integers = (what + "_int64s").str();
  if (node.attributes.has(floats)) {
    TRY(SmallVector<double> values, node.attributes.numbers(floats));
    return vectorOf(b, values);
  }
  TRY(SmallVector<int64_t> values, node.attributes.integers(integers));
  if (values.empty())
    return node.fail("attribute '" + integers + "' or '" + floats +
                     "' is missing");
  return constantTensor<int64_t>(values, {int64_t(values.size())}, i64(b), b);
}

/// What keys that are not listed become.
FailureOr<Tensor> defaultLabel(Node &node, Element element) {
  GraphBuilder &b = node.b;
  if (const auto *tensor = node.attributes.find("default_tensor")) {
    TRY(Tensor value, node.importer.decode(tensor->t));
    if (countOf(*value) != 1 || value->element != element)
      return node.fail("attribute 'default_tensor' must have one element of "
                       "the values' type");
    return rearrange(b, value, {});
  }
  if (element.isFloat()) {
    TRY(double value, node.attributes.number("default_float", -0.0));
    return scalarConstant(b, element, value);
  }
  TRY(int64_t value, node.attributes.integer("default_int64", -1));
  return integerTensor(b, {b.sizes.constant(value)}, {}, element);
}

/// Where a key is in the list: the first one that is equal, or both are NaN;
/// behind the list if none is.
FailureOr<Tensor> positionInList(Node &node, const Tensor &x,
                                 const Tensor &keys, int64_t count) {
  GraphBuilder &b = node.b;
  // Before version 4, NaN was no key.
  const bool findsNaN = node.opset >= 4 && keys->element.isFloat();
  SmallVector<Expr> loops(x->dims);
  loops.push_back(b.sizes.constant(count));
  const int64_t rank = x->rank();
  Operand labels{x, {}}, list{keys, {b.loop(rank)}};
  for (int64_t d = 0; d < rank; ++d)
    labels.at.push_back(isConst(x->dims[d], 1) ? b.zero() : b.loop(d));
  if (count == 1)
    list.at = {b.zero()};
  TRY(Tensor hits,
      generic(b, {labels, list}, loops, i64(b), [&](Scalar &s, Values v) {
        Value same = s.eq(v[0], v[1]);
        if (findsNaN)
          same = s.logicalOr(same,
                             s.logicalAnd(s.ne(v[0], v[0]), s.ne(v[1], v[1])));
        Value at = s.fromIndex(s.loop(rank), s.builder.getI64Type());
        return s.select(same, at, s.like(at, double(count)));
      }));
  return extremeAlong(b, hits, {rank}, /*keepDims=*/false, /*isMax=*/false);
}

LogicalResult importLabelEncoder(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  if (failed(rejectStrings(node, {"classes_strings"})))
    return failure();
  TRY(Tensor keys, labelList(node, "keys"));
  TRY(Tensor values, labelList(node, "values"));
  auto count = countOf(*keys);
  if (keys->rank() != 1 || values->rank() != 1 || count != countOf(*values) ||
      keys->element != x->element || count < 1)
    return node.fail("there are keys " + dtypeName(keys->element) +
                     b.sizes.str(keys->dims) + " and values " +
                     dtypeName(values->element) + b.sizes.str(values->dims) +
                     " for an input of type " + dtypeName(x->element));
  TRY(Tensor otherwise, defaultLabel(node, values->element));
  TRY(Tensor last, reshape(b, otherwise, {b.sizes.constant(1)}));
  TRY(Tensor all, concat(b, {values, last}, 0));
  TRY(Tensor at, positionInList(node, x, keys, *count));
  return node.done(gatherAlong(b, all, at, 0));
}

} // namespace

void addTraditionalOps(OpTable &t) {
  auto add = [&](StringRef name, Handler handler, StringRef limits = "") {
    t.add(name, 1, handler, limits, "ai.onnx.ml");
  };
  add("Scaler", importScaler);
  add("Normalizer", importNormalizer);
  add("Binarizer", importBinarizer);
  add("Imputer", importImputer);
  add("FeatureVectorizer", importFeatureVectorizer);
  add("ArrayFeatureExtractor", importArrayFeatureExtractor, "no strings");
  add("LabelEncoder", importLabelEncoder, "no strings");
}

} // namespace tilewright::onnx
