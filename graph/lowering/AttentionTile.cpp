//===- AttentionTile.cpp - The tile of an attention -----------------------===//
#include "graph/lowering/AttentionTile.h"

#include "graph/analysis/Access.h"
#include "graph/lowering/MatrixOperands.h"

using namespace mlir;

namespace tilewright::graph {

/// The rows of a matrix instruction.
static constexpr int64_t fewestRows = 16;

namespace {
/// The bytes of shared memory, while keys are walked, of each query, key, value
/// and score.
struct HeadBytes {
  int64_t query, key, value, score = 0;

  explicit HeadBytes(const AttentionMatch &attention);
  bool fits(int64_t queries, int64_t keys, ArrayRef<MatrixUnit> units) const;
};
} // namespace

/// Of the keys, and of the values.
static std::pair<int64_t, int64_t> headsOf(const AttentionMatch &attention) {
  linalg::GenericOp scores = attention.scores, product = attention.product;
  return {scores.getStaticLoopRanges()[plainReductionLoops(scores).back()],
          product.getStaticLoopRanges()[ownLoops(product, 1).front()]};
}

/// Whether the scores are changed by the elements of another tensor, which
/// differ from query to query.
static bool readsMask(const AttentionMatch &attention) {
  const unsigned queries =
      cast<RankedTensorType>(attention.masked.getType()).getRank() - 2;
  return llvm::any_of(attention.ops, [&](Operation *op) {
    if (!isElementwise(op))
      return false;
    auto generic = cast<linalg::GenericOp>(op);
    return llvm::any_of(generic.getDpsInputOperands(), [&](OpOperand *input) {
      return generic.getMatchingIndexingMap(input).isFunctionOfDim(queries) &&
             !attention.ops.contains(input->get().getDefiningOp());
    });
  });
}

HeadBytes::HeadBytes(const AttentionMatch &attention) {
  auto bytes = [](linalg::GenericOp product, unsigned operand) -> int64_t {
    Type type = product.getDpsInputs()[operand].getType();
    return getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8;
  };
  const auto [keys, values] = headsOf(attention);
  // Fragments of narrower heads stay in registers.
  constexpr int64_t narrow = 256;
  query = keys * bytes(attention.scores, 0);
  if (query <= narrow)
    query = 0;
  key = keys * bytes(attention.scores, 1);
  value = values * bytes(attention.product, 1);
  // A mask gets the layout of the scores there, after it was widened.
  constexpr int64_t widened = 4;
  if (readsMask(attention))
    score = widened;
}

/// Whether shared memory holds the queries, a mask, and two blocks of keys and
/// values: one is multiplied while the next one comes.
bool HeadBytes::fits(int64_t queries, int64_t keys,
                     ArrayRef<MatrixUnit> units) const {
  // Each block is charged this much. (CUDA C++ Programming Guide, "Compute
  // Capabilities")
  constexpr int64_t reserved = 1024;
  const int64_t bytes =
      queries * (query + keys * score) + 2 * keys * (key + value);
  return llvm::all_of(units, [&](const MatrixUnit &unit) {
    return unit.sharedBytes == 0 || bytes <= unit.sharedBytes - reserved;
  });
}

void chooseAttentionTile(const AttentionMatch &attention,
                         ArrayRef<int64_t> sizes, unsigned rows,
                         unsigned columns, ArrayRef<MatrixUnit> units,
                         MutableArrayRef<int64_t> tile) {
  constexpr int64_t narrowHead = 128;
  int64_t queries = 64;
  tile[columns] = llvm::alignTo(sizes[columns], 8);
  const HeadBytes bytes(attention);
  while (queries > fewestRows && !bytes.fits(queries, fewestRows, units))
    queries /= 2;
  tile[rows] = queries;
  if (ShapedType::isDynamic(sizes[rows]))
    return;
  const int64_t all = llvm::alignTo(sizes[rows], fewestRows);
  int64_t programs = llvm::divideCeil(sizes[rows], queries);
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (dim != rows && dim != columns && !ShapedType::isDynamic(size))
      programs *= size;
  const auto [keys, values] = headsOf(attention);
  const bool isWide = std::max(keys, values) > narrowHead;
  if (!isWide && !units.empty() && multipliesHalves(attention.product) &&
      llvm::all_of(units, [&](const MatrixUnit &unit) {
        return programs > unit.multiprocessors;
      }))
    queries *= 2;
  tile[rows] = std::min(queries, all);
}

void chooseAttentionSteps(const AttentionMatch &attention, int64_t queries,
                          ArrayRef<MatrixUnit> units, TileSizes &sizes) {
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
  const auto [ofKeys, ofValues] = headsOf(attention);
  int64_t &block = sizes.steps[attention.product][keys];
  // Two blocks of each, and a mask, are in shared memory.
  const int64_t most =
      std::max(ofKeys, ofValues) > wideHead ? mostKeys / 2 : mostKeys;
  block = ShapedType::isDynamic(block)
              ? most / 2
              : std::min(most, int64_t(llvm::alignTo(block, fewestRows)));
  const HeadBytes bytes(attention);
  while (block > fewestRows && !bytes.fits(queries, block, units))
    block = llvm::alignTo(block / 2, fewestRows);
}

} // namespace tilewright::graph
