// Operators that hold graphs.
#include "frontends/torch/GraphImporter.h"
#include "graph/build/KnownTensor.h"
#include "graph/build/Logic.h"
#include "graph/build/Movement.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace tilewright::torch {
namespace {

using SlotPtr = std::shared_ptr<Slot>;

/// The graph among the arguments, at this position.
FailureOr<std::shared_ptr<const Graph>> graphAt(Call &c, size_t i) {
  const Argument *argument =
      i < c.node.inputs.size() ? &c.node.inputs[i].value : nullptr;
  const auto *graph =
      argument ? std::get_if<std::shared_ptr<const Graph>>(&argument->value)
               : nullptr;
  if (!graph)
    return c.fail("expected a graph as argument " + llvm::Twine(i));
  return *graph;
}

/// The tensors among the arguments from here on, lists of them too. Numbers are
/// null: each graph says what its own are.
FailureOr<SmallVector<SlotPtr>> slotsFrom(Call &c, size_t first) {
  SmallVector<SlotPtr> result;
  for (size_t i = first; i < c.node.inputs.size(); ++i) {
    const Argument &argument = c.node.inputs[i].value;
    Argument::List one = {argument};
    const auto *list = std::get_if<Argument::List>(&argument.value);
    for (const Argument &each : list ? *list : one) {
      if (!std::holds_alternative<TensorName>(each.value)) {
        result.push_back(nullptr);
        continue;
      }
      TRY(SlotPtr slot, c.importer.slot(each));
      result.push_back(slot);
    }
  }
  return result;
}

/// A graph in a context that means nothing here.
template <size_t position> LogicalResult importWrapped(Call &c) {
  TRY(auto graph, graphAt(c, position));
  TRY(auto arguments, slotsFrom(c, position + 1));
  TRY(auto results, c.importer.inlineGraph(*graph, arguments));
  return c.setSlots(results);
}

/// The arguments are a device, a type, whether it is enabled, whether weights
/// are cached, and the graph.
LogicalResult importAutocast(Call &c) {
  if (c.node.inputs.size() < 5)
    return c.fail("expected a graph as argument 4");
  const auto *device = std::get_if<std::string>(&c.node.inputs[0].value.value);
  const auto *enabled = std::get_if<bool>(&c.node.inputs[2].value.value);
  if (!enabled || (*enabled && (!device || *device != "cpu")))
    return c.fail("only autocast of the device 'cpu' is supported in the "
                  "dialect TRAINING; call run_decompositions() before "
                  "torch.export.save");
  llvm::SaveAndRestore autocast(c.importer.isAutocast, *enabled);
  return importWrapped<4>(c);
}

/// Both sides are computed, and one is selected. Neither can write.
LogicalResult importCond(Call &c) {
  if (c.node.inputs.empty())
    return c.fail("expected a condition");
  TRY(auto truth, graphAt(c, 1));
  TRY(auto otherwise, graphAt(c, 2));
  TRY(auto arguments, slotsFrom(c, 3));
  TRY(SlotPtr condition, c.importer.slot(c.node.inputs[0].value));
  TRY(Tensor chosen, readSlot(*condition));
  Tensor known = evaluate(c.b, chosen);
  if (known && known->constant) {
    const Graph &taken = intAt(*known, 0) ? *truth : *otherwise;
    TRY(auto results, c.importer.inlineGraph(taken, arguments));
    return c.setSlots(results);
  }
  llvm::SaveAndRestore conditional(c.b.isConditional, true);
  TRY(auto left, c.importer.inlineGraph(*truth, arguments));
  TRY(auto right, c.importer.inlineGraph(*otherwise, arguments));
  if (left.size() != right.size())
    return c.fail("its sides have different numbers of results");
  chosen = rearrange(c.b, chosen, {});
  for (size_t i = 0; i < left.size(); ++i) {
    TRY(Tensor x, readSlot(*left[i]));
    TRY(Tensor y, readSlot(*right[i]));
    if (x->dims != y->dims || x->element != y->element)
      return c.fail("its sides have results of different shapes: " +
                    c.b.sizes.str(x->dims) + " and " + c.b.sizes.str(y->dims));
    TRY(Tensor result, where(c.b, chosen, x, y));
    if (failed(c.set(i, result)))
      return failure();
  }
  return success();
}

} // namespace

void addControlOps(OpTable &t) {
  t.add("higher_order.wrap_with_set_grad_enabled", importWrapped<1>);
  t.add("higher_order.wrap_with_autocast", importAutocast);
  t.add("higher_order.cond", importCond);
}

} // namespace tilewright::torch
