#include "verify/threads/MatrixErrors.h"

#include "tileir/reference/Interval.h"

using namespace mlir;

namespace tilewright::verify::threads {

/// 2 to the exponent that a subnormal number has, too.
static double leastPower(FloatLayout format) {
  return std::ldexp(1.0, 2 - (1 << (format.exponent - 1)));
}

static double largestSize(const Inexact &x) {
  return x.size() + 2 * enlarged(x.error);
}

/// What other products than those of the program would add: the last parts of
/// a number with what the other one has below the part that is multiplied.
static double missingProduct(const MatrixFactor &a, const MatrixFactor &b) {
  double missing = 0;
  if (b.isUpper && !a.isUpper)
    missing += largestSize(a.number) * b.rest;
  if (a.isUpper && !b.isUpper)
    missing += largestSize(b.number) * a.rest;
  return missing;
}

namespace {
/// One addition after the other.
class ProductChain {
public:
  ProductChain(const MatrixSum &sum, const ProductRules &rules)
      : sum(sum), rules(rules), value(rules.isEmulated ? 0 : sum.acc.value),
        error(rules.isEmulated ? 0 : sum.acc.error) {}

  void add(ArrayRef<size_t> group);
  [[nodiscard]] double end() const;

private:
  const MatrixSum &sum;
  const ProductRules &rules;
  double value, error;
};
} // namespace

void ProductChain::add(ArrayRef<size_t> group) {
  double greatest = largestSize({value, error});
  int64_t terms = greatest > 0;
  // The exponent of a subnormal accumulator.
  if (terms)
    greatest = std::max(greatest, 0x1p-126);
  for (size_t k : group) {
    const Inexact &a = sum.a[k].number, &b = sum.b[k].number;
    const double sizeA = largestSize(a), sizeB = largestSize(b);
    if (sizeA == 0 || sizeB == 0)
      continue;
    ++terms;
    greatest = std::max(greatest, std::max(sizeA, leastPower(sum.formatA)) *
                                      std::max(sizeB, leastPower(sum.formatB)));
    error += productError(a, b) + missingProduct(sum.a[k], sum.b[k]);
    value += a.value * b.value;
  }
  // The greatest term is whole.
  if (terms > 1)
    error +=
        double(terms - 1) * greatest * std::ldexp(1.0, -int(rules.alignedBits));
  const double size = largestSize({value, error});
  if (!(size < 0x1p128)) {
    error = kUnbounded;
    return;
  }
  const int exponent = size == 0 ? -126 : std::ilogb(size);
  if (terms > 1)
    error += std::ldexp(1.0, std::max(exponent - int(rules.resultBits), -149));
  error = enlarged(error);
}

double ProductChain::end() const {
  if (!rules.isEmulated)
    return error;
  const double all = enlarged(error + sum.acc.error);
  const double size = largestSize({value + sum.acc.value, all});
  if (!(size < 0x1p128))
    return kUnbounded;
  const int exponent = size == 0 ? -126 : std::ilogb(size);
  return enlarged(all + std::ldexp(1.0, std::max(exponent, -126) - 24));
}

/// Of exact operands the error is known; none if they are not.
static std::optional<double> knownError(const MatrixSum &sum) {
  if (sum.acc.error != 0)
    return std::nullopt;
  reference::ExactSum exact;
  exact.add(sum.acc.value);
  double missing = 0;
  for (size_t k = 0; k < sum.a.size(); ++k) {
    const Inexact &a = sum.a[k].number, &b = sum.b[k].number;
    if (a.error != 0 || b.error != 0)
      return std::nullopt;
    exact.add(a.value * b.value);
    missing += missingProduct(sum.a[k], sum.b[k]);
  }
  const double rounding = std::max(reference::addUp(sum.made, -exact.down()),
                                   reference::addUp(exact.up(), -sum.made));
  return enlarged(rounding + missing);
}

static bool isFinite(const MatrixSum &sum) {
  if (!std::isfinite(sum.made) || !std::isfinite(sum.acc.value))
    return false;
  for (size_t k = 0; k < sum.a.size(); ++k)
    if (!std::isfinite(sum.a[k].number.value) ||
        !std::isfinite(sum.b[k].number.value))
      return false;
  return true;
}

double errorOfProducts(const MatrixSum &sum, const ProductRules &rules) {
  if (!isFinite(sum))
    return kUnbounded;
  if (std::optional<double> known = knownError(sum))
    return *known;
  // In the order of addProducts.
  std::vector<size_t> order;
  for (size_t part : {size_t(0), size_t(1)})
    for (size_t k = 0; k < sum.a.size(); ++k)
      if ((rules.isEmulated ? k / 2 % 2 : 0) == part)
        order.push_back(k);
  ProductChain chain(sum, rules);
  for (size_t first = 0; first < order.size(); first += rules.group)
    chain.add(ArrayRef(order).slice(
        first, std::min<size_t>(rules.group, order.size() - first)));
  return chain.end();
}

double errorOfChain(const MatrixSum &sum, const NumberFormat &format) {
  if (!isFinite(sum))
    return kUnbounded;
  Inexact total = sum.acc;
  for (size_t k = 0; k < sum.a.size(); ++k) {
    const Inexact x[] = {sum.a[k].number, sum.b[k].number, total};
    total.value = std::fma(x[0].value, x[1].value, total.value);
    total.error = errorOfMultiplyAdd({x, total.value, format, "fma", {}});
  }
  return total.error;
}

} // namespace tilewright::verify::threads
