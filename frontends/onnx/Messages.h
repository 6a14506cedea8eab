// The messages of an ONNX model, as plain data.
#pragma once

#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright::onnx {

/// A message in a message of its own kind: like std::optional, but a copy on
/// the heap, whose address is kept when the owner moves.
template <typename T> class Nested {
public:
  Nested() = default;
  Nested(const Nested &other)
      : message(other ? std::make_unique<T>(*other) : nullptr) {}
  Nested(Nested &&) = default;
  Nested &operator=(Nested other) {
    message = std::move(other.message);
    return *this;
  }

  explicit operator bool() const { return message != nullptr; }
  const T &operator*() const { return *message; }
  T &operator*() { return *message; }
  const T *operator->() const { return message.get(); }
  T *operator->() { return message.get(); }
  void emplace() { message = std::make_unique<T>(); }

private:
  std::unique_ptr<T> message;
};

// The names are those of onnx.proto. Fields that nothing reads are left out.

struct StringStringEntryProto {
  std::string key, value;
};

struct TensorProto {
  /// Values of `dataType`.
  enum DataType { UNDEFINED = 0, FLOAT = 1 };
  /// Values of `dataLocation`.
  enum DataLocation { DEFAULT = 0, EXTERNAL = 1 };

  std::vector<int64_t> dims;
  int32_t dataType = UNDEFINED;
  std::string name;
  /// A part of the bytes that were read.
  std::optional<std::string_view> rawData;
  std::vector<float> floatData;
  std::vector<int32_t> int32Data;
  std::vector<int64_t> int64Data;
  std::vector<double> doubleData;
  std::vector<uint64_t> uint64Data;
  std::vector<std::string> stringData;
  std::vector<StringStringEntryProto> externalData;
  int32_t dataLocation = DEFAULT;
  /// Nobody writes segments.
  bool hasSegment = false;
};

struct SparseTensorProto {
  TensorProto values;
};

/// Or an OptionalProto: its fields have the same numbers, and it has one value
/// at most.
struct SequenceProto {
  /// Values of `elemType`.
  enum DataType { UNDEFINED = 0, TENSOR = 1, SEQUENCE = 3 };

  int32_t elemType = UNDEFINED;
  std::vector<TensorProto> tensorValues;
  std::vector<SequenceProto> sequenceValues;
  /// Fields that are not a name, and of none of these types.
  bool hasOtherFields = false;
};

struct GraphProto;

struct AttributeProto {
  /// Values of `type`.
  enum Type {
    UNDEFINED = 0,
    FLOAT = 1,
    INT = 2,
    STRING = 3,
    TENSOR = 4,
    GRAPH = 5,
    FLOATS = 6,
    INTS = 7,
    STRINGS = 8
  };

  std::string name, refAttrName;
  int32_t type = UNDEFINED;
  float f = 0;
  int64_t i = 0;
  std::string s;
  TensorProto t;
  Nested<GraphProto> g;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<std::string> strings;
};

struct NodeProto {
  std::vector<std::string> input, output;
  std::string name, opType, domain;
  std::vector<AttributeProto> attribute;
};

struct Dimension {
  std::optional<int64_t> dimValue;
  std::string dimParam;
};

struct TensorShapeProto {
  std::vector<Dimension> dim;
};

struct TensorTypeProto {
  int32_t elemType = TensorProto::UNDEFINED;
  std::optional<TensorShapeProto> shape;
};

struct TypeProto;

struct SequenceTypeProto {
  Nested<TypeProto> elemType;
};

struct OptionalTypeProto {
  Nested<TypeProto> elemType;
};

struct TypeProto {
  /// One of these, or none for all other types.
  std::optional<TensorTypeProto> tensorType;
  Nested<SequenceTypeProto> sequenceType;
  Nested<OptionalTypeProto> optionalType;
};

struct ValueInfoProto {
  std::string name;
  TypeProto type;
};

struct GraphProto {
  std::string name;
  std::vector<NodeProto> node;
  std::vector<TensorProto> initializer;
  std::vector<SparseTensorProto> sparseInitializer;
  std::vector<ValueInfoProto> input, output;
};

struct OperatorSetIdProto {
  std::string domain;
  int64_t version = 0;
};

struct FunctionProto {
  std::string name, domain;
  std::vector<std::string> input, output;
  /// Attributes with a default.
  std::vector<AttributeProto> attributeProto;
  std::vector<NodeProto> node;
  std::vector<OperatorSetIdProto> opsetImport;
};

struct ModelProto {
  std::vector<OperatorSetIdProto> opsetImport;
  Nested<GraphProto> graph;
  std::vector<StringStringEntryProto> metadataProps;
  std::vector<FunctionProto> functions;
};

/// Reads a serialized message. Raw data of tensors is not copied: `bytes` must
/// outlive the message. The error says at which byte the message is broken.
StatusOr<ModelProto> parseModel(std::string_view bytes);
StatusOr<TensorProto> parseTensor(std::string_view bytes);
StatusOr<SequenceProto> parseSequence(std::string_view bytes);

/// How a message ends about a TensorProto::DataType that nothing has here:
/// "strings, which are not supported".
std::string unsupportedType(int32_t dataType);

/// Whether the bytes are the fields of a ModelProto, with a graph; what is in
/// the fields is not read.
bool isModelProto(std::string_view bytes);

} // namespace tilewright::onnx
