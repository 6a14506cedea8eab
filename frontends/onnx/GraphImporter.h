// Walks a model's graph node by node.
#pragma once

#include "frontends/onnx/Node.h"
#include "frontends/onnx/Scopes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::onnx {

/// Imports the main graph of a model into a function. Subgraphs and functions
/// are inlined, each in a new scope.
class GraphImporter {
public:
  GraphImporter(ModelFile &file, GraphBuilder &builder)
      : file(file), b(builder) {}

  using Nodes = std::vector<NodeProto>;

  /// Nodes of a graph or function body, in order. On failure the builder's
  /// message has the node's name.
  LogicalResult importNodes(const Nodes &nodes);
  /// One of them, whose readers are counted.
  LogicalResult importNamed(const NodeProto &node);
  LogicalResult importInitializers(const GraphProto &graph);
  LogicalResult setOpsets(llvm::ArrayRef<OperatorSetIdProto>);
  /// A subgraph (a branch, a loop's body) with values for its inputs; returns
  /// its outputs.
  FailureOr<SmallVector<NamedValue>>
  inlineGraph(const GraphProto &graph,
              const llvm::StringMap<NamedValue> &arguments = {});
  FailureOr<Tensor> decode(const TensorProto &proto);
  /// The function of the model that a node calls, or null.
  const FunctionProto *findFunction(const NodeProto &node);

  ModelFile &file;
  GraphBuilder &b;
  Scopes scopes;
  int64_t nodeCount = 0;
  /// ImportedModel::notReplaced.
  std::vector<std::string> notReplaced;

private:
  /// Imports a node; the message does not name it.
  LogicalResult importNode(const NodeProto &node);
  LogicalResult importCall(const NodeProto &node,
                           const FunctionProto &function);

  int depth = 0;
  llvm::StringMap<int64_t> opsets;
};

/// The name under which later stages speak of a node's ops.
mlir::Location nodeLocation(mlir::MLIRContext *context, const NodeProto &node);

} // namespace tilewright::onnx
