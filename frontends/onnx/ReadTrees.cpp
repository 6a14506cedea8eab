// The attributes of ensembles of decision trees.
#include "frontends/onnx/GraphImporter.h"
#include "frontends/onnx/TreeEnsemble.h"

#include <cmath>
#include <map>

using namespace mlir;

namespace tilewright::onnx {
namespace {

using NodeKey = std::pair<int64_t, int64_t>;

/// A list with a value for each of `count` nodes, or an empty one if it may be
/// missing.
FailureOr<SmallVector<int64_t>> perNode(Node &node, StringRef name,
                                        size_t count, bool mayBeMissing) {
  TRY(SmallVector<int64_t> values, node.attributes.integers(name));
  if (values.size() != count && !(values.empty() && mayBeMissing))
    return node.fail("attribute '" + name + "' has " + Twine(values.size()) +
                     " values, expected " + Twine(count));
  return values;
}

FailureOr<std::optional<TreeMode>> modeOf(Node &node, StringRef name) {
  constexpr std::pair<StringRef, TreeMode> modes[] = {
      {"BRANCH_LEQ", TreeMode::LessOrEqual},
      {"BRANCH_LT", TreeMode::Less},
      {"BRANCH_GTE", TreeMode::GreaterOrEqual},
      {"BRANCH_GT", TreeMode::Greater},
      {"BRANCH_EQ", TreeMode::Equal},
      {"BRANCH_NEQ", TreeMode::NotEqual}};
  for (auto [known, mode] : modes)
    if (name == known)
      return std::optional<TreeMode>(mode);
  if (name == "LEAF")
    return std::optional<TreeMode>();
  return node.fail("attribute 'nodes_modes' has the mode '" + name + "'");
}

/// The leaves' targets and weights, by the number of the leaf's node.
LogicalResult readLeaves(Node &node, StringRef prefix,
                         const std::map<NodeKey, int64_t> &numbers,
                         TreeEnsemble &trees) {
  auto named = [&](StringRef suffix) { return (prefix + suffix).str(); };
  TRY(SmallVector<int64_t> ids, node.attributes.integers(named("_ids")));
  TRY(SmallVector<int64_t> treeIds,
      perNode(node, named("_treeids"), ids.size(), false));
  TRY(SmallVector<int64_t> nodeIds,
      perNode(node, named("_nodeids"), ids.size(), false));
  TRY(SmallVector<double> weights, numbersOrTensor(node, named("_weights")));
  if (weights.size() != ids.size())
    return node.fail("attribute '" + named("_weights") + "' has " +
                     Twine(weights.size()) + " values, expected " +
                     Twine(ids.size()));
  for (size_t i = 0; i < ids.size(); ++i) {
    auto found = numbers.find({treeIds[i], nodeIds[i]});
    if (found == numbers.end() || trees.nodes[found->second].leaf < 0)
      return node.fail("node " + Twine(nodeIds[i]) + " of tree " +
                       Twine(treeIds[i]) + " has a weight and is no leaf");
    trees.leaves[trees.nodes[found->second].leaf].push_back(
        {ids[i], weights[i]});
  }
  return success();
}

} // namespace

FailureOr<SmallVector<double>> numbersOrTensor(Node &node, StringRef name) {
  const auto *attribute = node.attributes.find((name + "_as_tensor").str());
  if (!attribute)
    return node.attributes.numbers(name);
  TRY(Tensor tensor, node.importer.decode(attribute->t));
  SmallVector<double> values;
  for (int64_t i = 0, count = countOf(*tensor).value_or(0); i < count; ++i)
    values.push_back(floatAt(*tensor, i));
  return values;
}

FailureOr<TreeEnsemble> readTreeNodes(Node &node, StringRef prefix) {
  const auto *modes = node.attributes.find("nodes_modes");
  if (!modes || modes->strings.empty())
    return node.fail("attribute 'nodes_modes' is missing");
  const size_t count = modes->strings.size();
  TRY(auto treeIds, perNode(node, "nodes_treeids", count, false));
  TRY(auto nodeIds, perNode(node, "nodes_nodeids", count, false));
  TRY(auto features, perNode(node, "nodes_featureids", count, false));
  TRY(auto yes, perNode(node, "nodes_truenodeids", count, false));
  TRY(auto no, perNode(node, "nodes_falsenodeids", count, false));
  TRY(auto missing,
      perNode(node, "nodes_missing_value_tracks_true", count, true));
  TRY(SmallVector<double> values, numbersOrTensor(node, "nodes_values"));
  if (values.size() != count)
    return node.fail("attribute 'nodes_values' has " + Twine(values.size()) +
                     " values, expected " + Twine(count));
  TreeEnsemble trees;
  std::map<NodeKey, int64_t> numbers;
  for (size_t i = 0; i < count; ++i) {
    if (i == 0 || treeIds[i] != treeIds[i - 1])
      trees.roots.push_back(int64_t(i));
    if (!numbers.try_emplace({treeIds[i], nodeIds[i]}, int64_t(i)).second)
      return node.fail("node " + Twine(nodeIds[i]) + " of tree " +
                       Twine(treeIds[i]) + " is there twice");
  }
  for (size_t i = 0; i < count; ++i) {
    TreeNode &made = trees.nodes.emplace_back();
    TRY(std::optional<TreeMode> mode, modeOf(node, modes->strings[i]));
    if (!mode) {
      made.leaf = std::ssize(trees.leaves);
      trees.leaves.emplace_back();
      continue;
    }
    auto child = [&](int64_t id) {
      auto found = numbers.find({treeIds[i], id});
      return found == numbers.end() ? -1 : found->second;
    };
    made.feature = features[i];
    made.value = values[i];
    made.mode = *mode;
    made.yes = child(yes[i]);
    made.no = child(no[i]);
    made.missingIsYes = !missing.empty() && missing[i] != 0;
  }
  if (failed(readLeaves(node, prefix, numbers, trees)))
    return failure();
  return trees;
}

namespace {

/// What TreeEnsemble lists of its nodes and leaves.
struct FlatTrees {
  SmallVector<int64_t> roots, features, modes, yes, no, yesIsLeaf, noIsLeaf,
      missing, targets;
  SmallVector<double> splits, weights, members;
};

FailureOr<SmallVector<double>> tensorAttribute(Node &node, StringRef name) {
  SmallVector<double> values;
  const auto *attribute = node.attributes.find(name);
  if (!attribute)
    return values;
  TRY(Tensor tensor, node.importer.decode(attribute->t));
  for (int64_t i = 0, count = countOf(*tensor).value_or(0); i < count; ++i)
    values.push_back(tensor->element.isFloat() ? floatAt(*tensor, i)
                                               : double(intAt(*tensor, i)));
  return values;
}

FailureOr<FlatTrees> readFlat(Node &node) {
  FlatTrees flat;
  TRY(flat.splits, tensorAttribute(node, "nodes_splits"));
  const size_t count = flat.splits.size();
  TRY(SmallVector<double> modes, tensorAttribute(node, "nodes_modes"));
  for (double mode : modes)
    flat.modes.push_back(int64_t(mode));
  if (modes.size() != count)
    return node.fail("attribute 'nodes_modes' has " + Twine(modes.size()) +
                     " values, expected " + Twine(count));
  TRY(flat.roots, node.attributes.integers("tree_roots"));
  TRY(flat.features, perNode(node, "nodes_featureids", count, false));
  TRY(flat.yes, perNode(node, "nodes_truenodeids", count, false));
  TRY(flat.no, perNode(node, "nodes_falsenodeids", count, false));
  TRY(flat.yesIsLeaf, perNode(node, "nodes_trueleafs", count, false));
  TRY(flat.noIsLeaf, perNode(node, "nodes_falseleafs", count, false));
  TRY(flat.missing,
      perNode(node, "nodes_missing_value_tracks_true", count, true));
  TRY(flat.weights, tensorAttribute(node, "leaf_weights"));
  TRY(flat.targets,
      perNode(node, "leaf_targetids", flat.weights.size(), false));
  TRY(flat.members, tensorAttribute(node, "membership_values"));
  return flat;
}

/// A node that asks whether a number is one of several becomes a chain of
/// nodes, in which each "no" leads to the next.
LogicalResult addMembers(Node &node, TreeEnsemble &trees, int64_t at,
                         ArrayRef<double> members, size_t &next) {
  const int64_t no = trees.nodes[at].no;
  int64_t last = at;
  for (bool isFirst = true;; isFirst = false) {
    if (next >= members.size() || std::isnan(members[next])) {
      ++next;
      if (isFirst)
        return node.fail("attribute 'membership_values' has no values for a "
                         "node");
      trees.nodes[last].no = no;
      return success();
    }
    if (!isFirst) {
      TreeNode copy = trees.nodes[last];
      trees.nodes[last].no = std::ssize(trees.nodes);
      last = std::ssize(trees.nodes);
      trees.nodes.push_back(copy);
    }
    trees.nodes[last].mode = TreeMode::Equal;
    trees.nodes[last].value = members[next++];
  }
}

} // namespace

FailureOr<TreeEnsemble> readFlatTrees(Node &node) {
  TRY(FlatTrees flat, readFlat(node));
  TreeEnsemble trees;
  const int64_t inner = std::ssize(flat.splits);
  const int64_t leaves = std::ssize(flat.weights);
  trees.roots.assign(flat.roots.begin(), flat.roots.end());
  for (int64_t root : trees.roots)
    if (root < 0 || root >= inner)
      return node.fail("attribute 'tree_roots' has the value " + Twine(root));
  auto child = [&](int64_t at, bool isLeaf) -> int64_t {
    return at < 0 || at >= (isLeaf ? leaves : inner) ? -1
           : isLeaf                                  ? inner + at
                                                     : at;
  };
  for (int64_t i = 0; i < inner; ++i) {
    TreeNode &made = trees.nodes.emplace_back();
    made.feature = flat.features[i];
    made.value = flat.splits[i];
    made.yes = child(flat.yes[i], flat.yesIsLeaf[i] != 0);
    made.no = child(flat.no[i], flat.noIsLeaf[i] != 0);
    made.missingIsYes = !flat.missing.empty() && flat.missing[i] != 0;
    if (flat.modes[i] < 0 || flat.modes[i] > 6)
      return node.fail("attribute 'nodes_modes' has the value " +
                       Twine(flat.modes[i]));
    if (flat.modes[i] < 6)
      made.mode = TreeMode(flat.modes[i]);
  }
  for (int64_t i = 0; i < leaves; ++i) {
    trees.nodes.emplace_back().leaf = i;
    trees.leaves.push_back({{flat.targets[i], flat.weights[i]}});
  }
  size_t next = 0;
  for (int64_t i = 0; i < inner; ++i)
    if (flat.modes[i] == 6 &&
        failed(addMembers(node, trees, i, flat.members, next)))
      return failure();
  return trees;
}

} // namespace tilewright::onnx
