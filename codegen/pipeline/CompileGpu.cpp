//===- CompileGpu.cpp - From a tile kernel to PTX -------------------------===//
#include "tilewright/mlir/Compile.h"

#include "codegen/nvptx/Ptx.h"
#include "codegen/pipeline/DescribeKernel.h"
#include "codegen/pipeline/DiagnosticCollector.h"
#include "codegen/pipeline/ExplainSchedule.h"
#include "codegen/pipeline/Limits.h"
#include "codegen/pipeline/Remarks.h"
#include "codegen/pipeline/RunStages.h"
#include "codegen/tilegpu/Describe.h"
#include "codegen/tilegpu/GpuTargets.h"
#include "codegen/tilegpu/TileGpu.h"
#include "codegen/transforms/Schedules.h"
#include "mlir/Bytecode/BytecodeWriter.h"

using namespace mlir;

namespace tilewright {

/// The most bytes of one access of shared memory: LLVM merges an access of the
/// last 12 bytes with the bytes after them.
static constexpr int64_t sharedAlignment = 16;

static OwningOpRef<ModuleOp> moduleFor(tile::KernelOp kernel,
                                       const target::GpuTarget &target) {
  return moduleOf(kernel, tilegpu::attributeOf(target, kernel.getContext()));
}

schedule::ExplainedSchedule defaultSchedule(tile::KernelOp kernel,
                                            const target::GpuTarget &target) {
  OwningOpRef<ModuleOp> module = moduleFor(kernel, target);
  return schedule::defaultSchedule(
      tilegpu::workOf(*module->getOps<tile::KernelOp>().begin()));
}

StatusOr<OwningOpRef<ModuleOp>>
scheduleForGpu(tile::KernelOp kernel, const target::GpuTarget &target,
               const schedule::GpuSchedule &schedule, TimingScope &timing,
               const CompileOptions &options) {
  CompileOptions timed = options;
  timed.timing = &timing;
  OwningOpRef<ModuleOp> module = moduleFor(kernel, target);
  TILEWRIGHT_RETURN_IF_ERROR(
      runStages(gpuStages().take_front(2), *module, kernel.getSymName(),
                schedule.text(), timed, [](Stage::Form) { return Status(); }));
  return module;
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
    std::string what =
        tilegpu::describe(type.getShape(), type.getElementType());
    if (type.getSlots() > 1)
      what = std::to_string(type.getSlots()) + " slots of " + what;
    uses.push_back({what, type.getBytes()});
  });
  return uses;
}

/// The schedule that assign-schedules wrote, and why.
static StatusOr<schedule::ExplainedSchedule>
assignedSchedule(tile::KernelOp kernel, const CompileOptions &options) {
  DiagnosticCollector errors(kernel.getContext(), options.diagnostics);
  FailureOr<schedule::GpuSchedule> schedule = tilegpu::scheduleOf(kernel);
  if (failed(schedule))
    return Status::invalidInput("kernel '" + kernel.getSymName().str() +
                                "': " + errors.text());
  // Those that the kernel was bound with are not in the IR.
  if (options.schedule)
    schedule->tunables = options.schedule->tunables;
  auto reason = llvm::dyn_cast_or_null<StringAttr>(
      kernel->removeAttr(tilegpu::TileGpuDialect::kReasonAttr));
  return schedule::ExplainedSchedule{*std::move(schedule),
                                     reason ? reason.str() : "given"};
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
  FailureOr<schedule::GpuSchedule> schedule = tilegpu::scheduleOf(function);
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
  StatusOr<nvptx::PtxText> ptx =
      nvptx::translateToPtx(module, asNeeded, schedule->threads(), timing,
                            {{options.wantText, options.control,
                              options.remarks, options.runsLlvmPass},
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

/// Adds what is wanted of the scheduled level.
static Status showScheduled(tile::KernelOp kernel,
                            const target::GpuTarget &target,
                            const CompileOptions &options, KernelImage &image) {
  if (auto layouts = llvm::dyn_cast_or_null<StringAttr>(
          kernel->removeAttr(tilegpu::TileGpuDialect::kLayoutsAttr)))
    image.layouts = kernel.getSymName().str() + ": " + layouts.str();
  int64_t shared =
      kernel->getAttrOfType<IntegerAttr>(tilegpu::TileGpuDialect::kSharedAttr)
          .getInt();
  TILEWRIGHT_RETURN_IF_ERROR(
      schedule::checkResources(image.schedule.schedule, shared,
                               sharedUses(kernel), target)
          .prefixed("kernel '" + kernel.getSymName().str() + "'"));
  if (options.wantText)
    image.scheduled = printed(kernel->getParentOfType<ModuleOp>());
  if (options.wantExplanation)
    image.explanation = explainSchedule(kernel, image.schedule);
  if (options.remarks)
    remarkSchedule(kernel, image.schedule, *options.remarks);
  if (options.wantBytecode) {
    llvm::raw_string_ostream stream(image.bytecode);
    if (failed(writeBytecodeToFile(kernel->getParentOp(), stream)))
      return Status::internal("kernel '" + kernel.getSymName().str() +
                              "': its module cannot be written");
  }
  return {};
}

static StatusOr<KernelImage> compileForGpu(tile::KernelOp kernel,
                                           const target::GpuTarget &target,
                                           const CompileOptions &options) {
  OwningOpRef<ModuleOp> module = moduleFor(kernel, target);
  KernelImage shown;
  auto atEnd = [&](Stage::Form form) -> Status {
    if (form == Stage::Form::assigned) {
      tile::KernelOp assigned = *module->getOps<tile::KernelOp>().begin();
      TILEWRIGHT_ASSIGN_OR_RETURN(shown.schedule,
                                  assignedSchedule(assigned, options));
      return checkLimits(assigned, shown.schedule.schedule.threads(),
                         options.diagnostics);
    }
    if (form == Stage::Form::scheduled)
      return showScheduled(*module->getOps<tile::KernelOp>().begin(), target,
                           options, shown);
    if (form == Stage::Form::loops && options.wantText)
      shown.loops = printed(*module);
    return {};
  };
  TILEWRIGHT_RETURN_IF_ERROR(runStages(
      gpuStages(), *module, kernel.getSymName(),
      options.schedule ? options.schedule->text() : "", options, atEnd));
  TILEWRIGHT_ASSIGN_OR_RETURN(KernelImage made,
                              makeImage(*module, target, options));
  shown.manifest = std::move(made.manifest);
  shown.code = std::move(made.code);
  shown.llvmIr = std::move(made.llvmIr);
  return shown;
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
