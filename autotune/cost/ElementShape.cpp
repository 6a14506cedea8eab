//===- ElementShape.cpp - In which loops elements are computed ------------===//
#include "autotune/cost/ElementShape.h"

#include "autotune/cost/Work.h"
#include "codegen/cpu/SourceDims.h"

using namespace mlir;

namespace tilewright::autotune {

bool passesElementsOn(Operation *op) {
  return OpTrait::hasElementwiseMappableTraits(op) || cpu::rearrangesTile(op) ||
         isa<tile::BroadcastOp>(op);
}

/// Whether a tile's elements along `dim` are copies of one.
static bool isSameAlong(Value tile, unsigned dim) {
  auto type = dyn_cast<RankedTensorType>(tile.getType());
  if (!type || type.getDimSize(dim) == 1)
    return true;
  Operation *op = tile.getDefiningOp();
  if (!op || op->getNumRegions() > 0)
    return false;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  if (isa<tile::SplatOp>(op))
    return true;
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op))
    return isSameAlong(broadcast.getSource(), dim);
  return opClassOf(op) != OpClass::none &&
         op->hasTrait<OpTrait::Elementwise>() &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isSameAlong(operand, dim); });
}

/// The dimensions of a tile in the order of the op that requests its elements,
/// after ops that only rearrange it; -1 for an added one of size 1.
static SmallVector<int> dimsAtReader(Value tile) {
  auto rank = cast<RankedTensorType>(tile.getType()).getRank();
  auto dims = llvm::to_vector(llvm::seq<int>(0, int(rank)));
  while (tile.hasOneUse()) {
    Operation *user = *tile.user_begin();
    if (cpu::rearrangesTile(user)) {
      std::optional<SmallVector<int>> next = cpu::dimsOfSource(user);
      if (!next)
        return dims;
      for (int &dim : *next)
        dim = dim < 0 ? -1 : dims[size_t(dim)];
      dims = std::move(*next);
    } else if (!OpTrait::hasElementwiseMappableTraits(user)) {
      return dims;
    }
    tile = user->getResult(0);
  }
  return dims;
}

std::vector<int64_t> computedShape(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  SmallVector<int> dims = dimsAtReader(tile);
  std::vector<int64_t> shape;
  for (int dim : dims)
    shape.push_back(dim < 0 ? 1 : type.getDimSize(unsigned(dim)));
  for (size_t i = shape.size(); i-- > 0;) {
    if (dims[i] >= 0 && !isSameAlong(tile, unsigned(dims[i])))
      break;
    shape[i] = 1;
  }
  return shape;
}

} // namespace tilewright::autotune
