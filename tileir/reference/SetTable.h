// The parts of spreadResult: a table of rules by op.
#pragma once

#include "tileir/reference/SetOps.h"
#include "tileir/reference/SetRules.h"
#include "llvm/ADT/StringMap.h"
#include <functional>

namespace tilewright::reference {

/// One element of a result that has a set.
struct SetCall {
  mlir::Operation *op;
  unsigned number;
  llvm::ArrayRef<Element> elements;
  llvm::ArrayRef<Permitted> x;
  const Element &computed;
  const FreedomOptions &options;

  SetRules rules() const {
    return {llvm::cast<mlir::FloatType>(computed.getType()), options};
  }
};
/// The set for the operands of a call.
using SetFn = std::function<Permitted(const SetCall &)>;
/// By the name of the op.
using SetTable = llvm::StringMap<SetFn>;

/// A set of integers of this type, as it is computed without a bound: any if
/// it leaves the type's range, or has numbers that are no doubles.
Permitted inRange(Permitted set, mlir::Type type);

/// Each group of ops adds itself.
void addComparisonSets(SetTable &table);
void addFloatSets(SetTable &table);
void addIntegerSets(SetTable &table);

} // namespace tilewright::reference
