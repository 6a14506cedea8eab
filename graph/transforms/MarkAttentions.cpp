#include "graph/analysis/Access.h"
#include "graph/analysis/AttentionMatch.h"
#include "graph/analysis/Blocks.h"
#include "graph/analysis/SymbolicShapes.h"
#include "graph/analysis/Targets.h"
#include "graph/ir/Graph.h"
#include "graph/transforms/Function.h"
#include "graph/transforms/Passes.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_MARKATTENTIONS
#include "graph/transforms/Passes.h.inc"

/// A program holds the results of its queries in registers, and blocks of keys
/// and values in shared memory: with wider heads, those of f32 being larger,
/// registers spill or blocks are so small that three kernels are faster.
static constexpr int64_t widestHead = 256, widestHeadOfF32 = 192,
                         headMultiple = 8;
/// The rows of a matrix instruction.
static constexpr int64_t fewestQueries = 16;

/// So many scores leave the caches of a CPU: with fewer, three kernels are
/// faster there (bench/results/attention-2026-11-28.md).
static constexpr int64_t manyScores = int64_t(1) << 21;

/// Why one kernel is slower than three on `target`, which has no matrix units;
/// empty where it is not.
static std::string whySlower(linalg::GenericOp scores, StringRef target) {
  std::optional<int64_t> count = 1;
  for (auto [size, kind] : llvm::zip(scores.getStaticLoopRanges(),
                                     scores.getIteratorTypesArray())) {
    if (kind == utils::IteratorType::reduction)
      continue;
    if (ShapedType::isDynamic(size))
      return ("three kernels may be faster on " + target +
              ", the number of scores is known only at run time")
          .str();
    if (count)
      count = llvm::checkedMul(*count, size);
  }
  if (!count || *count >= manyScores)
    return "";
  return ("three kernels are faster on " + target + " for fewer than " +
          Twine(manyScores) + " scores, it has " + Twine(*count))
      .str();
}

/// Why a program does not hold heads of this size; empty where it does.
static std::string refuseHead(StringRef of, int64_t size, bool isF32) {
  const int64_t widest = isF32 ? widestHeadOfF32 : widestHead;
  const std::string expected = "expected a multiple of " +
                               std::to_string(headMultiple) + " up to " +
                               std::to_string(widest);
  if (ShapedType::isDynamic(size))
    return ("the head size of its " + of + " is known only at run time, " +
            expected)
        .str();
  if (size > widest || size % headMultiple != 0)
    return ("its " + of + " have heads of " + Twine(size) + ", " + expected)
        .str();
  return "";
}

/// Why no kernel walks the keys of this attention; empty where one does.
static std::string refusal(const AttentionMatch &match) {
  linalg::GenericOp product = match.product, scores = match.scores;
  const SmallVector<unsigned> rows = ownLoops(product, 0),
                              columns = ownLoops(product, 1);
  // Heads that share keys and values are rows, too.
  if (rows.empty() || columns.size() != 1 || rows.back() > columns[0])
    return "its results are not [.., queries, head]";
  const SmallVector<int64_t> ranges = product.getStaticLoopRanges();
  auto elementOf = [](linalg::GenericOp op) {
    return getElementTypeOrSelf(op.getDpsInputs()[1].getType());
  };
  for (std::string reason :
       {refuseHead("values", ranges[columns[0]], elementOf(product).isF32()),
        refuseHead("keys", scores.getStaticLoopRanges().back(),
                   elementOf(scores).isF32())})
    if (!reason.empty())
      return reason;
  const int64_t queries = ranges[rows.back()];
  if (!ShapedType::isDynamic(queries) && queries < fewestQueries)
    return "it has fewer than " + std::to_string(fewestQueries) + " queries";
  auto isServed = [](Value tensor) {
    Type element = getElementTypeOrSelf(tensor.getType());
    return element.isF16() || element.isBF16() || element.isF32();
  };
  for (linalg::GenericOp op : {product, scores})
    if (!llvm::all_of(op.getDpsInputs(), isServed))
      return "its products are of another type than f16, bf16 and f32";
  return "";
}

/// The dimension of `wide` whose elements dimensions d and d + 1 of `split`
/// are, all others being those of `split`; nothing for other reshapes.
static std::optional<unsigned> mergedDim(SymbolicShapes &shapes, Value split,
                                         Value wide) {
  FailureOr<SymbolicShape> from = shapes.shapeOf(split),
                           to = shapes.shapeOf(wide);
  if (failed(from) || failed(to) || from->size() != to->size() + 1)
    return std::nullopt;
  unsigned dim = 0;
  while (dim < to->size() && (*from)[dim] == (*to)[dim])
    ++dim;
  if (dim == to->size() || (*from)[dim] * (*from)[dim + 1] != (*to)[dim] ||
      !std::equal(from->begin() + dim + 2, from->end(), to->begin() + dim + 1))
    return std::nullopt;
  return dim;
}

/// Lets the product read the keys or values that heads share where they are,
/// instead of copies that repeat them: along head floordiv (heads of each).
static void readShared(linalg::GenericOp product, SymbolicShapes &shapes) {
  OpOperand *input = product.getDpsInputOperand(1);
  AffineMap map = product.getMatchingIndexingMap(input);
  Value value = input->get();
  bool isRepeated = false;
  while (Operation *op = value.getDefiningOp()) {
    if (isPureCopy(op) && cast<linalg::GenericOp>(op)
                              .getIndexingMapsArray()
                              .back()
                              .isIdentity()) {
      auto copy = cast<linalg::GenericOp>(op);
      map = copy.getIndexingMapsArray().front().compose(map);
      value = copy.getDpsInputs()[0];
      continue;
    }
    auto reshape = dyn_cast<tensor::ReshapeOp>(op);
    std::optional<unsigned> dim =
        reshape ? mergedDim(shapes, reshape.getSource(), value) : std::nullopt;
    if (!dim)
      break;
    const int64_t times = cast<RankedTensorType>(reshape.getSource().getType())
                              .getDimSize(*dim + 1);
    if (ShapedType::isDynamic(times))
      break;
    SmallVector<AffineExpr> subscripts(map.getResults());
    AffineExpr merged = subscripts[*dim];
    subscripts[*dim] = merged.floorDiv(times);
    subscripts.insert(subscripts.begin() + *dim + 1, merged % times);
    map = AffineMap::get(map.getNumDims(), 0, subscripts, map.getContext());
    value = reshape.getSource();
    isRepeated = true;
  }
  // A copy has repeated what the remainder told apart.
  const bool isShared = llvm::all_of(map.getResults(), [](AffineExpr each) {
    return each.getKind() != AffineExprKind::Mod;
  });
  if (!isRepeated || !isShared)
    return;
  SmallVector<AffineMap> maps = product.getIndexingMapsArray();
  maps[1] = map;
  product.setIndexingMapsAttr(
      Builder(product.getContext()).getAffineMapArrayAttr(maps));
  input->set(value);
}

namespace {
struct MarkAttentions : impl::MarkAttentionsBase<MarkAttentions> {
  using MarkAttentionsBase::MarkAttentionsBase;

  void runOnOperation() override {
    FailureOr<func::FuncOp> func = graphFunction(getOperation());
    if (failed(func))
      return signalPassFailure();
    std::optional<SymbolicShapes> shapes;
    const std::string target = always ? "" : targetWithoutUnits(getOperation());
    for (auto product : graphOps<linalg::GenericOp>(*func)) {
      std::string reason;
      std::optional<AttentionMatch> match = matchAttention(product, reason);
      // One kernel is on one side of a branch, and in one loop or in none.
      if (match && !llvm::all_of(match->ops, [&](Operation *op) {
            return op->getBlock() == product->getBlock();
          }))
        continue;
      if (match)
        reason = refusal(*match);
      else if (reason.empty())
        continue;
      if (match && reason.empty() && !target.empty())
        reason = whySlower(match->scores, target);
      if (reason.empty()) {
        product->setAttr(kAttentionAttr, UnitAttr::get(&getContext()));
        if (!shapes)
          shapes.emplace(*func);
        readShared(match->scores, *shapes);
        readShared(product, *shapes);
        ++attentionCount;
      } else if (explain) {
        product->setAttr(kNoAttentionAttr,
                         StringAttr::get(&getContext(), reason));
      }
    }
  }
};
} // namespace

} // namespace tilewright::graph
