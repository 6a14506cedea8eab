// One ONNX node while it is imported, and the table of handlers.
#pragma once

#include "frontends/onnx/Attributes.h"
#include "frontends/onnx/NamedValue.h"

#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace tilewright::onnx {

class GraphImporter;

/// A node's operands, attributes and results, checked. On an invalid node each
/// reader leaves one message in the builder and returns failure. More is in
/// Readers.h.
class Node {
public:
  Node(GraphImporter &importer, GraphBuilder &b, const NodeProto &proto,
       int64_t opset)
      : b(b), opset(opset), attributes(b, proto), importer(importer),
        proto(proto) {}

  StringRef type() const { return proto.opType; }
  LogicalResult fail(const llvm::Twine &message) { return b.fail(message); }

  // Operands.
  int64_t numInputs() const { return std::ssize(proto.input); }
  bool hasInput(int64_t i) const;
  FailureOr<Tensor> input(int64_t i);
  /// Null if absent.
  FailureOr<Tensor> optionalInput(int64_t i);
  FailureOr<Sequence> sequence(int64_t i);
  /// A tensor, a sequence, or an optional value without an element.
  FailureOr<NamedValue> value(int64_t i);
  /// All operands; none may be absent.
  FailureOr<SmallVector<Tensor>> inputs(int64_t atLeast = 1);

  // Results.
  int64_t numOutputs() const { return std::ssize(proto.output); }
  bool hasOutput(int64_t i) const {
    return i < std::ssize(proto.output) && !proto.output[i].empty();
  }
  LogicalResult set(int64_t i, const NamedValue &value);
  /// Sets output 0.
  LogicalResult done(FailureOr<Tensor> tensor);

  GraphBuilder &b;
  /// Version of the operator set that the model uses for this node.
  const int64_t opset;
  const Attributes attributes;
  GraphImporter &importer;
  const NodeProto &proto;
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
void addScanOps(OpTable &table);
void addLossOps(OpTable &table);
void addSampleOps(OpTable &table);
void addSequenceOps(OpTable &table);
void addScatterOps(OpTable &table);
void addSignalOps(OpTable &table);
void addArrangeOps(OpTable &table);
void addRecurrentOps(OpTable &table);
void addTopKOps(OpTable &table);
void addPowerOps(OpTable &table);
void addMicrosoftOps(OpTable &table);
void addMicrosoftQuantOps(OpTable &table);
void addTraditionalOps(OpTable &table);
void addLinearModelOps(OpTable &table);
void addTreeOps(OpTable &table);
void addSelectionOps(OpTable &table);

} // namespace tilewright::onnx
