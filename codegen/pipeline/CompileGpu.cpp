//===- CompileGpu.cpp - From a tile kernel to PTX -------------------------===//
#include "tilewright/mlir/Compile.h"

#include "codegen/gpu/Describe.h"
#include "codegen/gpu/TileGpu.h"
#include "codegen/llvm/LowerToLlvm.h"
#include "codegen/nvptx/GpuTargets.h"
#include "codegen/nvptx/Ptx.h"
#include "codegen/pipeline/DescribeKernel.h"
#include "codegen/pipeline/DiagnosticCollector.h"
#include "codegen/pipeline/ExplainSchedule.h"
#include "codegen/pipeline/Limits.h"
#include "codegen/pipeline/Pipelines.h"
#include "codegen/pipeline/Remarks.h"
#include "codegen/transforms/Schedules.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace tilewright {

/// The most bytes of one access of shared memory: LLVM merges an access of the
/// last 12 bytes with the bytes after them.
static constexpr int64_t sharedAlignment = 16;

schedule::ExplainedSchedule defaultSchedule(tile::KernelOp kernel) {
  return schedule::defaultSchedule(gpu::workOf(kernel));
}

/// The kernel, on its way to `target` (or to any GPU), to the scheduled level.
static StatusOr<OwningOpRef<ModuleOp>>
toScheduled(tile::KernelOp kernel, tile::TargetAttr target,
            const schedule::GpuSchedule &schedule, TimingScope &timing,
            const CompileOptions &options) {
  DiagnosticCollector errors(kernel.getContext(), options.diagnostics);
  if (options.control)
    options.control->beginPhase("schedule");
  OwningOpRef<ModuleOp> module = moduleOf(kernel, target);
  PassManager passes(module->getContext());
  passes.enableVerifier(options.verifyEach);
  passes.enableTiming(timing);
  buildScheduledPipeline(passes, {.schedule = schedule.text(),
                                  .assertions = options.assertions,
                                  .fastMath = options.fastMath,
                                  .explainsLayouts = options.wantExplanation,
                                  .verifies = options.verifyEach});
  // Once for all passes: each costs little next to a verification.
  if (failed(passes.run(*module)) || isStopped(options) ||
      failed(verify(*module)))
    return Status::unsupported("kernel '" + kernel.getSymName().str() +
                               "': " + errors.text());
  return module;
}

StatusOr<OwningOpRef<ModuleOp>>
scheduleForGpu(tile::KernelOp kernel, const schedule::GpuSchedule &schedule,
               TimingScope &timing, const CompileOptions &options) {
  return toScheduled(kernel, {}, schedule, timing, options);
}

/// With aliases for layouts.
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
    uses.push_back({tilegpu::describe(type.getShape(), type.getElementType()),
                    type.getBytes()});
  });
  return uses;
}

/// The schedule that assign-schedules will write, and why.
static StatusOr<schedule::ExplainedSchedule>
chosenSchedule(tile::KernelOp kernel, const CompileOptions &options) {
  if (options.schedule)
    return schedule::ExplainedSchedule{*options.schedule, "given"};
  if (!kernel->hasAttr(tile::TileDialect::kScheduleAttr))
    return defaultSchedule(kernel);
  DiagnosticCollector errors(kernel.getContext(), options.diagnostics);
  FailureOr<schedule::GpuSchedule> own = gpu::scheduleOf(kernel);
  if (failed(own))
    return Status::invalidInput("kernel '" + kernel.getSymName().str() +
                                "': " + errors.text());
  return schedule::ExplainedSchedule{*own, "given"};
}

StatusOr<KernelImage> makeImage(ModuleOp module,
                                const target::GpuTarget &target,
                                const CompileOptions &options) {
  TimingScope untimed;
  TimingScope &timing = options.timing ? *options.timing : untimed;
  TILEWRIGHT_ASSIGN_OR_RETURN(FunctionOpInterface function,
                              kernelFunction(module));
  const std::string name = SymbolTable::getSymbolName(function).str();
  DiagnosticCollector errors(module.getContext(), options.diagnostics);
  FailureOr<schedule::GpuSchedule> schedule = gpu::scheduleOf(function);
  auto shared = function->getAttrOfType<IntegerAttr>(
      tilegpu::TileGpuDialect::kSharedAttr);
  if (failed(schedule) || !shared)
    return Status::invalidInput("kernel '" + name +
                                "': the function lacks tilegpu.shared or a "
                                "schedule of a GPU" +
                                errors.text());
  TILEWRIGHT_RETURN_IF_ERROR(
      schedule::checkResources(*schedule, shared.getInt(), {}, target)
          .prefixed("kernel '" + name + "'"));
  // The first version that has the schedule's accesses, and all instructions.
  target::GpuTarget asNeeded = target;
  if (schedule->vectorBits > 128)
    asNeeded.ptxVersion =
        std::max(target.ptxVersion, target::GpuTarget::wideAccessPtxVersion);
  if (auto needed = function->getAttrOfType<IntegerAttr>(
          tilegpu::TileGpuDialect::kPtxVersionAttr))
    asNeeded.ptxVersion =
        std::max(asNeeded.ptxVersion, unsigned(needed.getInt()));
  StatusOr<nvptx::PtxText> ptx = nvptx::translateToPtx(
      module, asNeeded, schedule->threads(), timing,
      {{options.wantText, options.control, options.remarks},
       options.lineInfo,
       schedule->minBlocks,
       schedule->maxRegisters});
  if (!ptx)
    return Status(ptx.status().code(), "kernel '" + name +
                                           "': " + ptx.status().message() +
                                           errors.text());
  KernelImage image;
  TILEWRIGHT_ASSIGN_OR_RETURN(
      image.manifest, describeKernel(name, signatureOf(function), target.name,
                                     persistentOf(function)));
  auto variant =
      function->getAttrOfType<StringAttr>(tile::TileDialect::kVariantAttr);
  image.manifest.image = "kernels/" + name + "." + std::string(target.name) +
                         (variant ? "." + variant.str() : "") + ".ptx";
  image.manifest.fastMath = fastMathOf(function);
  image.manifest.block = schedule->threads();
  image.manifest.shared = llvm::alignTo(shared.getInt(), sharedAlignment);
  image.code = std::move(ptx->ptx);
  image.llvmIr = std::move(ptx->llvmIr);
  return image;
}

/// What is wanted of the scheduled level.
static StatusOr<KernelImage> showScheduled(tile::KernelOp kernel,
                                           schedule::ExplainedSchedule schedule,
                                           const target::GpuTarget &target,
                                           const CompileOptions &options) {
  KernelImage image;
  if (auto layouts = llvm::dyn_cast_or_null<StringAttr>(
          kernel->removeAttr(tilegpu::TileGpuDialect::kLayoutsAttr)))
    image.layouts = kernel.getSymName().str() + ": " + layouts.str();
  int64_t shared =
      kernel->getAttrOfType<IntegerAttr>(tilegpu::TileGpuDialect::kSharedAttr)
          .getInt();
  TILEWRIGHT_RETURN_IF_ERROR(
      schedule::checkResources(schedule.schedule, shared, sharedUses(kernel),
                               target)
          .prefixed("kernel '" + kernel.getSymName().str() + "'"));
  if (options.wantText)
    image.scheduled = printed(kernel->getParentOfType<ModuleOp>());
  if (options.wantExplanation)
    image.explanation = explainSchedule(kernel, schedule);
  if (options.remarks)
    remarkSchedule(kernel, schedule, *options.remarks);
  if (options.onScheduled)
    options.onScheduled(kernel);
  image.schedule = std::move(schedule);
  return image;
}

static StatusOr<KernelImage> compileForGpu(tile::KernelOp kernel,
                                           const target::GpuTarget &target,
                                           const CompileOptions &options) {
  std::string name = kernel.getSymName().str();
  DiagnosticCollector errors(kernel.getContext(), options.diagnostics);
  TimingScope untimed;
  TimingScope &timing = options.timing ? *options.timing : untimed;
  TILEWRIGHT_ASSIGN_OR_RETURN(schedule::ExplainedSchedule schedule,
                              chosenSchedule(kernel, options));
  TILEWRIGHT_RETURN_IF_ERROR(
      checkLimits(kernel, schedule.schedule.threads(), options.diagnostics));
  TILEWRIGHT_ASSIGN_OR_RETURN(
      OwningOpRef<ModuleOp> module,
      toScheduled(kernel, nvptx::attributeOf(target, kernel.getContext()),
                  schedule.schedule, timing, options));
  TILEWRIGHT_ASSIGN_OR_RETURN(
      KernelImage shown,
      showScheduled(*module->getOps<tile::KernelOp>().begin(),
                    std::move(schedule), target, options));
  if (!beginPhase(options, "emit", *module))
    return Status::internal("stopped");
  PassManager passes(module->getContext());
  passes.enableVerifier(options.verifyEach);
  passes.enableTiming(timing);
  buildThreadsPipeline(passes, {.verifies = options.verifyEach});
  if (failed(passes.run(*module)) || isStopped(options))
    return Status::unsupported("kernel '" + name + "': " + errors.text());
  if (options.wantText)
    shown.loops = printed(*module);
  if (!beginPhase(options, "lower", *module) ||
      failed(lowerToLlvm(*module, timing, options.verifyEach)) ||
      isStopped(options))
    return Status::internal("kernel '" + name + "': " + errors.text());
  TILEWRIGHT_ASSIGN_OR_RETURN(KernelImage image,
                              makeImage(*module, target, options));
  image.scheduled = std::move(shown.scheduled);
  image.loops = std::move(shown.loops);
  image.explanation = std::move(shown.explanation);
  image.layouts = std::move(shown.layouts);
  image.schedule = std::move(shown.schedule);
  return image;
}

StatusOr<KernelImage> compile(tile::KernelOp kernel,
                              const target::GpuTarget &target,
                              const CompileOptions &options) {
  return compileControlled(kernel.getSymName(), options,
                           [&](const CompileOptions &controlled) {
                             return compileForGpu(kernel, target, controlled);
                           });
}

} // namespace tilewright
