//===- TopKEmitter.cpp - Selections along rows ----------------------------===//
//
// A list is a tile for each of its n elements, n the power of two that holds k:
// at each point of these tiles, n keys in ascending order. A key orders as its
// element does in the result, so the least n of a row are wanted. A program
// reads a row in pieces of n tiles of neighbours, sorts the keys at each point,
// merges that list with the one before, and reduces the lists of all points at
// the end. Two lists are merged by the lower half of a bitonic network (K. E.
// Batcher, "Sorting networks and their applications", 1968).
//
//===----------------------------------------------------------------------===//
#include "graph/lowering/TopKEmitter.h"

#include "graph/analysis/Access.h"
#include "graph/lowering/KernelFrame.h"
#include "graph/lowering/MemoryEmitter.h"
#include "graph/lowering/OperandEmitter.h"
#include "graph/lowering/TileBuilders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewright::graph {

using List = SmallVector<Value>;

//===--- Lists ------------------------------------------------------------===//

/// Of two keys, tiles or scalars, the lesser one first.
static std::pair<Value, Value> inOrder(OpBuilder &b, Location loc, Value x,
                                       Value y) {
  Value isLess = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, x, y);
  return {arith::SelectOp::create(b, loc, isLess, x, y),
          arith::SelectOp::create(b, loc, isLess, y, x)};
}

/// Orders each pair of elements whose positions differ in `mask`.
static void meet(OpBuilder &b, Location loc, List &list, size_t mask) {
  for (size_t i = 0; i < list.size(); ++i)
    if (size_t j = i ^ mask; i < j)
      std::tie(list[i], list[j]) = inOrder(b, loc, list[i], list[j]);
}

static void sort(OpBuilder &b, Location loc, List &list) {
  for (size_t run = 2; run <= list.size(); run *= 2) {
    meet(b, loc, list, run - 1);
    for (size_t mask = run / 4; mask > 0; mask /= 2)
      meet(b, loc, list, mask);
  }
}

/// The least elements of two sorted lists, sorted.
static List merge(OpBuilder &b, Location loc, ValueRange x, ValueRange y) {
  List list;
  for (size_t i = 0; i < x.size(); ++i)
    list.push_back(arith::MinSIOp::create(b, loc, x[i], y[y.size() - 1 - i]));
  for (size_t mask = list.size() / 2; mask > 0; mask /= 2)
    meet(b, loc, list, mask);
  return list;
}

//===--- Keys -------------------------------------------------------------===//

namespace {
/// What the keys of a selection are made of.
struct Keys {
  KernelFrame &frame;
  TopKOp op;
  /// Whether a key has its element's position, in its low half.
  bool hasPositions;

  Keys(KernelFrame &frame, TopKOp op, bool hasPositions)
      : frame(frame), op(op), hasPositions(hasPositions) {}

  Type element() {
    return cast<RankedTensorType>(op.getSource().getType()).getElementType();
  }
  /// The bits of a number that orders as elements do, and of a position.
  unsigned elementBits() {
    auto type = cast<RankedTensorType>(op.getSource().getType());
    const int64_t size = type.getDimSize(op.getAxis());
    const bool isShort = !ShapedType::isDynamic(size) && size <= 1 << 16;
    return std::max(isShort || !hasPositions ? 16U : 32U,
                    element().getIntOrFloatBitWidth());
  }
  unsigned bits() { return hasPositions ? 2 * elementBits() : 32U; }
  /// The integers from a tile's elements, and back.
  Value numbersOf(Value elements);
  Value elementsOf(Value keys);
  /// Keys of elements at `positions`, an index tile.
  Value of(Value elements, Value positions);
  Value positionsOf(Value keys);
  Value constant(Value like, int64_t value) {
    auto type = cast<RankedTensorType>(like.getType());
    return splat(frame,
                 frame.builder.getIntegerAttr(type.getElementType(), value),
                 type.getShape());
  }
  Value resized(Value integers, unsigned width);

private:
  /// Swaps the order of negative floats, which have it by magnitude.
  Value flipped(Value integers);
};
} // namespace

Value Keys::resized(Value integers, unsigned width) {
  auto type = cast<RankedTensorType>(integers.getType());
  const unsigned from = type.getElementTypeBitWidth();
  if (from == width)
    return integers;
  Type wanted = type.clone(frame.builder.getIntegerType(width));
  if (from < width)
    return arith::ExtSIOp::create(frame.builder, frame.loc, wanted, integers);
  return arith::TruncIOp::create(frame.builder, frame.loc, wanted, integers);
}

Value Keys::flipped(Value integers) {
  OpBuilder &b = frame.builder;
  auto type = cast<RankedTensorType>(integers.getType());
  const unsigned width = type.getElementTypeBitWidth();
  Value sign = arith::ShRSIOp::create(b, frame.loc, integers,
                                      constant(integers, width - 1));
  Value magnitude = arith::AndIOp::create(
      b, frame.loc, sign,
      constant(integers, int64_t((uint64_t(1) << (width - 1)) - 1)));
  return arith::XOrIOp::create(b, frame.loc, integers, magnitude);
}

Value Keys::numbersOf(Value elements) {
  OpBuilder &b = frame.builder;
  auto type = cast<RankedTensorType>(elements.getType());
  if (!isa<FloatType>(element()))
    return resized(elements, elementBits());
  Value isNaN = arith::CmpFOp::create(b, frame.loc, arith::CmpFPredicate::UNO,
                                      elements, elements);
  const unsigned width = element().getIntOrFloatBitWidth();
  Type integer = b.getIntegerType(width);
  Value bits =
      arith::BitcastOp::create(b, frame.loc, type.clone(integer), elements);
  if (hasPositions) {
    // Both zeros are equal.
    Value isZero = arith::CmpFOp::create(
        b, frame.loc, arith::CmpFPredicate::OEQ, elements,
        splat(frame, b.getFloatAttr(element(), 0.0), type.getShape()));
    bits =
        arith::SelectOp::create(b, frame.loc, isZero, constant(bits, 0), bits);
  }
  const auto greatest = int64_t((uint64_t(1) << (width - 1)) - 1);
  Value numbers = arith::SelectOp::create(
      b, frame.loc, isNaN, constant(bits, greatest), flipped(bits));
  return resized(numbers, elementBits());
}

Value Keys::of(Value elements, Value positions) {
  OpBuilder &b = frame.builder;
  Value numbers = numbersOf(elements);
  // The least key is the first of the result.
  if (!op.getSmallest())
    numbers =
        arith::XOrIOp::create(b, frame.loc, numbers, constant(numbers, -1));
  numbers = resized(numbers, bits());
  if (!hasPositions)
    return numbers;
  Value high = arith::ShLIOp::create(b, frame.loc, numbers,
                                     constant(numbers, elementBits()));
  Value low =
      arith::IndexCastOp::create(b, frame.loc, numbers.getType(), positions);
  return arith::OrIOp::create(b, frame.loc, high, low);
}

Value Keys::elementsOf(Value keys) {
  OpBuilder &b = frame.builder;
  Value numbers = keys;
  if (!op.getSmallest())
    numbers =
        arith::XOrIOp::create(b, frame.loc, numbers, constant(numbers, -1));
  auto type = cast<RankedTensorType>(keys.getType());
  const unsigned width = element().getIntOrFloatBitWidth();
  if (!isa<FloatType>(element()))
    return resized(numbers, width);
  return arith::BitcastOp::create(b, frame.loc, type.clone(element()),
                                  flipped(resized(numbers, width)));
}

Value Keys::positionsOf(Value keys) {
  OpBuilder &b = frame.builder;
  return arith::AndIOp::create(
      b, frame.loc, keys,
      constant(keys, int64_t((uint64_t(1) << elementBits()) - 1)));
}

//===--- Pieces of rows ---------------------------------------------------===//

/// The tiles of a list.
static int64_t listLength(TopKOp op) {
  auto type = cast<RankedTensorType>(op.getValues().getType());
  return int64_t(llvm::bit_ceil(uint64_t(type.getDimSize(op.getAxis()))));
}

/// What a tile of a piece has of a row: at most what a warp reads at once.
static int64_t widthOf(TopKOp op, const TileLimits &limits) {
  constexpr int64_t widest = 128;
  auto type = cast<RankedTensorType>(op.getSource().getType());
  const int64_t size = type.getDimSize(op.getAxis());
  if (ShapedType::isDynamic(size))
    return widest;
  const int64_t part = llvm::divideCeil(size, listLength(op));
  return std::min(
      widest, limits.isShared ? int64_t(llvm::bit_ceil(uint64_t(part))) : part);
}

SmallVector<int64_t> topKTile(TopKOp op, const TileLimits &limits) {
  auto type = cast<RankedTensorType>(op.getValues().getType());
  const int64_t axis = int64_t(op.getAxis());
  SmallVector<int64_t> tile(type.getRank(), 1);
  tile[axis] = listLength(op);
  int64_t budget = limits.elementwiseElements / 4 / widthOf(op, limits);
  for (int64_t dim = type.getRank() - 1; dim >= 0 && budget > 1; --dim) {
    if (dim == axis)
      continue;
    const int64_t size = type.getDimSize(dim);
    tile[dim] = ShapedType::isDynamic(size) ? budget : std::min(size, budget);
    if (limits.isShared)
      tile[dim] = int64_t(llvm::bit_floor(uint64_t(tile[dim])));
    budget = tile[dim] == size ? budget / tile[dim] : 1;
  }
  return tile;
}

namespace {
/// Reads the rows of a program.
class Rows {
public:
  Rows(Keys keys, const Box &results, int64_t width)
      : keys(keys), frame(keys.frame), axis(unsigned(this->keys.op.getAxis())),
        length(listLength(this->keys.op)), width(width), points(results) {
    points.size[axis] = width;
  }
  /// The sorted lists of all that the rows have.
  FailureOr<List> lists();

private:
  List piece(const Offset &first, std::optional<int64_t> rest, Value end);

  Keys keys;
  KernelFrame &frame;
  unsigned axis;
  int64_t length, width;
  Box points;
};
} // namespace

/// The list of the `length * width` elements from `first` on. Those from `end`
/// on are the last of all; `rest`: how many there are until then, if known.
List Rows::piece(const Offset &first, std::optional<int64_t> rest, Value end) {
  OpBuilder &b = frame.builder;
  List list;
  for (int64_t i = 0; i < length; ++i) {
    Box tile = points;
    tile.offset[axis] =
        addOffsets(frame, first, constantOffset(frame, i * width));
    Value elements = emitLoad(frame, keys.op.getSource(), tile, {});
    Value positions = indexTile(frame, tile, axis);
    Value key = keys.of(elements, positions);
    if (!rest || *rest < (i + 1) * width) {
      Value isInside = arith::CmpIOp::create(
          b, frame.loc, arith::CmpIPredicate::slt, positions,
          broadcastScalar(frame, end, tile.size));
      const auto last = int64_t((uint64_t(1) << (keys.bits() - 1)) - 1);
      key = arith::SelectOp::create(b, frame.loc, isInside, key,
                                    keys.constant(key, last));
    }
    list.push_back(key);
  }
  sort(b, frame.loc, list);
  return list;
}

FailureOr<List> Rows::lists() {
  OpBuilder &b = frame.builder;
  const int64_t step = length * width;
  FailureOr<SymbolicShape> extents = frame.shapes.shapeOf(keys.op.getSource());
  FailureOr<Value> end = failed(extents) ? FailureOr<Value>(failure())
                                         : frame.sizeValue((*extents)[axis]);
  if (failed(end))
    return failure();
  auto known = dyn_cast<AffineConstantExpr>((*extents)[axis]);
  const Offset first = constantOffset(frame, 0);
  List list = piece(
      first, known ? std::optional(known.getValue()) : std::nullopt, *end);
  if (known && known.getValue() <= step)
    return list;
  const std::optional<int64_t> whole = known && known.getValue() % step == 0
                                           ? std::optional(step)
                                           : std::nullopt;
  auto loop = scf::ForOp::create(
      b, frame.loc, frame.index(step), *end, frame.index(step), list,
      [&](OpBuilder &, Location, Value at, ValueRange before) {
        OpBuilder::InsertionGuard guard(frame.builder);
        frame.scopes.emplace_back();
        List next =
            piece(steppedOffset(at, (*extents)[axis], step), whole, *end);
        scf::YieldOp::create(frame.builder, frame.loc,
                             merge(frame.builder, frame.loc, before, next));
        frame.scopes.pop_back();
      });
  return List(loop.getResults());
}

//===--- Results ----------------------------------------------------------===//

/// The lists of all points along `axis` as one tile, with the list along it.
static Value reduceLists(KernelFrame &frame, List lists, int64_t axis,
                         ArrayRef<int64_t> shape) {
  OpBuilder &b = frame.builder;
  auto reduced = tile::ReduceOp::create(
      b, frame.loc, lists, axis,
      [](OpBuilder &inner, Location loc, ValueRange sides) {
        const size_t half = sides.size() / 2;
        return merge(inner, loc, sides.take_front(half),
                     sides.drop_front(half));
      });
  if (reduced.getNumResults() == 1)
    return reshape(frame, reduced.getResult(0), shape);
  Value joined = tile::JoinOp::create(b, frame.loc, reduced.getResults());
  // The list is last: bring it to its dimension.
  SmallVector<int64_t> permutation;
  for (int64_t dim = 0; dim < int64_t(shape.size()); ++dim)
    permutation.push_back(dim == axis  ? int64_t(shape.size()) - 1
                          : dim < axis ? dim
                                       : dim - 1);
  return reshape(frame, transpose(frame, joined, permutation), shape);
}

LogicalResult emitTopK(KernelFrame &frame, TopKOp op, const Box &box,
                       const TileLimits &limits) {
  OpBuilder &b = frame.builder;
  SmallVector<Value> results = frame.group.results();
  Keys keys(frame, op, llvm::is_contained(results, op.getIndices()));
  FailureOr<List> lists = Rows(keys, box, widthOf(op, limits)).lists();
  if (failed(lists))
    return failure();
  Value best = reduceLists(frame, *lists, int64_t(op.getAxis()), box.size);
  // What the list has beyond k is beyond the results.
  if (!keys.hasPositions) {
    emitStore(frame, keys.elementsOf(best), op.getValues(), box);
    return success();
  }
  Value positions = keys.positionsOf(best);
  emitStore(frame, keys.resized(positions, 64), op.getIndices(), box);
  if (!llvm::is_contained(results, op.getValues()))
    return success();
  SmallVector<Value> subscripts;
  for (unsigned dim = 0; dim < box.rank(); ++dim)
    subscripts.push_back(indexTile(frame, box, dim));
  subscripts[op.getAxis()] = arith::IndexCastUIOp::create(
      b, frame.loc, RankedTensorType::get(box.size, b.getIndexType()),
      positions);
  FailureOr<Value> values = gather(frame, op.getSource(), subscripts, box.size);
  if (failed(values))
    return failure();
  emitStore(frame, *values, op.getValues(), box);
  return success();
}

} // namespace tilewright::graph
