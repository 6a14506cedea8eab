//===- ReportTexts.cpp - What a compilation shows of its work -------------===//
#include "library/model/ReportTexts.h"

#include "graph/analysis/Explain.h"
#include "graph/lowering/Program.h"
#include "tilewright/codegen/PassPrinter.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tilewright {

bool isShown(StringRef kernel, const CompileModelOptions &options) {
  return options.onlyKernel.empty() || kernel == options.onlyKernel;
}

llvm::json::Value addFusionPlan(const ModelProgram &program,
                                CompileModelReport &report) {
  std::vector<graph::Group> groups = graph::groupsOf(program.graph());
  report.fusionText = graph::explainText(groups, report.nodes);
  llvm::json::Value plan = graph::explainJson(groups, report.nodes);
  llvm::json::Array notReplaced;
  for (const std::string &reason : program.info.notReplaced) {
    report.fusionText += "not replaced: " + reason + "\n";
    notReplaced.push_back(reason);
  }
  if (!notReplaced.empty())
    (*plan.getAsObject())["notReplaced"] = std::move(notReplaced);
  return plan;
}

void addLoops(const ModelProgram &program, llvm::json::Value plan,
              CompileModelReport &report) {
  std::vector<graph::LoopDecision> loops = graph::loopsOf(program.graph());
  report.fusionText += graph::explainText(loops);
  if (!loops.empty())
    (*plan.getAsObject())["loops"] = graph::explainJson(loops);
  report.fusionJson = llvm::formatv("{0:2}", plan).str();
}

void addTiles(const ModelProgram &program, const CompileModelOptions &options,
              CompileModelReport &report) {
  auto print = [&](ModuleOp module) {
    if (options.onlyKernel.empty()) {
      // As a separate module.
      OwningOpRef<ModuleOp> alone = module.clone();
      for (NamedAttribute attribute : llvm::to_vector((*alone)->getAttrs()))
        (*alone)->removeAttr(attribute.getName());
      report.tiles += printForPeople(*alone);
    }
    for (tile::KernelOp kernel : module.getOps<tile::KernelOp>())
      if (kernel.getSymName() == options.onlyKernel)
        report.tiles += printForPeople(kernel) + "\n";
  };
  llvm::for_each(graph::kernelModules(program.module()), print);
  llvm::for_each(graph::userModules(program.module()), print);
}

void addKernelTexts(const std::vector<KernelImage> &images,
                    const CompileModelOptions &options,
                    CompileModelReport &report) {
  for (const KernelImage &image : images) {
    if (image.manifest.name.empty() || !isShown(image.manifest.name, options))
      continue;
    report.scheduled += image.scheduled;
    if (options.wantSchedules && !image.explanation.empty())
      report.schedules += image.manifest.target + "  " + image.explanation;
    if (options.wantLayouts && !image.layouts.empty())
      report.layouts += image.manifest.target + "  " + image.layouts;
    report.loops += image.loops;
    report.llvm += image.llvmIr;
    const bool isGpu = image.manifest.target.starts_with("sm_");
    if (options.wantPtx && isGpu)
      report.ptx.push_back(
          {image.manifest.name, image.manifest.target, image.code});
    if (options.wantBytecode && isGpu)
      report.bytecode.push_back(
          {image.manifest.name, image.manifest.target, image.bytecode});
    report.assembly += isGpu ? image.code : image.assembly;
  }
}

} // namespace tilewright
