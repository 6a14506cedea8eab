// What the operators that run a subgraph share.
#pragma once

#include "frontends/onnx/OpsCommon.h"

namespace tilewright::onnx {

/// Loops of known length are unrolled up to this many iterations of the body.
int64_t mostUnrolled(const GraphProto &body);

/// A result of a subgraph that must be a tensor; the error says that `what` is
/// none.
FailureOr<Tensor> tensorOf(GraphBuilder &b, const NamedValue &value,
                           StringRef what);

/// The results of a body that no iteration runs, for their types and sizes. The
/// operations that it leaves are dead.
FailureOr<SmallVector<NamedValue>>
resultsOfNone(Node &node, const GraphProto &body,
              const llvm::StringMap<NamedValue> &arguments);

/// The scan output of no iterations, each of which would give `element`.
FailureOr<Tensor> stackOfNone(GraphBuilder &b, const Tensor &element,
                              int64_t axis);

} // namespace tilewright::onnx
