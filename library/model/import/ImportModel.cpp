//===- ImportModel.cpp - From a model's file to IR ------------------------===//
#include "library/model/import/ImportModel.h"

#include "codegen/cpu/CpuTargets.h"
#include "codegen/tilegpu/GpuTargets.h"
#include "graph/ir/Graph.h"
#include "graph/lowering/Program.h"
#include "graph/pipeline/Pipelines.h"
#include "library/model/import/Checkpoint.h"
#include "library/model/import/ModelFrontends.h"
#include "library/model/import/ModelInfo.h"
#include "library/model/import/UserKernels.h"
#include "tilewright/compiler/ModelKind.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tilewright {

DialectRegistry modelDialects(const Plugins *plugins) {
  DialectRegistry registry;
  registry.insert<graph::GraphDialect>();
  graph::registerModuleDialects(registry);
  for (const frontend::Frontend *each : frontendsOf(plugins))
    each->registerDialects(registry);
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
    targets.push_back(tilegpu::attributeOf(*gpu, context));
  return targets;
}

/// A checkpoint of a graph keeps its targets.
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

/// Continues a stopped model.
static StatusOr<ImportedModule> resume(MLIRContext &context,
                                       const ModelSource &source,
                                       const CompileModelOptions &options,
                                       const ModelErrors &errors) {
  // A model of a stranger must not pass for code that one has stopped oneself.
  if (!options.resume)
    return Status::invalidInput(
        source.path().string() +
        ": was written by a compilation that stopped on its way to code; such "
        "a file is code, as a package is: if you trust it, compile it with "
        "--resume");
  if (options.precision != runtime::Precision::ieee)
    return Status::invalidInput(
        source.path().string() +
        ": goes on with the precision that it was stopped with, found "
        "--precision " +
        std::string(runtime::precisionName(options.precision)) +
        "; leave it out");
  std::optional<Checkpoint> read = readCheckpoint(source, context);
  if (!read)
    return errors.malformed();
  TILEWRIGHT_RETURN_IF_ERROR(
      checkTargets(*read->module, source.path(), targetsOf(options, &context)));
  ImportedModule imported;
  imported.module = std::move(read->module);
  imported.rest = std::move(read->rest);
  return imported;
}

/// Rejects options that the model's frontend does not support.
static Status checkOptions(const ModelSource &source,
                           const CompileModelOptions &options) {
  if (options.inputShapes.empty() && options.replacements.empty())
    return {};
  TILEWRIGHT_ASSIGN_OR_RETURN(ModelKind kind,
                              kindOf(source, options.plugins.get()));
  auto rejection = [&](const std::string &what, const std::string &expected) {
    return Status::invalidInput(source.path().string() + ": " + what +
                                " are for " + expected + ", found " +
                                kind.name);
  };
  if (!options.inputShapes.empty() && !kind.takesShapes)
    return rejection("shapes of inputs", "graphs");
  if (!options.replacements.empty() && !kind.takesPatterns)
    return rejection("patterns of nodes",
                     kindsWithPatterns(options.plugins.get()));
  return {};
}

/// Takes what a frontend read: a graph, or hand-written tile kernels.
static Status takeModule(MLIRContext &context, const ModelSource &source,
                         frontend::ImportedModel &read,
                         ImportedModule &imported) {
  std::optional<TileModule> text = frontend::kernelsOf(read, source);
  if (!text) {
    imported.module = std::move(read.module);
    imported.isForeign = read.isForeign;
    return {};
  }
  if (read.module) {
    imported.kernels.emplace(std::move(read.module), *std::move(text));
  } else {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        imported.kernels, TunableModule::parse(context, *std::move(text)));
  }
  imported.module = imported.kernels->module().clone();
  // A text may only look like kernels.
  imported.isForeign = imported.module->getOps<tile::KernelOp>().empty();
  if (imported.isForeign)
    imported.kernels.reset();
  return {};
}

/// Defers the shapes of inputs to the pass specialize-shapes.
static void askForShapes(const CompileModelOptions &options,
                         ImportedModule &imported) {
  Builder b(imported.module->getContext());
  SmallVector<NamedAttribute> shapes;
  for (const auto &[name, shape] : options.inputShapes)
    shapes.push_back(b.getNamedAttr(name, b.getDenseI64ArrayAttr(shape)));
  (*imported.module)->setAttr(graph::kShapesAttr, b.getDictionaryAttr(shapes));
  // That pass is in the pipeline for other tools' modules.
  imported.isForeign = true;
}

StatusOr<ImportedModule> importModule(MLIRContext &context,
                                      const ModelSource &source,
                                      const CompileModelOptions &options,
                                      const ModelErrors &errors) {
  TILEWRIGHT_RETURN_IF_ERROR(checkOptions(source, options));
  if (isCheckpoint(source.bytes()))
    return resume(context, source, options, errors);
  if (options.resume)
    return Status::invalidInput(
        source.path().string() +
        ": expected a file that --stop-after or --reproducer wrote");
  TILEWRIGHT_ASSIGN_OR_RETURN(
      const frontend::Frontend *found,
      choose(frontendsOf(options.plugins.get()), source));
  UserKernels given;
  TILEWRIGHT_RETURN_IF_ERROR(
      given.read(context, options.replacements, options.precision));
  frontend::ImportOptions asked{{}, options.inputValues, given.replacements()};
  if (found->takesShapes())
    asked.inputShapes = options.inputShapes;
  StatusOr<frontend::ImportedModel> read =
      found->import(context, source, asked);
  if (!read.ok())
    return errors.any() ? errors.malformed() : read.status();
  ImportedModule imported;
  TILEWRIGHT_RETURN_IF_ERROR(takeModule(context, source, *read, imported));
  if (!options.inputShapes.empty() && imported.kernels)
    return Status::invalidInput(source.path().string() +
                                ": shapes of inputs are for graphs, found a "
                                "tile kernel");
  if (!options.inputShapes.empty() && !found->takesShapes())
    askForShapes(options, imported);
  imported.countsOps = !read->nodeCount;
  imported.hasExternalData = read->hasExternalData;
  given.moveInto(*imported.module);
  ModelInfo info;
  info.name = read->name.empty() ? source.path().stem().string()
                                 : std::move(read->name);
  info.metadata = std::move(read->metadata);
  info.nodeCount = read->nodeCount.value_or(0);
  info.notReplaced = std::move(read->notReplaced);
  info.writeTo(*imported.module);
  graph::setTargets(*imported.module, targetsOf(options, &context));
  return imported;
}

} // namespace tilewright
