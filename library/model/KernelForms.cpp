//===- KernelForms.cpp - A tile kernel written by hand
//---------------------===//
#include "library/model/KernelForms.h"

#include "graph/ir/Graph.h"
#include "graph/lowering/Program.h"
#include "library/compiler/DotPrecision.h"
#include "library/model/package/KernelPackage.h"
#include "library/model/transforms/ScheduleChoice.h"

using namespace mlir;

namespace tilewright {

/// The schedule chosen for a hand-written kernel.
static StatusOr<std::optional<ChosenSchedule>>
chooseSchedule(const CompileModelOptions &options, const ModelProgram &program,
               const std::string &target) {
  if (options.scheduleTable) {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        std::optional<ChosenSchedule> found,
        options.scheduleTable->find(
            {program.imported.kernels->text(), program.info.name, target}));
    if (found)
      return found;
  }
  if (target == "cpu" && options.cpuSchedule)
    return ChosenSchedule{options.cpuSchedule->text(), ""};
  if (target != "cpu" && options.schedule)
    return ChosenSchedule{options.schedule->text(), ""};
  return std::nullopt;
}

/// The hand-written kernel for some targets, alone with its callees: its
/// tunables bound, with the chosen schedule.
static StatusOr<OwningOpRef<ModuleOp>>
bindForm(ModelSession &session, const ModelProgram &program,
         const std::vector<std::string> &targets, CompileModelReport &report) {
  const CompileModelOptions &options = session.options;
  const std::string &target = targets.front();
  TILEWRIGHT_ASSIGN_OR_RETURN(std::optional<ChosenSchedule> chosen,
                              chooseSchedule(options, program, target));
  graph::GroupSchedule choice;
  if (chosen) {
    StatusOr<graph::GroupSchedule> split =
        splitSchedule(*chosen, target == "cpu", &session.context);
    if (!split.ok())
      return split.status().prefixed(session.name());
    choice = *std::move(split);
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(
      BoundKernel bound, program.imported.kernels->bind(options.onlyKernel,
                                                        choice.tilingValues()));
  TILEWRIGHT_RETURN_IF_ERROR(setDotPrecision(*bound.module, options.precision));
  if (std::string text = printForPeople(*bound.module);
      options.wantTiles && !StringRef(report.tiles).ends_with(text))
    report.tiles += text;
  if (choice.schedule)
    bound.kernel->setAttr(tile::TileDialect::kScheduleAttr, choice.schedule);
  Builder b(&session.context);
  if (!choice.origin.empty())
    (*bound.module)
        ->setAttr(graph::kOriginsAttr, b.getDictionaryAttr(b.getNamedAttr(
                                           bound.kernel.getSymName(),
                                           b.getStringAttr(choice.origin))));
  SmallVector<tile::TargetAttr> all;
  for (tile::TargetAttr each : graph::targetsOf(program.module()))
    if (llvm::is_contained(targets, each.getName()))
      all.push_back(each);
  graph::setTargets(*bound.module, all);
  return std::move(bound.module);
}

/// One form for the CPU and the interpreter, and one for all GPUs, which have
/// their own only where a table may choose for each.
static std::vector<std::vector<std::string>>
targetsOfForms(const CompileModelOptions &options) {
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

Status makeKernelForms(ModelSession &session, ModelProgram &program,
                       CompileModelReport &report) {
  ModuleOp original = program.module();
  OwningOpRef<ModuleOp> forms = ModuleOp::create(original.getLoc());
  (*forms)->setAttrs(original->getAttrDictionary());
  tile::KernelOp first;
  std::string firstTarget;
  for (const std::vector<std::string> &targets :
       targetsOfForms(session.options)) {
    TILEWRIGHT_ASSIGN_OR_RETURN(OwningOpRef<ModuleOp> bound,
                                bindForm(session, program, targets, report));
    tile::KernelOp kernel = *bound->getOps<tile::KernelOp>().begin();
    if (!first) {
      first = kernel;
      firstTarget = targets.front();
    }
    TILEWRIGHT_RETURN_IF_ERROR(
        checkSameInterface(first, firstTarget, kernel, targets.front())
            .prefixed(session.name()));
    forms->push_back(bound.release());
  }
  program.imported.module = std::move(forms);
  return Status();
}

} // namespace tilewright
