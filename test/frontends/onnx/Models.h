// Small ONNX models, made through protobuf, and queries of their IR.
#pragma once

#include "frontends/onnx/Import.h"
#include "frontends/onnx/ModelFile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/MLIRContext.h"

#include "onnx/onnx.pb.h"

#include <catch2/catch.hpp>

#include <initializer_list>
#include <string>
#include <vector>

namespace tilewright::onnx::test {

/// Builds a model of one graph. Sizes below 0 are dynamic: -1 is "N", -2 "M".
class ModelMaker {
public:
  explicit ModelMaker(int64_t opset = 21);

  ModelMaker &input(const std::string &name, std::vector<int64_t> shape,
                    int32_t type = ::onnx::TensorProto::FLOAT);
  ModelMaker &output(const std::string &name,
                     int32_t type = ::onnx::TensorProto::FLOAT);
  ModelMaker &floats(const std::string &name, std::vector<int64_t> shape,
                     std::vector<float> values);
  ModelMaker &integers(const std::string &name, std::vector<int64_t> values);
  /// The last node becomes the one that the attribute setters change.
  ModelMaker &node(const std::string &type, std::vector<std::string> inputs,
                   std::vector<std::string> outputs);
  ModelMaker &set(const std::string &name, int64_t value);
  ModelMaker &set(const std::string &name, float value);
  ModelMaker &set(const std::string &name, std::vector<int64_t> values);
  ModelMaker &set(const std::string &name, const char *value);

  std::string bytes() const { return model.SerializeAsString(); }
  ::onnx::ModelProto model;

private:
  ::onnx::AttributeProto *attribute(const std::string &name,
                                    ::onnx::AttributeProto::AttributeType);
};

/// The IR of a model that must import.
struct Imported {
  explicit Imported(const ModelMaker &maker, const ImportOptions &options = {});

  /// Folds what the graph level folds first: equal and unread ops, batch norms,
  /// constants.
  void fold();
  /// The number of operations with this name, in bodies too.
  int count(llvm::StringRef name);
  /// The generics in order.
  std::vector<mlir::linalg::GenericOp> generics();
  mlir::func::FuncOp main();
  std::string text();
  /// The two sizes that the first `graph.check` compares, as text.
  std::pair<std::string, std::string> check();
  /// The value returned as result `i`.
  mlir::Value result(unsigned i = 0);

  mlir::MLIRContext context;
  ImportedModel model;
};

/// The one message of a model that must not import.
std::string errorOf(const std::string &bytes,
                    const ImportOptions &options = {});
std::string errorOf(const ModelMaker &maker);

} // namespace tilewright::onnx::test
