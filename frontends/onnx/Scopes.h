// The names of values during import.
#pragma once

#include "frontends/onnx/ModelFile.h"
#include "frontends/onnx/NamedValue.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace tilewright::onnx {

/// Functions and branches nest at most this deep.
inline constexpr int maximumDepth = 64;

/// The values of one graph or function body, by name.
struct Scope {
  llvm::StringMap<NamedValue> values;
  /// Null for a result of the graph and a reader in a branch.
  llvm::StringMap<llvm::SmallVector<const NodeProto *, 1>> users;
};

/// The graphs that are being imported, the innermost last.
class Scopes {
public:
  using Nodes = std::vector<NodeProto>;

  /// Null for a name that is not defined.
  const NamedValue *find(const std::string &name) const;
  /// The tensor of that name; null if there is none.
  Tensor lookup(const std::string &name) const;
  /// Whether a name is an optional value without an element.
  bool isAbsent(const std::string &name) const;
  void define(const std::string &name, const NamedValue &value);
  /// A constant, if the name is one (also before the node that reads it).
  Tensor constantNamed(const std::string &name);
  /// Whether a node of the graph reads a value.
  bool isRead(const std::string &name) const;
  void countUses(const Nodes &nodes);
  /// Marks a value as a result of its graph, before its nodes.
  void markResult(const std::string &name) {
    scopes.back().users[name].push_back(nullptr);
  }

  Scope &innermost() { return scopes.back(); }
  void push(Scope scope = {}) { scopes.push_back(std::move(scope)); }
  void pop() { scopes.pop_back(); }
  /// Hides all scopes, as a function's body sees only its own; returns the
  /// argument for show().
  size_t hideAll() { return std::exchange(visible, scopes.size()); }
  void show(size_t from) { visible = from; }

private:
  std::vector<Scope> scopes{1};
  /// Scopes below this one are hidden.
  size_t visible = 0;
};

} // namespace tilewright::onnx
