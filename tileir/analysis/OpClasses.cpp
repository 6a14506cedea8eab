//===- OpClasses.cpp - Ops of equal cost ----------------------------------===//
#include "tileir/analysis/OpClasses.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace tilewright::tile {

static const llvm::StringMap<OpClass> &opClasses() {
  static const llvm::StringMap<OpClass> classes = {
#define OP_OF_CLASS(NAME, CLASS) {NAME, OpClass::CLASS},
#include "tileir/analysis/OpClasses.inc"
#undef OP_OF_CLASS
  };
  return classes;
}

bool hasOpClass(OperationName op) {
  return opClasses().contains(op.getStringRef());
}

OpClass opClassOf(Operation *op) {
  auto known = opClasses().find(op->getName().getStringRef());
  if (known != opClasses().end())
    return known->second;
  // Functions that nobody listed are long, other arithmetic is short.
  return op->getName().getDialectNamespace() == "math" &&
                 !isa<IntegerType>(
                     getElementTypeOrSelf(op->getResult(0).getType()))
             ? OpClass::trigonometric
             : OpClass::integer;
}

} // namespace tilewright::tile
