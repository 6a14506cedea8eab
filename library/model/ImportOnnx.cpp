//===- ImportOnnx.cpp - An ONNX model whose inputs may be known -----------===//
#include "library/model/ImportOnnx.h"

#include "library/model/TensorProto.h"

namespace tilewright {

/// Lets the importer know the elements of these inputs, where they are given;
/// whether that is news.
static bool giveValues(const std::vector<std::string> &names,
                       const std::map<std::string, runtime::HostTensor> &values,
                       onnx::ImportOptions &options) {
  bool isNew = false;
  for (const std::string &name : names) {
    auto given = values.find(name);
    std::optional<int> type;
    if (given != values.end())
      type = onnxTypeOf(given->second.dtype());
    if (!type || options.inputValues.count(name))
      continue;
    const runtime::HostTensor &tensor = given->second;
    options.inputValues[name] = {
        *type,
        {tensor.shape().begin(), tensor.shape().end()},
        {reinterpret_cast<const char *>(tensor.data()), tensor.bytes()}};
    isNew = true;
  }
  return isNew;
}

StatusOr<onnx::ImportedModel>
importOnnx(mlir::MLIRContext &context, const std::string &path,
           onnx::ImportOptions options,
           const std::map<std::string, runtime::HostTensor> &values) {
  while (true) {
    llvm::Expected<onnx::ImportedModel> result =
        onnx::importModel(context, path, options);
    if (result)
      return std::move(*result);
    std::vector<std::string> unknown;
    std::string message;
    llvm::handleAllErrors(
        result.takeError(),
        [&](const onnx::UnknownValueError &error) {
          message = error.message();
          unknown = error.inputs;
        },
        [&](const llvm::ErrorInfoBase &error) { message = error.message(); });
    if (!giveValues(unknown, values, options))
      return Status::invalidInput(message);
  }
}

} // namespace tilewright
