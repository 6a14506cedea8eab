//===- ImportModel.cpp - From a model's file to IR ------------------------===//
#include "library/model/ImportModel.h"

#include "codegen/cpu/CpuTargets.h"
#include "codegen/nvptx/GpuTargets.h"
#include "frontends/onnx/Import.h"
#include "graph/lowering/Program.h"
#include "graph/pipeline/Pipelines.h"
#include "library/model/Checkpoint.h"
#include "library/model/GivenKernels.h"
#include "library/model/GraphInterface.h"
#include "library/model/ImportOnnx.h"
#include "library/model/ModelInfo.h"
#include "mlir/Parser/Parser.h"
#include "runtime/core/MappedFile.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tilewright {

DialectRegistry modelDialects() {
  DialectRegistry registry;
  onnx::registerDialects(registry);
  graph::registerModuleDialects(registry);
  return registry;
}

/// What kernels are compiled for, in the order in which a package has them.
static SmallVector<tile::TargetAttr>
targetsOf(const CompileModelOptions &options, MLIRContext *context) {
  SmallVector<tile::TargetAttr> targets;
  if (options.cpu)
    targets.push_back(cpu::attributeOf(*options.cpu, context));
  if (options.interpreter)
    targets.push_back(tile::TargetAttr::get(context, "interpreter", nullptr));
  for (const target::GpuTarget *gpu : options.gpus)
    targets.push_back(nvptx::attributeOf(*gpu, context));
  return targets;
}

/// A graph is for the targets that it was stopped with.
static Status checkTargets(ModuleOp module, const std::filesystem::path &model,
                           ArrayRef<tile::TargetAttr> wanted) {
  SmallVector<tile::TargetAttr> own = graph::targetsOf(module);
  if (ArrayRef(own) == wanted)
    return {};
  auto names = [](ArrayRef<tile::TargetAttr> targets) {
    return llvm::join(
        llvm::map_range(
            targets, [](tile::TargetAttr target) { return target.getName(); }),
        ",");
  };
  return Status::invalidInput(
      model.string() + ": was stopped on its way to " + names(own) +
      ", found --target " + names(wanted) +
      (names(own) == names(wanted)
           ? "; this is another CPU than the one it was for"
           : "; give the same targets"));
}

static StatusOr<ImportedModule> readModule(MLIRContext &context,
                                           const std::filesystem::path &model,
                                           const CompileModelOptions &options,
                                           const ModelErrors &errors) {
  ImportedModule imported;
  StatusOr<std::string> text = runtime::readFile(model);
  if (text.ok() && isCheckpoint(*text)) {
    std::optional<Checkpoint> read = readCheckpoint(model, context);
    if (!read)
      return errors.malformed();
    TILEWRIGHT_RETURN_IF_ERROR(
        checkTargets(*read->module, model, targetsOf(options, &context)));
    imported.module = std::move(read->module);
    imported.rest = std::move(read->rest);
    return imported;
  }
  if (!text.ok() || !isKernelText(*text)) {
    imported.module =
        parseSourceFile<ModuleOp>(model.string(), ParserConfig(&context));
    if (!imported.module)
      return errors.malformed();
    // Bytecode need not hold the op's name in one piece.
    if (imported.module->getOps<tile::KernelOp>().empty()) {
      TILEWRIGHT_RETURN_IF_ERROR(checkGraphInterface(*imported.module));
      imported.isForeign = true;
      return imported;
    }
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(
      KernelText kernel, KernelText::open(*std::move(text), model.string()));
  TILEWRIGHT_ASSIGN_OR_RETURN(imported.module, kernel.parse(context, {}));
  if (imported.module->getOps<tile::KernelOp>().empty())
    imported.isForeign = true;
  else
    imported.kernel = std::move(kernel);
  return imported;
}

/// An ONNX model, with the kernels that the user gave for parts of it.
static StatusOr<ImportedModule> readOnnx(MLIRContext &context,
                                         const std::filesystem::path &model,
                                         const CompileModelOptions &options,
                                         ModelInfo &info) {
  GivenKernels given;
  TILEWRIGHT_RETURN_IF_ERROR(given.read(context, options.replacements));
  onnx::ImportOptions importOptions;
  importOptions.inputShapes = options.inputShapes;
  importOptions.replacements = given.replacements();
  TILEWRIGHT_ASSIGN_OR_RETURN(onnx::ImportedModel read,
                              importOnnx(context, model.string(),
                                         std::move(importOptions),
                                         options.inputValues));
  given.moveInto(*read.module);
  if (!read.name.empty())
    info.name = read.name;
  info.metadata = std::move(read.metadata);
  info.nodeCount = read.nodeCount;
  info.notReplaced = std::move(read.notReplaced);
  ImportedModule imported;
  imported.module = std::move(read.module);
  imported.hasExternalData = read.hasExternalData;
  return imported;
}

StatusOr<ImportedModule> importModule(MLIRContext &context,
                                      const std::filesystem::path &model,
                                      const CompileModelOptions &options,
                                      const ModelErrors &errors) {
  ModelInfo info;
  info.name = model.stem().string();
  StatusOr<ImportedModule> imported = ImportedModule();
  if (model.extension() == ".mlir") {
    if (!options.replacements.empty())
      return Status::invalidInput(
          model.string() +
          ": a pattern of ONNX nodes needs an .onnx model to match");
    imported = readModule(context, model, options, errors);
  } else if (model.extension() == ".onnx") {
    imported = readOnnx(context, model, options, info);
  } else {
    return Status::invalidInput(model.string() +
                                ": expected a model file that ends in .onnx or "
                                ".mlir, found '" +
                                model.extension().string() + "'");
  }
  if (!imported.ok() || imported->rest)
    return imported;
  info.writeTo(*imported->module);
  graph::setTargets(*imported->module, targetsOf(options, &context));
  return imported;
}

} // namespace tilewright
