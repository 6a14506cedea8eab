// The greatest or least elements along an axis.
#include "frontends/onnx/Readers.h"
#include "graph/build/Sort.h"

namespace tilewright::onnx {
namespace {

LogicalResult importTopK(Node &node) {
  TRY(Tensor x, node.input(0));
  if (failed(expectRank(node.b, x, 1, "the input")))
    return failure();
  TRY(int64_t axis, axisAttribute(node, -1, x->rank()));
  TRY(bool largest, node.attributes.flag("largest", true));
  Expr k;
  if (node.opset < 10) {
    TRY(int64_t count, node.attributes.integer("k", -1));
    k = node.b.sizes.constant(count);
  } else {
    TRY(k, sizeOf(node, 1, "k", 0, x->dims[axis]));
  }
  TRY(Ordered top, topK(node.b, x, axis, k, largest));
  return failed(node.set(0, top.values)) ? failure() : node.set(1, top.indices);
}

} // namespace

void addTopKOps(OpTable &t) { t.add("TopK", 1, importTopK); }

} // namespace tilewright::onnx
