#include "graph/build/ResizeTaps.h"

#include "graph/analysis/SizeBounds.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;

namespace tilewright::build {
namespace {

/// The numerator of a position over all elements of the result.
struct Extremes {
  Expr least, greatest;
};

std::optional<Extremes> extremesOf(Sizes &z, const ResizePosition &p,
                                   Expr count) {
  Expr last = z.add(z.mul(p.slope, z.add(count, -1)), p.offset);
  auto low = lowerBoundUnlessEmpty(z, p.slope);
  if (low && *low >= 0)
    return Extremes{p.offset, last};
  auto high = upperBound(z, p.slope);
  if (high && *high <= 0)
    return Extremes{last, p.offset};
  return std::nullopt;
}

/// Emits (slope * i + offset) / divisor in whole numbers, of 32 bits where all
/// that occur are known to fit.
class PositionWriter {
public:
  PositionWriter(GraphBuilder &b, Scalar &outer, const ResizeAxis &axis,
                 const ResizePosition &p, Value i)
      : b(b), s(outer.builder, outer.loc), axis(axis), p(p), i(i),
        extremes(extremesOf(b.sizes, p, axis.out)) {
    type = fitsShort() ? Type(s.builder.getI32Type()) : i.getType();
  }

  /// The floor, within the input.
  Value clampedFloor() {
    bool isPart = isConst(p.slope, 1) && isConst(p.offset, 0);
    if (isPart && !mayExceed(0))
      return s.make<arith::DivUIOp>(i, s.index(*constantOf(p.divisor)));
    Value n = numerator(p.offset);
    if (mayBeNegative(0))
      n = s.max(n, number(b.zero()));
    return clamped(divided(n), mayExceed(0), /*low=*/false);
  }

  /// Writes the floor and the rest, divided by the divisor.
  void split(bool isCropped, FloatType weightType) {
    Sizes &z = b.sizes;
    // The division is one of numbers that are not negative: the position is at
    // least -1/2, or lies outside of a region.
    Expr lift = b.zero();
    if (mayBeNegative(0) && !isCropped) {
      lift = z.constant(1);
      if (auto least = extremes ? constantOf(extremes->least) : std::nullopt)
        if (auto divisor = constantOf(p.divisor))
          lift = z.constant(-llvm::divideFloorSigned(*least, *divisor));
    }
    Value n = numerator(z.add(p.offset, z.mul(lift, p.divisor)));
    if (mayBeNegative(0) && isCropped)
      n = s.max(n, number(b.zero()));
    Value quotient = divided(n);
    floor = isConst(lift, 0) ? quotient : s.sub(quotient, number(lift));
    if (isConst(p.divisor, 1)) {
      fraction = s.constant(weightType, 0);
      return;
    }
    Value rest = s.sub(n, s.mul(quotient, number(p.divisor)));
    fraction = s.div(toFloat(rest, weightType),
                     toFloat(number(p.divisor), weightType));
  }

  Value floor, fraction;

  /// floor + k, as an index of the input.
  Value tap(int64_t k) {
    return clamped(shifted(k), mayExceed(k), mayBeNegative(k));
  }
  /// Whether floor + k is in the input.
  Value isInside(int64_t k) {
    Value at = shifted(k);
    return s.logicalAnd(s.ge(at, number(b.zero())), s.lt(at, number(axis.in)));
  }

  /// Whether the position is below 0 or beyond the last element.
  Value isOutside() {
    Value n = numerator(p.offset);
    Value end = number(b.sizes.mul(b.sizes.add(axis.in, -1), p.divisor));
    return s.logicalOr(s.lt(n, number(b.zero())), s.gt(n, end));
  }

private:
  GraphBuilder &b;
  /// Of signed numbers, whatever the elements are.
  Scalar s;
  const ResizeAxis &axis;
  ResizePosition p;
  Value i;
  std::optional<Extremes> extremes;
  Type type;

  bool fitsShort() {
    Sizes &z = b.sizes;
    if (!extremes)
      return false;
    // More than any number of the computation.
    Expr end = z.mul(axis.in, p.divisor);
    double sum = 0;
    for (Expr part : {p.slope, p.offset, p.divisor, p.divisor, end,
                      extremes->least, extremes->greatest}) {
      auto known = constantOf(part);
      if (!known)
        return false;
      sum += std::abs(double(*known));
    }
    return sum < 0x1p31;
  }

  /// Whether floor + k may be below 0.
  bool mayBeNegative(int64_t k) {
    Sizes &z = b.sizes;
    if (!extremes)
      return true;
    Expr least = z.add(extremes->least, z.mul(p.divisor, k));
    auto low = lowerBoundUnlessEmpty(z, least);
    return !low || *low < 0;
  }

  /// Whether floor + k may be beyond the last element.
  bool mayExceed(int64_t k) {
    Sizes &z = b.sizes;
    if (!extremes || constantOf(p.divisor) == 0)
      return true;
    Expr greatest = z.floorDiv(extremes->greatest, p.divisor);
    return less(z, z.add(greatest, k), axis.in) != true;
  }

  /// A known number or a size, which only an index holds.
  Value number(Expr e) {
    auto known = constantOf(e);
    return known ? s.integer(type, *known) : b.index(e);
  }

  Value numerator(Expr offset) {
    Value n = type == i.getType() ? i : s.make<arith::IndexCastOp>(type, i);
    if (!isConst(p.slope, 1))
      n = s.mul(n, number(p.slope));
    return isConst(offset, 0) ? n : s.add(n, number(offset));
  }

  /// Of a number that is not negative.
  Value divided(Value n) {
    return isConst(p.divisor, 1) ? n
                                 : s.make<arith::DivUIOp>(n, number(p.divisor));
  }

  Value shifted(int64_t k) {
    return k == 0 ? floor : s.add(floor, s.integer(type, k));
  }

  /// Bounds of 32 bits cost less than the mask of a read that is not known to
  /// be in its tensor.
  Value clamped(Value at, bool high, bool low) {
    if (!type.isIndex())
      high = low = true;
    if (low)
      at = s.max(at, number(b.zero()));
    if (high)
      at = s.min(at, number(b.sizes.add(axis.in, -1)));
    return s.toIndex(at);
  }

  Value toFloat(Value v, FloatType to) {
    IntegerAttr known;
    if (matchPattern(v, m_Constant(&known)))
      return s.constant(to, double(known.getInt()));
    return v.getType().isIndex() ? s.fromIndex(v, to) : s.convert(v, to);
  }
};

Value cubicWeight(Scalar &s, Value distance, double a) {
  auto number = [&](double v) { return s.like(distance, v); };
  Value d = s.abs(distance);
  Value d2 = s.mul(d, d), d3 = s.mul(d2, d);
  Value near = s.add(s.sub(s.mul(number(a + 2), d3), s.mul(number(a + 3), d2)),
                     number(1));
  Value far = s.sub(s.add(s.sub(s.mul(number(a), d3), s.mul(number(5 * a), d2)),
                          s.mul(number(8 * a), d)),
                    number(4 * a));
  Value outer = s.select(s.lt(d, number(2)), far, number(0));
  return s.select(s.le(d, number(1)), near, outer);
}

/// The taps of a filter around a position whose floor and fraction are written.
void addFilterTaps(Scalar &s, const ResizeOptions &m, const ResizeAxis &axis,
                   PositionWriter &position, ResizeTaps &taps) {
  Value fraction = position.fraction, total;
  auto number = [&](double v) { return s.like(fraction, v); };
  bool linear = m.interpolation == Interpolation::Linear;
  // Downscaling with antialiasing stretches the filter.
  auto scale = axis.scale();
  double stretch = m.antialias && scale ? std::max(1.0, 1 / *scale) : 1.0;
  int64_t reach = int64_t(std::ceil((linear ? 1 : 2) * stretch));
  for (int64_t k = 1 - reach; k <= reach; ++k) {
    Value distance = s.sub(fraction, number(double(k)));
    if (stretch != 1)
      distance = s.div(distance, number(stretch));
    Value weight;
    if (linear && stretch == 1)
      weight = k == 0 ? s.sub(number(1), fraction) : fraction;
    else if (linear)
      weight = s.max(s.sub(number(1), s.abs(distance)), number(0));
    else
      weight = cubicWeight(s, distance, m.cubic);
    if (m.excludeOutside)
      weight = s.select(position.isInside(k), weight, number(0));
    total = total ? s.add(total, weight) : weight;
    taps.indices.push_back(position.tap(k));
    taps.weights.push_back(weight);
  }
  if (m.excludeOutside || stretch != 1)
    for (Value &weight : taps.weights)
      weight = s.div(weight, total);
}

} // namespace

ResizeTaps resizeTaps(GraphBuilder &b, Scalar &s, const ResizeOptions &options,
                      const ResizeAxis &axis, Value i, FloatType weightType) {
  ResizePosition exact = resizePosition(b.sizes, options.coordinates, axis);
  PositionWriter position(b, s, axis, reduced(exact), i);
  bool isCropped = options.hasRegion();
  ResizeTaps taps;
  if (isCropped)
    taps.outside = position.isOutside();
  if (options.isNearest()) {
    ResizePosition nearest =
        nearestPosition(b.sizes, options.rounding, axis, exact);
    taps.indices.push_back(
        PositionWriter(b, s, axis, nearest, i).clampedFloor());
    return taps;
  }
  position.split(isCropped, weightType);
  addFilterTaps(s, options, axis, position, taps);
  return taps;
}

} // namespace tilewright::build
