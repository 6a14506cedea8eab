//===- Recomputation.cpp - What it costs to compute a value again ---------===//
#include "graph/analysis/Recomputation.h"

#include "graph/analysis/Access.h"
#include "graph/analysis/Group.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilewright::graph {

static int64_t priceOf(Operation &op) {
  if (isa<tensor::ExtractOp>(op))
    return loadPrice;
  // Constants, indices and the terminator.
  if (op.getNumOperands() == 0 || op.hasTrait<OpTrait::IsTerminator>())
    return 0;
  constexpr int64_t division = 4, function = 16;
  if (isa<math::MathDialect>(op.getDialect()))
    return isa<math::AbsFOp, math::AbsIOp, math::FmaOp>(op) ? 1 : function;
  return isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp,
             arith::CeilDivSIOp, arith::CeilDivUIOp, arith::RemSIOp,
             arith::RemUIOp, arith::RemFOp>(op)
             ? division
             : 1;
}

int64_t bodyPrice(linalg::GenericOp op) {
  int64_t price = 0;
  for (Operation &inner : *op.getBody())
    price += priceOf(inner);
  return price;
}

static int64_t bytesOfTensor(Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || !type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return std::numeric_limits<int64_t>::max();
  return llvm::SaturatingMultiply<uint64_t>(type.getNumElements(),
                                            type.getElementTypeBitWidth()) /
         8;
}

bool decompresses(linalg::GenericOp op) {
  if (!op || op->getNumResults() != 1)
    return false;
  const int64_t written = bytesOfTensor(op->getResult(0));
  int64_t read = 0, price = 0;
  llvm::SetVector<Operation *> pending;
  pending.insert(op);
  for (size_t next = 0; next < pending.size(); ++next) {
    auto each = dyn_cast<linalg::GenericOp>(pending[next]);
    if (!each || !isElementwise(each) || each->getNumResults() != 1)
      return false;
    price += bodyPrice(each);
    for (OpOperand *input : each.getDpsInputOperands()) {
      Operation *source = input->get().getDefiningOp();
      if (each.getMatchingBlockArgument(input).use_empty())
        continue;
      if (!matchPattern(input->get(), m_Constant())) {
        if (!source || !pending.insert(source))
          return false;
        continue;
      }
      if (bytesOfTensor(input->get()) >= written - read)
        return false;
      read += bytesOfTensor(input->get());
    }
    if (price > loadPrice)
      return false;
  }
  return read > 0;
}

/// That of a store, and of its part of a launch where the tensor is small.
static double storePrice(RankedTensorType type) {
  constexpr int64_t launch = 2048, mostForLaunch = 64;
  if (!type.hasStaticShape() || type.getNumElements() == 0)
    return loadPrice;
  return double(loadPrice) +
         double(std::min(launch / type.getNumElements(), mostForLaunch));
}

bool isCheaperAgain(double times, int64_t price, RankedTensorType type,
                    bool isStored) {
  const double store = isStored ? 0 : storePrice(type);
  return times * double(price) <=
         double(price) + store + times * double(loadPrice);
}

double shareOf(ArrayRef<int64_t> read, RankedTensorType type) {
  if (!type.hasStaticShape() || type.getNumElements() == 0 ||
      llvm::any_of(read, ShapedType::isDynamic))
    return 1;
  double share = 1 / double(type.getNumElements());
  for (int64_t size : read)
    share *= double(size);
  return std::min(share, 1.0);
}

GroupTiles::GroupTiles(const Group &group) : group(&group) {
  Tile all;
  for (unsigned dim = 0; dim < group.sizes().size(); ++dim)
    all.push_back(getAffineDimExpr(dim, group.last->getContext()));
  tiles[group.last] = {all};
}

AffineExpr GroupTiles::symbolOf(OpFoldResult number) {
  MLIRContext *context = group->last->getContext();
  if (std::optional<int64_t> constant = getConstantIntValue(number))
    return getAffineConstantExpr(*constant, context);
  const unsigned next = symbols.size() + 1;
  return getAffineSymbolExpr(
      symbols.try_emplace(cast<Value>(number), next).first->second, context);
}

/// What a generic reads for a tile of its result.
GroupTiles::Tile GroupTiles::readBy(linalg::GenericOp reader, OpOperand &use,
                                    const Tile &tile) {
  // A loop of a reduction is one over rows.
  SmallVector<AffineExpr> loops(reader.getNumLoops(),
                                getAffineSymbolExpr(0, reader.getContext()));
  AffineMap out = reader.getIndexingMapsArray().back();
  for (auto [subscript, read] : llvm::zip(out.getResults(), tile))
    if (auto loop = dyn_cast<AffineDimExpr>(subscript))
      loops[loop.getPosition()] = read;
  Tile own;
  for (AffineExpr subscript : reader.getMatchingIndexingMap(&use).getResults())
    own.push_back(subscript.replaceDims(loops));
  return own;
}

GroupTiles::Tile GroupTiles::readBy(tensor::PadOp reader, const Tile &tile) {
  Tile own;
  for (auto [subscript, low] : llvm::zip(tile, reader.getMixedLowPad()))
    own.push_back(subscript - symbolOf(low));
  return own;
}

GroupTiles::Tile GroupTiles::readBy(tensor::ExtractSliceOp reader,
                                    const Tile &tile) {
  const llvm::SmallBitVector dropped = reader.getDroppedDims();
  Tile own;
  unsigned next = 0;
  for (auto [dim, offset] : llvm::enumerate(reader.getMixedOffsets())) {
    own.push_back(symbolOf(offset));
    if (!dropped.test(dim))
      own.back() =
          own.back() + tile[next++] * symbolOf(reader.getMixedStrides()[dim]);
  }
  return own;
}

/// With one form for each sum, and one symbol for all loops over whole rows.
GroupTiles::Tile GroupTiles::normalized(Tile tile) const {
  const unsigned rank = group->sizes().size();
  SmallVector<AffineExpr> loops;
  for (unsigned loop = 0; loop < rank; ++loop)
    loops.push_back(group->wholeLoops.test(loop)
                        ? getAffineSymbolExpr(0, group->last->getContext())
                        : getAffineDimExpr(loop, group->last->getContext()));
  for (AffineExpr &subscript : tile)
    subscript = simplifyAffineExpr(subscript.replaceDims(loops), rank,
                                   symbols.size() + 1);
  return tile;
}

SmallVector<GroupTiles::Tile, 2> GroupTiles::wanted(Operation *op) {
  SmallVector<Tile, 2> all;
  for (OpOperand &use : op->getUses()) {
    auto known = tiles.find(use.getOwner());
    if (known == tiles.end() || !readsContent(use))
      continue;
    for (const Tile &tile : known->second) {
      Tile read = tile;
      if (auto generic = dyn_cast<linalg::GenericOp>(use.getOwner()))
        read = readBy(generic, use, tile);
      else if (auto pad = dyn_cast<tensor::PadOp>(use.getOwner()))
        read = readBy(pad, tile);
      else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(use.getOwner()))
        read = readBy(slice, tile);
      else if (auto concat = dyn_cast<tensor::ConcatOp>(use.getOwner()))
        // Where the input begins.
        read[concat.getDim()] = read[concat.getDim()] - symbolOf(use.get());
      read = normalized(std::move(read));
      if (!llvm::is_contained(all, read))
        all.push_back(std::move(read));
    }
  }
  return all;
}

double GroupTiles::shareOf(const Tile &tile, RankedTensorType type) const {
  double share = 1;
  for (auto [subscript, size] : llvm::zip(tile, type.getShape())) {
    if (ShapedType::isDynamic(size) || size == 0 ||
        subscript.isFunctionOfSymbol(0))
      continue;
    double read = 1;
    for (auto [loop, range] : llvm::enumerate(group->sizes()))
      if (subscript.isFunctionOfDim(unsigned(loop)))
        read =
            ShapedType::isDynamic(range) ? double(size) : read * double(range);
    share *= std::min(read / double(size), 1.0);
  }
  return share;
}

void GroupTiles::join(Operation *op) { tiles[op] = wanted(op); }

} // namespace tilewright::graph
