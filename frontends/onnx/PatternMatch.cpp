#include "frontends/onnx/PatternMatch.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright::onnx {

/// Operators of two operands that may be swapped.
static bool isCommutative(StringRef op) {
  static constexpr StringRef names[] = {
      "Add",  "And", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Equal", "Max",
      "Mean", "Min", "Mul",        "Or",        "Sum",        "Xor"};
  return llvm::is_contained(names, op);
}

static StringRef domainOf(const ::onnx::NodeProto &node) {
  return node.domain() == "ai.onnx" ? StringRef() : StringRef(node.domain());
}

PatternMatcher::PatternMatcher(const Nodes &nodes, ConstantNamed constantNamed,
                               Readers readers)
    : nodes(nodes), constantNamed(constantNamed), readers(readers) {
  for (int i = 0; i < nodes.size(); ++i)
    for (const std::string &name : nodes[i].output())
      producers.try_emplace(name, size_t(i));
}

std::string PatternMatcher::nameOf(size_t node) const {
  const ::onnx::NodeProto &proto = nodes[int(node)];
  bool isNamed = !proto.name().empty() || proto.output_size() == 0;
  return "'" + (isNamed ? proto.name() : proto.output(0)) + "' (" +
         proto.op_type() + ")";
}

std::string PatternMatcher::namesOf(const Match &match) const {
  std::string names;
  for (size_t node : match.nodes)
    names += (names.empty() ? "" : ", ") + nameOf(node);
  return names;
}

//===--- One node ---------------------------------------------------------===//

bool PatternMatcher::hasType(size_t part, size_t node) const {
  const PatternNode &wanted = pattern->nodes[part];
  return nodes[int(node)].op_type() == wanted.op &&
         domainOf(nodes[int(node)]) == wanted.domain;
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

bool PatternMatcher::equals(const std::string &name,
                            const PatternNumbers &numbers) const {
  Tensor tensor = constantNamed(name);
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

/// Whether an attribute of a node is what the pattern says.
static bool isEqual(const ::onnx::AttributeProto &found,
                    const std::variant<PatternNumbers, std::string> &wanted) {
  using Proto = ::onnx::AttributeProto;
  if (auto *text = std::get_if<std::string>(&wanted))
    return found.type() == Proto::STRING && found.s() == *text;
  const auto &numbers = std::get<PatternNumbers>(wanted);
  auto first = [&] { return numbers.values.front(); };
  switch (found.type()) {
  case Proto::INT:
    return !numbers.isList && double(found.i()) == first();
  case Proto::FLOAT:
    return !numbers.isList && found.f() == float(first());
  case Proto::INTS:
    return numbers.isList &&
           llvm::equal(found.ints(), numbers.values,
                       [](int64_t a, double b) { return double(a) == b; });
  case Proto::FLOATS:
    return numbers.isList &&
           llvm::equal(found.floats(), numbers.values,
                       [](float a, double b) { return a == float(b); });
  default:
    return false;
  }
}

bool PatternMatcher::hasAttributes(size_t part, size_t node) const {
  return llvm::all_of(
      pattern->nodes[part].attributes, [&](const PatternAttribute &wanted) {
        return llvm::any_of(
            nodes[int(node)].attribute(), [&](const auto &each) {
              return each.name() == wanted.name && isEqual(each, wanted.value);
            });
      });
}

bool PatternMatcher::bind(size_t value, const std::string &name,
                          Binding &binding) const {
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
static int numOperands(const ::onnx::NodeProto &node) {
  int count = node.input_size();
  while (count > 0 && node.input(count - 1).empty())
    --count;
  return count;
}

bool PatternMatcher::bindNode(size_t part, size_t node, bool swapped,
                              Binding &binding) const {
  const PatternNode &wanted = pattern->nodes[part];
  const ::onnx::NodeProto &proto = nodes[int(node)];
  if (!hasType(part, node) || !hasAttributes(part, node) ||
      isBound(node, part, binding.nodes) ||
      int(wanted.operands.size()) < numOperands(proto) ||
      int(wanted.results.size()) > proto.output_size())
    return false;
  binding.nodes[part] = node;
  for (auto [i, result] : llvm::enumerate(wanted.results))
    if (!bind(result, proto.output(int(i)), binding))
      return false;
  for (auto [i, operand] : llvm::enumerate(wanted.operands)) {
    int at = swapped ? 1 - int(i) : int(i);
    std::string name = at < proto.input_size() ? proto.input(at) : "";
    bool fits = operand.kind == PatternOperand::Kind::absent ? name.empty()
                : operand.kind == PatternOperand::Kind::constant
                    ? equals(name, operand.constant)
                    : bind(operand.value, name, binding);
    if (!fits)
      return false;
  }
  return true;
}

//===--- All nodes of a pattern -------------------------------------------===//

/// Binds steps from `step` on; true where all are and the match is accepted.
bool PatternMatcher::extend(size_t step, const Binding &binding) {
  if (step == steps.size())
    return countOnly || accept(binding);
  size_t part = steps[step];
  const PatternNode &wanted = pattern->nodes[part];
  auto tryNode = [&](size_t node) {
    bool swaps = wanted.domain.empty() && isCommutative(wanted.op) &&
                 wanted.operands.size() == 2;
    for (bool swapped : {false, true}) {
      Binding next = binding;
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
      auto producer = producers.find(*name);
      return producer != producers.end() && tryNode(producer->second);
    }
  for (size_t node = 0; node < size_t(nodes.size()); ++node)
    if (tryNode(node))
      return true;
  return false;
}

bool PatternMatcher::refuse(size_t node, const std::string &why) {
  std::string text = "node " + nameOf(node) + ": " + why;
  if (!llvm::is_contained(refused, text))
    refused.push_back(text);
  return false;
}

/// Takes a match, unless others need what is inside of it.
bool PatternMatcher::accept(const Binding &binding) {
  Match match{patterns, {}, {}, {}};
  for (const std::optional<size_t> &node : binding.nodes)
    match.nodes.insert(*node);
  for (size_t value : pattern->inputs)
    match.inputs.push_back(*binding.values[value]);
  for (size_t value : pattern->outputs)
    match.outputs.push_back(*binding.values[value]);
  for (size_t node : match.nodes) {
    if (taken.contains(node))
      return refuse(node, "it is in another match");
    for (const std::string &name : nodes[int(node)].output()) {
      if (llvm::is_contained(match.inputs, name))
        return refuse(node, "its output '" + name +
                                "' is an input of the match as well");
      if (name.empty() || llvm::is_contained(match.outputs, name))
        continue;
      for (const ::onnx::NodeProto *reader : readers(name)) {
        if (!reader)
          return refuse(node, "its output '" + name +
                                  "' is a result of the graph, or is read in "
                                  "a branch or loop");
        size_t other = size_t(
            llvm::find_if(nodes,
                          [&](const auto &each) { return &each == reader; }) -
            nodes.begin());
        if (!match.nodes.contains(other))
          return refuse(node, "its output '" + name +
                                  "' is read outside of the match, by node " +
                                  nameOf(other));
      }
    }
  }
  taken.insert(match.nodes.begin(), match.nodes.end());
  found.push_back(std::move(match));
  return true;
}

/// Sets the steps to a node of the pattern and those that it reads.
void PatternMatcher::orderOf(size_t part) {
  if (llvm::is_contained(steps, part))
    return;
  steps.push_back(part);
  for (size_t i = 0; i < steps.size(); ++i)
    for (const PatternOperand &operand : pattern->nodes[steps[i]].operands)
      if (operand.kind == PatternOperand::Kind::value)
        if (int node = pattern->values[operand.value].node; node >= 0)
          if (!llvm::is_contained(steps, size_t(node)))
            steps.push_back(size_t(node));
  // Nodes stand behind those that they read.
  llvm::sort(steps, std::greater<>());
}

Status PatternMatcher::find(const Pattern &wanted) {
  pattern = &wanted;
  countOnly = false;
  steps.clear();
  for (size_t part = wanted.nodes.size(); part-- > 0;)
    steps.push_back(part);
  Binding empty{{}, {}};
  empty.values.resize(wanted.values.size());
  empty.nodes.resize(wanted.nodes.size());
  size_t before = found.size();
  for (size_t node = 0; node < size_t(nodes.size()); ++node) {
    if (!hasType(steps[0], node))
      continue;
    Binding anchored = empty;
    anchored.nodes[steps[0]] = node;
    extend(0, anchored);
  }
  if (found.size() == before)
    return nothingFound();
  ++patterns;
  return {};
}

/// How often each part of the pattern was found.
Status PatternMatcher::nothingFound() {
  std::string text = "pattern '" + pattern->text + "' matches nothing";
  countOnly = true;
  for (auto [part, wanted] : llvm::enumerate(pattern->nodes)) {
    steps.clear();
    orderOf(part);
    Binding empty{{}, {}};
    empty.values.resize(pattern->values.size());
    empty.nodes.resize(pattern->nodes.size());
    size_t all = 0, fit = 0;
    for (size_t node = 0; node < size_t(nodes.size()); ++node) {
      if (!hasType(part, node))
        continue;
      Binding anchored = empty;
      anchored.nodes[part] = node;
      ++all;
      fit += extend(0, anchored);
    }
    text += "\n  " + wanted.text + ": found at " + std::to_string(fit) +
            " of " + std::to_string(all) + " " + wanted.op +
            (all == 1 ? " node" : " nodes");
  }
  for (const std::string &reason : refused)
    text += "\n  refused: " + reason;
  return Status::invalidInput(text);
}

//===--- Order ------------------------------------------------------------===//

namespace {
/// Entries of the order, each a node or all nodes of a match.
using Entries = std::vector<std::vector<size_t>>;
} // namespace

/// Moves the nodes of `match` together, to where the last of them stands. What
/// reads its outputs before that moves behind it; false where the match needs
/// something of that.
static bool collapse(const PatternMatcher::Nodes &nodes, const Match &match,
                     Entries &entries) {
  std::set<std::string> outputs(match.outputs.begin(), match.outputs.end());
  std::set<std::string> late;
  Entries order, behind;
  size_t seen = 0;
  for (std::vector<size_t> &entry : entries) {
    bool isOwn = match.nodes.contains(entry.front());
    bool isBetween = seen > 0 && seen < match.nodes.size();
    bool isLate = false;
    for (size_t node : entry) {
      for (const std::string &name : nodes[int(node)].input())
        isLate |= late.contains(name) ||
                  (isBetween && !isOwn && outputs.contains(name));
      // What its branches read is not looked at.
      for (const auto &attribute : nodes[int(node)].attribute())
        isLate |= isBetween && !isOwn && attribute.has_g();
    }
    if (isOwn && isLate)
      return false;
    if (!isOwn)
      (isLate ? behind : order).push_back(entry);
    for (size_t node : entry)
      if (isLate)
        late.insert(nodes[int(node)].output().begin(),
                    nodes[int(node)].output().end());
    if (!isOwn || ++seen < match.nodes.size())
      continue;
    order.emplace_back(match.nodes.begin(), match.nodes.end());
    llvm::append_range(order, behind);
    behind.clear();
    late.clear();
  }
  entries = std::move(order);
  return true;
}

StatusOr<Entries> PatternMatcher::order() const {
  Entries entries;
  for (size_t node = 0; node < size_t(nodes.size()); ++node)
    entries.push_back({node});
  for (const Match &match : found)
    if (!collapse(nodes, match, entries))
      return Status::unsupported(
          "the nodes " + namesOf(match) +
          " cannot run as one kernel: a node outside of them reads one of "
          "their outputs, and they need what it gives");
  return entries;
}

} // namespace tilewright::onnx
