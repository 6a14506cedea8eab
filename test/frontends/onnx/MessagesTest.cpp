// Messages that protobuf has written, read by frontends/onnx/Messages.
#include "Models.h"

#include "frontends/onnx/Messages.h"

using Catch::Matchers::Equals;
using namespace tilewright::onnx;
using namespace tilewright::onnx::test;

static ModelProto read(const ::onnx::ModelProto &model, std::string &bytes) {
  bytes = model.SerializeAsString();
  auto parsed = parseModel(bytes);
  REQUIRE(parsed.ok());
  return std::move(*parsed);
}

TEST_CASE("messages: a tensor's typed fields") {
  ::onnx::TensorProto tensor;
  tensor.set_name("t");
  tensor.set_data_type(::onnx::TensorProto::INT64);
  tensor.add_dims(-1);
  tensor.add_dims(int64_t(1) << 62);
  tensor.add_float_data(0.5f);
  tensor.add_float_data(-2.0f);
  tensor.add_int32_data(-7);
  tensor.add_int64_data(INT64_MIN);
  tensor.add_uint64_data(UINT64_MAX);
  tensor.add_double_data(1e300);
  tensor.add_string_data("s");
  tensor.add_external_data()->set_key("location");
  tensor.set_data_location(::onnx::TensorProto::EXTERNAL);
  tensor.mutable_segment()->set_begin(1);
  const std::string bytes = tensor.SerializeAsString();
  auto parsed = parseTensor(bytes);
  REQUIRE(parsed.ok());
  CHECK(parsed->name == "t");
  CHECK(parsed->dataType == 7);
  CHECK(parsed->dims == std::vector<int64_t>{-1, int64_t(1) << 62});
  CHECK(parsed->floatData == std::vector<float>{0.5f, -2.0f});
  CHECK(parsed->int32Data == std::vector<int32_t>{-7});
  CHECK(parsed->int64Data == std::vector<int64_t>{INT64_MIN});
  CHECK(parsed->uint64Data == std::vector<uint64_t>{UINT64_MAX});
  CHECK(parsed->doubleData == std::vector<double>{1e300});
  CHECK(parsed->stringData == std::vector<std::string>{"s"});
  CHECK(parsed->externalData.at(0).key == "location");
  CHECK(parsed->dataLocation == TensorProto::EXTERNAL);
  CHECK(parsed->hasSegment);
  CHECK_FALSE(parsed->rawData);
}

TEST_CASE("messages: raw data stays where it is") {
  ModelMaker maker;
  maker.floats("w", {2}, {1, 2});
  std::string bytes;
  ModelProto model = read(maker.model, bytes);
  const auto &raw = model.graph->initializer.at(0).rawData;
  REQUIRE(raw);
  CHECK(raw->size() == 8);
  CHECK(raw->data() >= bytes.data());
  CHECK(raw->data() + raw->size() <= bytes.data() + bytes.size());
}

TEST_CASE("messages: attributes of each type") {
  ::onnx::ModelProto written;
  auto add = [&](const char *name) {
    auto *graph = written.mutable_graph();
    if (!graph->node_size())
      graph->add_node()->set_op_type("Op");
    auto *attribute = graph->mutable_node(0)->add_attribute();
    attribute->set_name(name);
    return attribute;
  };
  add("f")->set_f(1.5f);
  add("i")->set_i(-3);
  add("s")->set_s(std::string("a\0b", 3));
  add("t")->mutable_t()->add_dims(4);
  add("g")->mutable_g()->add_output()->set_name("y");
  // Not packed, as proto2 writes them.
  auto *lists = add("lists");
  lists->add_floats(1);
  lists->add_floats(2);
  lists->add_ints(3);
  lists->add_ints(-4);
  lists->add_strings("x");
  lists->set_type(::onnx::AttributeProto::INTS);
  lists->set_ref_attr_name("of");
  std::string bytes;
  ModelProto model = read(written, bytes);
  const NodeProto &node = model.graph->node.at(0);
  REQUIRE(node.attribute.size() == 6);
  CHECK(node.opType == "Op");
  CHECK(node.attribute[0].f == 1.5f);
  CHECK(node.attribute[1].i == -3);
  CHECK(node.attribute[2].s == std::string("a\0b", 3));
  CHECK(node.attribute[3].t.dims == std::vector<int64_t>{4});
  REQUIRE(node.attribute[4].g);
  CHECK(node.attribute[4].g->output.at(0).name == "y");
  const AttributeProto &last = node.attribute[5];
  CHECK_FALSE(last.g);
  CHECK(last.floats == std::vector<float>{1, 2});
  CHECK(last.ints == std::vector<int64_t>{3, -4});
  CHECK(last.strings == std::vector<std::string>{"x"});
  CHECK(last.type == AttributeProto::INTS);
  CHECK(last.refAttrName == "of");
}

TEST_CASE("messages: values, functions and the rest of a model") {
  ModelMaker maker(17);
  maker.input("x", {-1, 3}).output("y").node("Relu", {"x"}, {"y"});
  auto *entry = maker.model.add_metadata_props();
  entry->set_key("k");
  entry->set_value("v");
  auto *function = maker.model.add_functions();
  function->set_name("F");
  function->set_domain("mine");
  function->add_input("a");
  function->add_output("b");
  function->add_node()->add_input("a");
  function->add_opset_import()->set_version(3);
  maker.model.mutable_graph()
      ->add_sparse_initializer()
      ->mutable_values()
      ->set_name("sparse");
  std::string bytes;
  ModelProto model = read(maker.model, bytes);
  CHECK(model.opsetImport.at(0).version == 17);
  CHECK(model.metadataProps.at(0).key == "k");
  CHECK(model.metadataProps.at(0).value == "v");
  const FunctionProto &read = model.functions.at(0);
  CHECK(read.name == "F");
  CHECK(read.domain == "mine");
  CHECK(read.input == std::vector<std::string>{"a"});
  CHECK(read.output == std::vector<std::string>{"b"});
  CHECK(read.node.at(0).input == std::vector<std::string>{"a"});
  CHECK(read.opsetImport.at(0).version == 3);
  const GraphProto &graph = *model.graph;
  CHECK(graph.name == "test");
  CHECK(graph.sparseInitializer.at(0).values.name == "sparse");
  CHECK(graph.output.at(0).name == "y");
  CHECK_FALSE(graph.output.at(0).type.tensorType->shape);
  const TensorTypeProto &type = *graph.input.at(0).type.tensorType;
  CHECK(type.elemType == TensorProto::FLOAT);
  CHECK(type.shape->dim.at(0).dimParam == "N");
  CHECK_FALSE(type.shape->dim.at(0).dimValue);
  CHECK(type.shape->dim.at(1).dimValue == 3);
}

TEST_CASE("messages: types of sequences and optional values") {
  ModelMaker maker;
  maker.input("x", {3});
  ::onnx::TypeProto type = maker.model.graph().input(0).type();
  auto *outer = maker.model.mutable_graph()->mutable_input(0)->mutable_type();
  *outer->mutable_optional_type()
       ->mutable_elem_type()
       ->mutable_sequence_type()
       ->mutable_elem_type() = type;
  std::string bytes;
  ModelProto model = read(maker.model, bytes);
  const TypeProto &found = model.graph->input.at(0).type;
  CHECK_FALSE(found.tensorType);
  CHECK_FALSE(found.sequenceType);
  REQUIRE(found.optionalType);
  const TypeProto &sequence = *found.optionalType->elemType;
  REQUIRE(sequence.sequenceType);
  const TypeProto &tensor = *sequence.sequenceType->elemType;
  CHECK(tensor.tensorType->shape->dim.at(0).dimValue == 3);
}

// An OptionalProto of a SequenceProto: elem_type (field 2), sequence_value (5)
// with a name (1), elem_type and tensor_values (3).
TEST_CASE("messages: a sequence in an optional value") {
  auto parsed = parseSequence(std::string_view(
      "\x10\x03\x2a\x09\x0a\x01s\x10\x01\x1a\x02\x08\x05", 13));
  REQUIRE(parsed.ok());
  CHECK(parsed->elemType == SequenceProto::SEQUENCE);
  CHECK(parsed->tensorValues.empty());
  const SequenceProto &inner = parsed->sequenceValues.at(0);
  CHECK(inner.elemType == SequenceProto::TENSOR);
  CHECK(inner.tensorValues.at(0).dims == std::vector<int64_t>{5});
  CHECK_FALSE(inner.hasOtherFields);
  // A tensor has dims (1) as a number.
  auto other = parseSequence(std::string_view("\x08\x05\x10\x01", 4));
  REQUIRE(other.ok());
  CHECK(other->hasOtherFields);
}

// Fields that are there twice, in the bytes of a ModelProto: graph (field 7)
// with a name (2), and a second graph with one node (1).
TEST_CASE("messages: a message that is there twice is one, merged") {
  auto parsed =
      parseModel(std::string_view("\x3a\x03\x12\x01g\x3a\x02\x0a\x00", 9));
  REQUIRE(parsed.ok());
  CHECK(parsed->graph->name == "g");
  CHECK(parsed->graph->node.size() == 1);
}

// graph { input { type { tensor_type {} sequence_type {} } } }, and the two in
// the other order.
TEST_CASE("messages: of the kinds of a type the last one counts") {
  auto isTensor = [](std::string_view type) {
    const std::string bytes = "\x3a\x08\x5a\x06\x12\x04" + std::string(type);
    auto parsed = parseModel(bytes);
    REQUIRE(parsed.ok());
    return parsed->graph->input.at(0).type.tensorType.has_value();
  };
  CHECK_FALSE(isTensor(std::string_view("\x0a\x00\x22\x00", 4)));
  CHECK(isTensor(std::string_view("\x22\x00\x0a\x00", 4)));
}

TEST_CASE("messages: fields of other types and unknown ones are skipped") {
  // Field 7 (graph) as a number, field 8 (opset_import) as one, field 99 of
  // each wire type.
  const std::string_view bytes("\x38\x01"
                               "\x40\x01"
                               "\x98\x06\x05"
                               "\x9a\x06\x01x"
                               "\x9d\x06....\x99\x06........",
                               27);
  auto parsed = parseModel(bytes);
  REQUIRE(parsed.ok());
  CHECK_FALSE(parsed->graph);
  CHECK(parsed->opsetImport.empty());
}

TEST_CASE("messages: what is broken is said with its byte") {
  auto error = [](std::string_view bytes) {
    auto parsed = parseModel(bytes);
    return parsed.ok() ? "parsed" : parsed.status().message();
  };
  const std::string what =
      "not a complete ONNX model: the protobuf message is broken at byte ";
  // A graph of 9 bytes of which 2 are there.
  CHECK_THAT(error(std::string_view("\x3a\x09\x12\x01", 4)),
             Equals(what + "0 of 4: end of buffer exception"));
  // A name that ends after its graph.
  CHECK_THAT(error(std::string_view("\x3a\x03\x12\x05gggggg", 10)),
             Equals(what + "2 of 10: end of buffer exception"));
  // A group, and a field 0.
  CHECK_THAT(error(std::string_view("\x0b", 1)),
             Equals(what + "0 of 1: unknown pbf field type exception"));
  CHECK_THAT(error(std::string_view("\x00\x00", 2)),
             Equals(what + "0 of 2: invalid tag exception"));
  // A number that does not end, and one of more than 64 bits.
  CHECK_THAT(error(std::string_view("\x08\xff", 2)),
             Equals(what + "0 of 2: end of buffer exception"));
  CHECK_THAT(error(std::string(1, '\x08') + std::string(11, '\xff')),
             Equals(what + "0 of 12: varint too long exception"));
}

/// Attributes in nodes in graphs, `depth` times.
static ::onnx::ModelProto nested(int depth) {
  ::onnx::ModelProto model;
  ::onnx::GraphProto *graph = model.mutable_graph();
  for (int i = 0; i < depth; ++i)
    graph = graph->add_node()->add_attribute()->mutable_g();
  return model;
}

TEST_CASE("messages: nesting has an end") {
  CHECK(parseModel(nested(19).SerializeAsString()).ok());
  CHECK_FALSE(parseModel(nested(20).SerializeAsString()).ok());
}
