#include "graph/build/Norm.h"

#include "graph/analysis/Grouping.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Checks.h"
#include "graph/build/Constants.h"
#include "graph/build/Dimensions.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduction.h"

using namespace mlir;

namespace tilewright::build {
namespace {

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
  TRY(Tensor squares, reduce(b, c.values, axes, true, wide, zeroOf(b, wide),
                             [](Scalar &s, Values v) {
                               return s.add(v[1], s.mul(v[0], v[0]));
                             }));
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

/// A vector of per-channel values as [1, C, 1, ...].
FailureOr<Tensor> perChannel(GraphBuilder &b, const Tensor &v, const Tensor &x,
                             StringRef what) {
  if (v->rank() != 1)
    return b.fail(what + " has shape " + b.sizes.str(v->dims) +
                  ", the input has shape " + b.sizes.str(x->dims));
  TRY(Tensor row, withDims(b, v, {x->dims[1]}, what));
  SmallVector<int64_t> kept(x->rank() - 1, -1);
  kept[0] = 0;
  return rearrange(b, row, kept);
}

} // namespace

FailureOr<BatchNorm> batchNorm(GraphBuilder &b, const Tensor &x,
                               ArrayRef<Tensor> statistics,
                               const BatchNormOptions &o) {
  SmallVector<Tensor> rows;
  StringRef names[] = {"scale", "bias", "mean", "variance"};
  for (auto [values, name] : llvm::zip(statistics, names)) {
    TRY(Tensor row, perChannel(b, values, x, name));
    rows.push_back(row);
  }
  BatchNorm result;
  Tensor average = rows[2], variance = rows[3];
  if (o.training) {
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
        return s.add(s.mul(v[0], s.like(v[0], o.momentum)),
                     s.mul(now, s.like(now, 1 - o.momentum)));
      };
      TRY(Tensor running, elementwise(b, {rows[i + 2], i ? variance : average},
                                      rows[i + 2]->element, blend));
      TRY(Tensor vector, reshape(b, running, {x->dims[1]}));
      (i ? result.variance : result.mean) = vector;
    }
  }
  // scale / sqrt(variance + epsilon), and the shift: constants if all are.
  Element wide = accumulatorOf(b, rows[0]->element);
  TRY(Tensor factor,
      elementwise(b, {rows[0], variance}, wide, [&](Scalar &s, Values v) {
        Value sum = s.add(v[1], s.like(v[1], o.epsilon));
        return s.div(v[0], s.convert(s.sqrt(sum), v[0].getType()));
      }));
  TRY(Tensor shift,
      elementwise(b, {rows[1], average, factor}, wide, [](Scalar &s, Values v) {
        Type type = v[2].getType();
        return s.sub(s.convert(v[0], type), s.mul(s.convert(v[1], type), v[2]));
      }));
  TRY(result.values,
      elementwise(b, {x, factor, shift}, x->element, [](Scalar &s, Values v) {
        Type type = v[0].getType();
        return s.add(s.mul(v[0], s.convert(v[1], type)), s.convert(v[2], type));
      }));
  return result;
}

FailureOr<LayerNorm> layerNorm(GraphBuilder &b, const Tensor &x,
                               const Tensor &scale, const Tensor &bias,
                               int64_t axis, double epsilon) {
  TRY(Normalized c, normalized(b, x, axesFrom(axis, x->rank()), epsilon));
  LayerNorm result = {nullptr, c.mean, c.inverse};
  TRY(result.values, scaled(b, c, scale, bias, x->element));
  return result;
}

FailureOr<Tensor> rmsNorm(GraphBuilder &b, const Tensor &x, const Tensor &scale,
                          int64_t axis, double epsilon) {
  Element wide = accumulatorOf(b, x->element);
  SmallVector<int64_t> axes = axesFrom(axis, x->rank());
  TRY(Tensor squares,
      reduce(b, x, axes, true, wide, zeroOf(b, wide), [](Scalar &s, Values v) {
        return s.add(v[1], s.mul(v[0], v[0]));
      }));
  Expr count = countAlong(b, x, axes);
  TRY(Tensor inverse, elementwise(b, {squares}, wide, [&](Scalar &s, Values v) {
        Type type = v[0].getType();
        Value meanSquare = s.div(v[0], countInBody(b, s, count, type));
        Value root = s.sqrt(s.add(meanSquare, s.constant(type, epsilon)));
        return s.div(s.constant(type, 1), root);
      }));
  return scaled(b, {x, nullptr, inverse}, scale, nullptr, x->element);
}

FailureOr<Tensor> instanceNorm(GraphBuilder &b, const Tensor &x,
                               const Tensor &scale, const Tensor &bias,
                               double epsilon) {
  TRY(Tensor scales, perChannel(b, scale, x, "scale"));
  TRY(Tensor biases, perChannel(b, bias, x, "bias"));
  TRY(Normalized c, normalized(b, x, axesFrom(2, x->rank()), epsilon));
  return scaled(b, c, scales, biases, x->element);
}

FailureOr<Tensor> groupNorm(GraphBuilder &b, const Tensor &x,
                            const Tensor &scale, const Tensor &bias,
                            const GroupNormOptions &o) {
  auto channels = constantOf(x->dims[1]);
  if (o.groups < 1 || !channels || *channels % o.groups != 0)
    return b.fail("the input has shape " + b.sizes.str(x->dims) +
                  ", its channels do not divide into " + Twine(o.groups) +
                  " groups");
  // [N, G, C / G, ...]
  int64_t perGroup = *channels / o.groups;
  SmallVector<Expr> dims = {x->dims[0], b.sizes.constant(o.groups),
                            b.sizes.constant(perGroup)};
  dims.append(x->dims.begin() + 2, x->dims.end());
  TRY(Tensor split, reshape(b, x, dims));
  TRY(Normalized c,
      normalized(b, split, axesFrom(2, split->rank()), o.epsilon));
  SmallVector<Tensor> rows;
  for (Tensor row : {scale, bias}) {
    Expr expected = o.perGroup ? dims[1] : x->dims[1];
    if (row->rank() != 1)
      return b.fail("scale or bias has shape " + b.sizes.str(row->dims) +
                    ", expected [" + b.sizes.str(expected) + "]");
    TRY(row, withDims(b, row, {expected}, "scale or bias"));
    SmallVector<Expr> rowDims(split->rank() - 1, b.sizes.constant(1));
    rowDims[0] = dims[1];
    rowDims[1] = o.perGroup ? b.sizes.constant(1) : dims[2];
    TRY(row, reshape(b, row, rowDims));
    rows.push_back(row);
  }
  TRY(Tensor result, scaled(b, c, rows[0], rows[1], x->element));
  return reshape(b, result, x->dims);
}

FailureOr<Tensor> meanVarianceNorm(GraphBuilder &b, const Tensor &x,
                                   ArrayRef<int64_t> axes) {
  TRY(Centered c, centered(b, x, axes));
  TRY(Tensor values, withoutRest(b, c));
  TRY(Tensor spread, ofVariance(b, c, axes, [](Scalar &s, Value variance) {
        return s.add(s.sqrt(variance), s.like(variance, 1e-9));
      }));
  return elementwise(b, {values, spread}, x->element,
                     [](Scalar &s, Values v) { return s.div(v[0], v[1]); });
}

FailureOr<Tensor> unitNorm(GraphBuilder &b, const Tensor &x, int64_t axis,
                           int64_t p) {
  Element wide = accumulatorOf(b, x->element);
  TRY(Tensor sum,
      reduce(b, x, {axis}, true, wide, zeroOf(b, wide),
             [&](Scalar &s, Values v) {
               return s.add(v[1], p == 1 ? s.abs(v[0]) : s.mul(v[0], v[0]));
             }));
  return elementwise(b, {x, sum}, x->element, [&](Scalar &s, Values v) {
    Value norm = p == 1 ? v[1] : s.sqrt(v[1]);
    Value zero = s.like(norm, 0);
    // A zero vector stays zero.
    return s.select(s.eq(norm, zero), zero, s.div(v[0], norm));
  });
}

} // namespace tilewright::build
