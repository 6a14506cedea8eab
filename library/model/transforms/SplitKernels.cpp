//===- SplitKernels.cpp - Each kernel in a module of its own --------------===//
#include "codegen/pipeline/Pipelines.h"
#include "graph/lowering/Program.h"
#include "library/model/transforms/Passes.h"
#include "tileir/ir/Precision.h"
#include "tileir/transforms/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_SPLITKERNELS
#include "library/model/transforms/Passes.h.inc"

/// The kernels that `target` runs.
static SmallVector<tile::KernelOp> kernelsFor(ModuleOp program,
                                              tile::TargetAttr target) {
  SmallVector<tile::KernelOp> kernels;
  for (ModuleOp module : graph::kernelModules(program))
    if (llvm::is_contained(graph::targetsOf(module), target))
      llvm::append_range(kernels, module.getOps<tile::KernelOp>());
  for (ModuleOp given : graph::userModules(program))
    llvm::append_range(kernels, given.getOps<tile::KernelOp>());
  return kernels;
}

/// The choices for a user's kernel.
static tile::ScheduleAttr scheduleOfUser(tile::KernelOp kernel,
                                         tile::TargetAttr target) {
  auto all = kernel->getParentOp()->getAttrOfType<DictionaryAttr>(
      graph::kSchedulesAttr);
  if (!all || target.getName() == "interpreter")
    return {};
  return graph::GroupSchedule::of(
             all.getAs<DictionaryAttr>(graph::scheduleKey(target)))
      .schedule;
}

static ModuleOp moduleFor(tile::KernelOp kernel, tile::TargetAttr target) {
  ModuleOp code = moduleOf(kernel, target).release();
  code.setSymName(kernel.getSymName());
  tile::KernelOp own = *code.getOps<tile::KernelOp>().begin();
  tile::isolate(own);
  if (tile::ScheduleAttr chosen = scheduleOfUser(kernel, target))
    own->setAttr(tile::TileDialect::kScheduleAttr, chosen);
  tile::recordF32Precision(code);
  return code;
}

/// An empty op for code of `target`, at the end of the program.
static Operation *createCode(ModuleOp program, tile::TargetAttr target) {
  OpBuilder b = OpBuilder::atBlockEnd(program.getBody());
  Location loc = program.getLoc();
  Operation *code = target.getName() == "cpu" ? graph::CpuCodeOp::create(b, loc)
                    : target.getName() == "interpreter"
                        ? graph::InterpreterCodeOp::create(b, loc)
                        : graph::GpuCodeOp::create(b, loc).getOperation();
  code->getRegion(0).emplaceBlock();
  return code;
}

namespace {
struct SplitKernels : impl::SplitKernelsBase<SplitKernels> {
  void runOnOperation() override {
    ModuleOp program = getOperation();
    for (tile::TargetAttr target : graph::targetsOf(program)) {
      SmallVector<tile::KernelOp> kernels = kernelsFor(program, target);
      if (kernels.empty())
        continue;
      Block &code = createCode(program, target)->getRegion(0).front();
      for (tile::KernelOp kernel : kernels)
        code.push_back(moduleFor(kernel, target));
      kernelCount += kernels.size();
    }
  }
};
} // namespace

} // namespace tilewright
