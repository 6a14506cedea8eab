//===- Messages.cpp - Fields of onnx.proto by their numbers ---------------===//
#include "frontends/onnx/Messages.h"

#include "frontends/onnx/MessageFields.h"

#include <iterator>

namespace tilewright::onnx {

// One function a message: it reads the field that `in` is at into the message.
static void readField(MessageFields &in, AttributeProto &to);
static void readField(MessageFields &in, NodeProto &to);
static void readField(MessageFields &in, GraphProto &to);
static void readField(MessageFields &in, TypeProto &to);

template <typename T> static void readMessage(MessageFields &in, T &to) {
  in.readMessage([&](MessageFields &in) { readField(in, to); });
}

template <typename T>
static void readMessage(MessageFields &in, std::vector<T> &to) {
  if (in.hasLength())
    readMessage(in, to.emplace_back());
  else
    in.skip();
}

template <template <typename> typename Holder, typename T>
static void readHeld(MessageFields &in, Holder<T> &to) {
  if (!in.hasLength()) {
    in.skip();
    return;
  }
  if (!to)
    to.emplace();
  readMessage(in, *to);
}

static void readField(MessageFields &in, StringStringEntryProto &to) {
  switch (in.field()) {
  case 1:
    return in.read(to.key);
  case 2:
    return in.read(to.value);
  }
  return in.skip();
}

static void readField(MessageFields &in, TensorProto &to) {
  switch (in.field()) {
  case 1:
    return in.read(to.dims);
  case 2:
    return in.read(to.dataType);
  case 3:
    to.hasSegment |= in.hasLength();
    return in.skip();
  case 4:
    return in.read(to.floatData);
  case 5:
    return in.read(to.int32Data);
  case 6:
    return in.read(to.stringData);
  case 7:
    return in.read(to.int64Data);
  case 8:
    return in.read(to.name);
  case 9:
    return in.read(to.rawData);
  case 10:
    return in.read(to.doubleData);
  case 11:
    return in.read(to.uint64Data);
  case 13:
    return readMessage(in, to.externalData);
  case 14:
    return in.read(to.dataLocation);
  }
  return in.skip();
}

static void readField(MessageFields &in, SparseTensorProto &to) {
  if (in.field() == 1)
    readMessage(in, to.values);
  else
    in.skip();
}

static void readField(MessageFields &in, SequenceProto &to) {
  switch (in.field()) {
  case 2:
    return in.read(to.elemType);
  case 3:
    return readMessage(in, to.tensorValues);
  case 5:
    return readMessage(in, to.sequenceValues);
  }
  to.hasOtherFields |= in.field() != 1 || !in.hasLength();
  return in.skip();
}

static void readField(MessageFields &in, AttributeProto &to) {
  switch (in.field()) {
  case 1:
    return in.read(to.name);
  case 2:
    return in.read(to.f);
  case 3:
    return in.read(to.i);
  case 4:
    return in.read(to.s);
  case 5:
    return readMessage(in, to.t);
  case 6:
    return readHeld(in, to.g);
  case 7:
    return in.read(to.floats);
  case 8:
    return in.read(to.ints);
  case 9:
    return in.read(to.strings);
  case 20:
    return in.read(to.type);
  case 21:
    return in.read(to.refAttrName);
  }
  return in.skip();
}

static void readField(MessageFields &in, NodeProto &to) {
  switch (in.field()) {
  case 1:
    return in.read(to.input);
  case 2:
    return in.read(to.output);
  case 3:
    return in.read(to.name);
  case 4:
    return in.read(to.opType);
  case 5:
    return readMessage(in, to.attribute);
  case 7:
    return in.read(to.domain);
  }
  return in.skip();
}

static void readField(MessageFields &in, Dimension &to) {
  // One of the two: the last one counts.
  switch (in.field()) {
  case 1:
    to.dimParam.clear();
    return in.read(to.dimValue);
  case 2:
    to.dimValue.reset();
    return in.read(to.dimParam);
  }
  return in.skip();
}

static void readField(MessageFields &in, TensorShapeProto &to) {
  if (in.field() == 1)
    readMessage(in, to.dim);
  else
    in.skip();
}

static void readField(MessageFields &in, TensorTypeProto &to) {
  switch (in.field()) {
  case 1:
    return in.read(to.elemType);
  case 2:
    return readHeld(in, to.shape);
  }
  return in.skip();
}

static void readField(MessageFields &in, SequenceTypeProto &to) {
  if (in.field() == 1)
    readHeld(in, to.elemType);
  else
    in.skip();
}

static void readField(MessageFields &in, OptionalTypeProto &to) {
  if (in.field() == 1)
    readHeld(in, to.elemType);
  else
    in.skip();
}

static void readField(MessageFields &in, TypeProto &to) {
  // One of several kinds of types: the last one counts.
  switch (in.field()) {
  case 1:
    to.sequenceType = {};
    to.optionalType = {};
    return readHeld(in, to.tensorType);
  case 4:
    to.tensorType.reset();
    to.optionalType = {};
    return readHeld(in, to.sequenceType);
  case 9:
    to.tensorType.reset();
    to.sequenceType = {};
    return readHeld(in, to.optionalType);
  case 5:
  case 8:
    to = {};
  }
  return in.skip();
}

static void readField(MessageFields &in, ValueInfoProto &to) {
  switch (in.field()) {
  case 1:
    return in.read(to.name);
  case 2:
    return readMessage(in, to.type);
  }
  return in.skip();
}

static void readField(MessageFields &in, GraphProto &to) {
  switch (in.field()) {
  case 1:
    return readMessage(in, to.node);
  case 2:
    return in.read(to.name);
  case 5:
    return readMessage(in, to.initializer);
  case 11:
    return readMessage(in, to.input);
  case 12:
    return readMessage(in, to.output);
  case 15:
    return readMessage(in, to.sparseInitializer);
  }
  return in.skip();
}

static void readField(MessageFields &in, OperatorSetIdProto &to) {
  switch (in.field()) {
  case 1:
    return in.read(to.domain);
  case 2:
    return in.read(to.version);
  }
  return in.skip();
}

static void readField(MessageFields &in, FunctionProto &to) {
  switch (in.field()) {
  case 1:
    return in.read(to.name);
  case 4:
    return in.read(to.input);
  case 5:
    return in.read(to.output);
  case 7:
    return readMessage(in, to.node);
  case 9:
    return readMessage(in, to.opsetImport);
  case 10:
    return in.read(to.domain);
  case 11:
    return readMessage(in, to.attributeProto);
  }
  return in.skip();
}

static constexpr uint32_t graphField = 7, functionsField = 25;

static void readField(MessageFields &in, ModelProto &to) {
  switch (in.field()) {
  case graphField:
    return readHeld(in, to.graph);
  case 8:
    return readMessage(in, to.opsetImport);
  case 14:
    return readMessage(in, to.metadataProps);
  case functionsField:
    return readMessage(in, to.functions);
  }
  return in.skip();
}

template <typename T>
static StatusOr<T> parse(std::string_view bytes, const char *what) {
  MessageFields in(bytes);
  T message;
  try {
    while (in.next())
      readField(in, message);
  } catch (const protozero::exception &error) {
    return Status::invalidInput("not a complete ONNX " + std::string(what) +
                                ": the protobuf message is broken at byte " +
                                std::to_string(in.position()) + " of " +
                                std::to_string(bytes.size()) + ": " +
                                error.what());
  }
  return message;
}

StatusOr<ModelProto> parseModel(std::string_view bytes) {
  return parse<ModelProto>(bytes, "model");
}

StatusOr<TensorProto> parseTensor(std::string_view bytes) {
  return parse<TensorProto>(bytes, "tensor");
}

StatusOr<SequenceProto> parseSequence(std::string_view bytes) {
  return parse<SequenceProto>(bytes, "sequence");
}

std::string unsupportedType(int32_t dataType) {
  constexpr const char *names[] = {
      "undefined",      "float",      "uint8",
      "int8",           "uint16",     "int16",
      "int32",          "int64",      "string",
      "bool",           "float16",    "double",
      "uint32",         "uint64",     "complex64",
      "complex128",     "bfloat16",   "float8e4m3fn",
      "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz",
      "uint4",          "int4",       "float4e2m1",
      "float8e8m0",     "uint2",      "int2"};
  if (dataType == 8)
    return "strings, which are not supported";
  if (dataType >= 0 && dataType < int32_t(std::size(names)))
    return std::string("data type ") + names[dataType] +
           ", which is not supported";
  return "data type " + std::to_string(dataType) + ", which is not supported";
}

bool isModelProto(std::string_view bytes) {
  MessageFields in(bytes);
  bool hasGraph = false;
  try {
    while (in.next()) {
      // All of its fields are numbers or have a length.
      if (in.field() > functionsField ||
          !(in.hasLength() || in.is(MessageFields::Type::varint)))
        return false;
      hasGraph |= in.field() == graphField && in.hasLength();
      in.skip();
    }
  } catch (const protozero::exception &) {
    return false;
  }
  return hasGraph;
}

} // namespace tilewright::onnx
