// Walks a model's graph node by node.
#pragma once

#include "frontends/onnx/Import.h"
#include "frontends/onnx/Node.h"
#include "frontends/onnx/PatternMatch.h"

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
  /// The same for the main graph, where `replacements` take the place of what
  /// they match.
  LogicalResult
  importMain(const google::protobuf::RepeatedPtrField<::onnx::NodeProto> &,
             const std::vector<Replacement> &replacements);
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
  /// Whether a name is an optional input of a function that its call leaves
  /// out.
  bool isAbsent(const std::string &name) const;
  void define(const std::string &name, const Tensor &tensor);
  /// A constant, if the name is one (also before the node that reads it).
  Tensor constantNamed(const std::string &name);
  FailureOr<Tensor> decode(const ::onnx::TensorProto &proto);

  ModelFile &file;
  GraphBuilder &b;
  int64_t nodeCount = 0;
  /// ImportedModel::notReplaced.
  std::vector<std::string> notReplaced;

private:
  struct Scope {
    /// Null for an absent input of a function.
    llvm::StringMap<Tensor> values;
    llvm::StringMap<SmallVector<const ::onnx::NodeProto *, 1>> users;
  };
  /// Whether a node of the graph reads a value.
  bool isRead(const std::string &name) const;
  /// Imports a node; the message names it.
  LogicalResult importNamed(const ::onnx::NodeProto &node);
  LogicalResult importNode(const ::onnx::NodeProto &node);

  // Replace.cpp: kernels of the user.
  using Nodes = google::protobuf::RepeatedPtrField<::onnx::NodeProto>;
  LogicalResult findMatches(PatternMatcher &matcher,
                            const std::vector<Replacement> &replacements);
  LogicalResult checkPattern(const Pattern &pattern,
                             const Replacement &replacement);
  Tensor constantOf(const Nodes &nodes, const std::string &name);
  LogicalResult importMatch(const Nodes &nodes, const Match &match,
                            const Replacement &replacement,
                            const std::string &where);
  FailureOr<SmallVector<Tensor>> importMatched(const Nodes &nodes,
                                               const Match &match,
                                               llvm::StringMap<Tensor> inputs);
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
};

/// The name under which later stages speak of a node's ops.
mlir::Location nodeLocation(mlir::MLIRContext *context,
                            const ::onnx::NodeProto &node);

} // namespace tilewright::onnx
