#include "codegen/pipeline/Pipelines.h"

#include "codegen/cpu/TileToCpu.h"
#include "codegen/llvm/LowerToLlvm.h"
#include "codegen/nvptx/TileToThreads.h"
#include "codegen/transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "tileir/transforms/Passes.h"

using namespace mlir;

namespace tilewright {

OwningOpRef<ModuleOp> moduleOf(tile::KernelOp kernel, tile::TargetAttr target) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(kernel.getLoc());
  if (target)
    (*module)->setAttr(tile::TileDialect::kTargetAttr, target);
  module->push_back(kernel.clone());
  for (Operation &op : *kernel->getBlock())
    if (isa<tile::FuncOp>(op))
      module->push_back(op.clone());
  return module;
}

/// What both ways begin with: no call is left, and each kernel has a schedule.
static void buildAssignedPipeline(OpPassManager &passes,
                                  const PipelineOptions &options) {
  passes.addPass(tile::createInlineCalls());
  OpPassManager &kernel = passes.nest<tile::KernelOp>();
  if (!options.assertions)
    kernel.addPass(tile::createDropAssertions());
  if (!options.fastMath.empty())
    kernel.addPass(tile::createSetFastMath({.names = options.fastMath}));
  kernel.addPass(tile::createUseFastMath());
  kernel.addPass(tile::createGuardFolders());
  kernel.addPass(tilegpu::createAssignSchedules(
      {.schedule = options.schedule, .explain = options.explainsSchedule}));
  if (options.verifyEach)
    kernel.addPass(tile::createVerifyTileForm());
}

void addVariants(OpPassManager &passes) {
  passes.addPass(tilegpu::createAddVariants());
}

static void buildScheduledPipeline(OpPassManager &passes,
                                   const PipelineOptions &options) {
  OpPassManager &kernel = passes.nest<tile::KernelOp>();
  // From here on a program may compute several tiles.
  kernel.addPass(tilegpu::createDistributePrograms());
  kernel.addPass(tilegpu::createAssumeAlignment());
  kernel.addPass(tilegpu::createChooseInstructions());
  kernel.addPass(createCanonicalizerPass());
  kernel.addPass(createCSEPass());
  kernel.addPass(tilegpu::createLegalizeDots());
  kernel.addPass(tilegpu::createNarrowFloats());
  // From here on each tile has a layout.
  kernel.addPass(
      tilegpu::createAssignLayouts({.explain = options.explainsLayouts}));
  kernel.addPass(tilegpu::createLowerDots());
  // From here on values leave their warp by shared memory and conversions only.
  kernel.addPass(tilegpu::createLowerSorts());
  kernel.addPass(tilegpu::createLowerMovements());
  kernel.addPass(tilegpu::createLowerScans());
  kernel.addPass(tilegpu::createLowerReductions());
  kernel.addPass(createCanonicalizerPass());
  kernel.addPass(createCSEPass());
  // From here on loops may have copies under way that fill rings.
  kernel.addPass(tilegpu::createPipelineLoops());
  kernel.addPass(createCanonicalizerPass());
  kernel.addPass(createCSEPass());
  // From here on values leave their warp by shared memory only.
  kernel.addPass(tilegpu::createLowerConversions());
  // From here on a scalar is the same for all threads because of what they
  // read.
  kernel.addPass(tilegpu::createBroadcastResults());
  kernel.addPass(tilegpu::createAllocateShared());
  kernel.addPass(tilegpu::createInsertBarriers());
  if (options.verifyEach)
    kernel.addPass(tilegpu::createVerifyScheduledForm());
}

void buildThreadsPipeline(OpPassManager &passes,
                          const PipelineOptions &options) {
  passes.addPass(nvptx::createConvertTileGpuToThreads());
  passes.addPass(nvptx::createScalarizePredicates());
  if (options.verifyEach)
    passes.addPass(createVerifyLoopsForm());
}

static void buildLoopsPipeline(OpPassManager &passes,
                               const PipelineOptions &options) {
  // From here on each tile is in memory or computed where it is used.
  passes.addNestedPass<tile::KernelOp>(cpu::createChooseBuffers());
  passes.addPass(cpu::createConvertTileToLoops());
  passes.addPass(cpu::createExpandMinMax());
  if (options.verifyEach)
    passes.addPass(createVerifyLoopsForm());
}

static void buildLlvm(OpPassManager &passes, const PipelineOptions &) {
  buildLlvmPipeline(passes);
}

ArrayRef<Stage> gpuStages() {
  using Form = Stage::Form;
  static constexpr Stage stages[] = {
      {Form::assigned, "schedule", buildAssignedPipeline},
      {Form::scheduled, "schedule", buildScheduledPipeline},
      {Form::loops, "emit", buildThreadsPipeline},
      {Form::llvm, "lower", buildLlvm}};
  return stages;
}

ArrayRef<Stage> cpuStages() {
  using Form = Stage::Form;
  static constexpr Stage stages[] = {
      {Form::assigned, "emit", buildAssignedPipeline},
      {Form::loops, "emit", buildLoopsPipeline},
      {Form::llvm, "lower", buildLlvm}};
  return stages;
}

void buildPipeline(ArrayRef<Stage> stages, OpPassManager &passes,
                   const PipelineOptions &options) {
  for (const Stage &stage : stages)
    stage.build(passes, options);
}

static void registerStages(StringRef name, StringRef description,
                           ArrayRef<Stage> stages) {
  PassPipelineRegistration<>(name, description,
                             [stages](OpPassManager &passes) {
                               PipelineOptions options;
                               options.verifyEach = true;
                               buildPipeline(stages, passes, options);
                             });
}

void registerCodegenPipelines() {
  tile::registerTilePasses();
  tilegpu::registerTileGpuPasses();
  nvptx::registerNvptxPasses();
  cpu::registerCpuPasses();
  registerLlvmPipelinePasses();
  const ArrayRef<Stage> gpu = gpuStages(), cpu = cpuStages();
  registerStages("tile-to-scheduled",
                 "Tile kernels to the scheduled level of a GPU",
                 gpu.take_front(2));
  registerStages("scheduled-to-threads",
                 "The scheduled level to code of one thread", gpu.slice(2, 1));
  registerStages("tile-to-loops", "Tile kernels to loops over vectors of a CPU",
                 cpu.take_front(2));
  registerStages("loops-to-llvm", "Loops over vectors to the llvm dialect",
                 gpu.take_back());
  registerStages("tile-to-llvm-on-gpu",
                 "Tile kernels to the llvm dialect of a GPU", gpu);
  registerStages("tile-to-llvm-on-cpu",
                 "Tile kernels to the llvm dialect of a CPU", cpu);
}

} // namespace tilewright
