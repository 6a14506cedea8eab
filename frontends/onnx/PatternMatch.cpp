#include "frontends/onnx/PatternMatch.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright::onnx {

std::string PatternMatcher::namesOf(const Match &match) const {
  std::string names;
  for (size_t node : match.nodes)
    names += (names.empty() ? "" : ", ") + graph.nameOf(node);
  return names;
}

bool PatternMatcher::reject(size_t node, const std::string &why) {
  std::string text = "node " + graph.nameOf(node) + ": " + why;
  if (!llvm::is_contained(rejected, text))
    rejected.push_back(text);
  return false;
}

/// Takes a match, unless others need what is inside of it.
bool PatternMatcher::accept(const Pattern &pattern,
                            const PatternBinding &binding) {
  Match match{patterns, {}, {}, {}};
  for (const std::optional<size_t> &node : binding.nodes)
    match.nodes.insert(*node);
  for (size_t value : pattern.inputs)
    match.inputs.push_back(*binding.values[value]);
  for (size_t value : pattern.outputs)
    match.outputs.push_back(*binding.values[value]);
  for (size_t node : match.nodes) {
    if (taken.contains(node))
      return reject(node, "it is in another match");
    for (const std::string &name : graph.nodes[node].output) {
      if (llvm::is_contained(match.inputs, name))
        return reject(node, "its output '" + name +
                                "' is an input of the match as well");
      if (name.empty() || llvm::is_contained(match.outputs, name))
        continue;
      for (const NodeProto *reader : graph.readers(name)) {
        if (!reader)
          return reject(node, "its output '" + name +
                                  "' is a result of the graph, or is read in "
                                  "a branch or loop");
        size_t other = size_t(
            llvm::find_if(graph.nodes,
                          [&](const auto &each) { return &each == reader; }) -
            graph.nodes.begin());
        if (!match.nodes.contains(other))
          return reject(node, "its output '" + name +
                                  "' is read outside of the match, by node " +
                                  graph.nameOf(other));
      }
    }
  }
  taken.insert(match.nodes.begin(), match.nodes.end());
  found.push_back(std::move(match));
  return true;
}

/// A node of the pattern and those that it reads.
static std::vector<size_t> partsFrom(const Pattern &pattern, size_t part) {
  std::vector<size_t> steps{part};
  for (size_t i = 0; i < steps.size(); ++i)
    for (const PatternOperand &operand : pattern.nodes[steps[i]].operands)
      if (operand.kind == PatternOperand::Kind::value)
        if (int node = pattern.values[operand.value].node; node >= 0)
          if (!llvm::is_contained(steps, size_t(node)))
            steps.push_back(size_t(node));
  // Nodes follow those that they read.
  llvm::sort(steps, std::greater<>());
  return steps;
}

Status PatternMatcher::find(const Pattern &pattern) {
  std::vector<size_t> steps;
  for (size_t part = pattern.nodes.size(); part-- > 0;)
    steps.push_back(part);
  auto take = [&](const PatternBinding &binding) {
    return accept(pattern, binding);
  };
  size_t before = found.size();
  PatternSearch(graph, pattern, take).run(steps[0], steps);
  if (found.size() == before)
    return nothingFound(pattern);
  ++patterns;
  return {};
}

/// How often each part of the pattern was found.
Status PatternMatcher::nothingFound(const Pattern &pattern) const {
  std::string text = "pattern '" + pattern.text + "' matches nothing";
  auto takeAll = [](const PatternBinding &) { return true; };
  PatternSearch search(graph, pattern, takeAll);
  for (auto [part, wanted] : llvm::enumerate(pattern.nodes)) {
    auto [all, fit] = search.run(part, partsFrom(pattern, part));
    text += "\n  " + wanted.text + ": found at " + std::to_string(fit) +
            " of " + std::to_string(all) + " " + wanted.op +
            (all == 1 ? " node" : " nodes");
  }
  for (const std::string &reason : rejected)
    text += "\n  rejected: " + reason;
  return Status::invalidInput(text);
}

//===--- Order ------------------------------------------------------------===//

namespace {
/// Entries of the order, each a node or all nodes of a match.
using Entries = std::vector<std::vector<size_t>>;
} // namespace

/// Moves the nodes of `match` together, to the position of the last of them.
/// Earlier readers of its outputs move behind it; false where the match depends
/// on one of them.
static bool collapse(const PatternGraph::Nodes &nodes, const Match &match,
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
      for (const std::string &name : nodes[node].input)
        isLate |= late.contains(name) ||
                  (isBetween && !isOwn && outputs.contains(name));
      // What its branches read is not looked at.
      for (const auto &attribute : nodes[node].attribute)
        isLate |= isBetween && !isOwn && attribute.g;
    }
    if (isOwn && isLate)
      return false;
    if (!isOwn)
      (isLate ? behind : order).push_back(entry);
    for (size_t node : entry)
      if (isLate)
        late.insert(nodes[node].output.begin(), nodes[node].output.end());
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
  for (size_t node = 0; node < size_t(graph.nodes.size()); ++node)
    entries.push_back({node});
  for (const Match &match : found)
    if (!collapse(graph.nodes, match, entries))
      return Status::unsupported(
          "the nodes " + namesOf(match) +
          " cannot run as one kernel: a node outside of them reads one of "
          "their outputs, and they need what it gives");
  return entries;
}

} // namespace tilewright::onnx
