//===- AttentionTile.cpp - The tile of an attention -----------------------===//
#include "graph/lowering/AttentionTile.h"

#include "graph/analysis/Access.h"

using namespace mlir;

namespace tilewright::graph {

void chooseAttentionTile(ArrayRef<int64_t> sizes, unsigned rows,
                         unsigned columns, ArrayRef<MatrixUnit> units,
                         MutableArrayRef<int64_t> tile) {
  constexpr int64_t queries = 64;
  tile[columns] = llvm::alignTo(sizes[columns], 8);
  tile[rows] = queries;
  if (ShapedType::isDynamic(sizes[rows]))
    return;
  tile[rows] = std::min<int64_t>(queries, llvm::alignTo(sizes[rows], 16));
  int64_t programs = llvm::divideCeil(sizes[rows], queries);
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (dim != rows && dim != columns && !ShapedType::isDynamic(size))
      programs *= size;
  if (!units.empty() && llvm::all_of(units, [&](const MatrixUnit &unit) {
        return programs > unit.multiprocessors;
      }))
    tile[rows] = std::min<int64_t>(2 * queries, llvm::alignTo(sizes[rows], 16));
}

void chooseAttentionSteps(const AttentionMatch &attention, TileSizes &sizes) {
  constexpr int64_t mostKeys = 128, wideHead = 64;
  for (linalg::GenericOp op : {attention.product, attention.scores,
                               attention.maximum, attention.total}) {
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    SmallVector<int64_t> &steps = sizes.steps[op];
    steps.assign(ranges.size(), 1);
    for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
      if (kind == utils::IteratorType::reduction)
        steps[loop] = ranges[loop];
  }
  const auto keys = unsigned(plainReductionLoops(attention.product).back());
  linalg::GenericOp scores = attention.scores, product = attention.product;
  // Of keys or values: two blocks of each, and a mask, are in shared memory.
  const int64_t head =
      std::max(scores.getStaticLoopRanges()[plainReductionLoops(scores).back()],
               product.getStaticLoopRanges()[ownLoops(product, 1).front()]);
  int64_t &block = sizes.steps[attention.product][keys];
  const int64_t most = head > wideHead ? mostKeys / 2 : mostKeys;
  block = ShapedType::isDynamic(block)
              ? most / 2
              : std::min<int64_t>(most, llvm::alignTo(block, 16));
}

} // namespace tilewright::graph
