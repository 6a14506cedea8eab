// Operators that hold graphs.
#include "frontends/torch/GraphImporter.h"
#include "graph/build/KnownTensor.h"
#include "graph/build/Regions.h"
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

/// A known condition takes its side, with another the run does. Neither can
/// write.
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
  // A view is computed where it is read first: not in a side.
  for (const SlotPtr &argument : arguments)
    if (argument && failed(readSlot(*argument)))
      return failure();
  auto side = [&](const Graph &graph) -> FailureOr<SmallVector<Tensor>> {
    TRY(auto slots, c.importer.inlineGraph(graph, arguments));
    SmallVector<Tensor> tensors;
    for (const SlotPtr &slot : slots) {
      TRY(Tensor tensor, readSlot(*slot));
      tensors.push_back(tensor);
    }
    return tensors;
  };
  TRY(auto results, branch(
                        c.b, chosen, [&] { return side(*truth); },
                        [&] { return side(*otherwise); }));
  for (auto [i, result] : llvm::enumerate(results))
    if (failed(c.set(i, result)))
      return failure();
  return success();
}

} // namespace

void addControlOps(OpTable &t) {
  t.add("higher_order.wrap_with_set_grad_enabled", importWrapped<1>);
  t.add("higher_order.wrap_with_autocast", importAutocast);
  t.add("higher_order.cond", importCond);
}

} // namespace tilewright::torch
