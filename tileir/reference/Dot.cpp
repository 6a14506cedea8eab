#include "tileir/reference/Dot.h"

#include "tileir/reference/ElementOps.h"

using namespace mlir;
using llvm::APFloat;

namespace tilewright::reference {

/// `value` rounded to 11 significant bits, as tf32 has them.
static double toTf32(double value) {
  APFloat rounded(value);
  bool lost = false;
  rounded.convert(APFloat::FloatTF32(), APFloat::rmNearestTiesToEven, &lost);
  rounded.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
  return rounded.convertToDouble();
}

/// An operand as a dot reads it.
static double factor(const Element &element, tile::DotPrecision precision) {
  const double value = element.toDouble();
  return precision == tile::DotPrecision::tf32 ? toTf32(value) : value;
}

/// The elements as numbers; what is poison makes its results poison later.
template <typename Number>
static std::vector<Number>
numbersOf(const TileValue &tile,
          llvm::function_ref<Number(const Element &)> read) {
  std::vector<Number> numbers;
  numbers.reserve(tile.elements.size());
  for (const Element &element : tile.elements)
    numbers.push_back(element.isPoison() ? Number(0) : read(element));
  return numbers;
}

/// sums[.., m, n] + lhs[.., m, k] * rhs[.., k, n], from the first k to the
/// last. The results of a row take their products of one k, then those of the
/// next: the order of each sum is the same.
template <typename Number>
static void addProducts(ArrayRef<Number> lhs, ArrayRef<Number> rhs,
                        MutableArrayRef<Number> sums, ArrayRef<int64_t> shape,
                        int64_t depth) {
  const int64_t rows = shape[shape.size() - 2], columns = shape.back();
  for (int64_t row = 0; row * columns < int64_t(sums.size()); ++row) {
    Number *sum = sums.data() + row * columns;
    for (int64_t k = 0; k < depth; ++k) {
      const Number left = lhs[row * depth + k];
      const Number *right = rhs.data() + (row / rows * depth + k) * columns;
      for (int64_t n = 0; n < columns; ++n)
        sum[n] += left * right[n];
    }
  }
}

/// The dot in double, rounded at the end.
static TileValue floatDot(const TileValue &lhs, const TileValue &rhs,
                          const TileValue &acc, tile::DotPrecision precision) {
  auto read = [&](const Element &element) {
    return factor(element, precision);
  };
  std::vector<double> sums = numbersOf<double>(
      acc, [](const Element &element) { return element.toDouble(); });
  addProducts<double>(numbersOf<double>(lhs, read),
                      numbersOf<double>(rhs, read), sums, acc.shape(),
                      lhs.shape().back());
  TileValue result{acc.type, {}};
  result.elements.reserve(sums.size());
  for (const double sum : sums)
    result.elements.push_back(Element::ofDouble(acc.elementType(), sum));
  return result;
}

/// The dot modulo 2^64, and so modulo 2 to the width of acc, which is no more.
static TileValue integerDot(const TileValue &lhs, const TileValue &rhs,
                            const TileValue &acc, const DotTraits &traits) {
  auto numbers = [](const TileValue &tile, bool isUnsigned) {
    return numbersOf<uint64_t>(tile, [&](const Element &element) {
      return isUnsigned ? element.integer().getZExtValue()
                        : uint64_t(element.toInt());
    });
  };
  std::vector<uint64_t> sums = numbers(acc, /*isUnsigned=*/true);
  addProducts<uint64_t>(numbers(lhs, traits.lhsUnsigned),
                        numbers(rhs, traits.rhsUnsigned), sums, acc.shape(),
                        lhs.shape().back());
  TileValue result{acc.type, {}};
  result.elements.reserve(sums.size());
  for (const uint64_t sum : sums)
    result.elements.push_back(Element::ofInt(acc.elementType(), int64_t(sum)));
  return result;
}

/// acc + sum of lhs[k] * rhs[k] in f128.
static Element exactDot(ArrayRef<Element> lhs, ArrayRef<Element> rhs,
                        const Element &acc) {
  APFloat sum = acc.real();
  for (auto [a, b] : llvm::zip_equal(lhs, rhs)) {
    APFloat product = a.real();
    product.fusedMultiplyAdd(b.real(), sum, APFloat::rmNearestTiesToEven);
    sum = product;
  }
  return Element::ofFloat(acc.getType(), sum);
}

/// An element that is `computed` unless an operand is poison, with what else is
/// permitted.
static Element openElement(ArrayRef<Element> row, ArrayRef<Element> column,
                           const Element &acc, const Element &computed,
                           const DotTraits &traits) {
  for (ArrayRef<Element> operands : {row, ArrayRef(acc), column})
    if (const Element *poison = findPoison(operands))
      return Element::poison(acc.getType(), poison->poisonOrigin());
  if (acc.getType().isF128())
    return exactDot(row, column, acc);
  if (isa<FloatType>(acc.getType()))
    return traits.freedom.freedom == Freedom::none
               ? computed
               : openDot(row, column, acc, computed, traits.precision,
                         traits.freedom);
  // Integers that depend on the freedom have no bound here.
  for (ArrayRef<Element> operands : {row, ArrayRef(acc), column})
    if (llvm::any_of(operands, [](auto &x) { return x.hasSpread(); }))
      return computed.withSpread(Spread::any());
  return computed;
}

/// Whether each element is one number: not poison, nor one of a set.
static bool isPlain(const TileValue &tile) {
  return llvm::none_of(tile.elements, [](const Element &element) {
    return element.isPoison() || element.hasSpread();
  });
}

TileValue dot(const TileValue &lhs, const TileValue &rhs, const TileValue &acc,
              const DotTraits &traits) {
  const bool isFloat = isa<FloatType>(acc.elementType());
  const bool isExact = acc.elementType().isF128();
  TileValue computed = isExact   ? acc
                       : isFloat ? floatDot(lhs, rhs, acc, traits.precision)
                                 : integerDot(lhs, rhs, acc, traits);
  const bool isOpen = isFloat && traits.freedom.freedom != Freedom::none;
  if (!isExact && !isOpen && isPlain(lhs) && isPlain(rhs) && isPlain(acc))
    return computed;
  return TileValue::generate(acc.type, [&](Index i) {
    SmallVector<Element> row, column;
    SmallVector<int64_t> left(i), right(i);
    for (int64_t k = 0; k < lhs.shape().back(); ++k) {
      left.back() = k;
      right[right.size() - 2] = k;
      row.push_back(lhs.at(left));
      column.push_back(rhs.at(right));
    }
    return openElement(row, column, acc.at(i), computed.at(i), traits);
  });
}

} // namespace tilewright::reference
