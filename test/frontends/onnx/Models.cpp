#include "Models.h"

#include "graph/analysis/SymbolicShapes.h"
#include "graph/ir/Graph.h"
#include "graph/transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace mlir;

namespace tilewright::onnx::test {

using Attribute = ::onnx::AttributeProto;

ModelMaker::ModelMaker(int64_t opset) {
  model.set_ir_version(8);
  model.add_opset_import()->set_version(opset);
  model.mutable_graph()->set_name("test");
}

static void declare(::onnx::ValueInfoProto &info, const std::string &name,
                    int32_t type) {
  info.set_name(name);
  info.mutable_type()->mutable_tensor_type()->set_elem_type(type);
}

ModelMaker &ModelMaker::input(const std::string &name,
                              std::vector<int64_t> shape, int32_t type) {
  auto &info = *model.mutable_graph()->add_input();
  declare(info, name, type);
  auto *dims = info.mutable_type()->mutable_tensor_type()->mutable_shape();
  for (int64_t size : shape) {
    if (size >= 0)
      dims->add_dim()->set_dim_value(size);
    else
      dims->add_dim()->set_dim_param(size == -1 ? "N" : "M");
  }
  return *this;
}

ModelMaker &ModelMaker::output(const std::string &name, int32_t type) {
  declare(*model.mutable_graph()->add_output(), name, type);
  return *this;
}

ModelMaker &ModelMaker::floats(const std::string &name,
                               std::vector<int64_t> shape,
                               std::vector<float> values) {
  auto &tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(::onnx::TensorProto::FLOAT);
  tensor.mutable_dims()->Assign(shape.begin(), shape.end());
  std::string raw(values.size() * 4, 0);
  std::memcpy(raw.data(), values.data(), raw.size());
  tensor.set_raw_data(raw);
  return *this;
}

ModelMaker &ModelMaker::integers(const std::string &name,
                                 std::vector<int64_t> values) {
  auto &tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(::onnx::TensorProto::INT64);
  tensor.add_dims(values.size());
  tensor.mutable_int64_data()->Assign(values.begin(), values.end());
  return *this;
}

ModelMaker &ModelMaker::node(const std::string &type,
                             std::vector<std::string> inputs,
                             std::vector<std::string> outputs) {
  auto &node = *model.mutable_graph()->add_node();
  node.set_op_type(type);
  node.set_name(type + "_" + std::to_string(model.graph().node_size()));
  node.mutable_input()->Assign(inputs.begin(), inputs.end());
  node.mutable_output()->Assign(outputs.begin(), outputs.end());
  return *this;
}

Attribute *ModelMaker::attribute(const std::string &name,
                                 Attribute::AttributeType type) {
  auto &nodes = *model.mutable_graph()->mutable_node();
  Attribute *result = nodes.Mutable(nodes.size() - 1)->add_attribute();
  result->set_name(name);
  result->set_type(type);
  return result;
}

ModelMaker &ModelMaker::set(const std::string &name, int64_t value) {
  attribute(name, Attribute::INT)->set_i(value);
  return *this;
}

ModelMaker &ModelMaker::set(const std::string &name, float value) {
  attribute(name, Attribute::FLOAT)->set_f(value);
  return *this;
}

ModelMaker &ModelMaker::set(const std::string &name,
                            std::vector<int64_t> values) {
  attribute(name, Attribute::INTS)
      ->mutable_ints()
      ->Assign(values.begin(), values.end());
  return *this;
}

ModelMaker &ModelMaker::set(const std::string &name, const char *value) {
  attribute(name, Attribute::STRING)->set_s(value);
  return *this;
}

Imported::Imported(const ModelMaker &maker, const ImportOptions &options)
    : context(MLIRContext::Threading::DISABLED) {
  auto result =
      importModelFromBytes(context, maker.bytes(), "test.onnx", options);
  if (!result)
    FAIL(result.status().message());
  model = std::move(*result);
}

int Imported::count(llvm::StringRef name) {
  int found = 0;
  model.module->walk(
      [&](Operation *op) { found += op->getName().getStringRef() == name; });
  return found;
}

std::vector<linalg::GenericOp> Imported::generics() {
  std::vector<linalg::GenericOp> found;
  model.module->walk([&](linalg::GenericOp op) { found.push_back(op); });
  return found;
}

func::FuncOp Imported::main() {
  return *model.module->getOps<func::FuncOp>().begin();
}

std::string Imported::text() {
  std::string result;
  llvm::raw_string_ostream stream(result);
  model.module->print(stream);
  return result;
}

void Imported::fold() {
  PassManager passes(&context);
  passes.addNestedPass<func::FuncOp>(createCSEPass());
  passes.addPass(graph::createFoldBatchNorm());
  passes.addPass(graph::createFoldConstants());
  passes.addNestedPass<func::FuncOp>(createCSEPass());
  REQUIRE(succeeded(passes.run(*model.module)));
}

std::pair<std::string, std::string> Imported::check() {
  auto checks = main().getOps<graph::CheckOp>();
  REQUIRE_FALSE(checks.empty());
  graph::SymbolicShapes shapes(main());
  graph::CheckOp first = *checks.begin();
  return {shapes.sizes().str(*shapes.exprOf(first.getSize())),
          shapes.sizes().str(*shapes.exprOf(first.getExpected()))};
}

Value Imported::result(unsigned i) {
  return main().front().getTerminator()->getOperand(i);
}

std::string errorOf(const std::string &bytes, const ImportOptions &options) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  auto result = importModelFromBytes(context, bytes, "test.onnx", options);
  return result ? "imported" : result.status().message();
}

std::string errorOf(const ModelMaker &maker) { return errorOf(maker.bytes()); }

} // namespace tilewright::onnx::test
