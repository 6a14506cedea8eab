//===- Graph.cpp - The graph dialect --------------------------------------===//
#include "graph/ir/Graph.h"

using namespace mlir;

#include "graph/ir/GraphDialect.cpp.inc"
#define GET_OP_CLASSES
#include "graph/ir/GraphOps.cpp.inc"

namespace tilewright::graph {

void GraphDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "graph/ir/GraphOps.cpp.inc"
      >();
}

Value ReplacedOp::getYielded(unsigned number) {
  return getBody().front().getTerminator()->getOperand(number);
}

LogicalResult ReplacedOp::verify() {
  Block &body = getBody().front();
  if (body.getArgumentTypes() != getOperandTypes()) // replaced_c1
    return emitOpError("the body's arguments are not of the operands' types "
                       "(replaced_c1)");
  if (body.empty() || !isa<YieldOp>(body.back()) ||
      body.back().getOperandTypes() != getResultTypes()) // replaced_c2
    return emitOpError("the body does not yield values of the results' types "
                       "(replaced_c2)");
  if (getNumResults() == 0) // replaced_c3
    return emitOpError("has no result (replaced_c3)");
  return success();
}

} // namespace tilewright::graph
