// Reductions over axes.
#include "frontends/onnx/Readers.h"
#include "graph/build/Reduce.h"

namespace tilewright::onnx {
namespace {

struct Axes {
  SmallVector<int64_t> list;
  bool keepDims;
  /// There are no axes, and for the operator this means no reduction.
  bool none = false;
};

FailureOr<Axes> readAxes(Node &node, const Tensor &x, int64_t sinceInput) {
  Axes axes;
  TRY(axes.keepDims, node.attributes.flag("keepdims", true));
  TRY(auto given, integersOrInput(node, "axes", 1, sinceInput));
  if (given && !given->empty()) {
    for (int64_t value : *given) {
      TRY(int64_t axis, axisOf(node.b, value, x->rank()));
      axes.list.push_back(axis);
    }
    // An axis that is named twice is reduced once, as in ONNX Runtime.
    llvm::sort(axes.list);
    axes.list.erase(llvm::unique(axes.list), axes.list.end());
    return axes;
  }
  TRY(axes.none, node.attributes.flag("noop_with_empty_axes", false));
  for (int64_t i = 0; i < x->rank(); ++i)
    axes.list.push_back(i);
  return axes;
}

template <const SumForm &form, int64_t sinceInput>
LogicalResult importSum(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(Axes axes, readAxes(node, x, sinceInput));
  if (axes.none)
    return node.done(applyForm(node.b, x, form));
  return node.done(sumAlong(node.b, x, axes.list, axes.keepDims, form));
}

/// A reduction by a function of (builder, x, axes, keepDims).
template <auto reduction> LogicalResult importReduction(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(Axes axes, readAxes(node, x, 18));
  if (axes.none)
    return node.set(0, x);
  return node.done(reduction(node.b, x, axes.list, axes.keepDims));
}

template <bool isMax>
FailureOr<Tensor> extreme(GraphBuilder &b, const Tensor &x,
                          ArrayRef<int64_t> axes, bool keepDims) {
  return extremeAlong(b, x, axes, keepDims, isMax);
}

LogicalResult importReduceLogSumExp(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(Axes axes, readAxes(node, x, 18));
  if (x->element.isBool())
    return node.fail("expected numbers, found " + dtypeName(x->element));
  if (axes.none)
    return node.set(0, x);
  return node.done(logSumExpAlong(node.b, x, axes.list, axes.keepDims));
}

template <bool isMax> LogicalResult importArgExtreme(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(int64_t axis, axisAttribute(node, 0, x->rank()));
  ExtremeIndexOptions options;
  options.isMax = isMax;
  TRY(options.keepDims, node.attributes.flag("keepdims", true));
  TRY(options.takesLast, node.attributes.flag("select_last_index", false));
  return node.done(extremeIndex(node.b, x, axis, options));
}

} // namespace

void addReduceOps(OpTable &t) {
  StringRef limit = "axes constant";
  t.add("ReduceSum", 1, importSum<plainSum, 13>, limit);
  t.add("ReduceMean", 1, importReduction<meanAlong>, limit);
  t.add("ReduceProd", 1, importReduction<productAlong>, limit);
  t.add("ReduceMax", 1, importReduction<extreme<true>>, limit);
  t.add("ReduceMin", 1, importReduction<extreme<false>>, limit);
  t.add("ReduceL1", 1, importSum<absoluteSum, 18>, limit);
  t.add("ReduceL2", 1, importSum<squareSumRoot, 18>, limit);
  t.add("ReduceLogSum", 1, importSum<sumLogarithm, 18>, limit);
  t.add("ReduceLogSumExp", 1, importReduceLogSumExp, limit);
  t.add("ReduceSumSquare", 1, importSum<squareSum, 18>, limit);
  t.add("ArgMax", 1, importArgExtreme<true>);
  t.add("ArgMin", 1, importArgExtreme<false>);
}

} // namespace tilewright::onnx
