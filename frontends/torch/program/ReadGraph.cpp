#include "frontends/torch/program/ReadGraph.h"

#include "frontends/torch/program/Expressions.h"

#include <algorithm>
#include <charconv>

namespace tilewright::torch {

using runtime::JsonCursor;

namespace {

/// The numbers that stand for element types, in the order of DType.
constexpr int64_t dtypeCodes[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                                  12, 13, 28, 29, 30, 31, 32, 33, 34, 35};

DType readDType(const JsonCursor &json) {
  int64_t code = json.integer();
  const auto *found =
      std::find(std::begin(dtypeCodes), std::end(dtypeCodes), code);
  if (found != std::end(dtypeCodes))
    return DType(found - std::begin(dtypeCodes));
  json.expected("an element type from 1 to 13 or from 28 to 35");
  return DType::Float32;
}

/// The key of a variant; empty after an error.
std::string variantOf(const JsonCursor &json) {
  auto members = json.members();
  if (members.size() == 1)
    return members[0].first;
  json.expected("an object with one key");
  return {};
}

/// An expression: {"as_int": 3} or {"as_expr": {"expr_str": ..}}.
Expression readExpression(const JsonCursor &json) {
  Expression result;
  std::string kind = variantOf(json);
  if (kind == "as_int") {
    result.integer = json.at(kind).integer();
  } else if (kind == "as_bool") {
    result.integer = json.at(kind).boolean();
  } else if (kind == "as_float") {
    result.kind = Expression::Kind::Real;
    result.real = json.at(kind).real();
  } else if (kind == "as_expr") {
    json.at(kind).allowValuesOnly({"expr_str", "hint"});
    JsonCursor text = json.at(kind).at("expr_str");
    auto parsed = parseSrepr(text.string());
    if (parsed.ok())
      return *parsed;
    text.fail(parsed.status().message());
  } else if (!kind.empty()) {
    json.fail("unknown kind of number '" + kind + "'");
  }
  return result;
}

std::vector<Expression> readExpressions(const JsonCursor &json) {
  std::vector<Expression> result;
  for (const JsonCursor &each : json.elements())
    result.push_back(readExpression(each));
  return result;
}

Argument readTensorName(const JsonCursor &json) {
  json.allowValuesOnly({"name"});
  return {TensorName{json.at("name").string()}};
}

Argument readNone(const JsonCursor &) { return {}; }
Argument readInteger(const JsonCursor &json) { return {json.integer()}; }
Argument readReal(const JsonCursor &json) { return {json.real()}; }
Argument readBoolean(const JsonCursor &json) { return {json.boolean()}; }
Argument readString(const JsonCursor &json) { return {json.string()}; }
Argument readType(const JsonCursor &json) { return {readDType(json)}; }
Argument readPlacement(const JsonCursor &) { return {Placement{}}; }

/// A symbolic number or a literal one.
Argument readNumber(const JsonCursor &json) {
  std::string kind = variantOf(json);
  if (kind == "as_name")
    return {NumberName{json.at(kind).string()}};
  if (kind == "as_int")
    return readInteger(json.at(kind));
  if (kind == "as_float")
    return readReal(json.at(kind));
  if (kind == "as_bool")
    return readBoolean(json.at(kind));
  if (!kind.empty())
    json.fail("unknown kind of number '" + kind + "'");
  return {};
}

Argument readOptionalTensor(const JsonCursor &json) {
  std::string kind = variantOf(json);
  if (kind == "as_tensor")
    return readTensorName(json.at(kind));
  if (kind != "as_none" && !kind.empty())
    json.fail("unknown kind of tensor '" + kind + "'");
  return {};
}

Argument readLayout(const JsonCursor &json) {
  if (json.integer() != 7)
    json.fail("sparse tensors are not supported, expected the layout strided");
  return {Placement{}};
}

Argument readMemoryFormat(const JsonCursor &json) {
  return {MemoryFormat(json.integer(1, 4))};
}

Argument readSubgraph(const JsonCursor &json) {
  json.allowValuesOnly({"name", "graph"});
  return {std::make_shared<const Graph>(readGraph(json.at("graph")))};
}

Argument readComplex(const JsonCursor &json) {
  json.fail("complex numbers are not supported");
  return {};
}

Argument readObject(const JsonCursor &json) {
  json.fail("objects of custom classes are not supported");
  return {};
}

using Reader = Argument (*)(const JsonCursor &);

/// A kind of argument. Lists read each element.
struct KindRow {
  std::string_view name;
  Reader read;
  bool isList = false;
};

constexpr KindRow kinds[] = {
    {"as_none", readNone},
    {"as_tensor", readTensorName},
    {"as_tensors", readTensorName, true},
    {"as_int", readInteger},
    {"as_ints", readInteger, true},
    {"as_float", readReal},
    {"as_floats", readReal, true},
    {"as_string", readString},
    {"as_strings", readString, true},
    {"as_sym_int", readNumber},
    {"as_sym_ints", readNumber, true},
    {"as_scalar_type", readType},
    {"as_memory_format", readMemoryFormat},
    {"as_layout", readLayout},
    {"as_device", readPlacement},
    {"as_bool", readBoolean},
    {"as_bools", readBoolean, true},
    {"as_sym_bool", readNumber},
    {"as_sym_bools", readNumber, true},
    {"as_graph", readSubgraph},
    {"as_optional_tensors", readOptionalTensor, true},
    {"as_optional_tensor", readOptionalTensor},
    {"as_custom_obj", readObject},
    {"as_operator", readString},
    {"as_sym_float", readNumber},
    {"as_sym_floats", readNumber, true},
    {"as_complex", readComplex},
};

/// The frames of a Python traceback, outermost first.
std::vector<SourceLine> framesOf(std::string_view trace) {
  std::vector<SourceLine> frames;
  size_t at = 0;
  while ((at = trace.find("File \"", at)) != std::string_view::npos) {
    at += 6;
    size_t end = trace.find("\", line ", at);
    if (end == std::string_view::npos)
      break;
    SourceLine frame;
    frame.file = trace.substr(at, end - at);
    const char *number = trace.data() + end + 8;
    std::from_chars(number, trace.data() + trace.size(), frame.line);
    size_t next = trace.find('\n', end);
    size_t begin = trace.find_first_not_of(" \n", next);
    if (next != std::string_view::npos && begin != std::string_view::npos)
      frame.code = trace.substr(begin, trace.find('\n', begin) - begin);
    frames.push_back(std::move(frame));
    at = end;
  }
  return frames;
}

/// The innermost line that is not in an installed package, without folders.
SourceLine readSource(const JsonCursor &metadata) {
  if (!metadata.has("stack_trace"))
    return {};
  std::vector<SourceLine> frames =
      framesOf(metadata.at("stack_trace").string());
  auto isUsers = [](const SourceLine &frame) {
    return frame.file.find("site-packages") == std::string::npos &&
           frame.file.find("dist-packages") == std::string::npos &&
           frame.file.find("torch/") == std::string::npos &&
           !frame.file.starts_with("<");
  };
  auto found = std::find_if(frames.rbegin(), frames.rend(), isUsers);
  if (found == frames.rend())
    found = frames.rbegin();
  if (found == frames.rend())
    return {};
  found->file = found->file.substr(found->file.find_last_of("/\\") + 1);
  return *found;
}

Node readNode(const JsonCursor &json) {
  json.allowValuesOnly({"target", "inputs", "outputs", "metadata",
                        "is_hop_single_tensor_return", "name"});
  Node node;
  node.target = json.at("target").string();
  if (node.target.starts_with("torch.ops."))
    node.target.erase(0, 10);
  for (const JsonCursor &each : json.at("inputs").elements()) {
    each.allowValuesOnly({"name", "arg", "kind"});
    node.inputs.push_back(
        {each.at("name").string(), readArgument(each.at("arg"))});
  }
  for (const JsonCursor &each : json.at("outputs").elements())
    node.outputs.push_back(readArgument(each));
  if (json.has("name") && !json.at("name").isNull())
    node.name = json.at("name").string();
  node.source = readSource(json.at("metadata"));
  return node;
}

} // namespace

TensorMeta readMeta(const JsonCursor &json) {
  json.allowValuesOnly({"dtype", "sizes", "requires_grad", "device", "strides",
                        "storage_offset", "layout"});
  TensorMeta meta;
  meta.dtype = readDType(json.at("dtype"));
  meta.sizes = readExpressions(json.at("sizes"));
  meta.strides = readExpressions(json.at("strides"));
  meta.offset = readExpression(json.at("storage_offset"));
  readLayout(json.at("layout"));
  // As many as a package may have.
  if (meta.sizes.size() > 64 || meta.strides.size() != meta.sizes.size())
    json.fail("expected at most 64 sizes, and as many strides");
  return meta;
}

Argument readArgument(const JsonCursor &json) {
  std::string kind = variantOf(json);
  for (const KindRow &row : kinds) {
    if (row.name != kind)
      continue;
    if (!row.isList)
      return row.read(json.at(kind));
    Argument::List list;
    for (const JsonCursor &each : json.at(kind).elements())
      list.push_back(row.read(each));
    return {std::move(list)};
  }
  if (!kind.empty())
    json.fail("arguments of the kind '" + kind + "' are not supported");
  return {};
}

Graph readGraph(const JsonCursor &json) {
  json.allowValuesOnly({"inputs", "outputs", "nodes", "tensor_values",
                        "sym_int_values", "sym_bool_values",
                        "is_single_tensor_return", "custom_obj_values",
                        "sym_float_values"});
  Graph graph;
  for (const JsonCursor &each : json.at("inputs").elements())
    graph.inputs.push_back(readArgument(each));
  for (const JsonCursor &each : json.at("outputs").elements())
    graph.outputs.push_back(readArgument(each));
  for (const JsonCursor &each : json.at("nodes").elements())
    graph.nodes.push_back(readNode(each));
  for (const auto &[name, each] : json.at("tensor_values").members())
    graph.tensors[name] = readMeta(each);
  for (const char *kind :
       {"sym_int_values", "sym_bool_values", "sym_float_values"})
    if (json.has(kind))
      for (const auto &[name, each] : json.at(kind).members())
        graph.numbers[name] = readExpression(each);
  return graph;
}

} // namespace tilewright::torch
