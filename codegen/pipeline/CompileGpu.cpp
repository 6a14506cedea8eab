//===- CompileGpu.cpp - From a tile kernel to PTX -------------------------===//
#include "codegen/pipeline/Compile.h"

#include "codegen/llvm/LowerToLlvm.h"
#include "codegen/nvptx/Ptx.h"
#include "codegen/nvptx/TileToThreads.h"
#include "codegen/pipeline/DescribeKernel.h"
#include "codegen/pipeline/DiagnosticCollector.h"
#include "codegen/pipeline/ExplainSchedule.h"
#include "codegen/pipeline/Limits.h"
#include "codegen/pipeline/Remarks.h"
#include "codegen/transforms/Passes.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "tileir/transforms/Passes.h"

using namespace mlir;

namespace tilewright {

/// What views are taken to be aligned to, in bytes; the manifest's guards
/// demand it.
static constexpr int64_t viewAlignment = 16;

/// The most bytes that one access of shared memory takes: LLVM makes one of the
/// last 12 bytes and those that follow them.
static constexpr int64_t sharedAccess = 16;

/// Promises the alignment that accesses rely on, where the kernel does not.
static void assumeAlignment(tile::KernelOp kernel) {
  Builder builder(kernel.getContext());
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes()))
    if (isa<tile::ViewType>(type) &&
        !kernel.getArgAttr(i, tile::TileDialect::kAlignAttr))
      kernel.setArgAttr(i, tile::TileDialect::kAlignAttr,
                        builder.getI64IntegerAttr(viewAlignment));
}

/// The work that a default schedule is chosen by.
static schedule::KernelWork workOf(tile::KernelOp kernel) {
  schedule::KernelWork work;
  int64_t bytes = 0;
  kernel.walk([&](Operation *op) {
    for (Type type : op->getResultTypes()) {
      auto tile = dyn_cast<RankedTensorType>(type);
      if (!tile)
        continue;
      int64_t width = tilegpu::elementBits(tile.getElementType()) / 8;
      if (tile.getNumElements() * width > bytes) {
        work.largestTile = tile.getNumElements();
        work.elementBytes = width;
        bytes = work.largestTile * width;
      }
      if (isa<tile::DotOp, tile::ScaledDotOp>(op))
        work.largestDot = std::max(work.largestDot, tile.getNumElements());
    }
  });
  return work;
}

schedule::ExplainedSchedule defaultSchedule(tile::KernelOp kernel) {
  return schedule::defaultSchedule(workOf(kernel));
}

/// The passes from the tile level to the last form of the scheduled level.
static void buildSchedulePipeline(OpPassManager &passes,
                                  const schedule::Schedule &schedule) {
  OpPassManager &kernel = passes.nest<tile::KernelOp>();
  kernel.addPass(createCanonicalizerPass());
  kernel.addPass(createCSEPass());
  kernel.addPass(gpu::createWidenDots());
  // From here on each tile has a layout.
  gpu::AssignLayoutsOptions layouts;
  layouts.warps = schedule.warps;
  layouts.access = schedule.access;
  kernel.addPass(gpu::createAssignLayouts(layouts));
  kernel.addPass(gpu::createExpandDots());
  // From here on values leave their warp by shared memory and conversions only,
  kernel.addPass(gpu::createExpandSorts());
  kernel.addPass(gpu::createExpandMovements());
  kernel.addPass(gpu::createExpandScans());
  kernel.addPass(gpu::createExpandReductions());
  kernel.addPass(createCanonicalizerPass());
  kernel.addPass(createCSEPass());
  // and from here on by shared memory only.
  kernel.addPass(gpu::createExpandConversions());
  // From here on a scalar is the same for all threads by what they read.
  kernel.addPass(gpu::createBroadcastResults());
  kernel.addPass(gpu::createAllocateShared());
  kernel.addPass(gpu::createInsertBarriers());
}

StatusOr<OwningOpRef<ModuleOp>>
scheduleForGpu(tile::KernelOp kernel, const schedule::Schedule &schedule,
               TimingScope &timing, const CompileOptions &options) {
  DiagnosticCollector errors(kernel.getContext(), options.findings);
  if (options.watch)
    options.watch->beginPhase("schedule");
  OwningOpRef<ModuleOp> module = ModuleOp::create(kernel.getLoc());
  tile::KernelOp copy = kernel.clone();
  module->push_back(copy);
  tile::inlineCalls(copy, kernel->getParentOp());
  assumeAlignment(copy);
  PassManager passes(module->getContext());
  passes.enableVerifier(false);
  passes.enableTiming(timing);
  buildSchedulePipeline(passes, schedule);
  // Once for all passes: each costs little next to a verification.
  if (failed(passes.run(*module)) || isStopped(options) ||
      failed(verify(*module)))
    return Status::unsupported("kernel '" + kernel.getSymName().str() +
                               "': " + errors.text());
  return module;
}

/// With names for layouts.
static std::string printed(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  return text;
}

/// The uses of shared memory, for messages.
static std::vector<schedule::SharedUse> sharedUses(tile::KernelOp kernel) {
  std::vector<schedule::SharedUse> uses;
  kernel.walk([&](tilegpu::AllocOp op) {
    tilegpu::SharedType type = op.getType();
    std::string element;
    llvm::raw_string_ostream(element) << type.getElementType();
    uses.push_back({tilegpu::toDims(type.getShape()).text() + " " + element,
                    type.getBytes()});
  });
  return uses;
}

static StatusOr<KernelImage> compileForGpu(tile::KernelOp kernel,
                                           const target::GpuTarget &target,
                                           const CompileOptions &options) {
  std::string name = kernel.getSymName().str();
  DiagnosticCollector errors(kernel.getContext(), options.findings);
  TimingScope untimed;
  TimingScope &timing = options.timing ? *options.timing : untimed;
  KernelImage image;
  image.schedule = options.schedule
                       ? schedule::ExplainedSchedule{*options.schedule, "given"}
                       : defaultSchedule(kernel);
  const schedule::Schedule &schedule = image.schedule.schedule;
  TILEWRIGHT_RETURN_IF_ERROR(
      checkLimits(kernel, schedule.threads(), options.findings));
  TILEWRIGHT_ASSIGN_OR_RETURN(
      OwningOpRef<ModuleOp> scheduled,
      scheduleForGpu(kernel, schedule, timing, options));
  tile::KernelOp copy = *scheduled->getOps<tile::KernelOp>().begin();
  int64_t shared =
      copy->getAttrOfType<IntegerAttr>(tilegpu::TileGpuDialect::kSharedAttr)
          .getInt();
  TILEWRIGHT_RETURN_IF_ERROR(
      schedule::checkResources(schedule, shared, sharedUses(copy), target)
          .prefixed("kernel '" + name + "'"));
  if (options.wantText)
    image.scheduled = printed(*scheduled);
  if (options.wantExplanation)
    image.explanation = explainSchedule(copy, image.schedule);
  if (options.remarks)
    remarkSchedule(copy, image.schedule, *options.remarks);
  if (options.onScheduled)
    options.onScheduled(copy);
  if (!beginPhase(options, "emit", *scheduled))
    return Status::internal("stopped");
  TimingScope step = timing.nest("Tile to threads");
  OwningOpRef<ModuleOp> module = ModuleOp::create(kernel.getLoc());
  if (failed(nvptx::emitThreads(copy, *module, {target, options.assertions})))
    return Status::unsupported("kernel '" + name + "': " + errors.text());
  step.stop();
  if (options.wantText)
    image.loops = printed(*module);
  if (!beginPhase(options, "lower", *module) ||
      failed(lowerToLlvm(*module, timing)) || isStopped(options))
    return Status::internal("kernel '" + name + "': " + errors.text());
  llvm::Expected<nvptx::PtxText> ptx = nvptx::translateToPtx(
      *module, target, schedule.threads(), timing,
      {{options.wantText, options.watch, options.remarks}, options.lineInfo});
  if (!ptx)
    return Status::internal("kernel '" + name + "': " +
                            llvm::toString(ptx.takeError()) + errors.text());
  TILEWRIGHT_ASSIGN_OR_RETURN(image.manifest,
                              describeKernel(kernel, target.name));
  image.manifest.image =
      "kernels/" + name + "." + std::string(target.name) + ".ptx";
  image.manifest.block = schedule.threads();
  image.manifest.shared = llvm::alignTo(shared, sharedAccess);
  // Those besides that code generation relies on.
  image.manifest.guards = promisesOf(copy);
  image.code = std::move(ptx->ptx);
  image.llvmIr = std::move(ptx->llvmIr);
  return image;
}

StatusOr<KernelImage> compile(tile::KernelOp kernel,
                              const target::GpuTarget &target,
                              const CompileOptions &options) {
  return compileWatched(kernel, options, [&](const CompileOptions &watched) {
    return compileForGpu(kernel, target, watched);
  });
}

} // namespace tilewright
