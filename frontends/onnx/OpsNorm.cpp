// Normalizations: means, variances and elementwise generics.
#include "frontends/onnx/OpsCommon.h"
#include "frontends/onnx/Readers.h"
#include "graph/analysis/Grouping.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Checks.h"
#include "graph/build/Constants.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduction.h"

#include <cmath>

using namespace mlir;

namespace tilewright::onnx {
namespace {

using Values = ArrayRef<Value>;

Value difference(Scalar &s, Values v) { return s.sub(v[0], v[1]); }

/// The number of elements along `axes`.
Expr countAlong(GraphBuilder &b, const Tensor &x, ArrayRef<int64_t> axes) {
  Expr count = b.sizes.constant(1);
  for (int64_t axis : axes)
    count = b.sizes.mul(count, x->dims[axis]);
  return count;
}

/// Values minus their mean, and the mean.
struct Centered {
  Tensor values, mean;
  /// What is left of the mean in `values`; null if that is not computed.
  Tensor rest;
};

/// Where the mean is far from 0, its rounding is not small beside the values
/// minus it. What they have as a mean is subtracted again if a program has
/// their row at hand; a longer row would be read once more.
FailureOr<Centered> centered(GraphBuilder &b, const Tensor &x,
                             ArrayRef<int64_t> axes) {
  Centered result;
  TRY(result.mean, mean(b, x, axes));
  Element wide = result.mean->element;
  TRY(result.values, elementwise(b, {x, result.mean}, wide, difference));
  auto count = constantOf(countAlong(b, x, axes));
  if (!count || *count > graph::maxRowElements)
    return result;
  TRY(result.rest, mean(b, result.values, axes));
  return result;
}

/// `finish` of the variance of these values.
FailureOr<Tensor>
ofVariance(GraphBuilder &b, const Centered &c, ArrayRef<int64_t> axes,
           llvm::function_ref<Value(Scalar &, Value)> finish) {
  Element wide = c.values->element;
  TRY(Tensor squares,
      reduce(
          b, c.values, axes, true, wide,
          llvm::cast<TypedAttr>(b.builder.getZeroAttr(wide.type)),
          [](Scalar &s, Values v) { return s.add(v[1], s.mul(v[0], v[0])); }));
  Expr count = countAlong(b, c.values, axes);
  SmallVector<Tensor> operands = {squares};
  if (c.rest)
    operands.push_back(c.rest);
  return elementwise(b, operands, wide, [&](Scalar &s, Values v) {
    Value variance = s.div(v[0], countInBody(b, s, count, v[0].getType()));
    if (c.rest) {
      variance = s.sub(variance, s.mul(v[1], v[1]));
      variance = s.max(variance, s.like(variance, 0));
    }
    return finish(s, variance);
  });
}

/// The values without what is left of their mean.
FailureOr<Tensor> withoutRest(GraphBuilder &b, const Centered &c) {
  if (!c.rest)
    return c.values;
  return elementwise(b, {c.values, c.rest}, c.values->element, difference);
}

/// The centered values and 1 / sqrt(variance + epsilon), in f32 at least.
struct Normalized {
  Tensor values, mean, inverse;
};

FailureOr<Normalized> normalized(GraphBuilder &b, const Tensor &x,
                                 ArrayRef<int64_t> axes, double epsilon) {
  TRY(Centered c, centered(b, x, axes));
  Normalized result;
  result.mean = c.mean;
  TRY(result.values, withoutRest(b, c));
  if (c.rest) {
    TRY(result.mean,
        elementwise(b, {c.mean, c.rest}, c.mean->element,
                    [](Scalar &s, Values v) { return s.add(v[0], v[1]); }));
  }
  TRY(result.inverse, ofVariance(b, c, axes, [&](Scalar &s, Value variance) {
        Value root = s.sqrt(s.add(variance, s.like(variance, epsilon)));
        return s.div(s.like(root, 1), root);
      }));
  return result;
}

/// values * inverse * scale + shift, as far as scale and shift are there.
FailureOr<Tensor> scaled(GraphBuilder &b, const Normalized &c,
                         const Tensor &scale, const Tensor &shift,
                         Element out) {
  SmallVector<Tensor> operands = {c.values, c.inverse};
  if (scale)
    operands.push_back(scale);
  if (shift)
    operands.push_back(shift);
  auto body = [&](Scalar &s, Values v) {
    Value y = s.mul(v[0], v[1]);
    if (scale)
      y = s.mul(y, s.convert(v[2], y.getType()));
    if (shift)
      y = s.add(y, s.convert(v.back(), y.getType()));
    return y;
  };
  return elementwiseOver(b, c.values->dims, operands, out, body);
}

SmallVector<int64_t> axesFrom(int64_t first, int64_t rank) {
  SmallVector<int64_t> axes;
  for (int64_t i = first; i < rank; ++i)
    axes.push_back(i);
  return axes;
}

/// A vector of per-channel values as [1, C, 1, ...].
FailureOr<Tensor> perChannel(Node &node, const Tensor &v, const Tensor &x,
                             StringRef what) {
  if (v->rank() != 1)
    return node.fail(what + " has shape " + node.b.sizes.str(v->dims) +
                     ", the input has shape " + node.b.sizes.str(x->dims));
  TRY(Tensor row, withDims(node.b, v, {x->dims[1]}, what));
  SmallVector<int64_t> kept(x->rank() - 1, -1);
  kept[0] = 0;
  return rearrange(node.b, row, kept);
}

LogicalResult importBatchNormalization(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  if (failed(expectRank(node.b, x, 2, "the input")))
    return failure();
  TRY(bool spatial, node.attributes.flag("spatial", true));
  if (!spatial)
    return node.fail("spatial = 0 is not supported");
  TRY(double epsilon, node.attributes.number("epsilon", 1e-5f));
  TRY(double momentum, node.attributes.number("momentum", 0.9f));
  bool training = false;
  if (node.opset >= 14) {
    TRY(training, node.attributes.flag("training_mode", false));
  }
  SmallVector<Tensor> rows;
  StringRef names[] = {"scale", "bias", "mean", "variance"};
  for (int i = 0; i < 4; ++i) {
    TRY(Tensor values, node.input(i + 1));
    TRY(Tensor row, perChannel(node, values, x, names[i]));
    rows.push_back(row);
  }
  Tensor average = rows[2], variance = rows[3];
  if (training) {
    SmallVector<int64_t> axes = axesFrom(2, x->rank());
    axes.insert(axes.begin(), 0);
    TRY(average, mean(b, x, axes));
    TRY(Tensor squares,
        elementwise(b, {x, average}, average->element, [](Scalar &s, Values v) {
          Value d = s.sub(v[0], v[1]);
          return s.mul(d, d);
        }));
    TRY(variance, mean(b, squares, axes));
    for (int i = 0; i < 2; ++i) {
      auto blend = [&](Scalar &s, Values v) {
        Value now = s.convert(v[1], v[0].getType());
        return s.add(s.mul(v[0], s.like(v[0], momentum)),
                     s.mul(now, s.like(now, 1 - momentum)));
      };
      TRY(Tensor running, elementwise(b, {rows[i + 2], i ? variance : average},
                                      rows[i + 2]->element, blend));
      TRY(running, reshape(b, running, {x->dims[1]}));
      if (failed(node.set(i + 1, running)))
        return failure();
    }
  }
  // scale / sqrt(variance + epsilon), and the shift: constants if all are.
  Element wide = rows[0]->element.isNarrowFloat() ? f32(b) : rows[0]->element;
  TRY(Tensor factor,
      elementwise(b, {rows[0], variance}, wide, [&](Scalar &s, Values v) {
        Value sum = s.add(v[1], s.like(v[1], epsilon));
        return s.div(v[0], s.convert(s.sqrt(sum), v[0].getType()));
      }));
  TRY(Tensor shift,
      elementwise(b, {rows[1], average, factor}, wide, [](Scalar &s, Values v) {
        Type type = v[2].getType();
        return s.sub(s.convert(v[0], type), s.mul(s.convert(v[1], type), v[2]));
      }));
  return node.done(
      elementwise(b, {x, factor, shift}, x->element, [](Scalar &s, Values v) {
        Type type = v[0].getType();
        return s.add(s.mul(v[0], s.convert(v[1], type)), s.convert(v[2], type));
      }));
}

LogicalResult importLayerNormalization(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(Tensor scale, node.input(1));
  TRY(Tensor bias, node.optionalInput(2));
  TRY(int64_t axis, axisAttribute(node, -1, x->rank()));
  TRY(double epsilon, node.attributes.number("epsilon", 1e-5f));
  TRY(Normalized c, normalized(b, x, axesFrom(axis, x->rank()), epsilon));
  if (failed(node.set(1, c.mean)) || failed(node.set(2, c.inverse)))
    return failure();
  return node.done(scaled(b, c, scale, bias, x->element));
}

LogicalResult importRMSNormalization(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(Tensor scale, node.input(1));
  TRY(int64_t axis, axisAttribute(node, -1, x->rank()));
  TRY(double epsilon, node.attributes.number("epsilon", 1e-5f));
  Element wide = x->element.isNarrowFloat() ? f32(b) : x->element;
  SmallVector<int64_t> axes = axesFrom(axis, x->rank());
  TRY(Tensor squares,
      reduce(
          b, x, axes, true, wide,
          llvm::cast<TypedAttr>(b.builder.getZeroAttr(wide.type)),
          [](Scalar &s, Values v) { return s.add(v[1], s.mul(v[0], v[0])); }));
  Expr count = b.sizes.constant(1);
  for (int64_t a : axes)
    count = b.sizes.mul(count, x->dims[a]);
  TRY(Tensor inverse, elementwise(b, {squares}, wide, [&](Scalar &s, Values v) {
        Type type = v[0].getType();
        Value meanSquare = s.div(v[0], countInBody(b, s, count, type));
        Value root = s.sqrt(s.add(meanSquare, s.constant(type, epsilon)));
        return s.div(s.constant(type, 1), root);
      }));
  return node.done(
      scaled(b, {x, nullptr, inverse}, scale, nullptr, x->element));
}

LogicalResult importInstanceNormalization(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  if (failed(expectRank(node.b, x, 3, "the input")))
    return failure();
  TRY(Tensor scale, node.input(1));
  TRY(scale, perChannel(node, scale, x, "scale"));
  TRY(Tensor bias, node.input(2));
  TRY(bias, perChannel(node, bias, x, "bias"));
  TRY(double epsilon, node.attributes.number("epsilon", 1e-5f));
  TRY(Normalized c, normalized(b, x, axesFrom(2, x->rank()), epsilon));
  return node.done(scaled(b, c, scale, bias, x->element));
}

LogicalResult importGroupNormalization(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  if (failed(expectRank(node.b, x, 3, "the input")))
    return failure();
  TRY(int64_t groups, node.attributes.integer("num_groups", 0));
  TRY(double epsilon, node.attributes.number("epsilon", 1e-5f));
  auto channels = constantOf(x->dims[1]);
  if (groups < 1 || !channels || *channels % groups != 0)
    return node.fail("the input has shape " + b.sizes.str(x->dims) +
                     ", its channels do not divide into " + Twine(groups) +
                     " groups");
  // [N, G, C / G, ...], where scale is per group before opset 21.
  int64_t perGroup = *channels / groups;
  SmallVector<Expr> dims = {x->dims[0], b.sizes.constant(groups),
                            b.sizes.constant(perGroup)};
  dims.append(x->dims.begin() + 2, x->dims.end());
  TRY(Tensor split, reshape(b, x, dims));
  TRY(Normalized c, normalized(b, split, axesFrom(2, split->rank()), epsilon));
  SmallVector<Tensor> rows;
  for (int i = 1; i < 3; ++i) {
    TRY(Tensor row, node.input(i));
    bool grouped = node.opset < 21;
    Expr expected = grouped ? dims[1] : x->dims[1];
    if (row->rank() != 1)
      return node.fail("scale or bias has shape " + b.sizes.str(row->dims) +
                       ", expected [" + b.sizes.str(expected) + "]");
    TRY(row, withDims(b, row, {expected}, "scale or bias"));
    SmallVector<Expr> rowDims(split->rank() - 1, b.sizes.constant(1));
    rowDims[0] = dims[1];
    rowDims[1] = grouped ? b.sizes.constant(1) : dims[2];
    TRY(row, reshape(b, row, rowDims));
    rows.push_back(row);
  }
  TRY(Tensor result, scaled(b, c, rows[0], rows[1], x->element));
  return node.done(reshape(b, result, x->dims));
}

LogicalResult importMeanVarianceNormalization(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(SmallVector<int64_t> axes, node.attributes.integers("axes", {0, 2, 3}));
  TRY(axes, axesOf(node.b, axes, x->rank()));
  TRY(Centered c, centered(b, x, axes));
  TRY(Tensor values, withoutRest(b, c));
  TRY(Tensor spread, ofVariance(b, c, axes, [](Scalar &s, Value variance) {
        return s.add(s.sqrt(variance), s.like(variance, 1e-9));
      }));
  return node.done(
      elementwise(b, {values, spread}, x->element,
                  [](Scalar &s, Values v) { return s.div(v[0], v[1]); }));
}

LogicalResult importLpNormalization(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(int64_t axis, axisAttribute(node, -1, x->rank()));
  TRY(int64_t p, node.attributes.integer("p", 2));
  if (p != 1 && p != 2)
    return node.fail("attribute 'p' is " + Twine(p) + ", expected 1 or 2");
  Element wide = x->element.isNarrowFloat() ? f32(b) : x->element;
  TRY(Tensor sum,
      reduce(b, x, {axis}, true, wide,
             llvm::cast<TypedAttr>(b.builder.getZeroAttr(wide.type)),
             [&](Scalar &s, Values v) {
               return s.add(v[1], p == 1 ? s.abs(v[0]) : s.mul(v[0], v[0]));
             }));
  return node.done(
      elementwise(b, {x, sum}, x->element, [&](Scalar &s, Values v) {
        Value norm = p == 1 ? v[1] : s.sqrt(v[1]);
        Value zero = s.like(norm, 0);
        // A zero vector stays zero.
        return s.select(s.eq(norm, zero), zero, s.div(v[0], norm));
      }));
}

} // namespace

void addNormOps(OpTable &t) {
  t.add("BatchNormalization", 1, importBatchNormalization);
  t.add("LayerNormalization", 17, importLayerNormalization);
  t.add("RMSNormalization", 23, importRMSNormalization);
  t.add("InstanceNormalization", 1, importInstanceNormalization);
  t.add("GroupNormalization", 18, importGroupNormalization);
  t.add("MeanVarianceNormalization", 9, importMeanVarianceNormalization);
  t.add("LpNormalization", 1, importLpNormalization);
}

} // namespace tilewright::onnx
