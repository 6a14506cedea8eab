#include "frontends/torch/GraphImporter.h"

#include "graph/build/Checks.h"

using namespace mlir;

namespace tilewright::torch {

using SlotPtr = std::shared_ptr<Slot>;

/// Graphs within graphs.
static constexpr size_t mostScopes = 50;

std::string describe(const SourceLine &source) {
  if (source.file.empty())
    return "";
  return source.file + ":" + std::to_string(source.line) + ": " + source.code;
}

bool isBookkeeping(const Node &node) {
  static constexpr StringRef checks[] = {
      "aten._assert_tensor_metadata.default",
      "aten._assert_scalar.default",
      "aten.sym_constrain_range.default",
      "aten.sym_constrain_range_for_size.default",
      "aten._assert_async.msg",
  };
  StringRef target = node.target;
  if (llvm::is_contained(checks, target) || target == "_guards_fn")
    return true;
  auto isTensor = [](const Argument &argument) {
    return !std::holds_alternative<NumberName>(argument.value);
  };
  return !node.outputs.empty() && llvm::none_of(node.outputs, isTensor);
}

static void addReads(const Argument &argument, llvm::StringSet<> &reads) {
  if (const auto *name = std::get_if<TensorName>(&argument.value))
    reads.insert(name->name);
  if (const auto *list = std::get_if<Argument::List>(&argument.value))
    for (const Argument &each : *list)
      addReads(each, reads);
}

void GraphImporter::push(const Graph &graph) {
  Scope &scope = scopes.emplace_back(Scope{&graph, {}, {}});
  for (const Node &node : graph.nodes)
    for (const NamedArgument &input : node.inputs)
      addReads(input.value, scope.reads);
  for (const Argument &output : graph.outputs)
    addReads(output, scope.reads);
}

SlotPtr GraphImporter::lookup(StringRef name) const {
  return scopes.back().values.lookup(name);
}

FailureOr<SlotPtr> GraphImporter::slot(const Argument &argument) {
  const auto *name = std::get_if<TensorName>(&argument.value);
  if (!name)
    return b.fail("an argument is not a tensor");
  if (SlotPtr found = lookup(name->name))
    return found;
  return b.fail("the tensor '" + name->name + "' is not defined");
}

void GraphImporter::define(StringRef name, SlotPtr slot) {
  scopes.back().values[name] = std::move(slot);
}

LogicalResult GraphImporter::importNodes(const Graph &graph) {
  for (const Node &node : graph.nodes) {
    ++nodeCount;
    if (isBookkeeping(node) || succeeded(importNode(node)))
      continue;
    if (b.error.empty())
      b.error = "cannot be imported";
    // A node of a subgraph has its name already.
    if (scopes.size() > 1 && b.error.starts_with("node '"))
      return failure();
    b.error = "node '" + node.name + "' (" + node.target + "): " + b.error;
    if (std::string line = describe(node.source); !line.empty())
      b.error += "\n  " + line;
    return failure();
  }
  return success();
}

/// The name under which later stages speak of a node's ops.
static Location locationOf(MLIRContext *context, const Node &node) {
  StringRef operation =
      StringRef(node.target).split('.').second.split('.').first;
  std::string name = node.name;
  if (!StringRef(name).contains_insensitive(operation))
    name = (operation + ":" + name).str();
  return NameLoc::get(StringAttr::get(context, name));
}

LogicalResult GraphImporter::importNode(const Node &node) {
  Operator op = opTable().find(node.target);
  if (!op.handler)
    return b.fail("the operator is not supported");
  b.loc = locationOf(b.builder.getContext(), node);
  Operation *last = b.lastOperation();
  Call call(*this, node, op);
  if (failed(op.handler(call)) || failed(b.verifyAfter(last)))
    return failure();
  if (!b.sizes.fault().empty())
    return b.fail(b.sizes.fault());
  return success();
}

FailureOr<SmallVector<SlotPtr>>
GraphImporter::inlineGraph(const Graph &graph, ArrayRef<SlotPtr> arguments) {
  if (scopes.size() >= mostScopes)
    return b.fail("subgraphs are nested too deeply");
  if (graph.inputs.size() != arguments.size())
    return b.fail("a subgraph has " + Twine(graph.inputs.size()) +
                  " inputs, its call has " + Twine(arguments.size()));
  push(graph);
  for (auto [input, value] : llvm::zip(graph.inputs, arguments))
    if (const auto *name = std::get_if<TensorName>(&input.value))
      define(name->name, value);
  SmallVector<SlotPtr> results;
  LogicalResult ok = importNodes(graph);
  for (const Argument &output : graph.outputs) {
    if (failed(ok))
      break;
    auto result = slot(output);
    ok = LogicalResult(result);
    if (succeeded(ok))
      results.push_back(*result);
  }
  pop();
  if (failed(ok))
    return failure();
  return results;
}

} // namespace tilewright::torch
