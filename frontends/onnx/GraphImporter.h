// Walks a model's graph node by node.
#pragma once

#include "frontends/onnx/Import.h"
#include "frontends/onnx/Node.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::onnx {

/// Imports the main graph of a model into a function. Subgraphs and functions
/// are inlined, each in a scope of its own.
class GraphImporter {
public:
  GraphImporter(ModelFile &file, GraphBuilder &builder)
      : file(file), b(builder) {}

  /// Nodes of a graph or function body, in order. On failure the message in
  /// the builder names the node.
  LogicalResult
  importNodes(const google::protobuf::RepeatedPtrField<::onnx::NodeProto> &);
  /// Says that a value is a result of its graph, before its nodes.
  void markResult(const std::string &name) {
    scopes.back().users[name].push_back(nullptr);
  }
  LogicalResult importInitializers(const ::onnx::GraphProto &graph);
  LogicalResult setOpsets(
      const google::protobuf::RepeatedPtrField<::onnx::OperatorSetIdProto> &);
  /// A subgraph (a branch, a loop's body) with values for its inputs; gives its
  /// outputs.
  FailureOr<SmallVector<Tensor>>
  inlineGraph(const ::onnx::GraphProto &graph,
              const llvm::StringMap<Tensor> &arguments = {});

  Tensor lookup(const std::string &name);
  void define(const std::string &name, const Tensor &tensor);
  /// The only reader of a value, if there is exactly one and the value is not a
  /// result of its graph.
  const ::onnx::NodeProto *soleUser(const std::string &name);
  /// Marks a node whose outputs another handler has defined.
  void skip(const ::onnx::NodeProto &node) { skipped.insert(&node); }
  /// A constant, if the name is one (also before the node that reads it).
  Tensor constantNamed(const std::string &name);
  FailureOr<Tensor> decode(const ::onnx::TensorProto &proto);

  ModelFile &file;
  GraphBuilder &b;
  int64_t nodeCount = 0;

private:
  struct Scope {
    llvm::StringMap<Tensor> values;
    llvm::StringMap<SmallVector<const ::onnx::NodeProto *, 1>> users;
  };
  LogicalResult importNode(const ::onnx::NodeProto &node);
  LogicalResult importCall(const ::onnx::NodeProto &node,
                           const ::onnx::FunctionProto &function);
  const ::onnx::FunctionProto *findFunction(const ::onnx::NodeProto &node);
  void
  countUses(const google::protobuf::RepeatedPtrField<::onnx::NodeProto> &nodes);

  std::vector<Scope> scopes{1};
  /// Scopes below this one are hidden (a function's body sees only its own).
  size_t visible = 0;
  int depth = 0;
  llvm::StringMap<int64_t> opsets;
  llvm::SmallPtrSet<const ::onnx::NodeProto *, 16> skipped;
};

} // namespace tilewright::onnx
