//===- ModelLevels.cpp - A model between its passes -----------------------===//
#include "library/model/ModelLevels.h"

#include "graph/ir/Graph.h"
#include "graph/lowering/Program.h"
#include "library/model/KernelForms.h"
#include "library/model/WritePackage.h"
#include "library/model/import/Checkpoint.h"
#include "library/model/package/KernelPackage.h"
#include "library/model/session/ModelPipeline.h"
#include "library/model/transforms/Passes.h"
#include "tilewright/mlir/Compile.h"

using namespace mlir;

namespace tilewright {

StatusOr<std::unique_ptr<ModelLevels>>
ModelLevels::open(const ModelSource &source, CompileModelOptions options) {
  // An import that is to be stopped runs no passes.
  options.stopAfter = "none";
  std::unique_ptr<ModelLevels> levels(
      new ModelLevels(source, std::move(options)));
  TILEWRIGHT_RETURN_IF_ERROR(levels->read());
  return levels;
}

Status ModelLevels::read() {
  CompileModelReport report;
  if (isCheckpoint(session.source.bytes())) {
    std::optional<Checkpoint> read =
        readCheckpoint(session.source, session.context);
    if (!read)
      return session.errors.malformed();
    program.imported.module = std::move(read->module);
    program.imported.rest = std::move(read->rest);
    program.info = ModelInfo::of(program.module()).value_or(ModelInfo());
  } else {
    TILEWRIGHT_ASSIGN_OR_RETURN(program, importProgram(session));
  }
  if (program.imported.kernels)
    TILEWRIGHT_RETURN_IF_ERROR(makeKernelForms(session, program, report));
  program.isKernel = program.module().getOps<func::FuncOp>().empty() &&
                     !graph::kernelModules(program.module()).empty();
  placeUnwritten(program.module());
  if (program.imported.rest) {
    all.emplace(*program.imported.rest);
    return {};
  }
  PassManager passes(&session.context);
  buildModelPipeline(passes, session.options, program);
  all = PassList::of(passes);
  return {};
}

//===--- Passes -----------------------------------------------------------===//

std::vector<std::string> ModelLevels::targets() {
  std::vector<std::string> names;
  for (tile::TargetAttr target : graph::targetsOf(program.module()))
    names.push_back(target.getName().str());
  return names;
}

std::string ModelLevels::text(ModuleOp module, size_t position) const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printCheckpoint(stream, module, all->text(position));
  return text;
}

/// What tells one state of the module from another.
std::string ModelLevels::fingerprint() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  // The elements of a resource do not change, and may be many.
  program.module()->print(
      stream, OpPrintingFlags().useLocalScope().elideLargeResourceString(64));
  return text;
}

StatusOr<bool> ModelLevels::advance() {
  const std::string before = done == 0 ? fingerprint() : std::move(last);
  constants.keep(program.module());
  const Status ran =
      session.runPipeline(all->text(done, done + 1), program.module());
  constants.restore();
  TILEWRIGHT_RETURN_IF_ERROR(ran);
  if (hook)
    hook(all->flag(done), program.module());
  ++done;
  last = fingerprint();
  return last != before;
}

bool ModelLevels::awaitsBarriers() const {
  for (size_t i = done; i < all->size(); ++i)
    if (all->flag(i) == "insert-barriers")
      return true;
  return false;
}

static bool launches(func::FuncOp function) {
  return function.walk([](graph::LaunchOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

StatusOr<func::FuncOp> ModelLevels::graph() {
  if (program.isKernel)
    return func::FuncOp();
  func::FuncOp found = program.module().lookupSymbol<func::FuncOp>("main");
  for (auto function : program.module().getOps<func::FuncOp>()) {
    if (found && found.getSymName() == "main")
      break;
    if (function.isPrivate() || function.isExternal())
      continue;
    if (found)
      return Status::invalidInput(session.name() +
                                  ": expected a function @main, or one public "
                                  "function, found several");
    found = function;
  }
  if (!found)
    return Status::invalidInput(session.name() +
                                ": expected a function or a tile kernel");
  const bool isLowered =
      launches(found) || !graph::kernelModules(program.module()).empty();
  return isLowered ? func::FuncOp() : found;
}

//===--- As a package -----------------------------------------------------===//

/// The first op with the modules of kernels for one target; null if there is
/// none.
static Operation *codeOf(ModuleOp module) {
  for (Operation &op : *module.getBody())
    if (isa<graph::CpuCodeOp, graph::GpuCodeOp, graph::InterpreterCodeOp>(op))
      return &op;
  return nullptr;
}

/// The image of each kernel as it is.
static StatusOr<std::vector<KernelImage>> imagesOf(Operation *code,
                                                   bool awaitsBarriers) {
  std::vector<KernelImage> images;
  for (auto module : code->getRegion(0).front().getOps<ModuleOp>()) {
    TILEWRIGHT_ASSIGN_OR_RETURN(images.emplace_back(),
                                levelImage(module, awaitsBarriers));
  }
  return images;
}

StatusOr<std::shared_ptr<const runtime::Package>> ModelLevels::package() {
  ModelProgram own;
  own.imported.module = program.module().clone();
  own.info = program.info;
  own.isKernel = program.isKernel;
  if (!codeOf(own.module())) {
    PassManager passes(&session.context);
    passes.addPass(createSplitKernels());
    TILEWRIGHT_RETURN_IF_ERROR(
        session.run(passes, own.module(), "the kernels cannot be taken apart"));
  }
  PackageParts parts;
  parts.manifest = startManifest(own.info);
  if (own.isKernel) {
    tile::KernelOp kernel;
    for (ModuleOp module : graph::kernelModules(own.module()))
      for (auto each : module.getOps<tile::KernelOp>())
        kernel = kernel ? kernel : each;
    if (!kernel)
      return Status::invalidInput(session.name() + ": has no kernel");
    TILEWRIGHT_RETURN_IF_ERROR(describeKernelPackage(kernel, parts.manifest));
  } else {
    parts.builder.emplace(own.graph());
    TILEWRIGHT_RETURN_IF_ERROR(parts.builder->describe(parts.manifest));
  }
  if (Operation *code = codeOf(own.module())) {
    TILEWRIGHT_ASSIGN_OR_RETURN(parts.images, imagesOf(code, awaitsBarriers()));
  }
  CompileModelReport report;
  runtime::PackageFiles files;
  TILEWRIGHT_RETURN_IF_ERROR(
      writePackage(session, own, parts, nullptr, {{}, &files}, report));
  return runtime::Package::fromMemory(files, {.verifyWeights = false},
                                      session.name());
}

StatusOr<std::shared_ptr<const runtime::Package>>
ModelLevels::code(ModuleOp module, size_t position,
                  LlvmPassFilter runsLlvmPass) {
  const std::string rest = text(module, position);
  CompileModelOptions own = options;
  own.stopAfter.clear();
  own.resume = true;
  own.runsLlvmPass = std::move(runsLlvmPass);
  if (own.runsLlvmPass)
    own.threads = 1;
  // The file has what they were chosen by.
  own.precision = runtime::Precision::ieee;
  TILEWRIGHT_RETURN_IF_ERROR(setTargets(targets(), own));
  TILEWRIGHT_ASSIGN_OR_RETURN(
      CompiledModel compiled,
      compileModelInMemory(ModelSource::memory(name() + ".mlir", rest), own));
  return std::move(compiled.package);
}

} // namespace tilewright
