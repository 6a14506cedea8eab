//===- PackageStates.cpp - The states of a package ------------------------===//
#include "graph/analysis/States.h"
#include "library/model/package/PackageBuilder.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tilewright {

using Kind = runtime::BufferManifest::Kind;

/// A buffer for each state, which begins as a weight, or as zeros.
Status PackageBuilder::addStates() {
  func::FuncOp func = program;
  for (BlockArgument argument : func.getArguments()) {
    const unsigned i = argument.getArgNumber();
    auto name = func.getArgAttrOfType<StringAttr>(i, graph::kStateAttr);
    if (!name)
      continue;
    TILEWRIGHT_ASSIGN_OR_RETURN(size_t id, addBuffer(argument, Kind::state));
    buffers[argument] = updated[argument] = id;
    auto initial = func.getArgAttrOfType<ElementsAttr>(i, graph::kInitialAttr);
    const bool isZero =
        initial && initial.isSplat() &&
        initial == Builder(func.getContext()).getZeroAttr(argument.getType());
    if (initial && !isZero) {
      TILEWRIGHT_ASSIGN_OR_RETURN(size_t weight,
                                  weightBuffer(argument, initial));
      manifest->buffers[id].initial = weight;
    }
    TILEWRIGHT_ASSIGN_OR_RETURN(auto shape, shapeOf(argument));
    manifest->states.push_back(
        {name.str(), manifest->buffers[id].dtype, shape, id});
  }
  return {};
}

/// A buffer for the new value of each input that is overwritten: it begins with
/// the input's elements.
Status PackageBuilder::addOverwritten() {
  for (unsigned i = 0; i < program.getNumResults(); ++i) {
    BlockArgument input = graph::stateUpdatedBy(program, i);
    if (!input || updated.contains(input))
      continue;
    TILEWRIGHT_ASSIGN_OR_RETURN(size_t from, bufferOf(input));
    TILEWRIGHT_ASSIGN_OR_RETURN(size_t id, addBuffer(input, Kind::output));
    manifest->buffers[id].initial = from;
    updated[input] = newValues[from] = id;
    overwritten.insert(from);
  }
  return {};
}

/// The result of the first of the launches that write the memory of `value`;
/// null if it begins with something else than new memory.
Value PackageBuilder::firstWritten(Value value) {
  Value first;
  for (Value at = graph::memoryOf(value);;) {
    auto launch = at.getDefiningOp<graph::LaunchOp>();
    if (!launch)
      return at.getDefiningOp<tensor::EmptyOp>() ? first : Value();
    first = at;
    at = graph::memoryOf(
        launch.getWritten(cast<OpResult>(at).getResultNumber()));
  }
}

/// Lets launches write the new value of a state where the old one is, if nobody
/// reads that from then on.
void PackageBuilder::placeUpdates() {
  for (const graph::StateUpdate &update : graph::stateUpdates(program)) {
    Value first = firstWritten(update.value);
    if (first && !buffers.contains(first) &&
        !graph::isReadFrom(update.state, first.getDefiningOp()))
      buffers[first] = updated.lookup(update.state);
  }
}

Status PackageBuilder::addCopy(size_t from, size_t to, StringRef label) {
  if (!isWritten(from))
    return Status::internal("a copy to '" + label.str() +
                            "' reads a tensor that no step wrote");
  runtime::StepManifest step;
  step.label = label.str();
  step.copy = {from, to};
  steps->push_back(std::move(step));
  written.insert(to);
  return {};
}

/// A copy of a buffer as it is now.
StatusOr<size_t> PackageBuilder::copyOf(size_t buffer, Kind kind,
                                        StringRef label) {
  runtime::BufferManifest copy = manifest->buffers[buffer];
  copy.kind = kind;
  copy.weight.clear();
  copy.initial.reset();
  copy.alias.reset();
  manifest->buffers.push_back(copy);
  const size_t id = manifest->buffers.size() - 1;
  TILEWRIGHT_RETURN_IF_ERROR(addCopy(buffer, id, label));
  return id;
}

/// The name of the state or input that a result is the new value of.
static std::string updatedName(func::FuncOp func, unsigned result) {
  for (StringRef attribute : {graph::kUpdatesAttr, graph::kOverwritesAttr})
    if (auto name = func.getResultAttrOfType<StringAttr>(result, attribute))
      return name.str();
  return "";
}

/// Copies the new values that are not where they go. What is in the memory of a
/// state, or of an input that is overwritten, is copied elsewhere before any of
/// them is; so are outputs that are the old value of one.
Status PackageBuilder::addUpdates() {
  struct Update {
    size_t from, to;
    std::string name;
  };
  std::vector<Update> copied;
  for (const graph::StateUpdate &update : graph::stateUpdates(program)) {
    TILEWRIGHT_ASSIGN_OR_RETURN(size_t from, bufferOf(update.value));
    const size_t to = updated.lookup(update.state);
    if (from != to)
      copied.push_back({from, to, updatedName(program, update.result)});
    if (manifest->buffers[from].bytes.str() !=
        manifest->buffers[to].bytes.str())
      return Status::unsupported("the new value of '" +
                                 updatedName(program, update.result) +
                                 "' has another shape than the old one");
  }
  for (Update &update : copied)
    if (manifest->buffers[update.from].kind == Kind::state ||
        overwritten.contains(update.from)) {
      TILEWRIGHT_ASSIGN_OR_RETURN(
          update.from, copyOf(update.from, Kind::transient, update.name));
    }
  for (const Update &update : copied)
    overwritten.insert(update.to);
  // Outputs first: they are the old values.
  TILEWRIGHT_RETURN_IF_ERROR(addInterface());
  for (const Update &update : copied)
    TILEWRIGHT_RETURN_IF_ERROR(addCopy(update.from, update.to, update.name));
  return {};
}

} // namespace tilewright
