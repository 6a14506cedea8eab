//===- InsertsToScatters.cpp - Parts of states that are replaced ----------===//
#include "graph/analysis/States.h"
#include "graph/ir/Graph.h"
#include "graph/transforms/Build.h"
#include "graph/transforms/Function.h"
#include "graph/transforms/Passes.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_INSERTSTOSCATTERS
#include "graph/transforms/Passes.h.inc"

namespace {
/// Where the source of an insert_slice goes, as a graph.scatter says it.
class Placement {
public:
  explicit Placement(tensor::InsertSliceOp op) : op(op), builder(op) {}
  void replace();

private:
  Value indexTensor(OpFoldResult offset);
  Value indexTensor(OpFoldResult offset, int64_t size);
  void add(unsigned dim, std::optional<unsigned> loop);
  void check(unsigned dim);

  tensor::InsertSliceOp op;
  OpBuilder builder;
  SmallVector<AffineExpr> target;
  SmallVector<Value> indices;
  SmallVector<Attribute> maps;
};
} // namespace

/// The offset as a tensor without dimensions: that which it was read from, or a
/// new one.
Value Placement::indexTensor(OpFoldResult offset) {
  Type i64 = builder.getI64Type();
  auto type = RankedTensorType::get({}, i64);
  if (std::optional<int64_t> known = getConstantIntValue(offset))
    return arith::ConstantOp::create(
        builder, op.getLoc(),
        DenseElementsAttr::get(type, ArrayRef<int64_t>{*known}));
  auto value = cast<Value>(offset);
  if (auto converted = value.getDefiningOp<arith::IndexCastOp>())
    if (auto read = converted.getIn().getDefiningOp<tensor::ExtractOp>();
        read && read.getIndices().empty())
      return read.getTensor();
  value = arith::IndexCastOp::create(builder, op.getLoc(), i64, value);
  return tensor::FromElementsOp::create(builder, op.getLoc(), type, value);
}

/// The coordinates offset, offset + 1, ..
Value Placement::indexTensor(OpFoldResult offset, int64_t size) {
  auto type = RankedTensorType::get({size}, builder.getI64Type());
  Value first = getValueOrCreateConstantIndexOp(builder, op.getLoc(), offset);
  auto element = [&](OpBuilder &b, Location loc, ValueRange) -> Value {
    Value sum = arith::AddIOp::create(b, loc, first,
                                      linalg::IndexOp::create(b, loc, 0));
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), sum);
  };
  return buildElementwise(builder, op.getLoc(), type,
                          {builder.getIndexAttr(size)}, {}, element);
}

/// Of a dimension of the result: the loop over the source that walks along it,
/// if there is one, from the offset on.
void Placement::add(unsigned dim, std::optional<unsigned> loop) {
  OpFoldResult offset = op.getMixedOffsets()[dim];
  MLIRContext *context = op.getContext();
  if (loop && isZeroInteger(offset)) {
    target.push_back(builder.getAffineDimExpr(*loop));
    return;
  }
  target.push_back(builder.getAffineSymbolExpr(unsigned(indices.size())));
  const unsigned loops = unsigned(op.getSourceType().getRank());
  const int64_t size = loop ? op.getSourceType().getDimSize(*loop) : 1;
  indices.push_back(size == 1 ? indexTensor(offset)
                              : indexTensor(offset, size));
  SmallVector<unsigned> read;
  if (size != 1)
    read.push_back(*loop);
  maps.push_back(AffineMapAttr::get(readDims(context, loops, read)));
}

/// What an offset that follows from sizes needs is checked before the run, as
/// of other slices.
void Placement::check(unsigned dim) {
  OpFoldResult offset = op.getMixedOffsets()[dim];
  if (getConstantIntValue(offset) || !isSize(offset))
    return;
  Location loc = op.getLoc();
  Value first = cast<Value>(offset);
  Value size =
      getValueOrCreateConstantIndexOp(builder, loc, op.getMixedSizes()[dim]);
  Value extent = getValueOrCreateConstantIndexOp(
      builder, loc, tensor::getMixedSize(builder, loc, op.getDest(), dim));
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value end = arith::AddIOp::create(builder, loc, first, size);
  auto assertOrder = [&](Value low, Value high) {
    cf::AssertOp::create(builder, loc,
                         arith::CmpIOp::create(builder, loc,
                                               arith::CmpIPredicate::sle, low,
                                               high),
                         "the slice lies in the tensor");
  };
  assertOrder(zero, first);
  assertOrder(end, extent);
}

void Placement::replace() {
  const llvm::SmallBitVector dropped = op.getDroppedDims();
  unsigned loop = 0;
  const unsigned rank = unsigned(op.getDestType().getRank());
  for (unsigned dim = 0; dim < rank; ++dim) {
    check(dim);
    add(dim, dropped.test(dim) ? std::nullopt : std::optional(loop++));
  }
  auto map =
      AffineMap::get(loop, unsigned(indices.size()), target, op.getContext());
  Value result =
      ScatterOp::create(builder, op.getLoc(), op.getDestType(),
                        /*owners=*/Type(), "set", op.getSource(), op.getDest(),
                        indices, map, builder.getArrayAttr(maps))
          .getResult();
  op.replaceAllUsesWith(result);
  op.erase();
}

/// Whether a graph.scatter can say it: steps of 1, and as many coordinates as
/// are known.
static bool isScatter(tensor::InsertSliceOp op) {
  if (!llvm::all_of(op.getMixedStrides(), isOneInteger))
    return false;
  const llvm::SmallBitVector dropped = op.getDroppedDims();
  unsigned loop = 0;
  for (auto [dim, offset] : llvm::enumerate(op.getMixedOffsets())) {
    const bool isLoop = !dropped.test(unsigned(dim));
    if (isLoop && op.getSourceType().isDynamicDim(loop) &&
        !isZeroInteger(offset))
      return false;
    loop += isLoop;
  }
  return true;
}

namespace {
struct InsertsToScatters : impl::InsertsToScattersBase<InsertsToScatters> {
  void runOnOperation() override {
    FailureOr<func::FuncOp> func = graphFunction(getOperation());
    if (failed(func))
      return signalPassFailure();
    llvm::SetVector<Operation *> inserts;
    for (const StateUpdate &update : stateUpdates(*func))
      for (Value value : updateChain(update))
        if (auto insert = value.getDefiningOp<tensor::InsertSliceOp>();
            insert && isScatter(insert))
          inserts.insert(insert);
    for (Operation *insert : inserts)
      Placement(cast<tensor::InsertSliceOp>(insert)).replace();
    replacedCount += inserts.size();
  }
};
} // namespace

} // namespace tilewright::graph
