#include "verify/validate/Values.h"

#include "verify/validate/Elements.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

namespace tilewright::verify {

using llvm::APFloat;
using runtime::DType;
using runtime::DTypeKind;
using runtime::HostTensor;

template <typename T> static T pick(const std::set<T> &from, uint64_t number) {
  return *std::next(from.begin(), int64_t(number % from.size()));
}

namespace {

/// Makes elements of one type.
class Maker {
public:
  Maker(DType dtype, FillContext &context)
      : dtype(dtype), semantics(semanticsOf(dtype)),
        width(runtime::dtypeInfo(dtype).bits), context(context),
        chosen(special()) {
    for (uint64_t &value : few)
      value =
          draw() % 3 ? fromInteger(dtype, int64_t(draw() % 7) - 3) : special();
    base = fromDouble(dtype,
                      std::ldexp(double(draw() % 15 + 1), int(draw() % 12)));
    if (!context.hints.reals.empty())
      scale = pick(context.hints.reals, draw());
    scale = std::ldexp(scale, int(draw() % 5) - 3);
  }

  uint64_t element(Filling filling, size_t position, size_t count);

private:
  uint64_t draw() { return context.random(); }
  uint64_t below(uint64_t bound) { return bound ? draw() % bound : 0; }
  double gauss() { return normal(context.random); }
  uint64_t number(double value) {
    return semantics ? fromDouble(dtype, value)
                     : fromInteger(dtype, std::llround(value * 8));
  }
  uint64_t mask() const { return llvm::maskTrailingOnes<uint64_t>(width); }
  uint64_t ofFloat(const APFloat &value) const {
    return value.bitcastToAPInt().getZExtValue();
  }
  uint64_t special();
  uint64_t nan();
  uint64_t specialFloat();
  uint64_t specialInteger();
  uint64_t extreme();
  uint64_t constant();
  uint64_t nextTo(uint64_t bits);
  uint64_t half();
  uint64_t midpoint();
  double imbalanced(size_t position, size_t count);

  const DType dtype;
  const llvm::fltSemantics *semantics;
  const unsigned width;
  FillContext &context;
  std::normal_distribution<double> normal;
  uint64_t few[3], base, chosen;
  /// Of Filling::scaled.
  double scale = 1;
};

} // namespace

/// Any NaN: quiet or not, with any payload, often the last one.
uint64_t Maker::nan() {
  const uint64_t quiet = ofFloat(APFloat::getQNaN(*semantics));
  uint64_t other = quiet;
  switch (below(4)) {
  case 0:
    other = mask() >> below(2);
    break;
  case 1:
    other = quiet | (draw() & mask());
    break;
  case 2:
    other = ofFloat(APFloat::getInf(*semantics)) | 1;
    break;
  default:
    break;
  }
  return APFloat(*semantics, llvm::APInt(width, other)).isNaN() ? other : quiet;
}

uint64_t Maker::specialFloat() {
  const bool isNegative = draw() & 1;
  switch (below(10)) {
  case 0:
    if (APFloat::semanticsHasNaN(*semantics))
      return nan();
    break;
  case 1:
  case 2:
    if (APFloat::semanticsHasInf(*semantics))
      return ofFloat(APFloat::getInf(*semantics, isNegative));
    break;
  case 3:
  case 4:
    if (APFloat::semanticsHasZero(*semantics))
      return ofFloat(APFloat::getZero(*semantics, isNegative));
    break;
  case 5:
    return ofFloat(APFloat::getSmallest(*semantics, isNegative));
  case 6:
    return ofFloat(APFloat::getSmallestNormalized(*semantics, isNegative));
  case 7:
    return fromDouble(dtype, isNegative ? -1 : 1);
  case 8:
    // The largest integers that a float of this type, or a narrower one, has.
    return fromDouble(dtype,
                      std::ldexp(1.0, int(draw() % 66)) + double(draw() % 3));
  default:
    break;
  }
  return ofFloat(APFloat::getLargest(*semantics, isNegative));
}

uint64_t Maker::specialInteger() {
  const uint64_t top = uint64_t(1) << (width - 1);
  switch (below(8)) {
  case 0:
    return 0;
  case 1:
    return mask();
  case 2:
    return top;
  case 3:
    return top - 1;
  case 4:
    // Where narrower types end.
    return (uint64_t(1) << below(width)) & mask();
  case 5:
    return ((uint64_t(1) << below(width)) - 1) & mask();
  case 6:
    return (top + below(3)) & mask();
  default:
    return fromInteger(dtype, -int64_t(uint64_t(1) << below(width)));
  }
}

uint64_t Maker::special() {
  if (dtype == DType::Bool)
    return draw() & 1;
  return semantics ? specialFloat() : specialInteger();
}

uint64_t Maker::extreme() {
  if (!semantics)
    return specialInteger();
  // From the largest exponents, and from the smallest.
  double largest = toDouble(dtype, ofFloat(APFloat::getLargest(*semantics)));
  double least =
      toDouble(dtype, ofFloat(APFloat::getSmallestNormalized(*semantics)));
  const double scale = std::ldexp(1.0, -int(below(6)));
  const double sign = draw() & 1 ? -1 : 1;
  return fromDouble(dtype, sign * (draw() & 3 ? largest * scale
                                              : least * std::sqrt(scale) * 4));
}

uint64_t Maker::nextTo(uint64_t bits) {
  switch (below(4)) {
  case 0:
    return (bits + 1) & mask();
  case 1:
    return (bits - 1) & mask();
  default:
    return bits;
  }
}

uint64_t Maker::constant() {
  const Hints &hints = context.hints;
  const bool isReal =
      !hints.reals.empty() && (hints.integers.empty() || draw() & 1);
  if (!isReal && hints.integers.empty())
    return special();
  uint64_t bits = isReal ? fromDouble(dtype, pick(hints.reals, draw()))
                         : fromInteger(dtype, pick(hints.integers, draw()));
  if (below(4) == 0)
    bits = semantics ? fromDouble(dtype, -toDouble(dtype, bits))
                     : (0 - bits) & mask();
  return nextTo(bits);
}

uint64_t Maker::half() {
  if (draw() & 1)
    return number((double(below(21)) - 10 + 0.5));
  const double power = std::ldexp(draw() & 1 ? -1 : 1, int(below(40)) - 12);
  return nextTo(semantics ? fromDouble(dtype, power)
                          : fromInteger(dtype, int64_t(power)));
}

uint64_t Maker::midpoint() {
  static constexpr DType narrower[] = {DType::F32, DType::BF16, DType::F16,
                                       DType::F8E4M3FN, DType::F8E5M2};
  const DType narrow = narrower[below(5)];
  if (!semantics || runtime::dtypeInfo(narrow).bits >= width)
    return half();
  const double number = gauss() * std::ldexp(1.0, int(below(12)) - 4);
  const uint64_t bits = fromDouble(narrow, number);
  const double first = toDouble(narrow, bits),
               second = toDouble(narrow, bits + 1);
  if (!std::isfinite(first) || !std::isfinite(second))
    return fromDouble(dtype, number);
  const double middle = (first + second) / 2;
  const double beside = double(below(3)) - 1;
  return fromDouble(dtype,
                    middle + beside * std::ldexp(middle, -24 - int(below(26))));
}

/// The first, or one anywhere, is large.
double Maker::imbalanced(size_t position, size_t count) {
  const size_t large = toDouble(dtype, base) > 64 ? 0 : base % count;
  return position == large ? std::ldexp(1.0, 6 + int(base % 8))
                           : 1 + double(below(16)) / 16;
}

uint64_t Maker::element(Filling filling, size_t position, size_t count) {
  switch (filling) {
  case Filling::zeros:
    return fromInteger(dtype, 0);
  case Filling::ones:
    return fromInteger(dtype, 1);
  case Filling::small:
    return fromInteger(dtype, int64_t(below(9)) - 4);
  case Filling::ramp:
    return fromInteger(dtype, int64_t(position) + 1);
  case Filling::normal:
    return number(gauss());
  case Filling::positive:
    return number(std::abs(gauss()) + 0.125);
  case Filling::indices: {
    if (context.sizes.empty())
      return 0;
    const int64_t size = context.sizes[below(context.sizes.size())];
    return fromInteger(dtype,
                       int64_t(below(uint64_t(std::max<int64_t>(size, 1)))));
  }
  case Filling::constants:
    return constant();
  case Filling::ties:
    return few[below(3)];
  case Filling::specials:
    return special();
  case Filling::oneSpecial:
    return chosen;
  case Filling::rareSpecials:
    return below(8) ? number(gauss()) : special();
  case Filling::extremes:
    return extreme();
  case Filling::halves:
    return half();
  case Filling::bits:
    return draw() & mask();
  case Filling::single:
    return position == base % count ? chosen : 0;
  case Filling::midpoints:
    return midpoint();
  case Filling::imbalanced:
    return fromDouble(dtype, imbalanced(position, count));
  case Filling::scaled:
    return fromDouble(dtype, scale * (0.5 + double(below(64)) / 64));
  case Filling::offset:
    return semantics
               ? fromDouble(dtype, toDouble(dtype, base) +
                                       gauss() * toDouble(dtype, base) / 256)
               : (base + below(5)) & mask();
  }
  return 0;
}

void fill(HostTensor &tensor, Filling filling, FillContext &context) {
  Maker maker(tensor.dtype(), context);
  for (size_t i = 0; i < tensor.size(); ++i)
    setBits(tensor, i, maker.element(filling, i, tensor.size()));
}

} // namespace tilewright::verify
