//===- ModelCompiler.cpp - One compilation of a model ---------------------===//
#include "library/model/ModelCompiler.h"

#include "graph/analysis/Blocks.h"
#include "graph/lowering/Program.h"
#include "graph/pipeline/Pipelines.h"
#include "library/model/CompileProgram.h"
#include "library/model/KernelForms.h"
#include "library/model/LowerProgram.h"
#include "library/model/ReportTexts.h"
#include "library/model/import/Checkpoint.h"
#include "library/model/package/KernelPackage.h"
#include "library/model/package/PlannedMemory.h"
#include "library/model/package/SizeBounds.h"
#include "library/model/transforms/ScheduleChoice.h"

using namespace mlir;

namespace tilewright {

StatusOr<CompileModelReport> ModelCompiler::run(const PackageOutput &output) {
  const CompileModelOptions &options = session.options;
  PassPrinter printer(session.context, options.printPasses);
  if (!options.printPasses.wanted())
    session.beginControl();
  TILEWRIGHT_RETURN_IF_ERROR(begin());
  TILEWRIGHT_RETURN_IF_ERROR(
      options.stopAfter.empty() ? compile(output)
                                : stopProgram(session, program, output.folder));
  report.codeSeconds = lap();
  addKernelTexts(parts.images, options, report);
  report.times = session.times.finish();
  report.passes = printer.passes();
  return std::move(report);
}

/// From the model to the program that passes run on.
Status ModelCompiler::begin() {
  TILEWRIGHT_ASSIGN_OR_RETURN(program, importProgram(session));
  report.nodes = program.info.nodeCount;
  report.importSeconds = lap();
  if (session.options.wantGraph)
    report.graph = printForPeople(program.module());
  if (program.imported.kernels)
    TILEWRIGHT_RETURN_IF_ERROR(makeKernelForms(session, program, report));
  program.isKernel = program.module().getOps<func::FuncOp>().empty() &&
                     !graph::kernelModules(program.module()).empty();
  placeUnwritten(program.module());
  return Status();
}

/// From the program to the package, with no package for no output.
Status ModelCompiler::compile(const PackageOutput &output) {
  const bool isUnwritten = output.isNothing();
  TILEWRIGHT_RETURN_IF_ERROR(program.isKernel ? lowerKernel(isUnwritten)
                                              : lowerGraph());
  report.kernels = kernelsByTarget.front().kernels.size();
  addOrigins(kernelsByTarget, parts.manifest);
  TILEWRIGHT_ASSIGN_OR_RETURN(
      parts.images, compileProgram(session, program, isUnwritten, report));
  if (isUnwritten)
    return Status();
  return writePackage(session, program, parts, packages, output, report);
}

/// A model: graph, groups, kernels, the steps of a package.
Status ModelCompiler::lowerGraph() {
  TimingScope step = session.times.nest("Fusion and tile kernels");
  TILEWRIGHT_RETURN_IF_ERROR(makeKernels(session, program, report));
  parts.manifest = startManifest(program.info);
  parts.builder.emplace(program.graph());
  TILEWRIGHT_RETURN_IF_ERROR(parts.builder->describe(parts.manifest));
  TILEWRIGHT_RETURN_IF_ERROR(boundSizes(
      parts.manifest, session.options.maxShapes, session.options.wantMemory));
  report.steps = runtime::stepCount(parts.manifest.steps);
  TILEWRIGHT_ASSIGN_OR_RETURN(
      report.memory, plannedMemory(parts.manifest, session.options.maxShapes));
  if (session.options.wantTiles)
    addTiles(program, session.options, report);
  report.lowerSeconds = lap();
  step.stop();
  kernelsByTarget = findTargetKernels(program);
  return checkOnlyKernel(session, kernelsByTarget.front());
}

/// A hand-written tile kernel: a package of one step.
Status ModelCompiler::lowerKernel(bool isUnwritten) {
  report.steps = 1;
  TILEWRIGHT_RETURN_IF_ERROR(makeKernels(session, program, report));
  kernelsByTarget = findTargetKernels(program);
  // Errors in the kernel's interface are always reported; unsupported arguments
  // only matter for a package.
  parts.manifest = startManifest(program.info);
  Status described = describeKernelPackage(
      kernelsByTarget.front().kernels.front(), parts.manifest);
  if (described.code() == StatusCode::unsupported && isUnwritten)
    return Status();
  return described;
}

std::string
ModelCompiler::writeReproducer(const std::filesystem::path &output) {
  session.beginControl();
  return begin().ok() ? reproduce(session, program, output) : "";
}

StatusOr<std::vector<KernelToSchedule>> ModelCompiler::listKernels() {
  TILEWRIGHT_ASSIGN_OR_RETURN(program, importProgram(session));
  SmallVector<StringRef> keys = scheduleKeys(program.module());
  std::vector<KernelToSchedule> kernels;
  if (program.imported.kernels) {
    for (StringRef key : keys)
      kernels.push_back(
          {program.imported.kernels->text(), program.info.name, key.str()});
    return kernels;
  }
  PassManager passes(&session.context);
  graph::buildGroupsPipeline(passes, groupsOptions(session.options));
  TILEWRIGHT_RETURN_IF_ERROR(
      session.run(passes, program.module(), "the graph cannot be lowered"));
  for (auto func : program.module().getOps<func::FuncOp>())
    for (auto group : graph::graphOps<graph::GroupOp>(func))
      for (StringRef key : keys)
        if (hasParameters(group))
          kernels.push_back(kernelOf(group, key));
  return kernels;
}

double ModelCompiler::lap() {
  auto now = std::chrono::steady_clock::now();
  double seconds = std::chrono::duration<double>(now - mark).count();
  mark = now;
  return seconds;
}

} // namespace tilewright
