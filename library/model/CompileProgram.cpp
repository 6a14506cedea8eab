//===- CompileProgram.cpp - The kernels of a program, compiled ------------===//
#include "library/model/CompileProgram.h"

#include "graph/ir/Graph.h"
#include "library/model/ModelKernels.h"
#include "library/model/ReportTexts.h"
#include "library/model/SpillWarnings.h"

using namespace mlir;

namespace tilewright {

/// What the modules in a `graph.cpu_code` or the like are for.
static StringRef targetOf(Operation *code) {
  auto module = *code->getRegion(0).front().getOps<ModuleOp>().begin();
  return module->getAttrOfType<tile::TargetAttr>(tile::TileDialect::kTargetAttr)
      .getName();
}

/// What needs work that was done before the stop.
static Status checkSeen(const ModelSession &session,
                        const ModelProgram &program) {
  const CompileModelOptions &options = session.options;
  const bool wantsWay = options.wantScheduled || options.wantLoops ||
                        options.wantSchedules || options.wantLayouts ||
                        options.wantBytecode;
  if (!program.codeRest || !wantsWay)
    return {};
  return Status::invalidInput(
      session.name() +
      ": was stopped on the way of its kernels to code: what is shown of that "
      "way is there of the model itself, or of a stop before split-kernels");
}

/// Of the kernel in `code`, or of the function that it became.
static StringRef kernelNameOf(ModuleOp code) {
  for (auto symbol : code.getOps<SymbolOpInterface>())
    if (isa<tile::KernelOp>(symbol) ||
        symbol->hasAttr(tile::TileDialect::kSignatureAttr))
      return symbol.getName();
  return {};
}

/// The modules in `code`, for one target, which leave it.
static void addTasks(Operation *code, const ModelProgram &program,
                     function_ref<bool(StringRef)> isWanted,
                     std::vector<KernelTask> &tasks) {
  const StringRef target = targetOf(code);
  std::optional<std::string> rest;
  if (program.codeRest)
    rest = program.codeRest->codeText(code->getName().getStringRef());
  for (auto module : llvm::make_early_inc_range(
           code->getRegion(0).front().getOps<ModuleOp>())) {
    if (!isWanted(kernelNameOf(module)))
      continue;
    module->remove();
    tasks.push_back(
        {module, target.str(), program.isKernel && target == "cpu", rest});
  }
}

StatusOr<std::vector<KernelImage>> compileProgram(ModelSession &session,
                                                  ModelProgram &program,
                                                  bool isUnwritten,
                                                  CompileModelReport &report) {
  TILEWRIGHT_RETURN_IF_ERROR(checkSeen(session, program));
  auto isWanted = [&](StringRef kernel) {
    return !isUnwritten || isShown(kernel, session.options);
  };
  std::vector<KernelTask> tasks;
  for (Operation &code : *program.module().getBody())
    if (isa<graph::CpuCodeOp, graph::GpuCodeOp, graph::InterpreterCodeOp>(code))
      addTasks(&code, program, isWanted, tasks);
  TimingScope scope = session.times.nest("Kernels");
  // From here on several threads use the context.
  session.endControl();
  TILEWRIGHT_ASSIGN_OR_RETURN(CompiledKernels compiled,
                              compileKernels(tasks, session.name(),
                                             session.backend, session.limits,
                                             session.options, scope));
  report.cachedImages = compiled.cached;
  report.warnings = std::move(compiled.warnings);
  warnOfSpills(compiled.remarks, report.warnings);
  return std::move(compiled.images);
}

} // namespace tilewright
