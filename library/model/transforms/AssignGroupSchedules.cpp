//===- AssignGroupSchedules.cpp - The schedules of groups -----------------===//
#include "graph/analysis/Access.h"
#include "graph/analysis/Blocks.h"
#include "graph/lowering/Program.h"
#include "library/model/transforms/Passes.h"
#include "library/model/transforms/ScheduleChoice.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_ASSIGNGROUPSCHEDULES
#include "library/model/transforms/Passes.h.inc"

namespace {
struct AssignGroupSchedules
    : impl::AssignGroupSchedulesBase<AssignGroupSchedules> {
  using AssignGroupSchedulesBase::AssignGroupSchedulesBase;
  AssignGroupSchedules(AssignGroupSchedulesOptions options,
                       ScheduleTable *table)
      : AssignGroupSchedulesBase(std::move(options)), table(table) {
    hasTable = table != nullptr;
  }

  void runOnOperation() override {
    if (hasTable && !table) {
      getOperation().emitError("schedules are from a table, which has to be "
                               "given again");
      return signalPassFailure();
    }
    SmallVector<StringRef> keys = scheduleKeys(getOperation());
    for (auto func : getOperation().getOps<func::FuncOp>())
      for (auto group : graph::graphOps<graph::GroupOp>(func))
        if (failed(assign(group, keys)))
          return signalPassFailure();
    for (ModuleOp given : graph::userModules(getOperation()))
      if (failed(assignToUserKernels(given, keys)))
        return signalPassFailure();
  }

  LogicalResult assign(graph::GroupOp group, ArrayRef<StringRef> keys) {
    if (llvm::all_of(group.getResultTypes(), graph::isEmptyTensor))
      return success();
    const bool isTiled = hasParameters(group);
    FailureOr<DictionaryAttr> entries =
        entriesFor(group, keys, isTiled,
                   [&](StringRef key) { return choose(group, key, isTiled); });
    if (succeeded(entries) && !entries->empty())
      group.setSchedulesAttr(*entries);
    return entries;
  }

  /// A schedule in the kernel's own text counts.
  LogicalResult assignToUserKernels(ModuleOp given, ArrayRef<StringRef> keys) {
    for (auto kernel : given.getOps<tile::KernelOp>())
      if (kernel->hasAttr(tile::TileDialect::kScheduleAttr))
        return success();
    FailureOr<DictionaryAttr> entries =
        entriesFor(given, keys, /*isTiled=*/false,
                   [&](StringRef key) { return scheduleOfOption(key); });
    if (succeeded(entries) && !entries->empty())
      given->setAttr(graph::kSchedulesAttr, *entries);
    return entries;
  }

  using Choice = StatusOr<std::optional<ChosenSchedule>>;

  /// What is chosen for `op`, by target; without a tiling unless `isTiled`.
  FailureOr<DictionaryAttr>
  entriesFor(Operation *op, ArrayRef<StringRef> keys, bool isTiled,
             llvm::function_ref<Choice(StringRef)> choose) {
    SmallVector<NamedAttribute> entries;
    for (StringRef key : keys) {
      Choice chosen = choose(key);
      if (chosen.ok() && !*chosen)
        continue;
      StatusOr<graph::GroupSchedule> split =
          chosen.ok() ? splitSchedule(**chosen, key == "cpu", &getContext())
                      : StatusOr<graph::GroupSchedule>(chosen.status());
      if (!split.ok())
        return op->emitError(split.status().message());
      if (!isTiled)
        split->tiling = {};
      entries.emplace_back(StringAttr::get(&getContext(), key),
                           split->toAttribute(&getContext()));
    }
    return DictionaryAttr::get(&getContext(), entries);
  }

  Choice choose(graph::GroupOp group, StringRef key, bool isTiled) {
    if (table && isTiled) {
      ++askedCount;
      TILEWRIGHT_ASSIGN_OR_RETURN(std::optional<ChosenSchedule> found,
                                  table->find(kernelOf(group, key)));
      if (found) {
        ++foundCount;
        return found;
      }
    }
    return scheduleOfOption(key);
  }

  Choice scheduleOfOption(StringRef key) {
    const std::string &text = key == "cpu" ? cpu : gpu;
    if (text.empty())
      return std::nullopt;
    return ChosenSchedule{text, ""};
  }

  ScheduleTable *table = nullptr;
};
} // namespace

std::unique_ptr<Pass>
createAssignGroupSchedules(AssignGroupSchedulesOptions options,
                           ScheduleTable *table) {
  return std::make_unique<AssignGroupSchedules>(std::move(options), table);
}

void giveTable(OpPassManager &passes, ScheduleTable *table) {
  for (Pass &pass : passes.getPasses())
    if (pass.getTypeID() == TypeID::get<AssignGroupSchedules>())
      static_cast<AssignGroupSchedules &>(pass).table = table;
}

} // namespace tilewright
