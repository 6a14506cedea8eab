//===- LayoutAssignment.cpp - The cheapest layouts of a kernel ------------===//
#include "codegen/transforms/LayoutAssignment.h"

#include "llvm/ADT/IntEqClasses.h"

#include <unordered_map>

using namespace mlir;

namespace tilewright::tilegpu {

/// Of each candidate alone.
std::vector<int64_t> LayoutAssignment::costsOf(unsigned index) {
  std::vector<int64_t> costs;
  const size_t count = classes.classes()[index].candidates.size();
  for (unsigned i = 0; i < count; ++i)
    costs.push_back(prices.ofCandidate(index, i).total());
  return costs;
}

/// Classes between which there may be conversions.
std::vector<std::vector<unsigned>> LayoutAssignment::components() {
  const unsigned count = unsigned(classes.classes().size());
  llvm::IntEqClasses joined(count);
  for (unsigned index = 0; index < count; ++index)
    for (OpOperand *input : classes.classes()[index].inputs)
      if (std::optional<unsigned> producer = classes.classOf(input->get()))
        joined.join(index, *producer);
  std::map<unsigned, std::vector<unsigned>> byLeader;
  for (unsigned index = 0; index < count; ++index)
    byLeader[joined.findLeader(index)].push_back(index);
  std::vector<std::vector<unsigned>> result;
  for (auto &[leader, members] : byLeader)
    result.push_back(std::move(members));
  return result;
}

/// Whether an input needs no conversion, as things are chosen.
bool LayoutAssignment::meet(unsigned index, OpOperand &input) {
  std::optional<unsigned> producer = classes.classOf(input.get());
  if (!producer)
    return true;
  const Id held = layoutOf(*producer);
  std::optional<Id> demanded = classes.demanded(index, chosen[index], input);
  if (demanded)
    return held == *demanded;
  return prices.ofInput(input, held, index, chosen[index]) == layout::Price();
}

void LayoutAssignment::addEdges(Pbqp &pbqp, unsigned index,
                                llvm::function_ref<unsigned(unsigned)> nodeOf) {
  const LayoutClass &consumer = classes.classes()[index];
  for (OpOperand *input : consumer.inputs) {
    std::optional<unsigned> producer = classes.classOf(input->get());
    if (!producer)
      continue;
    std::vector<int64_t> costs;
    for (Id held : classes.classes()[*producer].produced)
      for (unsigned i = 0; i < consumer.candidates.size(); ++i)
        costs.push_back(prices.ofInput(*input, held, index, i).total());
    pbqp.addEdge(nodeOf(*producer), nodeOf(index), costs);
  }
}

/// First each class takes what is cheapest for itself. Without a choice there
/// is nothing to price.
void LayoutAssignment::solve(ArrayRef<unsigned> component) {
  if (llvm::all_of(component, [&](unsigned index) {
        return classes.classes()[index].candidates.size() == 1;
      }))
    return;
  Pbqp pbqp;
  std::unordered_map<unsigned, unsigned> nodes;
  for (unsigned index : component) {
    std::vector<int64_t> costs = costsOf(index);
    chosen[index] = unsigned(llvm::min_element(costs) - costs.begin());
    nodes[index] = pbqp.addNode(std::move(costs));
  }
  if (llvm::all_of(component, [&](unsigned index) {
        return llvm::all_of(
            classes.classes()[index].inputs,
            [&](OpOperand *input) { return meet(index, *input); });
      }))
    return;
  for (unsigned index : component)
    addEdges(pbqp, index, [&](unsigned other) { return nodes.at(other); });
  Pbqp::Solution solution = pbqp.solve();
  for (unsigned index : component)
    chosen[index] = solution.chosen[nodes.at(index)];
  exact &= solution.isExact;
}

LayoutAssignment::LayoutAssignment(LayoutClasses &classes, LayoutPrices &prices)
    : classes(classes), prices(prices), chosen(classes.classes().size(), 0) {
  for (const std::vector<unsigned> &component : components())
    solve(component);
}

Pbqp LayoutAssignment::problem() {
  Pbqp pbqp;
  const unsigned count = unsigned(classes.classes().size());
  for (unsigned index = 0; index < count; ++index)
    pbqp.addNode(costsOf(index));
  for (unsigned index = 0; index < count; ++index)
    addEdges(pbqp, index, [](unsigned other) { return other; });
  return pbqp;
}

} // namespace tilewright::tilegpu
