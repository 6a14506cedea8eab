#include "tileir/reference/SetOps.h"

#include "tileir/reference/SetTable.h"

using namespace mlir;

namespace tilewright::reference {

//===--- Results ----------------------------------------------------------===//

Element settle(Element computed, Permitted set, bool areSingle) {
  if (computed.isPoison())
    return computed;
  // The computed number is permitted: what rounds twice is one of the ways.
  computed = computed.withSpread({});
  set = set.unite(computed.permitted());
  const bool isPoint = !set.isAny && !set.mayBeNaN && set.least == set.greatest;
  const bool hasOneZero = areSingle || !isa<FloatType>(computed.getType());
  if (set.isSingle() || (isPoint && hasOneZero))
    return computed;
  return computed.among(set);
}

Element uniteElements(const Element &chosen, const Element &other) {
  if (chosen.isPoison())
    return chosen;
  if (other.isPoison() || !chosen.getType().isIntOrIndexOrFloat())
    return chosen.among(Permitted::any());
  if (!chosen.hasSpread() && !other.hasSpread() && chosen.permits(other))
    return chosen;
  Permitted set = chosen.permitted().unite(other.permitted());
  if (!isa<FloatType>(chosen.getType()))
    set = inRange(set, chosen.getType());
  return chosen.among(set);
}

//===--- Ops --------------------------------------------------------------===//

static const SetFn *findSetFn(Operation *op) {
  static const SetTable table = [] {
    SetTable made;
    addComparisonSets(made);
    addFloatSets(made);
    addIntegerSets(made);
    return made;
  }();
  auto found = table.find(op->getName().getStringRef());
  return found == table.end() ? nullptr : &found->second;
}

/// A condition that has both values: the op for each of them.
static Element forBoth(Operation *op, unsigned number,
                       ArrayRef<Element> operands, unsigned which,
                       Element computed, const FreedomOptions &options) {
  SmallVector<Element, 3> chosen(operands);
  for (int value : {0, 1}) {
    chosen[which] = Element::ofInt(operands[which].getType(), value);
    FailureOr<Element> result =
        elementFunctions(op)[number](op, chosen, computed.getType());
    if (failed(result))
      return computed.among(Permitted::any());
    if (!result->isPoison() && isOpen(chosen, options))
      result = spreadResult(op, number, chosen, *result, options);
    computed = uniteElements(computed, *result);
  }
  return computed;
}

Element spreadResult(Operation *op, unsigned number, ArrayRef<Element> operands,
                     Element computed, const FreedomOptions &options) {
  if (computed.isPoison())
    return computed;
  SmallVector<Permitted, 3> sets;
  bool isSingle = true;
  for (auto [n, operand] : llvm::enumerate(operands)) {
    if (operand.getType().isInteger(1) && operand.hasSpread())
      return forBoth(op, number, operands, n, computed, options);
    sets.push_back(operand.permitted());
    isSingle &= !operand.hasSpread();
  }
  // Integers of given integers, and tests of given floats.
  if (isSingle && !isa<FloatType>(computed.getType()))
    return computed;
  const SetFn *rule = findSetFn(op);
  Permitted set = rule
                      ? (*rule)({op, number, operands, sets, computed, options})
                      : Permitted::any();
  return settle(std::move(computed), set, isSingle);
}

} // namespace tilewright::reference
