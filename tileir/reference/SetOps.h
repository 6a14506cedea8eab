// The ops of arith and math on elements that a run permits beside the computed
// ones.
#pragma once

#include "tileir/reference/ElementOps.h"
#include "tileir/reference/Rounding.h"

namespace tilewright::reference {

/// Whether the results of an op on these elements may have a spread.
inline bool isOpen(llvm::ArrayRef<Element> operands,
                   const FreedomOptions &options) {
  return options.freedom == Freedom::roundings ||
         llvm::any_of(operands, [](const Element &x) { return x.hasSpread(); });
}

/// `computed`, which is result `number` of `op` for these operands, with what
/// is permitted beside it. An op that has no rule for sets makes one that is
/// any. No operand is poison.
Element spreadResult(mlir::Operation *op, unsigned number,
                     llvm::ArrayRef<Element> operands, Element computed,
                     const FreedomOptions &options);

/// `chosen`, with all that is permitted as `other`: a condition that has
/// several values chooses.
Element uniteElements(const Element &chosen, const Element &other);

/// The computed element as one of this set: with no spread if the set has but
/// one number. `areSingle` says that no operand has a spread: then a zero has
/// the computed sign, else a set of 0 has both zeros.
Element settle(Element computed, Permitted set, bool areSingle = false);

/// The rounding of arith.truncf and arith.scaling_truncf.
tile::Rounding truncationOf(mlir::Operation *op);

/// How a number becomes one of another type.
struct Conversion {
  RoundingRule rule = {};
  bool fromUnsigned = false, toUnsigned = false;
};
/// The set of the numbers of `source` as numbers of type `to`: any if one of
/// them may not fit.
Permitted convertSet(const Element &source, mlir::Type to,
                     const Conversion &conversion,
                     const FreedomOptions &options);

} // namespace tilewright::reference
