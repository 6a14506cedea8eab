// Users' kernels instead of nodes: graph.composite.
#include "frontends/onnx/Replace.h"

#include "frontends/onnx/GraphImporter.h"
#include "frontends/onnx/PatternMatch.h"
#include "graph/build/Constants.h"
#include "graph/build/TensorValues.h"
#include "graph/ir/Graph.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/RegionUtils.h"
#include "tilewright/mlir/Tile.h"

#include <unordered_map>

using namespace mlir;

namespace tilewright::onnx {

using Nodes = std::vector<NodeProto>;

//===--- Patterns ---------------------------------------------------------===//

/// "did you mean 'Sigmoid'?", or nothing.
static std::string suggestion(StringRef op) {
  StringRef best;
  unsigned distance = 3;
  for (const OpEntry &entry : opTable().entries())
    if (unsigned found = op.edit_distance(entry.name, true, distance);
        entry.domain.empty() && found < distance)
      best = entry.name, distance = found;
  return best.empty() ? std::string() : "; did you mean '" + best.str() + "'?";
}

/// "1 input (x)".
static std::string countText(const Pattern &pattern, ArrayRef<size_t> values,
                             StringRef what) {
  std::string names;
  for (size_t value : values)
    names += (names.empty() ? "" : ", ") + pattern.values[value].name;
  return std::to_string(values.size()) + " " + what.str() +
         (values.size() == 1 ? " (" : "s (") + names + ")";
}

/// Checks that need no match.
static LogicalResult checkPattern(GraphImporter &importer,
                                  const Pattern &pattern,
                                  const Replacement &replacement) {
  for (const PatternNode &node : pattern.nodes) {
    NodeProto proto;
    proto.opType = node.op;
    proto.domain = node.domain;
    if (!opTable().find(node.domain, node.op) && !importer.findFunction(proto))
      return importer.b.fail(
          pattern
              .error(node.location,
                     "unknown operator '" +
                         (node.domain.empty() ? "" : node.domain + ".") +
                         node.op + "'" + suggestion(node.op))
              .message());
  }
  std::string kernel =
      "pattern '" + pattern.text + "': kernel @" + replacement.kernel;
  if (replacement.arguments.size() !=
      pattern.inputs.size() + pattern.outputs.size())
    return importer.b.fail(
        kernel + " takes " + Twine(replacement.arguments.size()) +
        " arguments, expected views of " +
        countText(pattern, pattern.inputs, "input") + " and " +
        countText(pattern, pattern.outputs, "output"));
  for (auto [i, type] : llvm::enumerate(replacement.arguments)) {
    auto view = dyn_cast<tile::ViewType>(type);
    std::string text;
    llvm::raw_string_ostream(text) << type;
    if (!view)
      return importer.b.fail(kernel + " takes " + text + " as argument " +
                             Twine(i) + ", expected a view");
    if (view.hasExplicitStrides())
      return importer.b.fail(
          kernel + " takes " + text + " as argument " + Twine(i) +
          ", expected a view without strides: tensors of a model are "
          "contiguous");
  }
  return success();
}

/// A constant of the main graph, before its nodes are imported.
static Tensor constantBefore(GraphImporter &importer, const Nodes &nodes,
                             const std::string &name) {
  if (Tensor known = importer.scopes.constantNamed(name))
    return known;
  for (const NodeProto &node : nodes) {
    if (node.opType != "Constant" || node.output.size() != 1 ||
        node.output[0] != name)
      continue;
    for (const AttributeProto &attribute : node.attribute) {
      if (attribute.name == "value_float")
        return floatTensor(importer.b, {attribute.f}, {});
      if (attribute.name == "value_int")
        return integerTensor(importer.b,
                             {importer.b.sizes.constant(attribute.i)}, {},
                             i64(importer.b));
      if (attribute.name != "value")
        continue;
      // What is wrong with it, the node will say when it is imported.
      StatusOr<Tensor> tensor =
          decodeTensor(importer.file, importer.b.sizes, attribute.t);
      if (tensor)
        return *tensor;
    }
  }
  return nullptr;
}

static LogicalResult findMatches(GraphImporter &importer,
                                 PatternMatcher &matcher,
                                 const std::vector<Replacement> &replacements) {
  for (const Replacement &replacement : replacements) {
    StatusOr<Pattern> pattern = parsePattern(replacement.pattern);
    if (!pattern)
      return importer.b.fail(pattern.status().message());
    if (failed(checkPattern(importer, *pattern, replacement)))
      return failure();
    if (Status status = matcher.find(*pattern); !status.ok())
      return importer.b.fail(status.message());
  }
  return success();
}

//===--- Matches ----------------------------------------------------------===//

/// A value as a body sees it: what is memoized of it stays in the body. A
/// constant stays one, anything else is `value`.
static Tensor insideOf(const TensorInfo &tensor, Value value) {
  auto inside = std::make_shared<TensorInfo>(tensor);
  inside->dense = nullptr;
  if (tensor.constant || tensor.content) {
    inside->value = nullptr;
    return inside;
  }
  inside->value = inside->dense = value;
  inside->axes.clear();
  for (int64_t i = 0; i < tensor.rank(); ++i)
    inside->axes.push_back(unsigned(i));
  return inside;
}

/// Imports the nodes in a new scope; returns the outputs.
static FailureOr<SmallVector<Tensor>>
importMatched(GraphImporter &importer, const Nodes &nodes, const Match &match,
              llvm::StringMap<NamedValue> inputs) {
  for (size_t node : match.nodes)
    for (const std::string &name : nodes[node].input)
      if (Tensor tensor = importer.scopes.lookup(name);
          tensor && !inputs.contains(name))
        inputs[name] = insideOf(*tensor, tensor->value);
  importer.scopes.push({std::move(inputs), {}});
  SmallVector<Tensor> outputs;
  LogicalResult ok = success();
  for (size_t node : match.nodes)
    if (succeeded(ok))
      ok = importer.importNamed(nodes[node]);
  for (const std::string &name : match.outputs) {
    outputs.push_back(succeeded(ok) ? importer.scopes.lookup(name) : nullptr);
    if (succeeded(ok) && !outputs.back())
      ok = importer.b.fail("output '" + name +
                           "' of this operator is not supported");
  }
  importer.scopes.pop();
  if (failed(ok))
    return failure();
  return outputs;
}

/// Checks a view of the kernel against its operand.
static LogicalResult checkView(GraphBuilder &b, const Replacement &replacement,
                               size_t argument, const std::string &name,
                               const TensorInfo &tensor,
                               const std::string &where) {
  auto view = cast<tile::ViewType>(replacement.arguments[argument]);
  bool fits = view.getElementType() == tensor.element.type &&
              view.getRank() == tensor.rank();
  for (int64_t d = 0; fits && d < tensor.rank(); ++d)
    fits = view.isDynamicDim(d) ||
           isConst(tensor.dims[size_t(d)], view.getDimSize(d));
  if (fits)
    return success();
  std::string text;
  llvm::raw_string_ostream(text) << view;
  return b.fail(where + "'" + name + "' is " + dtypeName(tensor.element) +
                b.sizes.str(tensor.dims) + ", kernel @" + replacement.kernel +
                " takes " + text + " as argument " + Twine(argument));
}

/// Moves the operations behind `marker` into the body of a new graph.composite,
/// with the values that they read as its operands.
static FailureOr<graph::CompositeOp> enclose(GraphBuilder &b, Operation *marker,
                                             StringRef kernel,
                                             ArrayRef<Value> inputs,
                                             ArrayRef<Value> results) {
  Block *entry = marker->getBlock();
  graph::YieldOp::create(b.builder, b.loc, results);
  SmallVector<Type> types;
  for (Value result : results)
    types.push_back(result.getType());
  auto op = graph::CompositeOp::create(b.builder, b.loc, types, kernel, inputs,
                                       ValueRange());
  Block *body = b.builder.createBlock(&op.getBody());
  b.builder.setInsertionPointToEnd(entry);
  body->getOperations().splice(body->end(), entry->getOperations(),
                               std::next(marker->getIterator()),
                               op->getIterator());
  auto take = [&](Value outside) {
    BlockArgument argument =
        body->addArgument(outside.getType(), outside.getLoc());
    replaceAllUsesInRegionWith(outside, argument, op.getBody());
  };
  llvm::for_each(inputs, take);
  llvm::SetVector<Value> read;
  getUsedValuesDefinedAbove(op.getBody(), read);
  for (Value size : read) {
    if (!size.getType().isIndex())
      return b.fail("what these nodes compute cannot stand alone");
    op.getSizesMutable().append(size);
    take(size);
  }
  marker->erase();
  return op;
}

static LogicalResult importMatch(GraphImporter &importer, const Nodes &nodes,
                                 const Match &match,
                                 const Replacement &replacement,
                                 const std::string &where) {
  importer.b.loc = nodeLocation(importer.b.builder.getContext(),
                                nodes[int(*match.nodes.rbegin())]);
  SmallVector<Value> operands;
  llvm::StringMap<NamedValue> inside;
  for (auto [i, name] : llvm::enumerate(match.inputs)) {
    Tensor tensor = importer.scopes.lookup(name);
    if (!tensor)
      return importer.b.fail(where + "input '" + name +
                             "' is not defined, or is no tensor");
    if (failed(checkView(importer.b, replacement, i, name, *tensor, where)))
      return failure();
    operands.push_back(denseValue(importer.b, tensor));
    inside[name] = insideOf(*tensor, operands.back());
  }
  Operation *marker =
      arith::ConstantIndexOp::create(importer.b.builder, importer.b.loc, 0);
  FailureOr<SmallVector<Tensor>> outputs =
      importMatched(importer, nodes, match, std::move(inside));
  if (failed(outputs))
    return failure();
  SmallVector<Value> results;
  for (auto [i, output] : llvm::enumerate(*outputs)) {
    if (failed(checkView(importer.b, replacement, operands.size() + i,
                         match.outputs[i], *output, where)))
      return failure();
    results.push_back(denseValue(importer.b, output));
  }
  importer.b.loc = nodeLocation(importer.b.builder.getContext(),
                                nodes[int(*match.nodes.rbegin())]);
  FailureOr<graph::CompositeOp> op =
      enclose(importer.b, marker, replacement.kernel, operands, results);
  if (failed(op))
    return failure();
  for (auto [i, output] : llvm::enumerate(*outputs)) {
    FailureOr<Tensor> tensor =
        wrap(importer.b, op->getResult(i), output->dims, output->element);
    if (failed(tensor))
      return failure();
    importer.scopes.define(match.outputs[i], *tensor);
  }
  return success();
}

LogicalResult importReplaced(GraphImporter &importer, const Nodes &nodes,
                             const std::vector<Replacement> &replacements) {
  if (replacements.empty())
    return importer.importNodes(nodes);
  importer.scopes.countUses(nodes);
  auto constant = [&](const std::string &name) {
    return constantBefore(importer, nodes, name);
  };
  auto readers = [&](const std::string &name) {
    return ArrayRef<const NodeProto *>(importer.scopes.innermost().users[name]);
  };
  PatternMatcher matcher(nodes, constant, readers);
  if (failed(findMatches(importer, matcher, replacements)))
    return failure();
  importer.notReplaced = matcher.rejections();
  auto order = matcher.order();
  if (!order)
    return importer.b.fail(order.status().message());
  std::unordered_map<size_t, const Match *> matchOf;
  for (const Match &match : matcher.matches())
    for (size_t node : match.nodes)
      matchOf[node] = &match;
  for (const std::vector<size_t> &entry : *order) {
    auto found = matchOf.find(entry.front());
    if (found == matchOf.end()) {
      if (failed(importer.importNamed(nodes[int(entry.front())])))
        return failure();
      continue;
    }
    const Match *match = found->second;
    const Replacement &replacement = replacements[match->replacement];
    std::string where = "pattern '" + onOneLine(replacement.pattern) +
                        "' at nodes " + matcher.namesOf(*match) + ": ";
    if (failed(importMatch(importer, nodes, *match, replacement, where)))
      return failure();
  }
  return success();
}

} // namespace tilewright::onnx
