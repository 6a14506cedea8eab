//===- CompileTileKernel.cpp - A tile kernel written by hand --------------===//
#include "library/model/ModelCompiler.h"

#include "codegen/pipeline/Pipelines.h"
#include "graph/ir/Graph.h"
#include "graph/lowering/Program.h"
#include "library/model/KernelPackage.h"
#include "library/model/ScheduleChoice.h"

using namespace mlir;

namespace tilewright {

/// The schedule that is taken for a kernel written by hand.
StatusOr<std::optional<ChosenSchedule>>
ModelCompiler::chooseForKernel(const std::string &target) const {
  if (options.scheduleTable) {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        std::optional<ChosenSchedule> found,
        options.scheduleTable->find(
            {imported.kernel->text(), info.name, target}));
    if (found)
      return found;
  }
  if (target == "cpu" && options.cpuSchedule)
    return ChosenSchedule{options.cpuSchedule->text(), ""};
  if (target != "cpu" && options.schedule)
    return ChosenSchedule{options.schedule->text(), ""};
  return std::nullopt;
}

/// The kernel written by hand for some targets, alone with what it calls: its
/// tunables bound, with the schedule that is taken for it.
StatusOr<OwningOpRef<ModuleOp>>
ModelCompiler::bindKernel(const std::vector<std::string> &targets) {
  const std::string &target = targets.front();
  TILEWRIGHT_ASSIGN_OR_RETURN(std::optional<ChosenSchedule> chosen,
                              chooseForKernel(target));
  graph::GroupSchedule choice;
  if (chosen) {
    StatusOr<graph::GroupSchedule> split =
        splitSchedule(*chosen, target == "cpu", &context);
    if (!split.ok())
      return split.status().prefixed(model.string());
    choice = *std::move(split);
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(
      OwningOpRef<ModuleOp> bound,
      imported.kernel->bind(context, choice.cutValues()));
  StatusOr<tile::KernelOp> found = onlyKernel(*bound, options.onlyKernel);
  if (!found.ok())
    return found.status().prefixed(model.string());
  tile::KernelOp kernel = *found;
  if (std::string text = printForPeople(*bound);
      options.wantTiles && !StringRef(report.tiles).ends_with(text))
    report.tiles += text;
  OwningOpRef<ModuleOp> alone = moduleOf(kernel, nullptr);
  if (choice.schedule)
    (*alone->getOps<tile::KernelOp>().begin())
        ->setAttr(tile::TileDialect::kScheduleAttr, choice.schedule);
  Builder b(&context);
  if (!choice.origin.empty())
    (*alone)->setAttr(
        graph::kOriginsAttr,
        b.getDictionaryAttr(b.getNamedAttr(kernel.getSymName(),
                                           b.getStringAttr(choice.origin))));
  SmallVector<tile::TargetAttr> all;
  for (tile::TargetAttr each : graph::targetsOf(*imported.module))
    if (llvm::is_contained(targets, each.getName()))
      all.push_back(each);
  graph::setTargets(*alone, all);
  return alone;
}

/// One form for the CPU and the interpreter, and one for all GPUs, which have
/// their own only where a table may choose for each.
std::vector<std::vector<std::string>> ModelCompiler::targetsOfKernel() const {
  std::vector<std::vector<std::string>> all;
  if (options.cpu || options.gpus.empty() || options.interpreter)
    all.push_back({"cpu", "interpreter"});
  for (const target::GpuTarget *gpu : options.gpus) {
    if (options.scheduleTable || all.empty() || all.back().front() == "cpu")
      all.emplace_back();
    all.back().emplace_back(gpu->name);
  }
  return all;
}

/// Makes a program of the kernel written by hand: the modules of its forms.
Status ModelCompiler::bindKernels() {
  OwningOpRef<ModuleOp> program = ModuleOp::create(imported.module->getLoc());
  (*program)->setAttrs((*imported.module)->getAttrDictionary());
  tile::KernelOp first;
  std::string firstTarget;
  for (const std::vector<std::string> &targets : targetsOfKernel()) {
    TILEWRIGHT_ASSIGN_OR_RETURN(OwningOpRef<ModuleOp> bound,
                                bindKernel(targets));
    tile::KernelOp kernel = *bound->getOps<tile::KernelOp>().begin();
    if (!first) {
      first = kernel;
      firstTarget = targets.front();
    }
    TILEWRIGHT_RETURN_IF_ERROR(
        checkSameInterface(first, firstTarget, kernel, targets.front())
            .prefixed(model.string()));
    program->push_back(bound.release());
  }
  imported.module = std::move(program);
  return Status();
}

/// A tile kernel written by hand: a package of one step.
Status ModelCompiler::writeKernel(const std::filesystem::path &output) {
  report.steps = 1;
  TILEWRIGHT_RETURN_IF_ERROR(makeKernels());
  findKernels();
  // What is wrong with the kernel's interface is told whatever is wanted; what
  // a package cannot pass matters to a package alone.
  runtime::PackageManifest manifest = startManifest();
  if (Status described =
          describeKernelPackage(variants.front().kernels.front(), manifest);
      !described.ok() &&
      (described.code() != StatusCode::unsupported || !output.empty()))
    return described;
  TILEWRIGHT_RETURN_IF_ERROR(compileKernels(output.empty()));
  if (output.empty())
    return Status();
  return writePackage(output, std::move(manifest), nullptr);
}

} // namespace tilewright
