// Weights stay where they are; all encodings of constants are read.
#include "Models.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstring>
#include <fstream>

using namespace tilewright::onnx;
using namespace tilewright::onnx::test;
using namespace mlir;

namespace {
ModelMaker largeWeight() {
  ModelMaker maker;
  std::vector<float> values(1024);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = float(i);
  return maker.input("x", {1024})
      .output("z")
      .floats("weight", {1024}, values)
      .node("Mul", {"x", "weight"}, {"z"});
}

DenseResourceElementsAttr resourceOf(Imported &ir) {
  DenseResourceElementsAttr found;
  ir.model.module->walk([&](Operation *op) {
    if (auto attr = op->getAttrOfType<DenseResourceElementsAttr>("value"))
      found = attr;
  });
  return found;
}

/// A folder that goes away with the test.
struct Folder {
  llvm::SmallString<128> path;
  Folder() { (void)llvm::sys::fs::createUniqueDirectory("onnx-test", path); }
  ~Folder() { (void)llvm::sys::fs::remove_directories(path); }
  std::string file(const std::string &name, const std::string &bytes) {
    llvm::SmallString<128> full(path);
    llvm::sys::path::append(full, name);
    std::ofstream(full.c_str(), std::ios::binary) << bytes;
    return full.str().str();
  }
};
} // namespace

TEST_CASE("large weights are resources, small ones are dense") {
  Imported ir(largeWeight());
  auto resource = resourceOf(ir);
  REQUIRE(resource);
  auto data = resource.getData();
  REQUIRE(data.size() == 4096);
  float last;
  std::memcpy(&last, data.data() + 4092, 4);
  CHECK(last == 1023);
}

TEST_CASE("an aligned weight is the file's memory") {
  // One of four paddings aligns the data.
  bool shared = false;
  for (int padding = 0; padding < 4; ++padding) {
    ModelMaker maker = largeWeight();
    maker.model.set_producer_name(std::string(padding, 'p'));
    Imported ir(maker);
    auto storage =
        std::static_pointer_cast<ModelFile::Storage>(ir.model.storage);
    llvm::StringRef file = storage->file.bytes;
    const char *data = resourceOf(ir).getData().data();
    shared |= data >= file.begin() && data < file.end();
  }
  CHECK(shared);
}

TEST_CASE("weights in another file are read") {
  ModelMaker maker;
  maker.input("x", {300}).output("z").node("Mul", {"x", "w"}, {"z"});
  auto &tensor = *maker.model.mutable_graph()->add_initializer();
  tensor.set_name("w");
  tensor.set_data_type(::onnx::TensorProto::FLOAT);
  tensor.add_dims(300);
  tensor.set_data_location(::onnx::TensorProto::EXTERNAL);
  auto put = [&](const char *key, const char *value) {
    auto *entry = tensor.add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  };
  put("location", "w.bin");
  put("offset", "64");
  put("length", "1200");
  Folder folder;
  std::string data(64 + 1200, 0);
  float seven = 7;
  std::memcpy(data.data() + 64, &seven, 4);
  folder.file("w.bin", data);
  std::string path = folder.file("model.onnx", maker.bytes());
  MLIRContext context(MLIRContext::Threading::DISABLED);
  auto model = importModel(context, path);
  REQUIRE(bool(model));
  DenseResourceElementsAttr weight;
  model->module->walk([&](Operation *op) {
    if (auto attr = op->getAttrOfType<DenseResourceElementsAttr>("value"))
      weight = attr;
  });
  REQUIRE(weight);
  float first;
  std::memcpy(&first, weight.getData().data(), 4);
  CHECK(first == 7);

  folder.file("w.bin", data.substr(0, 100));
  auto broken = importModel(context, path);
  REQUIRE_FALSE(bool(broken));
  CHECK(broken.status().message().find("which has 100 bytes") !=
        std::string::npos);
}

TEST_CASE("typed fields hold every element type") {
  using Proto = ::onnx::TensorProto;
  ModelMaker maker;
  maker.input("x", {2}, Proto::BOOL)
      .output("z", Proto::BFLOAT16)
      .node("Where", {"x", "w", "w"}, {"z"});
  auto &tensor = *maker.model.mutable_graph()->add_initializer();
  tensor.set_name("w");
  tensor.set_data_type(Proto::BFLOAT16);
  tensor.add_dims(2);
  tensor.add_int32_data(0x3f80);
  tensor.add_int32_data(0x4000);
  Imported ir(maker);
  CHECK(ir.text().find("dense<[1.000000e+00, 2.000000e+00]> : "
                       "tensor<2xbf16>") != std::string::npos);
}

TEST_CASE("packed 4-bit elements are unpacked with their sign") {
  ModelMaker maker;
  maker.input("s", {}).output("z").node("DequantizeLinear", {"w", "s"}, {"z"});
  auto &tensor = *maker.model.mutable_graph()->add_initializer();
  tensor.set_name("w");
  tensor.set_data_type(22);
  tensor.add_dims(3);
  tensor.set_raw_data(std::string("\x1f\x07", 2));
  Imported ir(maker);
  CHECK(ir.text().find("dense<[-1, 1, 7]> : tensor<3xi4>") !=
        std::string::npos);
}
