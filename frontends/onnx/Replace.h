// Users' kernels instead of nodes.
#pragma once

#include "frontends/onnx/GraphImporter.h"
#include "frontends/onnx/Import.h"

namespace tilewright::onnx {

/// Imports the nodes of the main graph, with `replacements` for their matches.
LogicalResult importReplaced(GraphImporter &importer,
                             const std::vector<NodeProto> &nodes,
                             const std::vector<Replacement> &replacements);

} // namespace tilewright::onnx
