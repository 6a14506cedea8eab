// One ONNX node while it is imported, and the table of handlers.
#pragma once

#include "frontends/onnx/GraphBuilder.h"

#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace tilewright::onnx {

class GraphImporter;

/// A node's operands, attributes and results, checked. Each reader leaves one
/// message in the builder and returns failure when the node is not as it should
/// be.
class Node {
public:
  Node(GraphImporter &importer, GraphBuilder &b, const ::onnx::NodeProto &proto,
       int64_t opset)
      : b(b), opset(opset), importer(importer), proto(proto) {}

  GraphBuilder &b;
  /// Version of the operator set that the model uses for this node.
  const int64_t opset;

  StringRef type() const { return proto.op_type(); }
  LogicalResult fail(const llvm::Twine &message) { return b.fail(message); }

  // Operands.
  int64_t numInputs() const { return proto.input_size(); }
  bool hasInput(int64_t i) const;
  FailureOr<Tensor> input(int64_t i);
  /// Null if absent.
  FailureOr<Tensor> optionalInput(int64_t i);
  /// All operands; none may be absent.
  FailureOr<SmallVector<Tensor>> inputs(int64_t atLeast = 1);
  /// Elements of a small integer operand, which must be known at import.
  FailureOr<SmallVector<Expr>> contentOf(int64_t i, StringRef what);
  FailureOr<SmallVector<int64_t>> integersOf(int64_t i, StringRef what);
  /// The single element of a known integer operand.
  FailureOr<Expr> oneOf(int64_t i, StringRef what);
  FailureOr<int64_t> oneIntegerOf(int64_t i, StringRef what);
  /// The first element of a constant operand.
  FailureOr<double> scalarOf(int64_t i, StringRef what);
  /// The elements of a constant operand that has no more than `most`.
  FailureOr<SmallVector<double>> numbersOf(int64_t i, StringRef what,
                                           int64_t most);
  /// Like `input`, with its elements known if they follow from constants and
  /// sizes.
  FailureOr<Tensor> knownInput(int64_t i);
  /// Fails because the elements of an operand are not known.
  LogicalResult failUnknown(int64_t i, StringRef what);
  LogicalResult expectRank(const Tensor &tensor, int64_t atLeast,
                           StringRef what);

  // Attributes.
  bool has(StringRef name) const { return find(name); }
  FailureOr<int64_t> integer(StringRef name, int64_t otherwise);
  /// An integer that is 0 for false.
  FailureOr<bool> flag(StringRef name, bool otherwise);
  FailureOr<double> number(StringRef name, double otherwise);
  FailureOr<std::string> string(StringRef name, StringRef otherwise);
  FailureOr<SmallVector<int64_t>> integers(StringRef name,
                                           ArrayRef<int64_t> otherwise = {});
  FailureOr<SmallVector<double>> numbers(StringRef name);
  FailureOr<const ::onnx::GraphProto *> graph(StringRef name);
  /// An attribute or, from opset `since` on, an operand of integers.
  FailureOr<std::optional<SmallVector<int64_t>>>
  integersOrInput(StringRef name, int64_t input, int64_t since);
  /// `axis` within [-rank, rank), made non-negative.
  FailureOr<int64_t> axis(int64_t value, int64_t rank);
  /// Attribute `axis`, made non-negative.
  FailureOr<int64_t> axisAttribute(int64_t otherwise, int64_t rank);
  /// Sorted and unique.
  FailureOr<SmallVector<int64_t>> axes(ArrayRef<int64_t> values, int64_t rank);
  FailureOr<Element> elementAttribute(StringRef name, Element otherwise);
  const ::onnx::AttributeProto *find(StringRef name) const;

  // Results.
  int64_t numOutputs() const { return proto.output_size(); }
  bool hasOutput(int64_t i) const {
    return i < proto.output_size() && !proto.output(i).empty();
  }
  LogicalResult set(int64_t i, const Tensor &tensor);
  /// Sets output 0.
  LogicalResult done(FailureOr<Tensor> tensor);

  GraphImporter &importer;
  const ::onnx::NodeProto &proto;
};

using Handler = LogicalResult (*)(Node &);

/// A row of the table of operators.
struct OpEntry {
  std::string name, domain;
  /// The first operator set version in which the operator exists.
  int64_t since = 1;
  Handler handler = nullptr;
  /// What is not supported, in words; empty if all is.
  std::string limits;
};

class OpTable {
public:
  void add(StringRef name, int64_t since, Handler handler,
           StringRef limits = "", StringRef domain = "");
  const OpEntry *find(StringRef domain, StringRef name) const;
  const std::vector<OpEntry> &entries() const { return rows; }

private:
  std::vector<OpEntry> rows;
  llvm::StringMap<size_t> positions;
};

/// The table of all operators, in alphabetical order.
const OpTable &opTable();

// One function per group of operators (Ops*.cpp).
void addElementwiseOps(OpTable &table);
void addActivationOps(OpTable &table);
void addLogicOps(OpTable &table);
void addReduceOps(OpTable &table);
void addNormOps(OpTable &table);
void addMatMulOps(OpTable &table);
void addConvOps(OpTable &table);
void addPoolOps(OpTable &table);
void addShapeOps(OpTable &table);
void addMovementOps(OpTable &table);
void addGatherOps(OpTable &table);
void addResizeOps(OpTable &table);
void addQuantOps(OpTable &table);
void addAttentionOps(OpTable &table);
void addControlOps(OpTable &table);
void addLossOps(OpTable &table);
void addSampleOps(OpTable &table);
void addScatterOps(OpTable &table);
void addSignalOps(OpTable &table);
void addArrangeOps(OpTable &table);
void addRecurrentOps(OpTable &table);
void addTopKOps(OpTable &table);

} // namespace tilewright::onnx
