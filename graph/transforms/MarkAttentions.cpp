#include "graph/analysis/Access.h"
#include "graph/analysis/AttentionMatch.h"
#include "graph/ir/Graph.h"
#include "graph/transforms/Function.h"
#include "graph/transforms/Passes.h"

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_MARKATTENTIONS
#include "graph/transforms/Passes.h.inc"

/// A program holds the results of its queries: those of wider heads would not
/// fit into its registers.
static constexpr int64_t widestHead = 128, headMultiple = 8;
/// The rows of a matrix instruction.
static constexpr int64_t fewestQueries = 16;

/// Whether a kernel for this target may walk keys: on a CPU the three kernels
/// of the plan without it are faster.
static bool hasMatrixUnits(tile::TargetAttr target) {
  DictionaryAttr facts = target.getFacts();
  auto products =
      facts ? facts.getAs<IntegerAttr>("matrix_products") : IntegerAttr();
  return products && products.getInt() > 0;
}

/// The first target whose kernels cannot; empty where all can.
static std::string slowTarget(ModuleOp module) {
  auto targets = module->getAttrOfType<ArrayAttr>(kTargetsAttr);
  if (!targets || targets.empty())
    return "no target";
  for (auto target : targets.getAsRange<tile::TargetAttr>())
    if (!hasMatrixUnits(target))
      return target.getName().str();
  return "";
}

/// Why a program cannot hold heads of this size; empty where it can.
static std::string refuseHead(StringRef of, int64_t size) {
  const std::string expected = "expected a multiple of " +
                               std::to_string(headMultiple) + " up to " +
                               std::to_string(widestHead);
  if (ShapedType::isDynamic(size))
    return ("the head size of its " + of + " is known only at run time, " +
            expected)
        .str();
  if (size > widestHead || size % headMultiple != 0)
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
  for (std::string reason :
       {refuseHead("values", ranges[columns[0]]),
        refuseHead("keys", scores.getStaticLoopRanges().back())})
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

namespace {
struct MarkAttentions : impl::MarkAttentionsBase<MarkAttentions> {
  using MarkAttentionsBase::MarkAttentionsBase;

  void runOnOperation() override {
    FailureOr<func::FuncOp> func = graphFunction(getOperation());
    if (failed(func))
      return signalPassFailure();
    const std::string slow = slowTarget(getOperation());
    if (!slow.empty() && !explain)
      return;
    for (auto product : func->getOps<linalg::GenericOp>()) {
      std::string reason;
      if (std::optional<AttentionMatch> match = matchAttention(product, reason))
        reason = slow.empty() ? refusal(*match)
                              : "three kernels are faster on a target of the "
                                "package, " +
                                    slow;
      else if (reason.empty())
        continue;
      if (reason.empty()) {
        product->setAttr(kAttentionAttr, UnitAttr::get(&getContext()));
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
