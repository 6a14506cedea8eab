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

/// Between two runs all keys with a spread are apart from all on the other
/// side; those without are in order.
void SortedOrder::findRuns(ArrayRef<Element> keys, bool descending) {
  const size_t size = keys.size();
  struct Ends {
    double least, greatest;
    bool isOpen;
  };
  // As if they were ascending; a NaN is above infinity.
  std::vector<Ends> ends;
  for (int64_t position : positions) {
    Permitted set = keys[position].permitted();
    const double aboveAll = kInfinity;
    Ends end{set.hasNumbers() ? set.least : aboveAll,
             set.mayBeNaN ? aboveAll : set.greatest,
             keys[position].hasSpread()};
    if (descending)
      end = {-end.greatest, -end.least, end.isOpen};
    ends.push_back(end);
  }
  // Of all behind each position, the least number, and that of open ones.
  std::vector<Ends> behind(size + 1, Ends{kInfinity, kInfinity, false});
  for (size_t i = size; i-- > 0;)
    behind[i] = {std::min(behind[i + 1].least, ends[i].least),
                 ends[i].isOpen
                     ? std::min(behind[i + 1].greatest, ends[i].least)
                     : behind[i + 1].greatest,
                 behind[i + 1].isOpen || ends[i].isOpen};
  double most = -kInfinity, mostOpen = -kInfinity;
  bool isOpenBefore = false;
  int64_t begin = 0;
  for (size_t i = 0; i < size; ++i) {
    const bool isApart = (!isOpenBefore || mostOpen < behind[i].least) &&
                         (!behind[i].isOpen || most < behind[i].greatest);
    if (isApart)
      begin = int64_t(i);
    runs.push_back(begin);
    most = std::max(most, ends[i].greatest);
    if (ends[i].isOpen)
      mostOpen = std::max(mostOpen, ends[i].greatest);
    isOpenBefore |= ends[i].isOpen;
  }
}

Element SortedOrder::select(ArrayRef<Element> row, int64_t position) const {
  Element element = row[positions[position]];
  if (runs.empty())
    return element;
  for (size_t i = runs[position]; i < runs.size(); ++i)
    if (runs[i] == runs[position] && int64_t(i) != position)
      element = uniteElements(element, row[positions[i]]);
    else if (runs[i] > runs[position])
      break;
  return element;
}

} // namespace tilewright::reference
