//===- OnnxFrontend.cpp - ONNX among the frontends ------------------------===//
#include "frontends/onnx/OnnxFrontend.h"

#include "frontends/onnx/Import.h"
#include "frontends/onnx/Messages.h"
#include "frontends/onnx/TensorProto.h"

namespace tilewright::onnx {

/// Passes the known elements of these inputs to the importer; whether any is
/// new.
static bool giveValues(const std::vector<std::string> &names,
                       const std::map<std::string, runtime::HostTensor> &values,
                       ImportOptions &options) {
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

static StatusOr<ImportedModel> read(mlir::MLIRContext &context,
                                    const ModelSource &source,
                                    const ImportOptions &options,
                                    std::vector<std::string> &unknownInputs) {
  const std::string name = source.path().string();
  if (source.isFile())
    return importModel(context, name, options, &unknownInputs);
  return importModelFromBytes(context, source.bytes(), name, options,
                              &unknownInputs);
}

/// Imports again with each element that the importer must know.
static StatusOr<ImportedModel>
readWithValues(mlir::MLIRContext &context, const ModelSource &source,
               const frontend::ImportOptions &given) {
  ImportOptions options;
  options.inputShapes = given.inputShapes;
  options.replacements = given.replacements;
  for (const auto &[name, value] : given.inputValues)
    options.givenInputs.insert(name);
  while (true) {
    std::vector<std::string> unknown;
    StatusOr<ImportedModel> result = read(context, source, options, unknown);
    if (result.ok() || !giveValues(unknown, given.inputValues, options))
      return result;
  }
}

namespace {
class OnnxFrontend : public frontend::Frontend {
public:
  std::string_view name() const override { return "an ONNX model"; }
  std::vector<std::string> extensions() const override { return {".onnx"}; }
  bool takesShapes() const override { return true; }
  bool takesPatterns() const override { return true; }

  bool recognizes(std::string_view bytes) const override {
    return isModelProto(bytes);
  }

  void registerDialects(mlir::DialectRegistry &registry) const override {
    onnx::registerDialects(registry);
  }

  StatusOr<frontend::ImportedModel>
  import(mlir::MLIRContext &context, const ModelSource &source,
         const frontend::ImportOptions &options) const override {
    TILEWRIGHT_ASSIGN_OR_RETURN(ImportedModel read,
                                readWithValues(context, source, options));
    frontend::ImportedModel imported;
    imported.module = std::move(read.module);
    imported.name = std::move(read.name);
    imported.metadata = std::move(read.metadata);
    imported.nodeCount = read.nodeCount;
    imported.notReplaced = std::move(read.notReplaced);
    imported.hasExternalData = read.hasExternalData;
    return imported;
  }
};
} // namespace

std::unique_ptr<const frontend::Frontend> createFrontend() {
  return std::make_unique<OnnxFrontend>();
}

} // namespace tilewright::onnx
