// Protobuf would copy every weight into a string. This file walks the wire
// format instead and does not move large tensor data.
#include "frontends/onnx/ModelFile.h"

namespace tilewright::onnx {
namespace {

enum class Message { Model, Graph, Node, Attribute, Tensor, Sparse, Function };

/// Which fields hold messages on the way to a tensor (numbers of onnx.proto).
struct Child {
  Message parent;
  uint32_t field;
  Message child;
};
constexpr Child children[] = {
    {Message::Model, 7, Message::Graph},
    {Message::Model, 25, Message::Function},
    {Message::Graph, 1, Message::Node},
    {Message::Graph, 5, Message::Tensor},
    {Message::Graph, 15, Message::Sparse},
    {Message::Function, 7, Message::Node},
    {Message::Node, 5, Message::Attribute},
    {Message::Attribute, 5, Message::Tensor},
    {Message::Attribute, 6, Message::Graph},
    {Message::Attribute, 10, Message::Tensor},
    {Message::Attribute, 11, Message::Graph},
    {Message::Attribute, 22, Message::Sparse},
    {Message::Attribute, 23, Message::Sparse},
    {Message::Sparse, 1, Message::Tensor},
    {Message::Sparse, 2, Message::Tensor},
};
constexpr uint32_t segmentField = 3, rawDataField = 9;
constexpr size_t largeBytes = 128;
constexpr int maximumDepth = 60;

void putVarint(std::string &out, uint64_t value) {
  for (; value >= 128; value >>= 7)
    out.push_back(char(value | 128));
  out.push_back(char(value));
}

class Stripper {
public:
  explicit Stripper(llvm::StringRef bytes) : bytes(bytes) {}

  /// Copies one message in [position, end) to `out`.
  bool run(Message kind, size_t end, std::string &out, int depth);
  size_t position = 0;

private:
  llvm::StringRef bytes;

  bool varint(size_t end, uint64_t &value) {
    value = 0;
    for (int shift = 0; shift < 64 && position < end; shift += 7) {
      uint8_t byte = bytes[position++];
      value |= uint64_t(byte & 127) << shift;
      if (byte < 128)
        return true;
    }
    return false;
  }
  void putSegment(std::string &out, uint64_t begin, uint64_t end) {
    std::string segment;
    segment.push_back(8);
    putVarint(segment, begin);
    segment.push_back(16);
    putVarint(segment, end);
    putVarint(out, segmentField << 3 | 2);
    putVarint(out, segment.size());
    out += segment;
  }
  bool lengthDelimited(Message kind, uint32_t field, size_t start, size_t end,
                       std::string &out, int depth);
};

bool Stripper::lengthDelimited(Message kind, uint32_t field, size_t start,
                               size_t end, std::string &out, int depth) {
  uint64_t length;
  if (!varint(end, length) || length > end - position)
    return false;
  if (kind == Message::Tensor && field == segmentField) {
    position += length;
    return true;
  }
  if (kind == Message::Tensor && field == rawDataField &&
      length >= largeBytes) {
    putSegment(out, position, position + length);
    position += length;
    return true;
  }
  for (const Child &child : children) {
    if (child.parent != kind || child.field != field)
      continue;
    std::string nested;
    if (!run(child.child, position + length, nested, depth + 1))
      return false;
    putVarint(out, field << 3 | 2);
    putVarint(out, nested.size());
    out += nested;
    return true;
  }
  position += length;
  out.append(bytes.data() + start, position - start);
  return true;
}

bool Stripper::run(Message kind, size_t end, std::string &out, int depth) {
  if (depth > maximumDepth)
    return false;
  while (position < end) {
    size_t start = position;
    uint64_t tag, value;
    if (!varint(end, tag) || tag >> 3 == 0 || tag >> 32)
      return false;
    switch (tag & 7) {
    case 0:
      if (!varint(end, value))
        return false;
      break;
    case 1:
    case 5: {
      size_t size = (tag & 7) == 1 ? 8 : 4;
      if (size > end - position)
        return false;
      position += size;
      break;
    }
    case 2:
      if (!lengthDelimited(kind, tag >> 3, start, end, out, depth))
        return false;
      continue;
    default:
      return false;
    }
    out.append(bytes.data() + start, position - start);
  }
  return true;
}

} // namespace

StatusOr<std::string> stripRawData(llvm::StringRef model) {
  Stripper stripper(model);
  std::string out;
  if (!stripper.run(Message::Model, model.size(), out, 0))
    return Status::invalidInput(
        "not a complete ONNX model: the protobuf message is broken at byte " +
        std::to_string(stripper.position) + " of " +
        std::to_string(model.size()));
  return out;
}

} // namespace tilewright::onnx
