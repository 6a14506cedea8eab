#include "frontends/onnx/GraphImporter.h"

using namespace mlir;

namespace tilewright::onnx {

using Nodes = std::vector<NodeProto>;

/// The newest operator set that the handlers were written for.
static constexpr int64_t newestOpset = 27;

static StringRef normalized(StringRef domain) {
  return domain == "ai.onnx" ? StringRef() : domain;
}

FailureOr<Tensor> GraphImporter::decode(const TensorProto &proto) {
  auto tensor = decodeTensor(file, b.sizes, proto);
  if (!tensor)
    return b.fail(tensor.status().message());
  return *tensor;
}

LogicalResult GraphImporter::importInitializers(const GraphProto &graph) {
  for (const TensorProto &proto : graph.initializer) {
    auto tensor = decode(proto);
    if (failed(tensor)) {
      b.error = "initializer '" + proto.name + "': " + b.error;
      return failure();
    }
    scopes.define(proto.name, *tensor);
  }
  if (!graph.sparseInitializer.empty())
    return b.fail("sparse initializer '" +
                  graph.sparseInitializer[0].values.name +
                  "': sparse tensors are not supported");
  return success();
}

LogicalResult GraphImporter::setOpsets(ArrayRef<OperatorSetIdProto> imports) {
  opsets.clear();
  for (const auto &import : imports) {
    StringRef domain = normalized(import.domain);
    opsets[domain] = import.version;
    if (domain.empty() && (import.version < 1 || import.version > newestOpset))
      return b.fail("the model needs operator set " + Twine(import.version) +
                    ", supported are 1 to " + Twine(newestOpset));
  }
  return success();
}

LogicalResult GraphImporter::importNodes(const Nodes &nodes) {
  scopes.countUses(nodes);
  for (const NodeProto &node : nodes)
    if (failed(importNamed(node)))
      return failure();
  return success();
}

/// Nodes that functions, loops and branches may add to those that the graph
/// lists: a few lines of them can stand for more than any memory holds.
constexpr int64_t maximumExpanded = 200'000;

LogicalResult GraphImporter::importNamed(const NodeProto &node) {
  if (++nodeCount > std::ssize(file.proto.graph->node) + maximumExpanded)
    return b.fail("the model's functions and loops stand for more than " +
                  Twine(maximumExpanded) + " nodes");
  if (succeeded(importNode(node)))
    return success();
  if (b.error.empty())
    b.error = "cannot be imported";
  std::string name = node.name;
  if (name.empty() && !node.output.empty())
    name = node.output[0];
  b.error = "node '" + name + "' (" + node.opType + "): " + b.error;
  return failure();
}

const FunctionProto *GraphImporter::findFunction(const NodeProto &node) {
  for (const FunctionProto &function : file.proto.functions)
    if (function.name == node.opType &&
        normalized(function.domain) == normalized(node.domain))
      return &function;
  return nullptr;
}

Location nodeLocation(MLIRContext *context, const NodeProto &node) {
  std::string name = node.name;
  if (name.empty() && !node.output.empty())
    name = node.output[0];
  if (!StringRef(name).contains_insensitive(node.opType))
    name = node.opType + ":" + name;
  return NameLoc::get(StringAttr::get(context, name));
}

LogicalResult GraphImporter::importNode(const NodeProto &proto) {
  StringRef domain = normalized(proto.domain);
  if (const FunctionProto *function = findFunction(proto))
    return importCall(proto, *function);
  const OpEntry *entry = opTable().find(domain, proto.opType);
  if (!entry)
    return b.fail("operator " +
                  (domain.empty() ? Twine() : Twine(domain) + ".") +
                  proto.opType + " is not supported" +
                  (proto.opType == "ZipMap"
                       ? "; its results are maps: make the tensor before it "
                         "an output of the model"
                       : ""));
  int64_t opset = newestOpset;
  if (auto it = opsets.find(domain); it != opsets.end())
    opset = it->second;
  else if (domain.empty())
    return b.fail("the model imports no operator set for this operator");
  for (const std::string &name : proto.output)
    if (!name.empty() && scopes.innermost().values.contains(name))
      return b.fail("output '" + name + "' is defined twice");
  Node node(*this, b, proto, opset);
  b.loc = nodeLocation(b.builder.getContext(), proto);
  Operation *last = b.lastOperation();
  if (failed(entry->handler(node)) || failed(b.verifyAfter(last)))
    return failure();
  if (!b.sizes.fault().empty())
    return b.fail(b.sizes.fault());
  for (const std::string &name : proto.output)
    if (!name.empty() && !scopes.innermost().values.contains(name) &&
        scopes.isRead(name))
      return b.fail("output '" + name + "' of this operator is not supported");
  return success();
}

FailureOr<SmallVector<NamedValue>>
GraphImporter::inlineGraph(const GraphProto &graph,
                           const llvm::StringMap<NamedValue> &arguments) {
  if (++depth > maximumDepth)
    return b.fail("subgraphs are nested too deeply");
  scopes.push();
  for (const auto &[name, value] : arguments)
    scopes.innermost().values[name] = value;
  SmallVector<NamedValue> results;
  for (const auto &output : graph.output)
    scopes.markResult(output.name);
  LogicalResult ok = importInitializers(graph);
  if (succeeded(ok))
    ok = importNodes(graph.node);
  for (const auto &output : graph.output) {
    const NamedValue *found = scopes.find(output.name);
    results.push_back(found ? *found : NamedValue());
    if (succeeded(ok) && !found)
      ok = b.fail("output '" + output.name + "' of a subgraph is not defined");
  }
  scopes.pop();
  --depth;
  if (failed(ok))
    return failure();
  return results;
}

/// Replaces references to the function's attributes by the call's.
static void bindAttributes(NodeProto &node,
                           const llvm::StringMap<AttributeProto> &bound,
                           int depth) {
  llvm::erase_if(node.attribute, [&](const AttributeProto &attribute) {
    return !attribute.refAttrName.empty() &&
           !bound.contains(attribute.refAttrName);
  });
  for (AttributeProto &attribute : node.attribute) {
    if (attribute.g && depth < maximumDepth)
      for (NodeProto &inner : attribute.g->node)
        bindAttributes(inner, bound, depth + 1);
    if (attribute.refAttrName.empty())
      continue;
    std::string name = std::move(attribute.name);
    attribute = bound.find(attribute.refAttrName)->second;
    attribute.name = std::move(name);
  }
}

LogicalResult GraphImporter::importCall(const NodeProto &call,
                                        const FunctionProto &function) {
  if (++depth > maximumDepth)
    return b.fail("functions call each other too deeply");
  Scope scope;
  for (int i = 0; i < std::ssize(function.input); ++i) {
    if (i >= std::ssize(call.input) || call.input[i].empty()) {
      scope.values[function.input[i]] = NamedValue();
      continue;
    }
    const NamedValue *argument = scopes.find(call.input[i]);
    if (!argument)
      return b.fail("input '" + call.input[i] + "' is not defined");
    scope.values[function.input[i]] = *argument;
  }
  llvm::StringMap<AttributeProto> bound;
  for (const auto &attribute : function.attributeProto)
    bound[attribute.name] = attribute;
  for (const auto &attribute : call.attribute)
    bound[attribute.name] = attribute;
  auto body = std::make_unique<FunctionProto>(function);
  for (NodeProto &node : body->node)
    bindAttributes(node, bound, 0);

  auto outerOpsets = opsets;
  const size_t outerVisible = scopes.hideAll();
  scopes.push(std::move(scope));
  for (const std::string &name : function.output)
    scopes.markResult(name);
  LogicalResult ok = setOpsets(function.opsetImport);
  if (succeeded(ok))
    ok = importNodes(body->node);
  SmallVector<std::optional<NamedValue>> results;
  for (const std::string &name : function.output) {
    const NamedValue *found = scopes.find(name);
    results.push_back(found ? std::optional(*found) : std::nullopt);
  }
  scopes.pop();
  scopes.show(outerVisible);
  opsets = outerOpsets;
  --depth;
  if (failed(ok))
    return failure();
  for (int i = 0; i < std::ssize(call.output) && i < int(results.size()); ++i) {
    if (call.output[i].empty())
      continue;
    if (!results[i])
      return b.fail("output '" + function.output[i] + "' of function " +
                    function.name + " is not defined");
    scopes.define(call.output[i], *results[i]);
  }
  return success();
}

} // namespace tilewright::onnx
