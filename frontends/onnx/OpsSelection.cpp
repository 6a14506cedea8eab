// Results whose sizes depend on data: what is selected of the elements.
#include "frontends/onnx/Readers.h"
#include "graph/build/Boxes.h"
#include "graph/build/Compaction.h"
#include "graph/build/Shape.h"
#include "graph/build/Unique.h"

using namespace mlir;

namespace tilewright::onnx {
namespace {

LogicalResult importNonZero(Node &node) {
  TRY(Tensor x, node.input(0));
  return node.done(nonZero(node.b, x));
}

LogicalResult importCompress(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(Tensor mask, node.input(1));
  if (mask->rank() != 1 || !mask->element.isBool())
    return node.fail("the condition has type " + dtypeName(mask->element) +
                     " and shape " + b.sizes.str(mask->dims) +
                     ", expected bool and one dimension");
  int64_t axis = 0;
  if (node.attributes.has("axis")) {
    TRY(axis, axisAttribute(node, 0, x->rank()));
  } else {
    TRY(x, reshapeTo(b, x, {b.sizes.constant(-1)}, /*keepsZeros=*/true));
  }
  return node.done(compress(b, x, mask, axis));
}

LogicalResult importUnique(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(bool isSorted, node.attributes.flag("sorted", true));
  std::optional<int64_t> axis;
  if (node.attributes.has("axis")) {
    TRY(axis, axisAttribute(node, 0, x->rank()));
  }
  TRY(Distinct distinct, unique(node.b, x, axis, isSorted));
  const Tensor results[] = {distinct.values, distinct.firsts, distinct.numbers,
                            distinct.counts};
  for (auto [i, result] : llvm::enumerate(results))
    if (failed(node.set(int64_t(i), result)))
      return failure();
  return success();
}

/// A threshold: one float, or null where there is none.
FailureOr<Tensor> threshold(Node &node, int64_t i, Element element) {
  TRY(Tensor tensor, node.optionalInput(i));
  if (tensor && (tensor->element != element || countOf(*tensor) != 1))
    return node.fail("input " + Twine(i) + " has type " +
                     dtypeName(tensor->element) + " and shape " +
                     node.b.sizes.str(tensor->dims) + ", expected one " +
                     dtypeName(element));
  return tensor;
}

LogicalResult importNonMaxSuppression(Node &node) {
  TRY(Tensor boxes, node.input(0));
  TRY(Tensor scores, node.input(1));
  SuppressionOptions options;
  if (node.hasInput(2)) {
    TRY(options.mostPerClass, sizeOf(node, 2, "max_output_boxes_per_class"));
  }
  TRY(options.greatestOverlap, threshold(node, 3, boxes->element));
  TRY(options.leastScore, threshold(node, 4, boxes->element));
  TRY(options.hasCenters, node.attributes.flag("center_point_box", false));
  return node.done(suppressNonMaxima(node.b, boxes, scores, options));
}

} // namespace

void addSelectionOps(OpTable &t) {
  t.add("NonZero", 9, importNonZero);
  t.add("Compress", 9, importCompress);
  t.add("Unique", 11, importUnique, "no strings");
  t.add("NonMaxSuppression", 10, importNonMaxSuppression);
}

} // namespace tilewright::onnx
