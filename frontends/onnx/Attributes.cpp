#include "frontends/onnx/Attributes.h"

using namespace mlir;

namespace tilewright::onnx {

const AttributeProto *Attributes::find(StringRef name) const {
  for (const AttributeProto &attribute : proto.attribute)
    if (attribute.name == name)
      return &attribute;
  return nullptr;
}

static LogicalResult expectKind(GraphBuilder &b,
                                const AttributeProto &attribute,
                                AttributeProto::Type kind, StringRef kindName) {
  // Files of IR version 1 leave the type out.
  if (attribute.type == kind || attribute.type == AttributeProto::UNDEFINED)
    return success();
  return b.fail("attribute '" + attribute.name + "' is not " + kindName);
}

FailureOr<int64_t> Attributes::integer(StringRef name,
                                       int64_t otherwise) const {
  const AttributeProto *attribute = find(name);
  if (!attribute)
    return otherwise;
  if (failed(expectKind(b, *attribute, AttributeProto::INT, "an integer")))
    return failure();
  return int64_t(attribute->i);
}

FailureOr<bool> Attributes::flag(StringRef name, bool otherwise) const {
  TRY(int64_t value, integer(name, otherwise));
  return value != 0;
}

FailureOr<double> Attributes::number(StringRef name, double otherwise) const {
  const AttributeProto *attribute = find(name);
  if (!attribute)
    return otherwise;
  if (failed(expectKind(b, *attribute, AttributeProto::FLOAT, "a float")))
    return failure();
  return double(attribute->f);
}

FailureOr<std::string> Attributes::string(StringRef name,
                                          StringRef otherwise) const {
  const AttributeProto *attribute = find(name);
  if (!attribute)
    return otherwise.str();
  if (failed(expectKind(b, *attribute, AttributeProto::STRING, "a string")))
    return failure();
  return attribute->s;
}

FailureOr<SmallVector<int64_t>>
Attributes::integers(StringRef name, ArrayRef<int64_t> otherwise) const {
  const AttributeProto *attribute = find(name);
  if (!attribute)
    return SmallVector<int64_t>(otherwise);
  if (failed(expectKind(b, *attribute, AttributeProto::INTS,
                        "a list of integers")))
    return failure();
  return SmallVector<int64_t>(attribute->ints.begin(), attribute->ints.end());
}

FailureOr<SmallVector<double>> Attributes::numbers(StringRef name) const {
  const AttributeProto *attribute = find(name);
  if (!attribute)
    return SmallVector<double>();
  if (failed(expectKind(b, *attribute, AttributeProto::FLOATS,
                        "a list of floats")))
    return failure();
  return SmallVector<double>(attribute->floats.begin(),
                             attribute->floats.end());
}

FailureOr<const GraphProto *> Attributes::graph(StringRef name) const {
  const AttributeProto *attribute = find(name);
  if (!attribute || !attribute->g)
    return b.fail("attribute '" + name + "' with a graph is missing");
  return &*attribute->g;
}

FailureOr<Element> Attributes::element(StringRef name,
                                       Element otherwise) const {
  TRY(int64_t value, integer(name, 0));
  if (value == 0)
    return otherwise;
  auto element = elementOf(b.builder.getContext(), value);
  if (!element)
    return b.fail("attribute '" + name + "' asks for " +
                  unsupportedType(value));
  return *element;
}

} // namespace tilewright::onnx
