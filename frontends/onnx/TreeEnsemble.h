// Ensembles of decision trees as tensor programs (ai.onnx.ml). The trees become
// tables of their nodes; a program of one step per level walks all trees of a
// row at once.
#pragma once

#include "frontends/onnx/Node.h"

#include <utility>
#include <vector>

namespace tilewright::onnx {

/// What an inner node asks of a feature; yes leads to the first child.
enum class TreeMode {
  LessOrEqual,
  Less,
  GreaterOrEqual,
  Greater,
  Equal,
  NotEqual
};

struct TreeNode {
  int64_t feature = 0;
  double value = 0;
  TreeMode mode = TreeMode::LessOrEqual;
  /// Numbers of nodes.
  int64_t yes = 0, no = 0;
  /// Whether NaN leads to the first child.
  bool missingIsYes = false;
  /// The number of a leaf, or -1.
  int64_t leaf = -1;
};

/// What the values of the trees become for one target.
enum class TreeAggregate { Sum, Average, Least, Greatest };

struct TreeEnsemble {
  std::vector<TreeNode> nodes;
  std::vector<int64_t> roots;
  /// Targets and weights of each leaf.
  std::vector<std::vector<std::pair<int64_t, double>>> leaves;
  int64_t targets = 1;
  TreeAggregate aggregate = TreeAggregate::Sum;
};

/// Reads attributes nodes_* of version 1 and 3 of the operators, and leaves of
/// the attributes with this prefix: "target" or "class".
FailureOr<TreeEnsemble> readTreeNodes(Node &node, StringRef prefix);
/// Reads the attributes of TreeEnsemble, version 5.
FailureOr<TreeEnsemble> readFlatTrees(Node &node);
/// A list of numbers: attribute `name`, or the tensor `name`_as_tensor.
FailureOr<SmallVector<double>> numbersOrTensor(Node &node, StringRef name);

/// The aggregated values of all targets, [N, targets], for rows x[N, F] of f32
/// or f64. Fails where a child is no node, a walk does not end, or a feature or
/// target is out of bounds.
FailureOr<Tensor> walkTrees(GraphBuilder &b, const Tensor &x,
                            const TreeEnsemble &trees);

} // namespace tilewright::onnx
