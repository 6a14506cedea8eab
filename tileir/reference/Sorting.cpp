#include "tileir/reference/Sorting.h"

#include "tileir/reference/Interval.h"
#include "tileir/reference/SetOps.h"
#include <algorithm>
#include <numeric>

using namespace mlir;

namespace tilewright::reference {

bool isKeyLess(const Element &a, const Element &b, bool isUnsigned) {
  if (!isa<FloatType>(a.getType()))
    return isUnsigned ? a.integer().ult(b.integer())
                      : a.integer().slt(b.integer());
  if (a.real().isNaN() || b.real().isNaN())
    return !a.real().isNaN() && b.real().isNaN();
  return a.real() < b.real();
}

SortedOrder::SortedOrder(ArrayRef<Element> keys, bool descending,
                         bool isUnsigned)
    : positions(keys.size()) {
  std::iota(positions.begin(), positions.end(), 0);
  std::stable_sort(positions.begin(), positions.end(),
                   [&](int64_t a, int64_t b) {
                     if (descending)
                       std::swap(a, b);
                     return isKeyLess(keys[a], keys[b], isUnsigned);
                   });
  if (!llvm::any_of(keys, [](auto &key) { return key.hasSpread(); }))
    return;
  // Integers that are open are compared as signed numbers below.
  if (isUnsigned && !isa<FloatType>(keys.front().getType()))
    runs.assign(keys.size(), 0);
  else
    findRuns(keys, descending);
}

namespace {
/// Where a key may be, as if the order were ascending.
struct KeyRange {
  double least, greatest;
  bool isOpen;
};
} // namespace

/// A NaN is above all numbers.
static KeyRange rangeOf(const Element &key, bool descending) {
  const Permitted set = key.permitted();
  const double least = set.hasNumbers() ? set.least : kInfinity;
  const double greatest = set.mayBeNaN ? kInfinity : set.greatest;
  if (descending)
    return {-greatest, -least, key.hasSpread()};
  return {least, greatest, key.hasSpread()};
}

/// Between two runs all keys with a spread are apart from all on the other
/// side; those without are in order.
void SortedOrder::findRuns(ArrayRef<Element> keys, bool descending) {
  const size_t size = keys.size();
  std::vector<KeyRange> ranges;
  for (int64_t position : positions)
    ranges.push_back(rangeOf(keys[position], descending));
  // By position, the least number of the keys from there on, and of the open
  // ones among them.
  std::vector<double> least(size + 1, kInfinity),
      leastOpen(size + 1, kInfinity);
  std::vector<bool> hasOpen(size + 1, false);
  for (size_t i = size; i-- > 0;) {
    const KeyRange &range = ranges[i];
    least[i] = std::min(least[i + 1], range.least);
    leastOpen[i] = range.isOpen ? std::min(leastOpen[i + 1], range.least)
                                : leastOpen[i + 1];
    hasOpen[i] = hasOpen[i + 1] || range.isOpen;
  }
  double greatest = -kInfinity, greatestOpen = -kInfinity;
  bool hadOpen = false;
  for (size_t i = 0; i < size; ++i) {
    const bool isApart = (!hadOpen || greatestOpen < least[i]) &&
                         (!hasOpen[i] || greatest < leastOpen[i]);
    runs.push_back(isApart ? int64_t(i) : runs.back());
    greatest = std::max(greatest, ranges[i].greatest);
    if (ranges[i].isOpen)
      greatestOpen = std::max(greatestOpen, ranges[i].greatest);
    hadOpen |= ranges[i].isOpen;
  }
}

Element SortedOrder::select(ArrayRef<Element> row, int64_t position) const {
  Element element = row[positions[position]];
  if (runs.empty())
    return element;
  const int64_t run = runs[position];
  for (size_t i = run; i < runs.size() && runs[i] == run; ++i)
    if (int64_t(i) != position)
      element = uniteElements(element, row[positions[i]]);
  return element;
}

} // namespace tilewright::reference
