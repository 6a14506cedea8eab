// Ensembles of decision trees (ai.onnx.ml).
#include "frontends/onnx/OpsTraditional.h"
#include "frontends/onnx/TreeEnsemble.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Elementwise.h"
#include "graph/build/Movement.h"

#include <set>

using namespace mlir;

namespace tilewright::onnx {
namespace {

/// The rows of features: f64 stays, all else becomes f32.
FailureOr<Tensor> treeFeatures(Node &node) {
  TRY(Tensor x, node.input(0));
  return featuresOf(node, x->element.type.isF64() ? x->element : f32(node.b));
}

FailureOr<TreeAggregate> readAggregate(Node &node) {
  TRY(std::string name, node.attributes.string("aggregate_function", "SUM"));
  constexpr std::pair<StringRef, TreeAggregate> known[] = {
      {"SUM", TreeAggregate::Sum},
      {"AVERAGE", TreeAggregate::Average},
      {"MIN", TreeAggregate::Least},
      {"MAX", TreeAggregate::Greatest}};
  for (auto [each, aggregate] : known)
    if (name == each)
      return aggregate;
  return node.fail("attribute 'aggregate_function' is '" + name +
                   "', expected SUM, AVERAGE, MIN or MAX");
}

/// Scores plus the attribute `base_values`: one for each column, if there.
FailureOr<Tensor> withBaseValues(Node &node, const Tensor &scores,
                                 ArrayRef<double> base) {
  if (base.empty())
    return scores;
  if (base.size() != 1 &&
      constantOf(scores->dims[1]) != std::optional<int64_t>(base.size()))
    return node.fail("attribute 'base_values' has " + Twine(base.size()) +
                     " values, expected " + node.b.sizes.str(scores->dims[1]));
  TRY(Tensor values, convert(node.b, vectorOf(node.b, base), scores->element));
  return arithmetic(node.b, Arithmetic::Add, scores, values);
}

LogicalResult importTreeEnsembleRegressor(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, treeFeatures(node));
  TRY(TreeEnsemble trees, readTreeNodes(node, "target"));
  TRY(trees.targets, node.attributes.integer("n_targets", 1));
  TRY(trees.aggregate, readAggregate(node));
  TRY(PostTransform transform, readPostTransform(node));
  TRY(SmallVector<double> base, numbersOrTensor(node, "base_values"));
  TRY(Tensor scores, walkTrees(b, x, trees));
  TRY(scores, withBaseValues(node, scores, base));
  TRY(scores, convert(b, scores, f32(b)));
  return node.done(transformScores(b, scores, transform));
}

/// Of two classes whose leaves have weights for one of them.
LogicalResult setTwoClasses(Node &node, const Tensor &score, bool isPositive,
                            bool isSecond, PostTransform transform,
                            ArrayRef<int64_t> labels) {
  GraphBuilder &b = node.b;
  TRY(Tensor best, labelsAbove(b, score, isPositive ? 0.5 : 0, labels));
  if (failed(node.set(0, best)))
    return failure();
  if (isSecond) {
    TRY(Tensor none,
        broadcastTo(b, scalarConstant(b, score->element, 0), score->dims));
    TRY(Tensor both, concat(b, {none, score}, 1));
    TRY(both, transformScores(b, both, transform));
    return node.set(1, both);
  }
  const SecondScore form =
      isPositive ? SecondScore::Complement : SecondScore::Opposite;
  TRY(Tensor both, twoScores(b, score, form, transform));
  return node.set(1, both);
}

LogicalResult importTreeEnsembleClassifier(Node &node) {
  GraphBuilder &b = node.b;
  if (failed(rejectStrings(node, {"classlabels_strings"})))
    return failure();
  TRY(Tensor x, treeFeatures(node));
  TRY(TreeEnsemble trees, readTreeNodes(node, "class"));
  TRY(SmallVector<int64_t> labels,
      node.attributes.integers("classlabels_int64s"));
  TRY(PostTransform transform, readPostTransform(node));
  TRY(SmallVector<double> base, numbersOrTensor(node, "base_values"));
  trees.targets = std::ssize(labels);
  if (labels.size() < 2)
    return node.fail("attribute 'classlabels_int64s' has " +
                     Twine(labels.size()) + " values, expected two or more");
  std::set<int64_t> weighted;
  bool isPositive = true;
  for (const auto &leaf : trees.leaves)
    for (auto [target, weight] : leaf) {
      weighted.insert(target);
      isPositive &= weight >= 0;
    }
  const bool isBinary = labels.size() == 2 && weighted.size() == 1;
  TRY(Tensor scores, walkTrees(b, x, trees));
  TRY(scores, convert(b, scores, f32(b)));
  if (!isBinary) {
    TRY(scores, withBaseValues(node, scores, base));
    TRY(Tensor best, bestLabels(b, scores, labels));
    TRY(scores, transformScores(b, scores, transform));
    return failed(node.set(0, best)) ? failure() : node.set(1, scores);
  }
  const bool isSecond = *weighted.begin() == 1;
  TRY(Tensor score, slice(b, scores, {b.zero(), b.sizes.constant(isSecond)},
                          {scores->dims[0], b.sizes.constant(1)}, {1, 1}));
  if (!base.empty()) {
    TRY(score, withBaseValues(node, score, {base.back()}));
  }
  return setTwoClasses(node, score, isPositive, isSecond && base.size() != 2,
                       transform, labels);
}

LogicalResult importTreeEnsemble(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor input, node.input(0));
  TRY(Tensor x, treeFeatures(node));
  TRY(TreeEnsemble trees, readFlatTrees(node));
  TRY(trees.targets, node.attributes.integer("n_targets", 1));
  TRY(int64_t aggregate, node.attributes.integer("aggregate_function", 1));
  TRY(int64_t transform, node.attributes.integer("post_transform", 0));
  constexpr TreeAggregate aggregates[] = {
      TreeAggregate::Average, TreeAggregate::Sum, TreeAggregate::Least,
      TreeAggregate::Greatest};
  if (aggregate < 0 || aggregate > 3 || transform < 0 || transform > 4)
    return node.fail("aggregate_function is " + Twine(aggregate) +
                     " and post_transform is " + Twine(transform));
  trees.aggregate = aggregates[aggregate];
  TRY(Tensor scores, walkTrees(b, x, trees));
  TRY(scores, transformScores(b, scores, PostTransform(transform)));
  return node.done(convert(b, scores, input->element));
}

} // namespace

void addTreeOps(OpTable &t) {
  auto add = [&](StringRef name, int64_t since, Handler handler,
                 StringRef limits) {
    t.add(name, since, handler, limits, "ai.onnx.ml");
  };
  add("TreeEnsembleRegressor", 1, importTreeEnsembleRegressor,
      "at most 1024 levels");
  add("TreeEnsembleClassifier", 1, importTreeEnsembleClassifier,
      "at most 1024 levels; no strings");
  add("TreeEnsemble", 5, importTreeEnsemble, "at most 1024 levels");
}

} // namespace tilewright::onnx
