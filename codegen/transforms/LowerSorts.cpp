//===- LowerSorts.cpp - Sorting networks ----------------------------------===//
//
// The network is bitonic, in the form where all comparisons have one direction
// (K. E. Batcher, "Sorting networks and their applications", 1968; mirrored
// first steps): runs of 2^k elements are merged from two sorted halves by
//   step 0:  i meets i xor (2^k - 1)
//   step t:  i meets i xor 2^(k - 1 - t),  0 < t < k
// and of each pair the smaller one moves to the lower position. Elements beyond
// the tile would be greater than all and stay where they are: an element
// without a partner is not moved, so any length will do.
//
//===----------------------------------------------------------------------===//
#include "codegen/tilegpu/Fiber.h"
#include "codegen/transforms/BuildTiles.h"
#include "codegen/transforms/Passes.h"
#include "codegen/transforms/SharedTiles.h"
#include "codegen/transforms/SortKeys.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewright::tilegpu {

#define GEN_PASS_DEF_LOWERSORTS
#include "codegen/transforms/Passes.h.inc"

namespace {
struct LowerSorts : impl::LowerSortsBase<LowerSorts> {
  void runOnOperation() override;
};

/// Sorts fibers of keys along one dimension. All tiles have one layout, that of
/// the network.
class Network {
public:
  Network(OpBuilder &builder, Location loc, RankedTensorType positions,
          int64_t axis)
      : b(builder), loc(loc), positions(positions), axis(axis),
        fiber(*tilegpu::fiberAlong(tilegpu::layoutOf(positions), axis)),
        coordinate(
            tilegpu::CoordinateOp::create(builder, loc, positions, axis)) {}

  /// The keys in ascending order.
  SmallVector<Value> sorted(ValueRange keys);

private:
  int64_t length() const { return positions.getDimSize(axis); }
  SmallVector<Value> unrolled(ValueRange keys);
  SmallVector<Value> looped(ValueRange keys);
  SmallVector<Value> step(ValueRange keys, int64_t mask);
  SmallVector<Value> fromShared(ValueRange keys, Value partner);
  SmallVector<Value> meet(ValueRange own, ValueRange other, Value partner);

  OpBuilder &b;
  Location loc;
  RankedTensorType positions; // Of i32.
  int64_t axis;
  tilegpu::Fiber fiber;
  Value coordinate;
};
} // namespace

//===--- The network ------------------------------------------------------===//

/// The elements at `partner` along the axis, by shared memory.
SmallVector<Value> Network::fromShared(ValueRange keys, Value partner) {
  SmallVector<Value> memories, others;
  for (Value key : keys)
    memories.push_back(storedDense(b, loc, key));
  for (auto [key, memory] : llvm::zip(keys, memories))
    others.push_back(tilegpu::GatherSharedOp::create(b, loc, key.getType(),
                                                     memory, partner, axis));
  return others;
}

/// Of `own` and `other`, from `partner`, the one that belongs here.
SmallVector<Value> Network::meet(ValueRange own, ValueRange other,
                                 Value partner) {
  auto compare = [&](arith::CmpIPredicate how, Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, loc, how, x, y);
  };
  SmallVector<Value> others(other);
  if (!layout::isPowerOfTwo(length())) {
    Value inTile = compare(arith::CmpIPredicate::ult, partner,
                           splatOf(b, loc, positions, length()));
    for (auto [mine, theirs] : llvm::zip(own, others))
      theirs = arith::SelectOp::create(b, loc, inTile, theirs, mine);
  }
  // No two elements are equal, but for one that meets itself at the edge: there
  // it is the lower one, and stays.
  Value isLower = compare(arith::CmpIPredicate::ult, coordinate, partner);
  Value takesOther = compare(arith::CmpIPredicate::eq, isLower,
                             keyIsLess(b, loc, others, own));
  SmallVector<Value> chosen;
  for (auto [mine, theirs] : llvm::zip(own, others))
    chosen.push_back(arith::SelectOp::create(b, loc, takesOther, theirs, mine));
  return chosen;
}

SmallVector<Value> Network::step(ValueRange keys, int64_t mask) {
  Value partner = arith::XOrIOp::create(b, loc, coordinate,
                                        splatOf(b, loc, positions, mask));
  if (mask >= fiber.perWarp())
    return meet(keys, fromShared(keys, partner), partner);
  SmallVector<Value> others;
  for (Value key : keys)
    others.push_back(tilegpu::ExchangeOp::create(b, loc, key, axis, mask));
  return meet(keys, others, partner);
}

SmallVector<Value> Network::unrolled(ValueRange keys) {
  SmallVector<Value> run(keys);
  for (unsigned k = 1; k <= layout::log2Ceil(length()); ++k) {
    run = step(run, (int64_t(1) << k) - 1);
    for (unsigned bit = k - 1; bit-- > 0;)
      run = step(run, int64_t(1) << bit);
  }
  return run;
}

/// The same as two loops: each step goes through shared memory.
SmallVector<Value> Network::looped(ValueRange keys) {
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  };
  Value one = number(1);
  auto steps = [&](Value k, ValueRange run) {
    auto body = [&](OpBuilder &, Location, Value t, ValueRange carried) {
      Value isFirst =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, t, number(0));
      // 2^k - 1, or 2^(k - 1 - t).
      Value exponent = arith::SelectOp::create(
          b, loc, isFirst, k,
          arith::SubIOp::create(b, loc, arith::SubIOp::create(b, loc, k, one),
                                t));
      Value mask = arith::ShLIOp::create(b, loc, one, exponent);
      mask = arith::SelectOp::create(
          b, loc, isFirst, arith::SubIOp::create(b, loc, mask, one), mask);
      Value partner = arith::XOrIOp::create(
          b, loc, coordinate, tile::SplatOp::create(b, loc, positions, mask));
      scf::YieldOp::create(
          b, loc, meet(carried, fromShared(carried, partner), partner));
    };
    return scf::ForOp::create(b, loc, number(0), k, one, run, body);
  };
  auto runs = scf::ForOp::create(
      b, loc, one, number(layout::log2Ceil(length()) + 1), one, keys,
      [&](OpBuilder &, Location, Value k, ValueRange run) {
        scf::YieldOp::create(b, loc, steps(k, run).getResults());
      });
  return SmallVector<Value>(runs.getResults());
}

SmallVector<Value> Network::sorted(ValueRange keys) {
  // Exchanges of one thread, beyond which straight code grows too long.
  constexpr int64_t longest = 2048;
  int64_t bits = layout::log2Ceil(length());
  int64_t registers =
      tilegpu::layoutOf(positions).items() * int64_t(keys.size());
  return bits * (bits + 1) / 2 * registers <= longest ? unrolled(keys)
                                                      : looped(keys);
}

//===--- The ops ----------------------------------------------------------===//

static Value convert(OpBuilder &builder, Location loc, Value tile,
                     const layout::Layout &layout) {
  auto type =
      tilegpu::withLayout(cast<RankedTensorType>(tile.getType()), layout);
  return tilegpu::ConvertLayoutOp::create(builder, loc, type, tile);
}

/// The positions of the elements of `keys` in sorted order, in the network's
/// layout.
static Value sortedIndices(OpBuilder &builder, Location loc, Value keys,
                           int64_t axis, KeyOrder order) {
  auto type = cast<RankedTensorType>(keys.getType());
  layout::Layout layout = tilegpu::layoutOf(type);
  auto indicesType = [&] {
    return tilegpu::withLayout(type.clone(builder.getI32Type()), layout);
  };
  Value positions =
      tilegpu::CoordinateOp::create(builder, loc, indicesType(), axis);
  SmallVector<Value> numbers =
      uniqueKeys(builder, loc, keys, positions, type.getDimSize(axis), order);
  if (!tilegpu::fiberAlong(layout, axis).ok()) {
    layout = tilegpu::fiberLayout(tilegpu::toDims(type.getShape()), axis,
                                  layout.size(layout::HardwareDim::warp));
    for (Value &number : numbers)
      number = convert(builder, loc, number, layout);
  }
  Network network(builder, loc, indicesType(), axis);
  return locationOf(builder, loc, network.sorted(numbers));
}

static void lowerSort(tile::SortOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value keys = op.getInputs()[0];
  Value positions = sortedIndices(builder, loc, keys, op.getAxis(),
                                  {op.getDescending(), op.getIsUnsigned()});
  positions =
      convert(builder, loc, positions, tilegpu::layoutOf(keys.getType()));
  for (auto [input, result] : llvm::zip(op.getInputs(), op.getResults()))
    result.replaceAllUsesWith(
        tile::GatherOp::create(builder, loc, input, positions, op.getAxis()));
  op.erase();
}

/// The first of all positions.
static void lowerTopK(tile::TopKOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value positions = sortedIndices(builder, loc, op.getSource(), op.getAxis(),
                                  {!op.getSmallest(), op.getIsUnsigned()});
  auto values = cast<RankedTensorType>(op.getValues().getType());
  auto indices = cast<RankedTensorType>(op.getIndices().getType());
  RankedTensorType type = values.clone(builder.getI32Type());
  SmallVector<int64_t> zeros(size_t(values.getRank()), 0);
  Value first = tile::SliceOp::create(builder, loc, type, positions, zeros,
                                      ArrayRef<int64_t>());
  op.getValues().replaceAllUsesWith(tile::GatherOp::create(
      builder, loc, op.getSource(), first, op.getAxis()));
  op.getIndices().replaceAllUsesWith(
      resizedUnsigned(builder, loc, first, indices));
  op.erase();
}

void LowerSorts::runOnOperation() {
  SmallVector<tile::SortOp> sorts;
  SmallVector<tile::TopKOp> selections;
  getOperation().walk([&](tile::SortOp op) { sorts.push_back(op); });
  getOperation().walk([&](tile::TopKOp op) { selections.push_back(op); });
  for (tile::SortOp op : sorts)
    lowerSort(op);
  for (tile::TopKOp op : selections)
    lowerTopK(op);
}

} // namespace tilewright::tilegpu
