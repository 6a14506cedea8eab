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
                         const Box &loops, IRMapping &mapping) {
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
                            ValueRange operands, const Box &loops) {
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
                          IRMapping &mapping, const Box &loops) {
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
  if (op && frame.holding.contains(op)) {
    result = isa<arith::SelectOp>(op)
                 ? emitBody(frame, op->getOperand(1), body, mapping, loops)
                 : splat(frame, frame.builder.getBoolAttr(true), loops.size);
  } else if (matchPattern(wanted, m_Constant(&constant))) {
    result = splat(frame, constant, loops.size);
  } else if (isSize || op->getBlock() != body) {
    FailureOr<Offset> size = foldedOffset(frame, OpFoldResult(wanted));
    if (failed(size))
      return failure();
    // Casts of sizes are shared between bodies and the function.
    Value scalar = size->value;
    if (!wanted.getType().isIndex())
      scalar = frame.builder.createOrFold<arith::IndexCastOp>(
          frame.loc, wanted.getType(), scalar);
    result = broadcastScalar(frame, scalar, loops.size);
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

/// The loop of two points, both in the tile, along which all inputs repeat:
/// what a point needs of them is read once for both.
static std::optional<unsigned> pairLoop(linalg::GenericOp op,
                                        const Box &loops) {
  for (unsigned loop = 0; loop < loops.rank(); ++loop) {
    const bool isRead =
        llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
          return op.getMatchingIndexingMap(input).isFunctionOfDim(loop);
        });
    if (loops.size[loop] == 2 && loops.step[loop] == 1 &&
        op.getStaticLoopRanges()[loop] == 2 && !isRead)
      return loop;
  }
  return std::nullopt;
}

static FailureOr<Value> emitPoints(KernelFrame &frame, linalg::GenericOp op,
                                   const Box &loops) {
  IRMapping mapping;
  if (failed(emitInputs(frame, op, loops, mapping)))
    return failure();
  Value wanted = op.getBody()->getTerminator()->getOperand(0);
  return emitBody(frame, wanted, op.getBody(), mapping, loops);
}

/// Both points of a loop, side by side in the registers of a thread.
static FailureOr<Value> emitPair(KernelFrame &frame, linalg::GenericOp op,
                                 const Box &loops, unsigned loop) {
  SmallVector<Value> sides;
  for (int64_t point : {0, 1}) {
    Box side = loops;
    side.offset[loop] = constantOffset(frame, point);
    side.size[loop] = 1;
    FailureOr<Value> tile = emitPoints(frame, op, side);
    if (failed(tile))
      return failure();
    SmallVector<int64_t> shape(side.size);
    shape.erase(shape.begin() + loop);
    sides.push_back(reshape(frame, *tile, shape));
  }
  Value joined = tile::JoinOp::create(frame.builder, frame.loc, sides);
  const int64_t last = int64_t(loops.rank()) - 1;
  SmallVector<int64_t> permutation;
  for (int64_t dim = 0; dim <= last; ++dim)
    permutation.push_back(dim == loop ? last : dim < loop ? dim : dim - 1);
  if (int64_t(loop) == last)
    return joined;
  return tile::TransposeOp::create(frame.builder, frame.loc, joined,
                                   permutation)
      .getResult();
}

FailureOr<Value> emitElementwise(KernelFrame &frame, linalg::GenericOp op,
                                 const Box &box) {
  Box loops = loopBox(frame, op, box);
  std::optional<unsigned> pair = pairLoop(op, loops);
  FailureOr<Value> tile =
      pair ? emitPair(frame, op, loops, *pair) : emitPoints(frame, op, loops);
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
