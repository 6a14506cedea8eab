#include "graph/build/Sample.h"

#include "graph/build/Generic.h"
#include "graph/build/Reduction.h"
#include "graph/build/TensorValues.h"

using namespace mlir;

namespace tilewright::build {
namespace {

/// The index of a whole position that may be any float: one below 0 and NaN
/// become 0, one beyond the last element becomes the last.
Value nearestIndex(GraphBuilder &b, Scalar &s, Value position, Expr size) {
  auto type = llvm::cast<FloatType>(position.getType());
  Value zero = s.like(position, 0);
  Value low = s.select(s.gt(position, zero), position, zero);
  // No float may be the last index: one that is not less bounds the float.
  auto length = constantOf(size);
  double last = std::clamp(length ? double(*length - 1) : 0x1p62, 0.0, 0x1p62);
  APFloat bound(last);
  bool isRounded = false;
  bound.convert(type.getFloatSemantics(), APFloat::rmTowardPositive,
                &isRounded);
  Value most = s.make<arith::ConstantOp>(FloatAttr::get(type, bound));
  Value within = s.select(s.lt(low, most), low, most);
  Type integer =
      last < 0x1p30 ? s.builder.getI32Type() : s.builder.getI64Type();
  Value index = s.make<arith::IndexCastOp>(
      s.builder.getIndexType(), s.make<arith::FPToSIOp>(integer, within));
  if (length && *length > 0 && !isRounded)
    return index;
  return boundedIndex(b, s, index, size, /*wrapNegative=*/false);
}

/// Reads the input at whole positions that may be out of bounds.
class GridSampler {
public:
  GridSampler(GraphBuilder &b, const Tensor &x, const GridOptions &options)
      : b(b), x(x), options(options) {}

  /// The element at normalized coordinates, one per spatial dimension.
  Value sample(Scalar &s, ArrayRef<Value> coordinates) {
    SmallVector<SmallVector<Value>> taps, weights;
    for (auto [i, coordinate] : llvm::enumerate(coordinates)) {
      Value position = denormalized(s, coordinate, x->dims[i + 2]);
      taps.emplace_back();
      weights.emplace_back();
      addTaps(s, position, taps.back(), weights.back());
    }
    SmallVector<Value> at = {s.loop(0), s.loop(1)};
    return sum(s, taps, weights, at, 0, nullptr);
  }

private:
  GraphBuilder &b;
  const Tensor &x;
  const GridOptions &options;

  Value sizeOf(Scalar &s, Expr size, Type type) {
    return countInBody(b, s, size, type);
  }

  Value denormalized(Scalar &s, Value n, Expr size) {
    Value length = sizeOf(s, size, n.getType());
    Value one = s.like(n, 1), half = s.like(n, 0.5);
    Value shifted = s.add(n, one);
    if (options.alignCorners)
      return s.mul(s.mul(shifted, half), s.sub(length, one));
    return s.mul(s.sub(s.mul(shifted, length), one), half);
  }

  void addTaps(Scalar &s, Value position, SmallVectorImpl<Value> &taps,
               SmallVectorImpl<Value> &weights) {
    auto number = [&](double v) { return s.like(position, v); };
    if (options.interpolation == Interpolation::Nearest) {
      taps.push_back(s.make<math::RoundEvenOp>(position));
      return;
    }
    Value base = s.floor(position), t = s.sub(position, base);
    if (options.interpolation == Interpolation::Linear) {
      taps.assign({base, s.add(base, number(1))});
      weights.assign({s.sub(number(1), t), t});
      return;
    }
    // Keys' cubic convolution with a = -0.75.
    for (int k = -1; k <= 2; ++k) {
      taps.push_back(s.add(base, number(k)));
      Value d = s.abs(s.sub(t, number(k)));
      Value d2 = s.mul(d, d), d3 = s.mul(d2, d);
      bool near = k == 0 || k == 1;
      double a = -0.75;
      Value cubic = s.mul(number(near ? a + 2 : a), d3);
      Value square = s.mul(number(near ? -(a + 3) : -5 * a), d2);
      Value weight = s.add(cubic, square);
      weights.push_back(
          near ? s.add(weight, number(1))
               : s.add(weight, s.sub(s.mul(number(8 * a), d), number(4 * a))));
    }
  }

  /// Mirrors a position at the borders until it is between them.
  Value reflected(Scalar &s, Value position, Expr size) {
    Value length = sizeOf(s, size, position.getType());
    Value half = s.like(position, 0.5), zero = s.like(position, 0);
    Value low = options.alignCorners ? zero : s.neg(half);
    Value span =
        options.alignCorners ? s.sub(length, s.like(position, 1)) : length;
    Value period = s.mul(span, s.like(position, 2));
    Value safe = s.select(s.eq(period, zero), s.like(position, 1), period);
    Value offset = s.sub(position, low);
    Value folded = s.sub(offset, s.mul(s.floor(s.div(offset, safe)), safe));
    Value mirrored =
        s.select(s.gt(folded, span), s.sub(period, folded), folded);
    return s.select(s.eq(period, zero), zero, s.add(mirrored, low));
  }

  Value sum(Scalar &s, ArrayRef<SmallVector<Value>> taps,
            ArrayRef<SmallVector<Value>> weights, SmallVectorImpl<Value> &at,
            size_t d, Value inside) {
    if (d == taps.size()) {
      Value element = extractElement(b, s, x, at);
      if (options.interpolation != Interpolation::Nearest &&
          x->element.isNarrowFloat())
        element = s.convert(element, s.builder.getF32Type());
      return inside ? s.select(inside, element, s.like(element, 0)) : element;
    }
    Value total;
    Expr size = x->dims[d + 2];
    for (size_t k = 0; k < taps[d].size(); ++k) {
      Value position = taps[d][k], within = inside;
      if (options.padding == GridPadding::Zeros) {
        Value last =
            s.sub(sizeOf(s, size, position.getType()), s.like(position, 1));
        Value here = s.logicalAnd(s.ge(position, s.like(position, 0)),
                                  s.le(position, last));
        within = inside ? s.logicalAnd(inside, here) : here;
      } else if (options.padding == GridPadding::Reflection) {
        position = reflected(s, position, size);
      }
      at.push_back(nearestIndex(b, s, position, size));
      Value term = sum(s, taps, weights, at, d + 1, within);
      at.pop_back();
      if (!weights[d].empty())
        term = s.mul(term, s.convert(weights[d][k], term.getType()));
      total = total ? s.add(total, term) : term;
    }
    return total;
  }
};

} // namespace

FailureOr<Tensor> gridSample(GraphBuilder &b, const Tensor &x,
                             const Tensor &grid, const GridOptions &options) {
  int64_t spatial = x->rank() - 2;
  SmallVector<Expr> dims = {x->dims[0], x->dims[1]};
  dims.append(grid->dims.begin() + 1, grid->dims.end() - 1);
  // The grid's last dimension has the spatial dimensions in reverse.
  SmallVector<Operand> operands;
  for (int64_t k = spatial - 1; k >= 0; --k) {
    Operand operand{grid, {b.loop(0)}};
    for (int64_t i = 0; i < spatial; ++i)
      operand.at.push_back(b.loop(i + 2));
    operand.at.push_back(b.sizes.constant(k));
    operands.push_back(operand);
  }
  denseValue(b, x);
  GridSampler sampler(b, x, options);
  return gather(b, operands, dims, x->element, [&](Scalar &s, Values v) {
    SmallVector<Value> coordinates;
    for (Value value : v)
      coordinates.push_back(s.convert(value, value.getType().isF64()
                                                 ? value.getType()
                                                 : s.builder.getF32Type()));
    return sampler.sample(s, coordinates);
  });
}

FailureOr<Tensor> affineGrid(GraphBuilder &b, const Tensor &theta,
                             ArrayRef<Expr> size, bool alignCorners) {
  int64_t spatial = int64_t(size.size()) - 2;
  SmallVector<Expr> dims = {size[0]};
  dims.append(size.begin() + 2, size.end());
  dims.push_back(b.sizes.constant(spatial));
  SmallVector<Operand> operands;
  for (int64_t k = 0; k <= spatial; ++k)
    operands.push_back(
        {theta, {b.loop(0), b.loop(spatial + 1), b.sizes.constant(k)}});
  return generic(b, operands, dims, theta->element, [&](Scalar &s, Values v) {
    Type type = v[0].getType();
    Value result = v[spatial];
    for (int64_t k = 0; k < spatial; ++k) {
      int64_t d = spatial - 1 - k;
      Value i = s.fromIndex(s.loop(d + 1), type);
      Value length = countInBody(b, s, size[d + 2], type);
      Value one = s.constant(type, 1), two = s.constant(type, 2);
      Value at;
      if (alignCorners) {
        Value last = s.max(s.sub(length, one), one);
        at = s.sub(s.div(s.mul(i, two), last), one);
      } else {
        at = s.sub(s.div(s.add(s.mul(i, two), one), length), one);
      }
      result = s.add(result, s.mul(v[k], at));
    }
    return result;
  });
}

} // namespace tilewright::build
