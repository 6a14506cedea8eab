//===- ExplainLayouts.cpp - The chosen layouts and their prices -----------===//
#include "codegen/layout/Text.h"
#include "codegen/tilegpu/Describe.h"
#include "codegen/transforms/Instructions.h"
#include "codegen/transforms/LayoutAssignment.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tilewright::tilegpu {

using layout::Price;

static std::string textOf(const Price &price) {
  std::string text = std::to_string(price.total());
  std::string parts;
  for (auto [count, name] : {std::pair(price.slots, "issue slots"),
                             {price.wavefronts, "wavefronts"},
                             {price.sectors, "sectors"},
                             {price.requests, "requests"},
                             {price.barriers, "barriers"}})
    if (count && count != price.total())
      parts +=
          llvm::formatv("{0}{1} {2}", parts.empty() ? "" : ", ", count, name);
  return parts.empty() ? text : text + " (" + parts + ")";
}

namespace {
/// The explanation of one kernel.
class Explainer {
public:
  Explainer(LayoutClasses &classes, LayoutPrices &prices,
            LayoutAssignment &assignment)
      : classes(classes), prices(prices), assignment(assignment),
        problem(assignment.problem()) {}

  std::string text();

private:
  using Id = LayoutTable::Id;
  std::string nameOf(Id layout);
  std::string ofClass(unsigned index);
  std::string runnerUp(unsigned index);
  std::string conversions(unsigned index);

  LayoutClasses &classes;
  LayoutPrices &prices;
  LayoutAssignment &assignment;
  Pbqp problem;
  int64_t least = 0;
  /// In the order in which they are named.
  SmallVector<Id> named;
};
} // namespace

/// "L0", ..: the layouts themselves are listed at the end.
std::string Explainer::nameOf(Id layout) {
  auto *found = llvm::find(named, layout);
  if (found == named.end()) {
    named.push_back(layout);
    found = std::prev(named.end());
  }
  return "L" + std::to_string(found - named.begin());
}

/// The best other candidate, and what it would add, with what follows from it.
std::string Explainer::runnerUp(unsigned index) {
  const LayoutClass &made = classes.classes()[index];
  const unsigned count = unsigned(made.candidates.size());
  if (count == 1)
    return made.isFixed ? "its op demands it" : "the only candidate";
  constexpr int64_t forbidden = int64_t(1) << 40;
  Pbqp others = problem;
  std::vector<int64_t> pairs(size_t(count) * count, 0);
  const unsigned taken = assignment.candidateOf(index);
  pairs[taken * count + taken] = forbidden;
  others.addEdge(index, index, pairs);
  const Pbqp::Solution second = others.solve();
  return llvm::formatv("{0} would add {1}",
                       nameOf(made.produced[second.chosen[index]]),
                       second.cost - least);
}

/// Those of the class's inputs that are left.
std::string Explainer::conversions(unsigned index) {
  std::string text;
  const LayoutClass &made = classes.classes()[index];
  const unsigned candidate = assignment.candidateOf(index);
  for (OpOperand *input : made.inputs) {
    std::optional<unsigned> producer = classes.classOf(input->get());
    if (!producer)
      continue;
    const Id held = assignment.layoutOf(*producer);
    const Price price = prices.ofInput(*input, held, index, candidate);
    std::optional<Id> wanted = classes.demanded(index, candidate, *input);
    if (price == Price())
      continue;
    if (isMatrixOperand(*input)) {
      const bool isLhs = input->getOperandNumber() == 0;
      text += llvm::formatv(
          "            {0} {1} from {2} as {3} of {4}: {5}\n",
          isLhs ? "loads" : "stores",
          tilegpu::describe(cast<RankedTensorType>(input->get().getType())),
          nameOf(held), isLhs ? "lhs" : "rhs",
          nameOf(made.candidates[candidate]), textOf(price));
      continue;
    }
    text += llvm::formatv(
        "            {0} {1} from {2} to {3}: {4}{5}\n",
        wanted && prices.isMadeAgain(input->get(), held, *wanted)
            ? "makes again"
            : "converts",
        tilegpu::describe(cast<RankedTensorType>(input->get().getType())),
        nameOf(held), nameOf(wanted.value_or(made.candidates[candidate])),
        textOf(price),
        hoistedBefore(input->get(), input->getOwner()) ? ", before the loop"
                                                       : "");
  }
  return text;
}

std::string Explainer::ofClass(unsigned index) {
  const LayoutClass &made = classes.classes()[index];
  Value tile = made.tiles.empty() ? made.inputs.front()->get() : made.tiles[0];
  Operation *op = made.op ? made.op : tile.getDefiningOp();
  if (!op)
    op = tile.getParentBlock()->getParentOp();
  const Price price = prices.ofCandidate(index, assignment.candidateOf(index));
  return llvm::formatv(
             "  {0,-8}  {1,-18}  {2,-16}  {3,-4} {4}; {5}\n",
             tilegpu::describe(op->getLoc()), op->getName().getStringRef(),
             tilegpu::describe(cast<RankedTensorType>(tile.getType())),
             nameOf(assignment.layoutOf(index)), textOf(price), runnerUp(index))
             .str() +
         conversions(index);
}

std::string Explainer::text() {
  std::vector<unsigned> chosen;
  const unsigned count = unsigned(classes.classes().size());
  for (unsigned index = 0; index < count; ++index)
    chosen.push_back(assignment.candidateOf(index));
  least = problem.costOf(chosen);
  std::string text = llvm::formatv(
      "price {0} a block, {1}\n", least,
      assignment.isExact() ? "the least with these candidates"
                           : "of a search that did not try all cases");
  for (unsigned index = 0; index < count; ++index)
    text += ofClass(index);
  for (auto [i, id] : llvm::enumerate(named))
    text += llvm::formatv("  L{0} = {1}\n", i, layout::print(classes[id]));
  return text;
}

std::string LayoutAssignment::explain() {
  return Explainer(classes, prices, *this).text();
}

} // namespace tilewright::tilegpu
