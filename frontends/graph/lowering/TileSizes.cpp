//===- TileSizes.cpp - The tile of one program of a group -----------------===//
#include "frontends/graph/lowering/TileSizes.h"

#include "frontends/graph/fusion/Access.h"

using namespace mlir;

namespace tilewright::graph {

/// A tile of at most `limit` along a dimension of `size`: all of it where it
/// fits, else the one that leaves the least unused at the end.
static int64_t fitTile(int64_t size, int64_t limit, int64_t dynamicTile) {
  if (ShapedType::isDynamic(size))
    return std::min(limit, dynamicTile);
  if (size <= limit)
    return std::max<int64_t>(1, size);
  int64_t best = limit, bestCover = llvm::alignTo(size, limit);
  for (int64_t tile = limit - 1; tile >= std::max<int64_t>(1, limit / 2);
       --tile) {
    int64_t cover = llvm::alignTo(size, tile);
    // Whole vectors are worth a little waste.
    if (cover < bestCover && (tile % 16 == 0 || cover == size)) {
      best = tile;
      bestCover = cover;
    }
  }
  return best;
}

/// Gives sizes from the innermost dimension outwards until `budget` elements
/// are reached; goes on to the next dimension only when one is covered whole.
static void fillInnermost(MutableArrayRef<int64_t> tile,
                          ArrayRef<int64_t> sizes, ArrayRef<unsigned> dims,
                          int64_t budget, int64_t dynamicTile) {
  for (unsigned dim : llvm::reverse(dims)) {
    tile[dim] = fitTile(sizes[dim], std::max<int64_t>(1, budget), dynamicTile);
    budget /= tile[dim];
    if (tile[dim] != sizes[dim] || budget <= 1)
      return;
  }
}

namespace {
/// Whether a parallel loop of a contraction indexes its left side, its right
/// side or both.
struct ContractionLoops {
  SmallVector<unsigned> lhsOnly, rhsOnly, both; // result dims of the group
};
} // namespace

static bool usesLoop(AffineMap map, unsigned loop) {
  return llvm::any_of(map.getResults(), [&](AffineExpr subscript) {
    return subscript.isFunctionOfDim(loop);
  });
}

static ContractionLoops classify(const Group &group) {
  auto root = cast<linalg::GenericOp>(group.root);
  AffineMap lhs = root.getIndexingMapsArray()[0];
  AffineMap rhs = root.getIndexingMapsArray()[1];
  AffineMap out = root.getIndexingMapsArray()[2];
  ContractionLoops loops;
  auto alignment = group.alignment.find(root);
  for (auto [dim, subscript] : llvm::enumerate(out.getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(subscript);
    int target = alignment == group.alignment.end() ? static_cast<int>(dim)
                                                    : alignment->second[dim];
    if (!loop || target < 0)
      continue;
    bool inLhs = usesLoop(lhs, loop.getPosition());
    bool inRhs = usesLoop(rhs, loop.getPosition());
    (inLhs && inRhs ? loops.both
     : inLhs        ? loops.lhsOnly
                    : loops.rhsOnly)
        .push_back(target);
  }
  for (auto *list : {&loops.lhsOnly, &loops.rhsOnly, &loops.both})
    llvm::sort(*list);
  return loops;
}

static void chooseContraction(const Group &group, const TileLimits &limits,
                              ArrayRef<int64_t> sizes,
                              MutableArrayRef<int64_t> tile) {
  ContractionLoops loops = classify(group);
  bool rhsIsInner =
      loops.lhsOnly.empty() ||
      (!loops.rhsOnly.empty() && loops.rhsOnly.back() > loops.lhsOnly.back());
  ArrayRef<unsigned> columns = rhsIsInner ? loops.rhsOnly : loops.lhsOnly;
  ArrayRef<unsigned> rows = rhsIsInner ? loops.lhsOnly : loops.rhsOnly;
  fillInnermost(tile, sizes, columns, limits.contractionColumns,
                limits.dynamicTile);
  fillInnermost(tile, sizes, rows, limits.contractionRows,
                limits.dynamicTile / 2);
  if (rows.empty())
    fillInnermost(tile, sizes, loops.both, 8, 8);
}

static void chooseSteps(linalg::GenericOp op, const TileLimits &limits,
                        TileSizes &result) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SmallVector<int64_t> &steps = result.steps[op];
  steps.assign(sizes.size(), 1);
  // An accumulation that cannot be split runs element by element.
  if (!matchAccumulation(op))
    return;
  llvm::SmallBitVector windows = windowLoops(op);
  SmallVector<unsigned> loops;
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction && !windows.test(loop))
      loops.push_back(loop);
  int64_t budget = limits.contractionDepth;
  if (!isContraction(op)) {
    int64_t held = 1;
    for (int64_t size : result.tile)
      held *= size;
    budget = std::max<int64_t>(1, limits.reductionElements / held);
  }
  fillInnermost(steps, sizes, loops, budget, limits.dynamicTile);
}

TileSizes chooseTileSizes(const Group &group, const TileLimits &limits) {
  ArrayRef<int64_t> sizes =
      cast<RankedTensorType>(group.result().getType()).getShape();
  TileSizes result;
  result.tile.assign(sizes.size(), 1);
  auto all = llvm::to_vector(llvm::seq<unsigned>(0, sizes.size()));
  if (group.root && isContraction(group.root)) {
    chooseContraction(group, limits, sizes, result.tile);
  } else if (group.wholeLoops.any()) {
    int64_t held = 1;
    for (unsigned loop : group.wholeLoops.set_bits())
      held *= result.tile[loop] = sizes[loop];
    SmallVector<unsigned> rest;
    for (unsigned loop : all)
      if (!group.wholeLoops.test(loop))
        rest.push_back(loop);
    fillInnermost(result.tile, sizes, rest,
                  std::max<int64_t>(1, limits.elementwiseElements / held),
                  limits.dynamicTile / 8);
  } else {
    int64_t budget = limits.elementwiseElements / (group.root ? 16 : 1);
    fillInnermost(result.tile, sizes, all, budget, limits.dynamicTile * 4);
  }
  for (Operation *op : group.ops) {
    if (!isReduction(op))
      continue;
    chooseSteps(cast<linalg::GenericOp>(op), limits, result);
    auto generic = cast<linalg::GenericOp>(op);
    if (op == group.root || !matchAccumulation(generic))
      continue;
    // A reduction along whole rows reads each row in one step.
    for (auto [loop, size] : llvm::enumerate(generic.getStaticLoopRanges()))
      if (generic.getIteratorTypesArray()[loop] ==
          utils::IteratorType::reduction)
        result.steps[op][loop] = size;
  }
  return result;
}

} // namespace tilewright::graph
