// The attributes of an ONNX node.
#pragma once

#include "frontends/onnx/DecodeTensor.h"

#include <string>

namespace tilewright::onnx {

/// The attributes of a node, checked. Each reader returns `otherwise` for a
/// missing one; for an invalid one it leaves one message in the builder and
/// returns failure.
class Attributes {
public:
  Attributes(GraphBuilder &b, const NodeProto &proto) : b(b), proto(proto) {}

  bool has(StringRef name) const { return find(name); }
  const AttributeProto *find(StringRef name) const;
  FailureOr<int64_t> integer(StringRef name, int64_t otherwise) const;
  /// An integer that is 0 for false.
  FailureOr<bool> flag(StringRef name, bool otherwise) const;
  FailureOr<double> number(StringRef name, double otherwise) const;
  FailureOr<std::string> string(StringRef name, StringRef otherwise) const;
  FailureOr<SmallVector<int64_t>>
  integers(StringRef name, ArrayRef<int64_t> otherwise = {}) const;
  FailureOr<SmallVector<double>> numbers(StringRef name) const;
  FailureOr<const GraphProto *> graph(StringRef name) const;
  FailureOr<Element> element(StringRef name, Element otherwise) const;

private:
  GraphBuilder &b;
  const NodeProto &proto;
};

} // namespace tilewright::onnx
