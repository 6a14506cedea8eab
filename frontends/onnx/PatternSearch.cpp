#include "frontends/onnx/PatternSearch.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright::onnx {

PatternGraph::PatternGraph(const Nodes &nodes, ConstantNamed constantNamed,
                           Readers readers)
    : nodes(nodes), constantNamed(constantNamed), readers(readers) {
  for (size_t i = 0; i < nodes.size(); ++i)
    for (const std::string &name : nodes[i].output)
      producers.try_emplace(name, size_t(i));
}

std::string PatternGraph::nameOf(size_t node) const {
  const NodeProto &proto = nodes[node];
  bool isNamed = !proto.name.empty() || proto.output.empty();
  return "'" + (isNamed ? proto.name : proto.output[0]) + "' (" + proto.opType +
         ")";
}

//===--- One node ---------------------------------------------------------===//

/// Operators of two operands that may be swapped.
static bool isCommutative(StringRef op) {
  static constexpr StringRef names[] = {
      "Add",  "And", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Equal", "Max",
      "Mean", "Min", "Mul",        "Or",        "Sum",        "Xor"};
  return llvm::is_contained(names, op);
}

static StringRef domainOf(const NodeProto &node) {
  return node.domain == "ai.onnx" ? StringRef() : StringRef(node.domain);
}

bool PatternSearch::hasType(size_t part, size_t node) const {
  const PatternNode &wanted = pattern.nodes[part];
  return graph.nodes[node].opType == wanted.op &&
         domainOf(graph.nodes[node]) == wanted.domain;
}

/// A number as an element of this type would hold it.
static double rounded(double value, FloatType type) {
  llvm::APFloat number(value);
  bool losesInfo = false;
  number.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven,
                 &losesInfo);
  number.convert(llvm::APFloat::IEEEdouble(),
                 llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

/// Whether these are the elements of a constant.
static bool equals(const PatternGraph &graph, const std::string &name,
                   const PatternNumbers &numbers) {
  Tensor tensor = graph.constantNamed(name);
  std::optional<int64_t> count =
      tensor && tensor->constant ? countOf(*tensor) : std::nullopt;
  if (!count || *count == 0)
    return false;
  if (numbers.isList &&
      (tensor->rank() != 1 || *count != int64_t(numbers.values.size())))
    return false;
  for (int64_t i = 0; i < *count; ++i) {
    double value = numbers.values[numbers.isList ? size_t(i) : 0];
    auto type = dyn_cast<FloatType>(tensor->element.type);
    if (type ? floatAt(*tensor, i) != rounded(value, type)
             : double(intAt(*tensor, i)) != value)
      return false;
    if (tensor->constant->splat && !numbers.isList)
      break;
  }
  return true;
}

/// Whether an attribute of a node matches the pattern's.
static bool isEqual(const AttributeProto &found,
                    const std::variant<PatternNumbers, std::string> &wanted) {
  using Proto = AttributeProto;
  if (auto *text = std::get_if<std::string>(&wanted))
    return found.type == Proto::STRING && found.s == *text;
  const auto &numbers = std::get<PatternNumbers>(wanted);
  auto first = [&] { return numbers.values.front(); };
  switch (found.type) {
  case Proto::INT:
    return !numbers.isList && double(found.i) == first();
  case Proto::FLOAT:
    return !numbers.isList && found.f == float(first());
  case Proto::INTS:
    return numbers.isList &&
           llvm::equal(found.ints, numbers.values,
                       [](int64_t a, double b) { return double(a) == b; });
  case Proto::FLOATS:
    return numbers.isList &&
           llvm::equal(found.floats, numbers.values,
                       [](float a, double b) { return a == float(b); });
  default:
    return false;
  }
}

static bool hasAttributes(const NodeProto &node, const PatternNode &part) {
  return llvm::all_of(part.attributes, [&](const PatternAttribute &wanted) {
    return llvm::any_of(node.attribute, [&](const auto &each) {
      return each.name == wanted.name && isEqual(each, wanted.value);
    });
  });
}

static bool bind(size_t value, const std::string &name,
                 PatternBinding &binding) {
  std::optional<std::string> &bound = binding.values[value];
  if (!bound && !name.empty())
    bound = name;
  return bound == name;
}

/// Whether another node of the pattern is bound to `node`.
static bool isBound(size_t node, size_t part,
                    const std::vector<std::optional<size_t>> &nodes) {
  for (auto [other, bound] : llvm::enumerate(nodes))
    if (other != part && bound == node)
      return true;
  return false;
}

/// Operands up to the last that is there.
static int numOperands(const NodeProto &node) {
  int count = std::ssize(node.input);
  while (count > 0 && node.input[count - 1].empty())
    --count;
  return count;
}

bool PatternSearch::bindNode(size_t part, size_t node, bool swapped,
                             PatternBinding &binding) const {
  const PatternNode &wanted = pattern.nodes[part];
  const NodeProto &proto = graph.nodes[node];
  if (!hasType(part, node) || !hasAttributes(proto, wanted) ||
      isBound(node, part, binding.nodes) ||
      int(wanted.operands.size()) < numOperands(proto) ||
      int(wanted.results.size()) > std::ssize(proto.output))
    return false;
  binding.nodes[part] = node;
  for (auto [i, result] : llvm::enumerate(wanted.results))
    if (!bind(result, proto.output[i], binding))
      return false;
  for (auto [i, operand] : llvm::enumerate(wanted.operands)) {
    int at = swapped ? 1 - int(i) : int(i);
    std::string name = at < std::ssize(proto.input) ? proto.input[at] : "";
    bool fits = operand.kind == PatternOperand::Kind::absent ? name.empty()
                : operand.kind == PatternOperand::Kind::constant
                    ? equals(graph, name, operand.constant)
                    : bind(operand.value, name, binding);
    if (!fits)
      return false;
  }
  return true;
}

//===--- All nodes of a pattern -------------------------------------------===//

/// Binds steps from `step` on; true where all are and the match is accepted.
bool PatternSearch::extend(size_t step, const PatternBinding &binding) {
  if (step == steps.size())
    return accept(binding);
  size_t part = steps[step];
  const PatternNode &wanted = pattern.nodes[part];
  auto tryNode = [&](size_t node) {
    bool swaps = wanted.domain.empty() && isCommutative(wanted.op) &&
                 wanted.operands.size() == 2;
    for (bool swapped : {false, true}) {
      PatternBinding next = binding;
      if ((!swapped || swaps) && bindNode(part, node, swapped, next) &&
          extend(step + 1, next))
        return true;
    }
    return false;
  };
  if (binding.nodes[part])
    return tryNode(*binding.nodes[part]);
  for (size_t result : wanted.results)
    if (const std::optional<std::string> &name = binding.values[result]) {
      auto producer = graph.producers.find(*name);
      return producer != graph.producers.end() && tryNode(producer->second);
    }
  for (size_t node = 0; node < size_t(graph.nodes.size()); ++node)
    if (tryNode(node))
      return true;
  return false;
}

PatternSearch::Count PatternSearch::run(size_t anchor,
                                        std::vector<size_t> order) {
  steps = std::move(order);
  PatternBinding empty{{}, {}};
  empty.values.resize(pattern.values.size());
  empty.nodes.resize(pattern.nodes.size());
  Count count;
  for (size_t node = 0; node < size_t(graph.nodes.size()); ++node) {
    if (!hasType(anchor, node))
      continue;
    PatternBinding anchored = empty;
    anchored.nodes[anchor] = node;
    ++count.all;
    count.fit += extend(0, anchored);
  }
  return count;
}

} // namespace tilewright::onnx
