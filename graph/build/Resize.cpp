#include "graph/build/Resize.h"

#include "graph/build/Checks.h"
#include "graph/build/Constants.h"
#include "graph/build/Generic.h"
#include "graph/build/Remedy.h"
#include "graph/build/TensorValues.h"

using namespace mlir;

namespace tilewright::build {
namespace {

class Resizer {
public:
  Resizer(GraphBuilder &b, const Tensor &x, const ResizeOptions &options,
          ArrayRef<ResizeAxis> axes)
      : b(b), x(x), options(options), axes(axes) {}

  FailureOr<Tensor> run() {
    SmallVector<Expr> dims;
    for (const ResizeAxis &axis : axes)
      dims.push_back(axis.out);
    denseValue(b, x);
    return gather(b, {}, dims, x->element,
                  [&](Scalar &s, ArrayRef<Value>) { return element(s); });
  }

private:
  GraphBuilder &b;
  const Tensor &x;
  const ResizeOptions &options;
  ArrayRef<ResizeAxis> axes;

  /// Reads along dimension `d` on, with the positions before it fixed.
  Value sum(Scalar &s, ArrayRef<ResizeTaps> taps, SmallVectorImpl<Value> &at,
            size_t d) {
    if (d == axes.size())
      return widen(s, extractElement(b, s, x, at, /*isPart=*/true));
    if (!axes[d].active) {
      at.push_back(s.loop(d));
      Value result = sum(s, taps, at, d + 1);
      at.pop_back();
      return result;
    }
    Value total;
    for (auto [index, weight] : llvm::zip(taps[d].indices, taps[d].weights)) {
      at.push_back(index);
      Value term = s.mul(sum(s, taps, at, d + 1), weight);
      at.pop_back();
      total = total ? s.add(total, term) : term;
    }
    return total;
  }

  FloatType wide() {
    return x->element.type.isF64() ? cast<FloatType>(x->element.type)
                                   : b.builder.getF32Type();
  }

  Value widen(Scalar &s, Value v) { return s.convert(v, wide()); }

  Value element(Scalar &s) {
    SmallVector<ResizeTaps> taps(axes.size());
    SmallVector<Value> at;
    Value outside;
    for (auto [i, axis] : llvm::enumerate(axes)) {
      Value index = s.loop(i);
      if (axis.active) {
        taps[i] = resizeTaps(b, s, options, axis, index, wide());
        index = taps[i].indices[0];
      }
      at.push_back(index);
      if (Value out = taps[i].outside)
        outside = outside ? s.logicalOr(outside, out) : out;
    }
    Value result;
    if (options.isNearest()) {
      result = extractElement(b, s, x, at, /*isPart=*/true);
    } else {
      at.clear();
      result = sum(s, taps, at, 0);
      if (!x->element.isFloat())
        result = integerResult(s, result);
    }
    if (outside)
      result = s.select(outside, s.like(result, options.outside), result);
    return result;
  }

  Value integerResult(Scalar &s, Value v) {
    if (x->element.isBool())
      return s.convert(v, x->element.type);
    if (!options.truncates)
      v = s.make<math::RoundEvenOp>(v);
    return s.saturated(v, x->element.type, x->element.isUnsigned);
  }
};

/// Sums of bytes and weights along dimension `d`, rounded half up.
FailureOr<Tensor> resizeBytes(GraphBuilder &b, const Tensor &x,
                              const ResizeOptions &options,
                              const ResizeAxis &axis, size_t d,
                              const FixedPointWeights &weights) {
  SmallVector<Expr> dims(x->dims);
  dims[d] = axis.out;
  Element wide = {b.builder.getI32Type()};
  Tensor table =
      integerTensor(b, exprsOf(b.sizes, weights.values),
                    {axis.out, b.sizes.constant(weights.taps)}, wide);
  SmallVector<Operand> operands;
  for (int64_t k = 0; k < weights.taps; ++k)
    operands.push_back({table, {b.loop(d), b.sizes.constant(k)}});
  denseValue(b, x);
  return gather(
      b, operands, dims, x->element, [&](Scalar &s, ArrayRef<Value> v) {
        ResizeTaps taps =
            resizeTaps(b, s, options, axis, s.loop(d), b.builder.getF32Type());
        SmallVector<Value> at;
        for (size_t i = 0; i < dims.size(); ++i)
          at.push_back(s.loop(i));
        Value sum = s.integer(wide.type, int64_t(1) << (weights.bits - 1));
        for (auto [index, weight] : llvm::zip(taps.indices, v)) {
          at[d] = index;
          Value byte = extractElement(b, s, x, at, /*isPart=*/true);
          sum = s.add(sum,
                      s.mul(s.make<arith::ExtUIOp>(wide.type, byte), weight));
        }
        Scalar t(s.builder, s.loc);
        sum = t.make<arith::ShRSIOp>(sum, t.like(sum, weights.bits));
        sum = t.clamp(sum, t.like(sum, 0), t.like(sum, 255));
        return s.convert(sum, x->element.type);
      });
}

/// Along each dimension in fixed point; nothing if the sizes are not static.
FailureOr<Tensor> resizeInSteps(GraphBuilder &b, const Tensor &x,
                                const ResizeOptions &options,
                                ArrayRef<ResizeAxis> axes) {
  SmallVector<std::optional<FixedPointWeights>> weights(axes.size());
  for (auto [i, axis] : llvm::enumerate(axes))
    if (axis.active &&
        !(weights[i] = fixedPointWeights(b.sizes, options, axis)))
      return Tensor();
  Tensor result = x;
  for (size_t d = axes.size(); d-- > 0;)
    if (axes[d].active) {
      TRY(result, resizeBytes(b, result, options, axes[d], d, *weights[d]));
    }
  return result;
}

/// What is known of the sizes allows the mode.
LogicalResult checkAxes(GraphBuilder &b, const ResizeOptions &options,
                        MutableArrayRef<ResizeAxis> axes) {
  for (ResizeAxis &axis : axes) {
    // No element has a position.
    if (isConst(axis.out, 0))
      axis.numerator = axis.denominator = b.sizes.constant(1);
    if (!axis.active)
      continue;
    if (isConst(axis.in, 0) && constantOf(axis.out).value_or(0) > 0)
      return b.fail("a dimension without elements cannot become one of " +
                    b.sizes.str(axis.out));
    // Elements follow from elements, for all sizes where the scale is known.
    if (!axis.scale())
      checkAtMost(b, b.sizes.min(axis.out, b.sizes.constant(1)), axis.in,
                  "a dimension without elements cannot be resized");
    if (options.antialias && !axis.scale())
      return b.fail("antialias needs static sizes" +
                    sizeRemedy(b, {axis.in, axis.out}));
    if (options.antialias && !(*axis.scale() >= 1.0 / 256))
      return b.fail("antialias of scales under 1/256 is not supported");
    auto longest = longestResized(b.sizes, options.coordinates, axis);
    if (!longest)
      continue;
    for (Expr size : {axis.in, axis.out})
      checkAtMost(b, size, b.sizes.constant(*longest),
                  "a resized dimension is too long for its scale or its roi");
  }
  return success();
}

} // namespace

SmallVector<ResizeAxis> keptAxes(GraphBuilder &b, const Tensor &x) {
  SmallVector<ResizeAxis> axes;
  Expr one = b.sizes.constant(1);
  for (Expr size : x->dims)
    axes.push_back({size, size, one, one});
  return axes;
}

FailureOr<Tensor> resize(GraphBuilder &b, const Tensor &x,
                         const ResizeOptions &options,
                         MutableArrayRef<ResizeAxis> axes) {
  if (failed(checkAxes(b, options, axes)))
    return failure();
  if (options.fixedPoint) {
    TRY(Tensor result, resizeInSteps(b, x, options, axes));
    if (result)
      return result;
  }
  return Resizer(b, x, options, axes).run();
}

} // namespace tilewright::build
