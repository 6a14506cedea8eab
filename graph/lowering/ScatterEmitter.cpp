//===- ScatterEmitter.cpp - Updates of elements at indices ----------------===//
//
// Memory combines updates by atomic operations. Where updates replace elements
// and may meet, three kernels find the last one of each element: the first
// marks the elements that have updates as without an owner, the second leaves
// the greatest number of an update, and the third stores the updates that own
// their element. None of them walks over the data.
//
//===----------------------------------------------------------------------===//
#include "graph/lowering/ScatterEmitter.h"

#include "graph/lowering/KernelFrame.h"
#include "graph/lowering/MemoryEmitter.h"
#include "graph/lowering/OperandEmitter.h"
#include "graph/lowering/TileBuilders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewright::graph {

namespace {
/// Where a tile of updates goes: offsets from the first element of the data,
/// and which of them are in it.
struct Places {
  Value offset, mask;
};

/// Adds up the places of one box of the updates, in a tensor that has the
/// dimensions `dims` of the data.
class Addressing {
public:
  Addressing(KernelFrame &frame, ScatterOp op, const Box &box, Value tensor,
             ArrayRef<unsigned> dims)
      : frame(frame), op(op), box(box), tensor(tensor), dims(dims) {}
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
  Value tensor;
  ArrayRef<unsigned> dims;
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
  Value data = frame.viewOf(tensor);
  auto type = cast<RankedTensorType>(tensor.getType());
  ArrayRef<AffineExpr> target = op.getTarget().getResults();
  Value stride = frame.index(1);
  for (unsigned dim = dims.size(); dim-- > 0;) {
    Value extent = tile::DimOp::create(b, frame.loc, data, dim);
    AffineExpr subscript = target[dims[dim]];
    if (auto symbol = dyn_cast<AffineSymbolExpr>(subscript)) {
      FailureOr<Value> index = wrappedIndex(symbol.getPosition(), extent);
      if (failed(index))
        return failure();
      // Unsigned: one comparison covers both ends.
      require(arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::ult,
                                    *index, spread(extent, *index)));
      add(*index, stride);
    } else {
      const unsigned loop = cast<AffineDimExpr>(subscript).getPosition();
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
    // Nothing has one program, too, if it is static.
    const int64_t size = type.getDimSize(dim);
    if (size != 0 &&
        (box.size[dim] == 1 || (size > 0 && size % box.size[dim] == 0)))
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

namespace {
/// Pointers to what a tile of updates changes, and which of them to use.
struct Targets {
  Value pointers, mask;
};
} // namespace

/// Where the updates of a box go in a tensor with dimensions `dims` of the
/// data.
static FailureOr<Targets> targetsIn(KernelFrame &frame, ScatterOp op,
                                    const Box &box, Value tensor,
                                    ArrayRef<unsigned> dims) {
  OpBuilder &b = frame.builder;
  FailureOr<Places> places = Addressing(frame, op, box, tensor, dims).places();
  if (failed(places))
    return failure();
  Value mask = insideUpdates(frame, op, box, places->mask);
  if (!mask)
    mask = splat(frame, b.getBoolAttr(true), box.size);
  Value base = tile::BaseOp::create(b, frame.loc, frame.viewOf(tensor));
  Value bases = broadcastScalar(frame, base, box.size);
  if (!places->offset)
    return Targets{bases, mask};
  return Targets{tile::OffsetOp::create(b, frame.loc, bases.getType(), bases,
                                        places->offset),
                 mask};
}

/// The numbers of updates among those that may go to one element.
static FailureOr<Value> numberOf(KernelFrame &frame, ScatterOp op,
                                 const Box &box) {
  OpBuilder &b = frame.builder;
  Type element = getElementTypeOrSelf(op.getOwners().getType());
  FailureOr<SymbolicShape> extents = frame.shapes.shapeOf(op.getUpdates());
  if (failed(extents))
    return failure();
  Value number = splat(frame, b.getIndexAttr(0), box.size);
  for (unsigned loop : op.getFreeLoops()) {
    FailureOr<Value> extent = frame.sizeValue((*extents)[loop]);
    if (failed(extent))
      return failure();
    Value point = broadcast(frame, indexTile(frame, box, loop), box.size);
    number = arith::MulIOp::create(b, frame.loc, number,
                                   broadcastScalar(frame, *extent, box.size));
    number = arith::AddIOp::create(b, frame.loc, number, point);
  }
  auto type = RankedTensorType::get(box.size, element);
  return arith::IndexCastOp::create(b, frame.loc, type, number).getResult();
}

//===--- Combinations -----------------------------------------------------===//

/// Multiplies elements in memory: a product replaces the element that it was
/// computed from, or is computed again from what is there by then.
static void multiply(KernelFrame &frame, Value updates, Targets targets) {
  OpBuilder &b = frame.builder;
  Location loc = frame.loc;
  auto type = cast<RankedTensorType>(updates.getType());
  Type element = type.getElementType();
  const bool isFloat = isa<FloatType>(element);
  Type integer = b.getIntegerType(element.getIntOrFloatBitWidth());
  if (isFloat)
    targets.pointers = tile::PtrCastOp::create(
        b, loc, type.clone(tile::PtrType::get(b.getContext(), integer)),
        targets.pointers);
  auto cast = [&](Value tile, Type to) -> Value {
    return isFloat ? arith::BitcastOp::create(b, loc, type.clone(to), tile)
                   : tile;
  };
  Value old = tile::LoadPtrOp::create(
      b, loc, type.clone(integer), targets.pointers, targets.mask, Value(),
      tile::MemoryOrder::relaxed,
      tile::MemoryScopeAttr::get(b.getContext(), tile::MemoryScope::device));
  auto isLeft = [&](OpBuilder &, Location, ValueRange carried) {
    OpBuilder::InsertionGuard guard(b);
    Value left = reshape(frame, carried[1], {type.getNumElements()});
    auto any = tile::ReduceOp::create(
        b, loc, left, 0,
        [](OpBuilder &inner, Location at,
           ValueRange sides) -> SmallVector<Value> {
          return {arith::OrIOp::create(inner, at, sides[0], sides[1])};
        });
    Value condition =
        tile::ExtractOp::create(b, loc, any.getResult(0), ValueRange());
    scf::ConditionOp::create(b, loc, condition, carried);
  };
  auto attempt = [&](OpBuilder &, Location, ValueRange carried) {
    OpBuilder::InsertionGuard guard(b);
    Value factor = cast(carried[0], element);
    Value product = isFloat
                        ? Value(arith::MulFOp::create(b, loc, factor, updates))
                        : Value(arith::MulIOp::create(b, loc, factor, updates));
    Value found = tile::AtomicCasOp::create(
        b, loc, type.clone(integer), tile::MemoryOrder::relaxed,
        tile::MemoryScope::device, carried[0], cast(product, integer),
        targets.pointers, carried[1]);
    Value isOther = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                          found, carried[0]);
    Value left = arith::AndIOp::create(b, loc, carried[1], isOther);
    scf::YieldOp::create(b, loc, ValueRange{found, left});
  };
  scf::WhileOp::create(b, loc, TypeRange{old.getType(), targets.mask.getType()},
                       ValueRange{old, targets.mask}, isLeft, attempt);
}

/// Which updates own their elements: their numbers are in `owner`.
static Value isOwner(KernelFrame &frame, Value number, const Targets &owner) {
  OpBuilder &b = frame.builder;
  Value found =
      tile::LoadPtrOp::create(b, frame.loc, owner.pointers, owner.mask);
  Value isOwn = arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::eq,
                                      found, number);
  return arith::AndIOp::create(b, frame.loc, owner.mask, isOwn);
}

LogicalResult emitUpdates(KernelFrame &frame, ScatterOp op, const Box &box) {
  OpBuilder &b = frame.builder;
  Value updates = emitLoad(frame, op.getUpdates(), box, {});
  auto rank = unsigned(op.getTarget().getNumResults());
  FailureOr<Targets> targets =
      targetsIn(frame, op, box, op.getResult(),
                llvm::to_vector(llvm::seq<unsigned>(0, rank)));
  if (failed(targets))
    return failure();
  if (op.getKind() == "mul") {
    multiply(frame, updates, *targets);
    return success();
  }
  if (op.getKind() != "set") {
    tile::AtomicRmwOp::create(
        b, frame.loc, updates.getType(),
        *tile::symbolizeAtomicKind(op.getKind()), tile::MemoryOrder::relaxed,
        tile::MemoryScope::device, updates, targets->pointers, targets->mask);
    return success();
  }
  if (op.getOwners()) {
    FailureOr<Targets> owner =
        targetsIn(frame, op, box, op.getOwners(), op.getOwnedDims());
    FailureOr<Value> number = numberOf(frame, op, box);
    if (failed(owner) || failed(number))
      return failure();
    targets->mask = arith::AndIOp::create(b, frame.loc, targets->mask,
                                          isOwner(frame, *number, *owner));
  }
  tile::StorePtrOp::create(b, frame.loc, updates, targets->pointers,
                           targets->mask);
  return success();
}

//===--- Owners -----------------------------------------------------------===//

LogicalResult emitOwners(KernelFrame &frame, ScatterOp op, const Box &box,
                         bool clears) {
  OpBuilder &b = frame.builder;
  FailureOr<Targets> owner =
      targetsIn(frame, op, box, op.getOwners(), op.getOwnedDims());
  FailureOr<Value> number = numberOf(frame, op, box);
  if (failed(owner) || failed(number))
    return failure();
  if (!clears) {
    tile::AtomicRmwOp::create(b, frame.loc, number->getType(),
                              tile::AtomicKind::max, tile::MemoryOrder::relaxed,
                              tile::MemoryScope::device, *number,
                              owner->pointers, owner->mask);
    return success();
  }
  // Several programs may store this.
  auto type = cast<RankedTensorType>(number->getType());
  Value none = splat(frame, b.getIntegerAttr(type.getElementType(), -1),
                     type.getShape());
  tile::StorePtrOp::create(
      b, frame.loc, none, owner->pointers, owner->mask,
      tile::MemoryOrder::relaxed,
      tile::MemoryScopeAttr::get(b.getContext(), tile::MemoryScope::device));
  return success();
}

} // namespace tilewright::graph
