//===- ObservedEnds.cpp - What of a tile is stored ------------------------===//
#include "codegen/cpu/ObservedEnds.h"

#include "codegen/cpu/Arithmetic.h"
#include "codegen/cpu/CpuOp.h"
#include "codegen/cpu/Views.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewright::cpu {

namespace {
/// Follows a dimension of a tile to the stores that its elements reach.
class Followed {
public:
  Followed(Value tile, Emission &e) : first(tile.getDefiningOp()), e(e) {}
  /// False where an element may be told from others by anything but a store.
  bool follow(Value tile, unsigned dim);
  Value end();

private:
  bool followUse(OpOperand &use, unsigned dim);
  bool followStore(tile::StoreOp store, unsigned dim);
  bool isKnown(Value scalar) const;

  /// What computes the tile; null for an argument of a block.
  Operation *first;
  Emission &e;
  llvm::DenseSet<std::pair<Value, unsigned>> seen;
  SmallVector<std::pair<tile::StoreOp, unsigned>> stores;
};
} // namespace

static int64_t sizeOf(Value tile, unsigned dim) {
  return cast<RankedTensorType>(tile.getType()).getDimSize(dim);
}

/// The dimension of a transposed or reshaped tile that is dimension `dim` of
/// its source, beside dimensions of one element.
static std::optional<unsigned> rearranged(Operation *op, unsigned dim) {
  std::optional<SmallVector<DimGroup>> groups = dimGroupsOfSource(op);
  if (!groups)
    return std::nullopt;
  for (auto [result, group] : llvm::enumerate(*groups))
    if (llvm::is_contained(group, int(dim)) &&
        sizeOf(op->getResult(0), result) == sizeOf(op->getOperand(0), dim))
      return unsigned(result);
  return std::nullopt;
}

/// Whether the scalar is computed before the tile, in its block or around.
bool Followed::isKnown(Value scalar) const {
  if (!first)
    return false;
  Operation *beside = scalar.getParentBlock()->findAncestorOpInBlock(*first);
  Operation *op = scalar.getDefiningOp();
  return beside && (!op || op->isBeforeInBlock(beside));
}

bool Followed::followStore(tile::StoreOp store, unsigned dim) {
  ViewTile tile =
      viewTileOf(store, cast<RankedTensorType>(store.getValue().getType()));
  if (!isKnown(tile.view) || !isKnown(tile.offsets[dim]) ||
      isInside(tile, dim, e))
    return false;
  stores.emplace_back(store, dim);
  return true;
}

bool Followed::followUse(OpOperand &use, unsigned dim) {
  Operation *op = use.getOwner();
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return store.getValue() == use.get() && followStore(store, dim);
  if (auto yield = dyn_cast<scf::YieldOp>(op)) {
    const unsigned number = use.getOperandNumber();
    Operation *parent = op->getParentOp();
    auto loop = dyn_cast<scf::ForOp>(parent);
    return (loop || isa<scf::IfOp>(parent)) &&
           (!loop || follow(loop.getRegionIterArg(number), dim)) &&
           follow(parent->getResult(number), dim);
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    OpResult result = loop.getTiedLoopResult(&use);
    return result && follow(result, dim) &&
           follow(loop.getTiedLoopRegionIterArg(&use), dim);
  }
  if (op->getNumResults() != 1)
    return false;
  Value result = op->getResult(0);
  if (rearrangesTile(op)) {
    std::optional<unsigned> to = rearranged(op, dim);
    return to && follow(result, *to);
  }
  if (const CpuOp *known = lookupOp(op); known && known->resultDim) {
    std::optional<unsigned> to = known->resultDim(use, dim);
    return to && follow(result, *to);
  }
  // An op that may fail must not get other numbers.
  return isElementwise(op) && isPure(op) && follow(result, dim);
}

bool Followed::follow(Value tile, unsigned dim) {
  return !seen.insert({tile, dim}).second ||
         llvm::all_of(tile.getUses(),
                      [&](OpOperand &use) { return followUse(use, dim); });
}

/// Of the store that takes the most; null if there is none.
Value Followed::end() {
  ImplicitLocOpBuilder &b = e.b;
  Value most;
  for (auto [store, dim] : stores) {
    Value end = endInside(
        viewTileOf(store, cast<RankedTensorType>(store.getValue().getType())),
        dim, e);
    most = most ? arith::MaxUIOp::create(b, most, end).getResult() : end;
  }
  return most;
}

Values observedEnds(Value tile, Emission &e) {
  const auto rank = unsigned(cast<RankedTensorType>(tile.getType()).getRank());
  Values ends(rank);
  for (unsigned dim = 0; dim < rank; ++dim) {
    Followed followed(tile, e);
    if (sizeOf(tile, dim) > 1 && followed.follow(tile, dim))
      ends[dim] = followed.end();
  }
  return ends;
}

} // namespace tilewright::cpu
