// Results whose sizes depend on data: what is selected of the elements.
#include "frontends/onnx/Readers.h"
#include "graph/build/Compaction.h"
#include "graph/build/Shape.h"

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

} // namespace

void addSelectionOps(OpTable &t) {
  t.add("NonZero", 9, importNonZero);
  t.add("Compress", 9, importCompress);
}

} // namespace tilewright::onnx
