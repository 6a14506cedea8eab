// Walks an exported graph node by node.
#pragma once

#include "frontends/torch/Call.h"

#include "llvm/ADT/StringSet.h"

namespace tilewright::torch {

/// Imports a graph into a function. Subgraphs are inlined.
class GraphImporter {
public:
  GraphImporter(GraphBuilder &b, Numbers &numbers) : b(b), numbers(numbers) {}

  using SlotPtr = std::shared_ptr<Slot>;

  /// Nodes in order. On failure the builder's message has the node's name, its
  /// operator and its line in the user's program.
  LogicalResult importNodes(const Graph &graph);
  /// A subgraph with values for its inputs; returns its outputs.
  FailureOr<SmallVector<SlotPtr>> inlineGraph(const Graph &graph,
                                              ArrayRef<SlotPtr> arguments);

  /// A value of the graph that is being imported; null if it is not there.
  SlotPtr lookup(StringRef name) const;
  /// The same, or an error.
  FailureOr<SlotPtr> slot(const Argument &argument);
  void define(StringRef name, SlotPtr slot);
  const Graph &graph() const { return *scopes.back().graph; }
  /// Whether something reads a value of this graph.
  bool isRead(StringRef name) const {
    return scopes.back().reads.contains(name);
  }
  /// Enters a graph.
  void push(const Graph &graph);
  void pop() { scopes.pop_back(); }

  GraphBuilder &b;
  Numbers &numbers;
  int64_t nodeCount = 0;
  /// Whether torch.autocast is enabled for the nodes that are imported.
  bool isAutocast = false;

private:
  LogicalResult importNode(const Node &node);

  struct Scope {
    const Graph *graph;
    llvm::StringMap<SlotPtr> values;
    llvm::StringSet<> reads;
  };
  std::vector<Scope> scopes;
};

/// "model.py:12: y = f(x)"; empty if the line is not known.
std::string describe(const SourceLine &source);

/// Whether a node computes a number, whose value the graph has, or only checks
/// what an export knows.
bool isBookkeeping(const Node &node);

} // namespace tilewright::torch
