//===- Limits.cpp - What a kernel may ask of compilation ------------------===//
#include "codegen/pipeline/Limits.h"

#include "codegen/pipeline/DiagnosticCollector.h"
#include "codegen/transforms/Schedules.h"

using namespace mlir;

namespace tilewright {

static Operation *findLargeTile(tile::KernelOp kernel) {
  Operation *found = nullptr;
  kernel.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto tile = dyn_cast<RankedTensorType>(type);
          tile && tile.getNumElements() > maxTileElements)
        found = op;
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

/// A thread's elements of the largest tile.
static int64_t threadElements(tile::KernelOp kernel, int64_t threads) {
  int64_t most = 0;
  kernel.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto tile = dyn_cast<RankedTensorType>(type))
        most = std::max<int64_t>(
            most, llvm::divideCeil(tile.getNumElements(), threads));
  });
  return most;
}

Status checkLimits(tile::KernelOp kernel, int64_t threads,
                   std::vector<Diagnostic> *diagnostics) {
  DiagnosticCollector errors(kernel.getContext(), diagnostics);
  if (Operation *op = findLargeTile(kernel)) {
    auto error = op->emitError(op->getName().getStringRef());
    for (Type type : op->getResultTypes())
      if (auto tile = dyn_cast<RankedTensorType>(type))
        error << ": " << tile << " has " << tile.getNumElements()
              << " elements";
    error << ", expected at most " << maxTileElements
          << "; take smaller tiles, in a loop or by more programs";
  } else if (int64_t most = threads ? threadElements(kernel, threads) : 0;
             most > maxThreadElements) {
    kernel.emitError("the code would be too long: each of ")
        << threads << " threads holds " << most
        << " elements of a tile, expected at most " << maxThreadElements
        << "; take smaller tiles, or more warps";
  } else {
    return Status();
  }
  return Status::resourceExhausted("kernel '" + kernel.getSymName().str() +
                                   "': " + errors.text());
}

Status checkLimits(ModuleOp module, std::vector<Diagnostic> *diagnostics) {
  auto target =
      module->getAttrOfType<tile::TargetAttr>(tile::TileDialect::kTargetAttr);
  for (auto kernel : module.getOps<tile::KernelOp>()) {
    int64_t threads = 0;
    if (target && target.getName() != "cpu") {
      DiagnosticCollector errors(kernel.getContext(), diagnostics);
      FailureOr<schedule::GpuSchedule> schedule =
          kernel->hasAttr(tile::TileDialect::kScheduleAttr)
              ? tilegpu::scheduleOf(kernel)
              : schedule::defaultSchedule(tilegpu::workOf(kernel)).schedule;
      if (failed(schedule))
        return Status::invalidInput("kernel '" + kernel.getSymName().str() +
                                    "': " + errors.text());
      threads = schedule->threads();
    }
    TILEWRIGHT_RETURN_IF_ERROR(checkLimits(kernel, threads, diagnostics));
  }
  return {};
}

StatusOr<KernelImage> compileControlled(
    StringRef kernel, CompileOptions options,
    llvm::function_ref<StatusOr<KernelImage>(const CompileOptions &)> compile) {
  if (options.control)
    return compile(options);
  CompilationControl own(options.budget);
  options.control = &own;
  StatusOr<KernelImage> image = compile(options);
  if (own.stopped())
    return Status::resourceExhausted(describe(own.stop(), kernel));
  return image;
}

} // namespace tilewright
