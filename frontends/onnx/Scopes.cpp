#include "frontends/onnx/Scopes.h"

using namespace mlir;

namespace tilewright::onnx {

const NamedValue *Scopes::find(const std::string &name) const {
  for (size_t i = scopes.size(); i-- > visible;)
    if (auto it = scopes[i].values.find(name); it != scopes[i].values.end())
      return &it->second;
  return nullptr;
}

Tensor Scopes::lookup(const std::string &name) const {
  const NamedValue *value = find(name);
  return value ? value->tensor : nullptr;
}

bool Scopes::isAbsent(const std::string &name) const {
  const NamedValue *value = find(name);
  return value && value->isAbsent();
}

void Scopes::define(const std::string &name, const NamedValue &value) {
  scopes.back().values[name] = value;
}

Tensor Scopes::constantNamed(const std::string &name) {
  Tensor tensor = lookup(name);
  return tensor && tensor->constant ? tensor : nullptr;
}

bool Scopes::isRead(const std::string &name) const {
  auto users = scopes.back().users.find(name);
  return users != scopes.back().users.end() &&
         llvm::any_of(users->second, [](const auto *user) { return user; });
}

using Nodes = Scopes::Nodes;

/// Counts readers, those inside of subgraphs as two so that nothing is fused
/// across them.
static void
addUses(const Nodes &nodes, int depth,
        llvm::function_ref<void(const std::string &, const NodeProto *)> use) {
  for (const NodeProto &node : nodes) {
    for (const std::string &name : node.input)
      use(name, depth ? nullptr : &node);
    if (depth < maximumDepth)
      for (const auto &attribute : node.attribute) {
        if (!attribute.g)
          continue;
        addUses(attribute.g->node, depth + 1, use);
        for (const ValueInfoProto &output : attribute.g->output)
          use(output.name, nullptr);
      }
  }
}

void Scopes::countUses(const Nodes &nodes) {
  auto &users = scopes.back().users;
  addUses(nodes, 0, [&](const std::string &name, const auto *node) {
    users[name].push_back(node);
  });
}

} // namespace tilewright::onnx
