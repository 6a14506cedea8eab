// What a region that combines two elements does with them, as far as the order
// of many elements matters.
#pragma once

#include "mlir/IR/Block.h"
#include "tileir/reference/AnyOrder.h"
#include <optional>

namespace tilewright::reference {

enum class Combination {
  /// arith.addf of left and right.
  sum,
  /// arith.mulf of left and right.
  product,
  /// Without rounding: integers, minima and maxima, comparisons and selections,
  /// for which the region's author promises that the order does not matter.
  exact,
  /// Of several floats that are rounded.
  other,
};

/// The set of what many elements are combined to, in any order.
class OpenCombination {
public:
  OpenCombination(Combination combination, mlir::Type type,
                  const FreedomOptions &options);

  bool isExact() const { return combination == Combination::exact; }
  void add(const Element &element);
  /// `computed` is the combination in one order. A scan asks behind each
  /// element: behind many ones the set of a sum is wider, in constant time.
  Element result(const Element &computed, bool isScan) const;

private:
  Combination combination;
  std::optional<AnyOrder> sum;
  int64_t count = 0;
  bool isPoison = false, areSingle = true;
};

/// How result `number` of a region combines its arguments, which are one
/// element of each of `inputs` inputs from the left, and as many from the
/// right.
Combination combinationOf(mlir::Block &region, unsigned inputs,
                          unsigned number);

} // namespace tilewright::reference
