// Finds patterns among the nodes of a graph.
#pragma once

#include "frontends/onnx/PatternSearch.h"

#include <set>
#include <string>
#include <vector>

namespace tilewright::onnx {

/// Nodes that look like a pattern.
struct Match {
  /// Which pattern, and its kernel.
  size_t replacement = 0;
  /// Indices among the graph's nodes, in their order.
  std::set<size_t> nodes;
  /// Names of the values at the pattern's inputs and outputs.
  std::vector<std::string> inputs, outputs;
};

/// The matches of patterns in one graph. They share no node.
class PatternMatcher {
public:
  PatternMatcher(const PatternGraph::Nodes &nodes,
                 PatternGraph::ConstantNamed constantNamed,
                 PatternGraph::Readers readers)
      : graph(nodes, constantNamed, readers) {}

  /// Finds all matches of the next pattern, in the order of the nodes. Without
  /// one, the error says how often each part of it was found.
  Status find(const Pattern &pattern);

  /// The matches of all patterns.
  const std::vector<Match> &matches() const { return found; }
  /// Why nodes that look like a pattern are no match; a line each.
  const std::vector<std::string> &rejections() const { return rejected; }
  /// The nodes in an order in which the nodes of each match are together: an
  /// entry is one node, or all of a match. Errors where a node between those of
  /// a match is on a path from its outputs to its inputs.
  StatusOr<std::vector<std::vector<size_t>>> order() const;

  /// How messages name its nodes.
  std::string namesOf(const Match &match) const;

private:
  bool accept(const Pattern &pattern, const PatternBinding &binding);
  bool reject(size_t node, const std::string &why);
  Status nothingFound(const Pattern &pattern) const;

  PatternGraph graph;
  std::vector<Match> found;
  std::vector<std::string> rejected;
  std::set<size_t> taken;
  size_t patterns = 0;
};

} // namespace tilewright::onnx
