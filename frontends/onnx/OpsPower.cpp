// Powers.
#include "frontends/onnx/Readers.h"
#include "graph/build/Power.h"

namespace tilewright::onnx {

static LogicalResult importPow(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(Tensor y, knownInput(node, 1));
  return node.done(power(node.b, x, y));
}

void addPowerOps(OpTable &t) { t.add("Pow", 1, importPow); }

} // namespace tilewright::onnx
