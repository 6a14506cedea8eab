// The order of keys, for all ops that sort.
#pragma once

#include "tileir/reference/Element.h"
#include <vector>

namespace tilewright::reference {

/// Numbers by value, a NaN above all other floats.
bool isKeyLess(const Element &a, const Element &b, bool isUnsigned);

/// A row in sorted order.
class SortedOrder {
public:
  /// Of keys that are not poison; equal ones stay as they are.
  SortedOrder(llvm::ArrayRef<Element> keys, bool descending, bool isUnsigned);

  /// By position in the sorted row, that in the row before.
  llvm::ArrayRef<int64_t> getPositions() const { return positions; }
  /// Whether the order depends on the freedom of the run.
  bool isOpen() const { return !runs.empty(); }
  /// Element `position` of another row that is sorted with the keys. With keys
  /// that may be in another order it is one of several.
  Element select(llvm::ArrayRef<Element> row, int64_t position) const;

private:
  void findRuns(llvm::ArrayRef<Element> keys, bool descending);

  std::vector<int64_t> positions;
  /// By sorted position: where the elements begin that may change places with
  /// it. Empty if no key has a spread.
  std::vector<int64_t> runs;
};

} // namespace tilewright::reference
