// Finds patterns among the nodes of a graph.
#pragma once

#include "frontends/onnx/Pattern.h"
#include "frontends/onnx/Tensor.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <optional>
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

/// The nodes of one graph, who reads whom, and what matches were found. Matches
/// share no node.
class PatternMatcher {
public:
  using Nodes = google::protobuf::RepeatedPtrField<::onnx::NodeProto>;
  /// `constantNamed` gives the constant of that name, or null. The values that
  /// `readers` gives for a name are its readers, null for a result of the graph
  /// and a reader in a branch. Both are asked only while this is used.
  using ConstantNamed = llvm::function_ref<Tensor(const std::string &)>;
  using Readers = llvm::function_ref<llvm::ArrayRef<const ::onnx::NodeProto *>(
      const std::string &)>;
  PatternMatcher(const Nodes &nodes, ConstantNamed constantNamed,
                 Readers readers);

  /// Finds all matches of the next pattern, the first node that fits first.
  /// Without one, the error says how often each part of it was found.
  Status find(const Pattern &pattern);

  /// The matches of all patterns.
  const std::vector<Match> &matches() const { return found; }
  /// Why nodes that look like a pattern are no match; a line each.
  const std::vector<std::string> &refusals() const { return refused; }
  /// The nodes in an order in which each match can stand as one: an entry is
  /// one node, or all of a match. Errors where a node between those of a match
  /// lies on a way from its outputs to its inputs.
  StatusOr<std::vector<std::vector<size_t>>> order() const;

  /// How messages name a node.
  std::string nameOf(size_t node) const;
  std::string namesOf(const Match &match) const;

private:
  /// What stands for the values and nodes of the pattern.
  struct Binding {
    std::vector<std::optional<std::string>> values;
    std::vector<std::optional<size_t>> nodes;
  };
  bool extend(size_t step, const Binding &binding);
  bool bind(size_t value, const std::string &name, Binding &binding) const;
  bool bindNode(size_t part, size_t node, bool swapped, Binding &binding) const;
  bool accept(const Binding &binding);
  bool refuse(size_t node, const std::string &why);
  bool hasType(size_t part, size_t node) const;
  bool hasAttributes(size_t part, size_t node) const;
  bool equals(const std::string &name, const PatternNumbers &numbers) const;
  void orderOf(size_t part);
  Status nothingFound();

  const Nodes &nodes;
  ConstantNamed constantNamed;
  Readers readers;
  llvm::StringMap<size_t> producers;
  std::vector<Match> found;
  std::vector<std::string> refused;
  std::set<size_t> taken;
  size_t patterns = 0;

  // Of the pattern that is looked for.
  const Pattern *pattern = nullptr;
  /// Its nodes, readers before those that they read.
  std::vector<size_t> steps;
  /// What is done with a binding of all of `steps`.
  bool countOnly = false;
};

} // namespace tilewright::onnx
