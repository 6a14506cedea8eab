//===- BodyEmitter.cpp - Elementwise bodies of graph ops on tiles ---------===//
#include "graph/lowering/BodyEmitter.h"

#include "graph/lowering/KernelFrame.h"
#include "graph/lowering/OperandEmitter.h"
#include "graph/lowering/TileBuilders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::graph {

LogicalResult emitInputs(KernelFrame &frame, linalg::GenericOp op,
                         const Region &loops, IRMapping &mapping) {
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(input);
    if (argument.use_empty())
      continue;
    FailureOr<Value> tile = emitOperand(
        frame, input->get(), op.getMatchingIndexingMap(input), loops);
    if (failed(tile))
      return failure();
    mapping.map(argument, *tile);
  }
  return success();
}

FailureOr<Value> emitBodyOp(KernelFrame &frame, Operation *op,
                            ValueRange operands, const Region &loops) {
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return indexTile(frame, loops, index.getDim());
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return gather(frame, extract.getTensor(), SmallVector<Value>(operands),
                  loops.size);
  StringRef dialect = op->getName().getDialectNamespace();
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      (dialect != "arith" && dialect != "math"))
    return op->emitError("the tile level has no such op on tiles");
  OperationState state(frame.loc, op->getName().getStringRef());
  state.addOperands(operands);
  state.addAttributes(op->getAttrs());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  state.addTypes(RankedTensorType::get(loops.size, op->getResult(0).getType()));
  return frame.builder.create(state)->getResult(0);
}

FailureOr<Value> emitBody(KernelFrame &frame, Value wanted, Block *body,
                          IRMapping &mapping, const Region &loops) {
  if (Value known = mapping.lookupOrNull(wanted))
    return known;
  Operation *op = wanted.getDefiningOp();
  const bool isSize = operandBehind(wanted) != nullptr;
  if (!op && !isSize) {
    InFlightDiagnostic error = emitError(
        frame.loc, "expected a body that reads elements of its operands, "
                   "indices, constants and sizes, found a read of ");
    if (auto argument = cast<BlockArgument>(wanted);
        argument.getOwner() == body)
      error << "operand " << argument.getArgNumber()
            << ", which its loops do not accumulate";
    else
      error << "an argument of another op";
    return failure();
  }
  TypedAttr constant;
  FailureOr<Value> result = failure();
  if (matchPattern(wanted, m_Constant(&constant))) {
    result = splat(frame, constant, loops.size);
  } else if (isSize || op->getBlock() != body) {
    FailureOr<Offset> size = foldedOffset(frame, OpFoldResult(wanted));
    if (failed(size))
      return failure();
    result = broadcastScalar(frame, size->value, loops.size);
  } else {
    SmallVector<Value> operands;
    bool isExtract = isa<tensor::ExtractOp>(op);
    for (Value operand : op->getOperands().drop_front(isExtract ? 1 : 0)) {
      FailureOr<Value> tile = emitBody(frame, operand, body, mapping, loops);
      if (failed(tile))
        return failure();
      operands.push_back(*tile);
    }
    result = emitBodyOp(frame, op, operands, loops);
  }
  if (succeeded(result))
    mapping.map(wanted, *result);
  return result;
}

FailureOr<Value> emitElementwise(KernelFrame &frame, linalg::GenericOp op,
                                 const Region &region) {
  Region loops = loopRegion(frame, op, region);
  IRMapping mapping;
  if (failed(emitInputs(frame, op, loops, mapping)))
    return failure();
  Value wanted = op.getBody()->getTerminator()->getOperand(0);
  FailureOr<Value> tile = emitBody(frame, wanted, op.getBody(), mapping, loops);
  if (failed(tile))
    return failure();
  // From loop order to the order of the result's dimensions.
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (out.isIdentity())
    return tile;
  if (!out.isPermutation())
    return op.emitError("expected the result of an elementwise op to be "
                        "indexed by a permutation of its loops");
  SmallVector<int64_t> permutation;
  for (AffineExpr subscript : out.getResults())
    permutation.push_back(cast<AffineDimExpr>(subscript).getPosition());
  return tile::TransposeOp::create(frame.builder, frame.loc, *tile, permutation)
      .getResult();
}

} // namespace tilewright::graph
