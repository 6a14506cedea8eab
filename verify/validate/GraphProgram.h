// A graph on the reference of graphs.
#pragma once

#include "graph/reference/GraphReference.h"
#include "library/model/ModelLevels.h"
#include "verify/validate/Program.h"
#include <memory>

namespace tilewright::verify {

/// A copy of `function`, the graph of `levels`, with the module around it. A
/// run of more ops than `mostTime` is enough for is given up. With a sample it
/// computes only those elements.
/// Errors: an op that the reference does not know; types that no file holds.
StatusOr<std::unique_ptr<Program>>
makeGraphProgram(std::shared_ptr<ModelLevels> levels,
                 mlir::func::FuncOp function, RunTime mostTime,
                 Sample sample = {});

/// A tensor for the reference of graphs.
graph::reference::Array arrayOf(const runtime::HostTensor &tensor);

} // namespace tilewright::verify
