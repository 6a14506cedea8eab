#include "frontends/onnx/TreeEnsemble.h"

#include "frontends/onnx/OpsTraditional.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Checks.h"
#include "graph/build/Constants.h"
#include "graph/build/Elementwise.h"
#include "graph/build/Generic.h"
#include "graph/build/Reduce.h"
#include "graph/build/TensorValues.h"

#include <cmath>
#include <set>

using namespace mlir;

namespace tilewright::onnx {
namespace {

/// Levels that trees may have: each is a step of the program.
constexpr int64_t mostLevels = 1024;

/// The tables of the nodes, by their number.
struct Tables {
  Tensor feature, value, mode, yes, no, missing, leaf;
  std::set<TreeMode> modes;
};

class Walker {
public:
  Walker(GraphBuilder &b, const Tensor &x, const TreeEnsemble &trees)
      : b(b), x(x), trees(trees), i32{b.builder.getI32Type()} {}

  FailureOr<Tensor> run();

private:
  LogicalResult checkNodes();
  FailureOr<int64_t> countLevels();
  LogicalResult makeTables();
  FailureOr<Tensor> step(const Tensor &at);
  Value isYes(Scalar &s, Value number, Value i);
  Value compare(Scalar &s, TreeMode mode, Value x, Value y);
  FailureOr<Tensor> leafValues(const Tensor &at);
  FailureOr<Tensor> aggregate(const Tensor &values);

  Value read(Scalar &s, const Tensor &table, ArrayRef<Value> at) {
    return extractElement(b, s, table, at, /*isPart=*/true);
  }
  double emptyValue() const;
  template <typename T> Tensor table(ArrayRef<T> values, Element element);
  Tensor floats(ArrayRef<double> values, ArrayRef<int64_t> dims);

  GraphBuilder &b;
  Tensor x;
  const TreeEnsemble &trees;
  const Element i32;
  Tables tables;
};

LogicalResult Walker::checkNodes() {
  const int64_t count = std::ssize(trees.nodes);
  int64_t features = 0;
  for (const TreeNode &node : trees.nodes) {
    if (node.yes < 0 || node.yes >= count || node.no < 0 || node.no >= count)
      return b.fail("a node of a tree has a child that is no node");
    if (node.feature < 0)
      return b.fail("a node of a tree has the feature " + Twine(node.feature));
    if (node.leaf < 0)
      features = std::max(features, node.feature + 1);
  }
  for (const auto &leaf : trees.leaves)
    for (auto [target, weight] : leaf)
      if (target < 0 || target >= trees.targets)
        return b.fail("a leaf has the target " + Twine(target) + " of " +
                      Twine(trees.targets));
  if (trees.roots.empty() || trees.targets < 1 || count > (1 << 30))
    return b.fail("there are " + Twine(trees.roots.size()) + " trees with " +
                  Twine(trees.targets) + " targets");
  if (auto width = constantOf(x->dims[1]); width && *width < features)
    return b.fail("the trees read feature " + Twine(features - 1) +
                  ", the input has shape " + b.sizes.str(x->dims));
  checkAtMost(b, b.sizes.constant(features), x->dims[1],
              "the trees read feature " + Twine(features - 1));
  return success();
}

FailureOr<int64_t> Walker::countLevels() {
  std::set<int64_t> level(trees.roots.begin(), trees.roots.end());
  for (int64_t depth = 0; depth <= mostLevels; ++depth) {
    std::set<int64_t> next;
    for (int64_t at : level)
      if (const TreeNode &node = trees.nodes[at]; node.leaf < 0)
        next.insert({node.yes, node.no});
    if (next.empty())
      return depth;
    level = std::move(next);
  }
  return b.fail("a tree has a cycle, or more than " + Twine(mostLevels) +
                " levels");
}

template <typename T>
Tensor Walker::table(ArrayRef<T> values, Element element) {
  Tensor made = constantTensor<T>(values, {int64_t(values.size())}, element, b);
  (void)denseValue(b, made);
  return made;
}

Tensor Walker::floats(ArrayRef<double> values, ArrayRef<int64_t> dims) {
  Tensor made;
  if (x->element.type.isF64()) {
    made = constantTensor<double>(values, dims, x->element, b);
  } else {
    std::vector<float> narrow(values.begin(), values.end());
    made = constantTensor<float>(narrow, dims, x->element, b);
  }
  (void)denseValue(b, made);
  return made;
}

LogicalResult Walker::makeTables() {
  std::vector<int32_t> feature, mode, yes, no, missing, leaf;
  std::vector<double> value;
  bool readsMissing = false;
  for (auto [i, node] : llvm::enumerate(trees.nodes)) {
    const bool isLeaf = node.leaf >= 0;
    feature.push_back(isLeaf ? 0 : int32_t(node.feature));
    mode.push_back(int32_t(node.mode));
    // A walk stays at its leaf.
    yes.push_back(int32_t(isLeaf ? i : node.yes));
    no.push_back(int32_t(isLeaf ? i : node.no));
    missing.push_back(node.missingIsYes);
    leaf.push_back(int32_t(std::max<int64_t>(node.leaf, 0)));
    value.push_back(node.value);
    readsMissing |= !isLeaf && node.missingIsYes;
    if (!isLeaf)
      tables.modes.insert(node.mode);
  }
  tables.feature = table<int32_t>(feature, i32);
  tables.value = floats(value, {int64_t(value.size())});
  tables.yes = table<int32_t>(yes, i32);
  tables.no = table<int32_t>(no, i32);
  tables.leaf = table<int32_t>(leaf, i32);
  if (tables.modes.size() > 1)
    tables.mode = table<int32_t>(mode, i32);
  if (readsMissing)
    tables.missing = table<int32_t>(missing, i32);
  return success();
}

Value Walker::compare(Scalar &s, TreeMode mode, Value v, Value limit) {
  switch (mode) {
  case TreeMode::LessOrEqual:
    return s.le(v, limit);
  case TreeMode::Less:
    return s.lt(v, limit);
  case TreeMode::GreaterOrEqual:
    return s.ge(v, limit);
  case TreeMode::Greater:
    return s.gt(v, limit);
  case TreeMode::Equal:
    return s.eq(v, limit);
  case TreeMode::NotEqual:
    return s.ne(v, limit);
  }
  return s.truth(false);
}

/// Whether a number goes to the first child of node `i`.
Value Walker::isYes(Scalar &s, Value number, Value i) {
  Value limit = read(s, tables.value, {i}), result;
  Value mode = tables.mode ? read(s, tables.mode, {i}) : Value();
  for (TreeMode each : tables.modes) {
    Value holds = compare(s, each, number, limit);
    result =
        result ? s.select(s.eq(mode, s.like(mode, double(each))), holds, result)
               : holds;
  }
  if (!tables.missing)
    return result;
  Value tracks = read(s, tables.missing, {i});
  Value isMissing =
      s.logicalAnd(s.ne(number, number), s.ne(tracks, s.like(tracks, 0)));
  return s.logicalOr(result, isMissing);
}

/// The nodes [N, trees] that follow on others, [N, trees] or [trees].
FailureOr<Tensor> Walker::step(const Tensor &at) {
  const int64_t count = std::ssize(trees.roots);
  Operand operand{at, {}};
  if (at->rank() == 2)
    operand.at.push_back(isConst(at->dims[0], 1) ? b.zero() : b.loop(0));
  operand.at.push_back(count == 1 ? b.zero() : b.loop(1));
  return gather(b, {operand}, {x->dims[0], b.sizes.constant(count)}, i32,
                [&](Scalar &s, Values v) {
                  Value i = s.toIndex(v[0]);
                  Value feature = s.toIndex(read(s, tables.feature, {i}));
                  Value number = extractElement(b, s, x, {s.loop(0), feature});
                  return s.select(isYes(s, number, i), read(s, tables.yes, {i}),
                                  read(s, tables.no, {i}));
                });
}

/// What a leaf adds to a target that it does not have.
double Walker::emptyValue() const {
  if (trees.aggregate == TreeAggregate::Least)
    return INFINITY;
  return trees.aggregate == TreeAggregate::Greatest ? -INFINITY : 0;
}

/// The values [N, targets, trees] of the leaves [N, trees]. Tables have as many
/// columns as a leaf has targets: all of them, or those that it lists.
FailureOr<Tensor> Walker::leafValues(const Tensor &at) {
  const int64_t targets = trees.targets, leaves = std::ssize(trees.leaves);
  int64_t most = 1;
  for (const auto &leaf : trees.leaves)
    most = std::max<int64_t>(most, std::ssize(leaf));
  const bool isDense = targets <= 2 * most;
  const int64_t columns = isDense ? targets : most;
  std::vector<double> weights(leaves * columns, emptyValue());
  std::vector<int32_t> numbers(leaves * columns, -1);
  for (auto [i, leaf] : llvm::enumerate(trees.leaves))
    for (auto [k, entry] : llvm::enumerate(leaf)) {
      const int64_t column = isDense ? entry.first : int64_t(k);
      double &weight = weights[int64_t(i) * columns + column];
      // A leaf may list a target twice.
      weight =
          isDense && emptyValue() == 0 ? weight + entry.second : entry.second;
      numbers[int64_t(i) * columns + column] = int32_t(entry.first);
    }
  Tensor weight = floats(weights, {leaves, columns}), number;
  if (!isDense) {
    number = constantTensor<int32_t>(numbers, {leaves, columns}, i32, b);
    (void)denseValue(b, number);
  }
  const int64_t count = std::ssize(trees.roots);
  Operand operand{at,
                  {isConst(at->dims[0], 1) ? b.zero() : b.loop(0),
                   count == 1 ? b.zero() : b.loop(2)}};
  SmallVector<Expr> dims = {x->dims[0], b.sizes.constant(targets),
                            b.sizes.constant(count)};
  return gather(b, {operand}, dims, x->element, [&](Scalar &s, Values v) {
    Value i = s.toIndex(read(s, tables.leaf, {s.toIndex(v[0])}));
    if (isDense)
      return read(s, weight, {i, s.loop(1)});
    Value target = s.fromIndex(s.loop(1), s.builder.getI32Type());
    Value found = s.constant(x->element.type, emptyValue());
    for (int64_t k = 0; k < columns; ++k)
      found = s.select(s.eq(read(s, number, {i, s.index(k)}), target),
                       read(s, weight, {i, s.index(k)}), found);
    return found;
  });
}

FailureOr<Tensor> Walker::aggregate(const Tensor &values) {
  switch (trees.aggregate) {
  case TreeAggregate::Sum:
    return sumAlong(b, values, {2}, /*keepDims=*/false, plainSum);
  case TreeAggregate::Average:
    return meanAlong(b, values, {2}, /*keepDims=*/false);
  default:
    break;
  }
  TRY(Tensor extreme, extremeAlong(b, values, {2}, /*keepDims=*/false,
                                   trees.aggregate == TreeAggregate::Greatest));
  return elementwise(b, {extreme}, x->element, [&](Scalar &s, Values v) {
    return s.select(s.eq(v[0], s.like(v[0], emptyValue())), s.like(v[0], 0),
                    v[0]);
  });
}

FailureOr<Tensor> Walker::run() {
  if (failed(checkNodes()))
    return failure();
  TRY(int64_t levels, countLevels());
  if (failed(makeTables()))
    return failure();
  (void)denseValue(b, x);
  std::vector<int32_t> roots(trees.roots.begin(), trees.roots.end());
  Tensor at = constantTensor<int32_t>(roots, {int64_t(roots.size())}, i32, b);
  for (int64_t level = 0; level < levels; ++level) {
    TRY(at, step(at));
  }
  if (levels == 0) {
    TRY(at, broadcastTo(b, at, {x->dims[0], at->dims[0]}));
  }
  TRY(Tensor values, leafValues(at));
  return aggregate(values);
}

} // namespace

FailureOr<Tensor> walkTrees(GraphBuilder &b, const Tensor &x,
                            const TreeEnsemble &trees) {
  return Walker(b, x, trees).run();
}

} // namespace tilewright::onnx
