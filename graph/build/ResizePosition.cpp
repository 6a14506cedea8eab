#include "graph/build/ResizePosition.h"

#include "graph/analysis/SizeBounds.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <numeric>

using namespace mlir;

namespace tilewright::build {

std::optional<double> ResizeAxis::scale() const {
  auto n = constantOf(numerator), d = constantOf(denominator);
  if (!n || !d || *d == 0)
    return std::nullopt;
  return double(*n) / double(*d);
}

std::optional<std::pair<int64_t, int64_t>> ratioOf(double number) {
  if (number == 0)
    return std::pair<int64_t, int64_t>(0, 1);
  if (!std::isfinite(number))
    return std::nullopt;
  int exponent;
  // Of 53 bits, so a whole number.
  auto digits = int64_t(std::ldexp(std::frexp(number, &exponent), 53));
  exponent -= 53;
  int zeros = llvm::countr_zero(uint64_t(digits));
  digits >>= zeros;
  exponent += zeros;
  if (exponent >= 0) {
    if (std::abs(number) >= 0x1p62)
      return std::nullopt;
    return std::pair(int64_t(number), int64_t(1));
  }
  if (exponent < -62)
    return std::nullopt;
  return std::pair(digits, int64_t(1) << -exponent);
}

void setScaleOfSizes(Sizes &z, ResizeAxis &axis) {
  axis.numerator = axis.out;
  axis.denominator = axis.in;
  auto in = constantOf(axis.in), out = constantOf(axis.out);
  if (in && out) {
    int64_t common = std::max<int64_t>(1, std::gcd(*in, *out));
    axis.numerator = z.constant(*out / common);
    axis.denominator = z.constant(*in / common);
  } else if (auto times = z.exactDiv(axis.out, axis.in)) {
    axis.numerator = *times;
    axis.denominator = z.constant(1);
  } else if (auto part = z.exactDiv(axis.in, axis.out)) {
    axis.numerator = z.constant(1);
    axis.denominator = *part;
  }
}

LogicalResult setScale(GraphBuilder &b, double scale, ResizeAxis &axis) {
  Sizes &z = b.sizes;
  if (!(scale >= 0 && scale < 1e15))
    return b.fail("a scale is " + Twine(std::to_string(scale)));
  auto ratio = ratioOf(scale);
  auto in = constantOf(axis.in);
  if (!ratio && !(in && double(*in) * scale < 1))
    return b.fail("a scale is below 2^-38, too small for 64 bits");
  axis.numerator = z.constant(ratio ? ratio->first : 0);
  axis.denominator = z.constant(ratio ? ratio->second : 1);
  axis.out = z.floorDiv(z.mul(axis.in, axis.numerator), axis.denominator);
  // Of floats, as their product is rounded: for six elements and 5 / 6, which
  // is a little less, it is 5.
  if (in && double(float(scale)) == scale)
    axis.out = z.constant(int64_t(float(*in) * float(scale)));
  axis.active = scale != 1;
  return success();
}

LogicalResult setCommonScale(Sizes &z, ArrayRef<int64_t> listed,
                             bool takesLeast,
                             MutableArrayRef<ResizeAxis> axes) {
  using Wide = __int128;
  std::optional<std::pair<int64_t, int64_t>> common;
  for (int64_t i : listed) {
    auto in = constantOf(axes[i].in), out = constantOf(axes[i].out);
    if (!in || !out || *in < 1 || *out < 1 || *out > INT32_MAX)
      return failure();
    bool isLess =
        common && Wide(*out) * common->second < Wide(common->first) * Wide(*in);
    if (!common || isLess == (takesLeast))
      common = {*out, *in};
  }
  for (int64_t i : listed) {
    ResizeAxis &axis = axes[i];
    auto [out, in] = *common;
    // Rounded, halves up.
    Expr twice = z.mul(z.mul(axis.in, out), 2);
    axis.out = z.floorDiv(z.add(twice, in), z.mul(z.constant(in), 2));
    axis.numerator = z.constant(out);
    axis.denominator = z.constant(in);
    axis.active = out != in;
  }
  return success();
}

void setRegion(ResizeAxis &axis, double start, double end) {
  auto isWhole = [](double number) { return number == std::floor(number); };
  double parts = 1;
  while (parts < 0x1p30 && !(isWhole(start * parts) && isWhole(end * parts)))
    parts *= 2;
  axis.roiParts = int64_t(parts);
  axis.roiStart = std::llround(start * parts);
  axis.roiEnd = std::llround(end * parts);
  axis.active |= start != 0 || end != 1;
}

/// i * (in - 1) / (length - 1), where the length in * scale is not rounded.
static ResizePosition alignedPosition(Sizes &z, const ResizeAxis &axis) {
  Expr last = z.add(axis.in, -1), one = z.constant(1), zero = z.constant(0);
  Expr length = z.mul(axis.in, axis.numerator);
  if (auto whole = z.exactDiv(length, axis.denominator))
    return {last, zero, z.max(z.add(*whole, -1), one)};
  return {z.mul(last, axis.denominator), zero,
          z.max(z.sub(length, axis.denominator), one)};
}

/// start * (in - 1) + i * (end - start) * (in - 1) / (out - 1), or the middle
/// of the region where there is one element.
static ResizePosition croppedPosition(Sizes &z, const ResizeAxis &axis) {
  Expr last = z.add(axis.in, -1), span = z.add(axis.out, -1);
  Expr one = z.constant(1);
  Expr single = z.sub(one, z.min(span, one));
  Expr start = z.mul(span, 2 * axis.roiStart);
  Expr middle = z.mul(single, axis.roiStart + axis.roiEnd);
  return {z.mul(last, 2 * (axis.roiEnd - axis.roiStart)),
          z.mul(last, z.add(start, middle)),
          z.mul(z.max(span, one), 2 * axis.roiParts)};
}

ResizePosition resizePosition(Sizes &z, ResizeCoordinates coordinates,
                              const ResizeAxis &axis) {
  Expr n = axis.numerator, d = axis.denominator;
  Expr one = z.constant(1), zero = z.constant(0);
  if (coordinates == ResizeCoordinates::Asymmetric)
    return {d, zero, n};
  if (coordinates == ResizeCoordinates::AlignCorners)
    return alignedPosition(z, axis);
  if (coordinates == ResizeCoordinates::Region)
    return croppedPosition(z, axis);
  Expr slope = z.mul(d, 2), divisor = z.mul(n, 2);
  if (coordinates == ResizeCoordinates::HalfPixelUnshifted)
    return {slope, d, divisor};
  // (i + 1/2) / scale - 1/2
  Expr offset = z.sub(d, n);
  if (coordinates == ResizeCoordinates::HalfPixelUnlessOne) {
    // 0 where there is one element.
    offset = z.mul(offset, z.min(z.add(axis.out, -1), one));
  } else if (coordinates == ResizeCoordinates::HalfPixelFromMiddle) {
    // The centers meet: (in - 1) / 2 + (2 i + 1 - out) / (2 scale)
    offset =
        z.add(z.mul(z.add(axis.in, -1), n), z.mul(d, z.sub(one, axis.out)));
  }
  return {slope, offset, divisor};
}

/// Known numbers divided by the greatest common divisor of slope and divisor:
/// the floor is the same.
static ResizePosition reducedFloor(ResizePosition p) {
  auto slope = constantOf(p.slope), offset = constantOf(p.offset),
       divisor = constantOf(p.divisor);
  int64_t common = slope && offset && divisor ? std::gcd(*slope, *divisor) : 1;
  if (common <= 1)
    return p;
  MLIRContext *context = p.slope.getContext();
  auto constant = [&](int64_t value) {
    return getAffineConstantExpr(value, context);
  };
  return {constant(*slope / common),
          constant(llvm::divideFloorSigned(*offset, common)),
          constant(*divisor / common)};
}

static ResizePosition rounded(Sizes &z, ResizeRounding rounding,
                              const ResizeAxis &axis, ResizePosition p) {
  if (rounding == ResizeRounding::UpToShrink) {
    auto scale = axis.scale();
    if (!scale) {
      // 1 where elements are left out.
      Expr isLess =
          z.min(z.positivePart(z.sub(axis.denominator, axis.numerator)),
                z.constant(1));
      p.offset = z.add(p.offset, z.mul(isLess, z.add(p.divisor, -1)));
      return p;
    }
    rounding = *scale < 1 ? ResizeRounding::Ceil : ResizeRounding::Floor;
  }
  if (rounding == ResizeRounding::Floor)
    return p;
  if (rounding == ResizeRounding::Ceil) {
    p.offset = z.add(p.offset, z.add(p.divisor, -1));
    return p;
  }
  auto half = z.exactDiv(p.divisor, z.constant(2));
  if (!half) {
    half = p.divisor;
    p = {z.mul(p.slope, 2), z.mul(p.offset, 2), z.mul(p.divisor, 2)};
  }
  // floor(x + 1/2), or ceil(x - 1/2): less than one part lower.
  bool up = rounding == ResizeRounding::HalfUp;
  p.offset = z.add(p.offset, up ? *half : z.add(*half, -1));
  return p;
}

ResizePosition nearestPosition(Sizes &z, ResizeRounding rounding,
                               const ResizeAxis &axis, ResizePosition p) {
  return reducedFloor(rounded(z, rounding, axis, p));
}

ResizePosition reduced(ResizePosition p) {
  auto slope = constantOf(p.slope), offset = constantOf(p.offset),
       divisor = constantOf(p.divisor);
  if (!slope || !offset || !divisor)
    return p;
  int64_t common = std::gcd(std::gcd(*slope, *offset), *divisor);
  if (common <= 1)
    return p;
  MLIRContext *context = p.slope.getContext();
  auto part = [&](int64_t v) {
    return getAffineConstantExpr(v / common, context);
  };
  return {part(*slope), part(*offset), part(*divisor)};
}

std::optional<int64_t> longestResized(Sizes &z, ResizeCoordinates coordinates,
                                      const ResizeAxis &axis) {
  // Of the position's numbers, each is at most factor * size * size.
  double factor = 4;
  if (coordinates == ResizeCoordinates::Region) {
    double most = std::max(std::abs(double(axis.roiStart)),
                           std::abs(double(axis.roiEnd)));
    factor = 16 * std::max(most, double(axis.roiParts));
  } else if (coordinates == ResizeCoordinates::AlignCorners &&
             !z.exactDiv(z.mul(axis.in, axis.numerator), axis.denominator)) {
    if (auto most = upperBound(z, axis.numerator))
      factor = 4 * double(*most);
  }
  double longest = std::sqrt(0x1p62 / factor);
  if (longest >= 0x1p30)
    return std::nullopt;
  return int64_t(longest);
}

} // namespace tilewright::build
