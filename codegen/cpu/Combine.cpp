//===- Combine.cpp - The regions of reductions and scans ------------------===//
#include "codegen/cpu/Combine.h"

#include "codegen/cpu/Arithmetic.h"
#include "codegen/cpu/Elements.h"

using namespace mlir;

namespace tilewright::cpu {

FailureOr<Values> combine(Operation *op, ValueRange left, ValueRange right,
                          Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  Block &body = op->getRegion(0).front();
  IRMapping mapping;
  unsigned count = left.size();
  int64_t width = 1;
  if (auto type = dyn_cast<VectorType>(left[0].getType()))
    width = type.getNumElements();
  for (unsigned i = 0; i < count; ++i) {
    mapping.map(body.getArgument(i), left[i]);
    mapping.map(body.getArgument(count + i), right[i]);
  }
  for (Operation &inner : body.without_terminator()) {
    if (!isElementwise(&inner))
      return inner.emitError("this op is not lowered for the cpu target inside "
                             "a ")
             << op->getName();
    Values operands;
    for (Value operand : inner.getOperands()) {
      Value mapped = mapping.lookupOrNull(operand);
      operands.push_back(mapped ? mapped
                                : splat(b, e.scalars.lookup(operand), width));
    }
    for (OpResult result : inner.getResults())
      mapping.map(result, createElementwise(b, result, operands, width));
  }
  Values results;
  for (Value yielded : body.getTerminator()->getOperands()) {
    Value mapped = mapping.lookupOrNull(yielded);
    results.push_back(mapped ? mapped
                             : splat(b, e.scalars.lookup(yielded), width));
  }
  return results;
}

} // namespace tilewright::cpu
