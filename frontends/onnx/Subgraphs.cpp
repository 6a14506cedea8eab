#include "frontends/onnx/Subgraphs.h"

#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"

using namespace mlir;

namespace tilewright::onnx {

int64_t mostUnrolled(const GraphProto &body) {
  constexpr int64_t mostIterations = 512, mostNodes = 4096;
  const int64_t nodes = std::max<int64_t>(std::ssize(body.node), 1);
  return std::min(mostIterations, mostNodes / nodes);
}

FailureOr<Tensor> tensorOf(GraphBuilder &b, const NamedValue &value,
                           StringRef what) {
  if (!value.tensor)
    return b.fail(
        what + " is " +
        (value.sequence ? "a sequence" : "an optional value that is absent") +
        ", expected a tensor");
  return value.tensor;
}

FailureOr<SmallVector<NamedValue>>
resultsOfNone(Node &node, const GraphProto &body,
              const llvm::StringMap<NamedValue> &arguments) {
  // What must hold where the body runs need not hold here.
  auto checks = node.b.checks;
  auto results = node.importer.inlineGraph(body, arguments);
  node.b.checks = std::move(checks);
  return results;
}

FailureOr<Tensor> stackOfNone(GraphBuilder &b, const Tensor &element,
                              int64_t axis) {
  if (axis < 0 || axis > element->rank())
    return b.fail("axis " + Twine(axis) + " of a scan output does not fit");
  Dims dims = element->dims;
  dims.insert(dims.begin() + axis, b.zero());
  return broadcastTo(b, scalarConstant(b, element->element, 0), dims);
}

} // namespace tilewright::onnx
