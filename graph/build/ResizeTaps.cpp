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

/// Numbers that are known at import, by the names of Scalar.
struct KnownScalar {
  double like(double, double v) { return v; }
  double add(double a, double b) { return a + b; }
  double sub(double a, double b) { return a - b; }
  double mul(double a, double b) { return a * b; }
  double div(double a, double b) { return a / b; }
  double abs(double a) { return std::abs(a); }
  double max(double a, double b) { return std::max(a, b); }
  bool lt(double a, double b) { return a < b; }
  bool le(double a, double b) { return a <= b; }
  double select(bool c, double a, double b) { return c ? a : b; }
};

template <typename S, typename V> V cubicWeight(S &s, V distance, double a) {
  auto number = [&](double v) { return s.like(distance, v); };
  V d = s.abs(distance);
  V d2 = s.mul(d, d), d3 = s.mul(d2, d);
  V near = s.add(s.sub(s.mul(number(a + 2), d3), s.mul(number(a + 3), d2)),
                 number(1));
  V far = s.sub(s.add(s.sub(s.mul(number(a), d3), s.mul(number(5 * a), d2)),
                      s.mul(number(8 * a), d)),
                number(4 * a));
  V outer = s.select(s.lt(d, number(2)), far, number(0));
  return s.select(s.le(d, number(1)), near, outer);
}

/// A filter around a position; its weights may need to be divided by their sum.
struct Filter {
  Filter(const ResizeOptions &m, const ResizeAxis &axis) : m(m) {
    // Downscaling with antialiasing stretches the filter.
    auto scale = axis.scale();
    if (m.antialias && scale)
      stretch = std::max(1.0, 1 / *scale);
    reach = int64_t(std::ceil((isLinear() ? 1 : 2) * stretch));
  }

  const ResizeOptions &m;
  double stretch = 1;
  /// Taps are 1 - reach to reach steps from the floor of the position.
  int64_t reach;

  bool isLinear() const { return m.interpolation == Interpolation::Linear; }
  bool isDivided() const { return m.excludeOutside || stretch != 1; }

  template <typename S, typename V>
  V weight(S &s, V fraction, int64_t k) const {
    auto number = [&](double v) { return s.like(fraction, v); };
    if (isLinear() && stretch == 1)
      return k == 0 ? s.sub(number(1), fraction) : fraction;
    V distance = s.sub(fraction, number(double(k)));
    if (stretch != 1)
      distance = s.div(distance, number(stretch));
    return isLinear() ? s.max(s.sub(number(1), s.abs(distance)), number(0))
                      : cubicWeight(s, distance, m.cubic);
  }
};

/// The taps of a filter around a position whose floor and fraction are written.
void addFilterTaps(Scalar &s, const ResizeOptions &m, const ResizeAxis &axis,
                   PositionWriter &position, ResizeTaps &taps) {
  Filter filter(m, axis);
  Value total;
  for (int64_t k = 1 - filter.reach; k <= filter.reach; ++k) {
    Value weight = filter.weight(s, position.fraction, k);
    if (m.excludeOutside)
      weight = s.select(position.isInside(k), weight, s.like(weight, 0));
    total = total ? s.add(total, weight) : weight;
    taps.indices.push_back(position.tap(k));
    taps.weights.push_back(weight);
  }
  if (filter.isDivided())
    for (Value &weight : taps.weights)
      weight = s.div(weight, total);
}

/// The weights of one element of the result, of which the input has `size`.
std::vector<double> knownWeights(const Filter &filter, int64_t floor,
                                 double fraction, int64_t size) {
  KnownScalar s;
  int64_t first = 1 - filter.reach;
  std::vector<double> weights(2 * filter.reach);
  double total = 0;
  for (int64_t k = first; k <= filter.reach; ++k) {
    double weight = filter.weight(s, fraction, k);
    int64_t at = std::clamp(floor + k, int64_t(0), size - 1);
    if (filter.m.excludeOutside && at != floor + k)
      continue;
    total += weight;
    // The edge's own tap, if there is one.
    int64_t tap = std::clamp(at - floor, first, filter.reach);
    weights[tap - first] += weight;
  }
  if (filter.isDivided())
    for (double &weight : weights)
      weight /= total;
  return weights;
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

std::optional<FixedPointWeights> fixedPointWeights(Sizes &sizes,
                                                   const ResizeOptions &options,
                                                   const ResizeAxis &axis) {
  ResizePosition p = resizePosition(sizes, options.coordinates, axis);
  auto slope = constantOf(p.slope), offset = constantOf(p.offset),
       divisor = constantOf(p.divisor), in = constantOf(axis.in),
       out = constantOf(axis.out);
  if (!slope || !offset || !divisor || !in || !out)
    return std::nullopt;
  Filter filter(options, axis);
  std::vector<double> weights;
  for (int64_t i = 0; i < *out; ++i) {
    int64_t n = *slope * i + *offset;
    int64_t floor = llvm::divideFloorSigned(n, *divisor);
    double fraction = double(n - floor * *divisor) / double(*divisor);
    llvm::append_range(weights, knownWeights(filter, floor, fraction, *in));
  }
  double most = 0;
  for (double weight : weights)
    most = std::max(most, weight);
  FixedPointWeights result{2 * filter.reach, 0, {}};
  while (result.bits < 22 && most * std::exp2(result.bits + 1) + 0.5 < 0x1p15)
    ++result.bits;
  for (double weight : weights)
    result.values.push_back(std::llround(weight * std::exp2(result.bits)));
  return result;
}

} // namespace tilewright::build
