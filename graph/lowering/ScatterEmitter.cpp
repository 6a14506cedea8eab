//===- ScatterEmitter.cpp - Updates of elements at indices ----------------===//
#include "graph/lowering/ScatterEmitter.h"

#include "graph/lowering/KernelFrame.h"
#include "graph/lowering/MemoryEmitter.h"
#include "graph/lowering/OperandEmitter.h"
#include "graph/lowering/TileBuilders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright::graph {

namespace {
/// Where a tile of updates goes: offsets from the first element of the data,
/// and which of them are in it.
struct Places {
  Value offset, mask;
};

/// Adds up the places of one box of the updates.
class Addressing {
public:
  Addressing(KernelFrame &frame, ScatterOp op, const Box &box)
      : frame(frame), op(op), box(box) {}
  FailureOr<Places> places();

private:
  FailureOr<Value> wrappedIndex(unsigned number, Value extent);
  void add(Value coordinate, Value stride);
  void require(Value condition);
  Value spread(Value scalar, Value like) {
    return broadcastScalar(frame, scalar,
                           cast<RankedTensorType>(like.getType()).getShape());
  }

  KernelFrame &frame;
  ScatterOp op;
  const Box &box;
  Places sum;
};
} // namespace

void Addressing::add(Value coordinate, Value stride) {
  OpBuilder &b = frame.builder;
  Value part = arith::MulIOp::create(b, frame.loc, coordinate,
                                     spread(stride, coordinate));
  part = broadcast(frame, part, box.size);
  sum.offset =
      sum.offset ? arith::AddIOp::create(b, frame.loc, sum.offset, part) : part;
}

void Addressing::require(Value condition) {
  condition = broadcast(frame, condition, box.size);
  sum.mask = sum.mask ? arith::AndIOp::create(frame.builder, frame.loc,
                                              sum.mask, condition)
                      : condition;
}

/// The numbers of an index tensor as coordinates, in a tile that has the points
/// of those loops only that it depends on. They may still be outside.
FailureOr<Value> Addressing::wrappedIndex(unsigned number, Value extent) {
  OpBuilder &b = frame.builder;
  auto map = cast<AffineMapAttr>(op.getIndexMaps()[number]).getValue();
  auto all = llvm::to_vector(llvm::seq<unsigned>(0, box.rank()));
  FailureOr<Value> raw =
      emitOrdered(frame, op.getIndices()[number], map, box, all);
  if (failed(raw))
    return failure();
  auto type = cast<RankedTensorType>(raw->getType()).clone(b.getIndexType());
  Value index = arith::IndexCastOp::create(b, frame.loc, type, *raw);
  Value isNegative =
      arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::slt, index,
                            splat(frame, b.getIndexAttr(0), type.getShape()));
  Value fromEnd =
      arith::AddIOp::create(b, frame.loc, index, spread(extent, index));
  return arith::SelectOp::create(b, frame.loc, isNegative, fromEnd, index)
      .getResult();
}

/// Whether all points along the loop are known to be below `extent`.
static bool arePointsBelow(const Box &box, unsigned loop, int64_t extent) {
  const Offset &first = box.offset[loop];
  return !ShapedType::isDynamic(extent) && first.min && first.max &&
         *first.min >= 0 &&
         *first.max + (box.size[loop] - 1) * box.step[loop] < extent;
}

FailureOr<Places> Addressing::places() {
  OpBuilder &b = frame.builder;
  Value data = frame.viewOf(frame.group.result());
  auto type = cast<RankedTensorType>(frame.group.result().getType());
  ArrayRef<AffineExpr> target = op.getTarget().getResults();
  Value stride = frame.index(1);
  for (unsigned dim = target.size(); dim-- > 0;) {
    Value extent = tile::DimOp::create(b, frame.loc, data, dim);
    if (auto symbol = dyn_cast<AffineSymbolExpr>(target[dim])) {
      FailureOr<Value> index = wrappedIndex(symbol.getPosition(), extent);
      if (failed(index))
        return failure();
      // Unsigned: one comparison covers both ends.
      require(arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::ult,
                                    *index, spread(extent, *index)));
      add(*index, stride);
    } else {
      const unsigned loop = cast<AffineDimExpr>(target[dim]).getPosition();
      Value point = indexTile(frame, box, loop);
      if (!arePointsBelow(box, loop, type.getDimSize(dim)))
        require(arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::ult,
                                      point, spread(extent, point)));
      add(point, stride);
    }
    stride = b.createOrFold<arith::MulIOp>(frame.loc, stride, extent);
  }
  return sum;
}

/// What is beyond the updates has no index of its own to say so.
static Value insideUpdates(KernelFrame &frame, ScatterOp op, const Box &box,
                           Value mask) {
  OpBuilder &b = frame.builder;
  Value view = frame.viewOf(op.getUpdates());
  auto type = cast<RankedTensorType>(op.getUpdates().getType());
  for (unsigned dim = 0; dim < box.rank(); ++dim) {
    if (!type.isDynamicDim(dim) && type.getDimSize(dim) % box.size[dim] == 0)
      continue;
    Value extent = tile::DimOp::create(b, frame.loc, view, dim);
    Value isInside = arith::CmpIOp::create(
        b, frame.loc, arith::CmpIPredicate::ult, indexTile(frame, box, dim),
        broadcastScalar(frame, extent, box.size));
    mask =
        mask ? arith::AndIOp::create(b, frame.loc, mask, isInside) : isInside;
  }
  return mask;
}

LogicalResult emitUpdates(KernelFrame &frame, ScatterOp op, const Box &box) {
  OpBuilder &b = frame.builder;
  Value updates = emitLoad(frame, op.getUpdates(), box, {});
  FailureOr<Places> places = Addressing(frame, op, box).places();
  if (failed(places))
    return failure();
  Type element = getElementTypeOrSelf(updates.getType());
  auto pointer = tile::PtrType::get(b.getContext(), element);
  Value base = tile::BaseOp::create(b, frame.loc, pointer,
                                    frame.viewOf(frame.group.result()));
  Value mask = insideUpdates(frame, op, box, places->mask);
  Value bases = broadcastScalar(frame, base, box.size);
  Value pointers = tile::OffsetOp::create(b, frame.loc, bases.getType(), bases,
                                          places->offset);
  auto kind = *tile::symbolizeAtomicKind(op.getKind());
  tile::AtomicRmwOp::create(b, frame.loc, updates.getType(), kind,
                            tile::MemoryOrder::relaxed,
                            tile::MemoryScope::device, updates, pointers, mask);
  return success();
}

} // namespace tilewright::graph
