#include "frontends/onnx/OpsCommon.h"

#include "frontends/onnx/Readers.h"
#include "graph/build/Movement.h"

using namespace mlir;

namespace tilewright::onnx {

FailureOr<std::pair<Tensor, Tensor>> binaryOperands(Node &node,
                                                    bool mixedTypes) {
  TRY(Tensor a, node.input(0));
  TRY(Tensor b, node.input(1));
  if (!mixedTypes && a->element != b->element)
    return node.fail("operands have types " + dtypeName(a->element) + " and " +
                     dtypeName(b->element));
  if (node.opset < 7 && node.attributes.has("axis")) {
    TRY(int64_t axis, axisAttribute(node, 0, a->rank()));
    SmallVector<int64_t> kept;
    for (int64_t i = 0; i < b->rank(); ++i)
      kept.push_back(i);
    while (axis + int64_t(kept.size()) < a->rank())
      kept.push_back(-1);
    b = rearrange(node.b, b, kept);
  }
  return std::make_pair(a, b);
}

} // namespace tilewright::onnx
