// What a dot may be: docs/spec.md states how far from the exact sum.
#include "tileir/reference/AnyOrder.h"
#include "tileir/reference/Dot.h"
#include "tileir/reference/Interval.h"
#include "tileir/reference/SetOps.h"
#include <algorithm>
#include <cfloat>
#include <cmath>

using namespace mlir;

namespace tilewright::reference {

void DotSum::add(const Permitted &term, double magnitude) {
  exact = exactSum(exact, term);
  size = addUp(size, magnitude);
  const bool isPoint = term.least == term.greatest && std::isfinite(term.least);
  if (term.least != 0 || term.greatest != 0)
    power = std::min(power, isPoint ? powerOfTwoIn(term.least) : 0);
}

/// Whether a tensor core of 16 bits could hold the operands, which then may
/// have been widened from such a type.
static bool areNarrow(ArrayRef<Element> elements) {
  auto fits = [&](FloatType type) {
    const FloatFormat format(type);
    return llvm::all_of(elements, [&](const Element &element) {
      const Permitted set = element.permitted();
      return !set.hasNumbers() ||
             (format.rounded(set.least) == set.least &&
              format.rounded(set.greatest) == set.greatest);
    });
  };
  MLIRContext *context = elements.front().getType().getContext();
  return fits(BFloat16Type::get(context)) || fits(Float16Type::get(context));
}

/// How far the sum may be from the exact one, by the table in
/// docs/spec.md#tiledot; in units of the sum of magnitudes.
static double relativeBound(tile::DotPrecision precision, double k) {
  const double u = 0x1p-24;
  switch (precision) {
  case tile::DotPrecision::ieee:
    return std::ceil(k / 8) * 11 * u;
  case tile::DotPrecision::fast:
    return std::min(std::ceil(k / 16), 8.0) * 19 * 0x1p-13 +
           std::ceil(k / 128) * u;
  case tile::DotPrecision::tf32:
    return 0x1p-9 + std::ceil(k / 4) * 7 * u;
  case tile::DotPrecision::tf32x3:
    return 3 * 0x1p-20 + std::ceil(k / 4) * 22 * u;
  case tile::DotPrecision::bf16x3:
    return 3 * 0x1p-14 + std::ceil(k / 8) * 34 * u;
  case tile::DotPrecision::bf16x6:
    return 3 * 0x1p-21 + std::ceil(k / 8) * 68 * u;
  }
  llvm_unreachable("all precisions are listed");
}

/// The least number that an operand counts as in the sum of magnitudes.
static double leastCounted(FloatType type, tile::DotPrecision precision) {
  const bool isSplit = precision == tile::DotPrecision::tf32x3 ||
                       precision == tile::DotPrecision::bf16x3 ||
                       precision == tile::DotPrecision::bf16x6;
  if (isSplit)
    return 0x1p-102;
  return std::ldexp(1.0, FloatFormat(type).leastExponent);
}

static double countedSize(const Permitted &set, double least) {
  const double size = absolute(set).greatest;
  return size == 0 ? 0 : std::max(size, least);
}

/// Whether the spec says for these operands what a matrix unit may lose.
static bool hasTableRow(ArrayRef<Element> lhs, ArrayRef<Element> rhs,
                        const Element &acc, tile::DotPrecision precision) {
  if (acc.getType().isF64())
    return false;
  return precision != tile::DotPrecision::ieee ||
         widthOf(lhs.front().getType()) <= 16 ||
         (areNarrow(lhs) && areNarrow(rhs));
}

/// By that row.
static Permitted onMatrixUnit(const DotSum &sum, double k,
                              tile::DotPrecision precision,
                              const SetRules &rules) {
  const Permitted &exact = sum.exact;
  if (exact.isAny || (exact.isSingle() && !std::isfinite(exact.least)))
    return exact;
  const double size = std::max(sum.size, 0x1p-126);
  if (size > std::min(rules.getFormat().largest, double(FLT_MAX)))
    return Permitted::any();
  const bool isExact =
      precision == tile::DotPrecision::ieee && sum.size <= sum.power * 0x1p24;
  const double loss =
      isExact ? 0 : multiplyUp(size, relativeBound(precision, k));
  return rules.round({addDown(exact.least, -loss), addUp(exact.greatest, loss),
                      exact.mayBeNaN, false});
}

Element openDot(ArrayRef<Element> lhs, ArrayRef<Element> rhs,
                const Element &acc, const Element &computed,
                tile::DotPrecision precision, const FreedomOptions &options) {
  const SetRules rules(cast<FloatType>(acc.getType()), options);
  auto operandType = cast<FloatType>(lhs.front().getType());
  const double least = leastCounted(operandType, precision);
  AnyOrder terms(AnyOrder::Kind::sum, rules);
  DotSum sum;
  terms.add(acc.permitted());
  sum.add(acc.permitted(), absolute(acc.permitted()).greatest);
  bool areSingle = !acc.hasSpread();
  for (auto [a, b] : llvm::zip_equal(lhs, rhs)) {
    const Permitted x = a.permitted(), y = b.permitted();
    const Permitted product = exactProduct(x, y);
    // A partial sum may begin with the product, which is then rounded.
    const Permitted wide = product.unite(rules.round(product));
    terms.add(wide, /*isOfType=*/wide.least == wide.greatest);
    sum.add(product, multiplyUp(countedSize(x, least), countedSize(y, least)));
    areSingle &= !a.hasSpread() && !b.hasSpread();
  }
  const bool isUnit = hasTableRow(lhs, rhs, acc, precision);
  Permitted set{kInfinity, -kInfinity, false, false};
  if (!isUnit || (operandType.isF32() && precision == tile::DotPrecision::ieee))
    set = terms.result();
  if (isUnit)
    set = set.unite(onMatrixUnit(sum, double(lhs.size()), precision, rules));
  // The row of f64 with operands that are rounded.
  if (!isUnit && precision == tile::DotPrecision::tf32 && !set.isAny &&
      set.hasNumbers()) {
    const double loss = multiplyUp(sum.size, 0x1p-9);
    set.least = addDown(set.least, -loss);
    set.greatest = addUp(set.greatest, loss);
  }
  return settle(computed, set, areSingle);
}

//===--- scaled_dot -------------------------------------------------------===//

OpenScaledDot::OpenScaledDot(const Element &acc, const FreedomOptions &options)
    : rules(cast<FloatType>(acc.getType()), options),
      areSingle(!acc.hasSpread()) {
  sum.add(acc.permitted(), absolute(acc.permitted()).greatest);
}

void OpenScaledDot::add(const Element &a, const Element &aScale,
                        const Element &b, const Element &bScale) {
  // A scale multiplies the operand and the least number that it counts as.
  auto sizeOf = [](const Element &x, const Element &scale) {
    const double least =
        leastCounted(cast<FloatType>(x.getType()), tile::DotPrecision::ieee);
    return multiplyUp(countedSize(x.permitted(), least),
                      absolute(scale.permitted()).greatest);
  };
  const Permitted product =
      exactProduct(exactProduct(a.permitted(), aScale.permitted()),
                   exactProduct(b.permitted(), bScale.permitted()));
  sum.add(product, multiplyUp(sizeOf(a, aScale), sizeOf(b, bScale)));
  for (const Element *each : {&a, &aScale, &b, &bScale})
    areSingle &= !each->hasSpread();
  ++count;
}

Element OpenScaledDot::result(const Element &computed) const {
  return settle(
      computed,
      onMatrixUnit(sum, double(count), tile::DotPrecision::ieee, rules),
      areSingle);
}

} // namespace tilewright::reference
