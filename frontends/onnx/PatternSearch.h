// Finds one pattern among the nodes of a graph.
#pragma once

#include "frontends/onnx/Build.h"
#include "frontends/onnx/ModelFile.h"
#include "frontends/onnx/Pattern.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <optional>
#include <string>
#include <vector>

namespace tilewright::onnx {

/// The nodes of one graph, and who reads whom.
struct PatternGraph {
  using Nodes = std::vector<NodeProto>;
  /// `constantNamed` returns the constant of that name, or null. `readers`
  /// returns the readers of a name, null for a result of the graph and a reader
  /// in a branch. Both must live as long as this.
  using ConstantNamed = llvm::function_ref<Tensor(const std::string &)>;
  using Readers = llvm::function_ref<llvm::ArrayRef<const NodeProto *>(
      const std::string &)>;
  PatternGraph(const Nodes &nodes, ConstantNamed constantNamed,
               Readers readers);

  /// How messages name a node.
  std::string nameOf(size_t node) const;

  const Nodes &nodes;
  ConstantNamed constantNamed;
  Readers readers;
  llvm::StringMap<size_t> producers;
};

/// The values and nodes bound to those of a pattern.
struct PatternBinding {
  std::vector<std::optional<std::string>> values;
  std::vector<std::optional<size_t>> nodes;
};

/// Looks for one pattern, or a part of it.
class PatternSearch {
public:
  /// Whether to accept a binding.
  using Accept = llvm::function_ref<bool(const PatternBinding &)>;
  PatternSearch(const PatternGraph &graph, const Pattern &pattern,
                Accept accept)
      : graph(graph), pattern(pattern), accept(accept) {}

  /// Of the nodes that may be the anchor: all, and those for which a binding
  /// was taken.
  struct Count {
    size_t all = 0, fit = 0;
  };
  /// Binds the nodes of the pattern in `order`, readers before those that they
  /// read, once for each node of the graph that may be node `anchor` of it.
  Count run(size_t anchor, std::vector<size_t> order);

private:
  bool extend(size_t step, const PatternBinding &binding);
  bool bindNode(size_t part, size_t node, bool swapped,
                PatternBinding &binding) const;
  bool hasType(size_t part, size_t node) const;

  const PatternGraph &graph;
  const Pattern &pattern;
  Accept accept;
  std::vector<size_t> steps;
};

} // namespace tilewright::onnx
