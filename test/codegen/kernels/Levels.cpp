#include "Levels.h"

#include "codegen/cpu/CpuTargets.h"
#include "codegen/pipeline/Pipelines.h"
#include "codegen/tilegpu/GpuTargets.h"
#include "codegen/tilegpu/TileGpu.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "verify/device/InterpreterDevice.h"

using mlir::ModuleOp;

namespace tilewright::kerneltest {

namespace {
/// Compares the module after each pass of a pipeline.
class AfterEach : public mlir::PassInstrumentation {
public:
  AfterEach(const Comparison &comparison, Tolerance tolerance)
      : comparison(comparison), tolerance(tolerance) {}

  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override {
    auto module = mlir::dyn_cast<ModuleOp>(op);
    if (!module)
      module = op->getParentOfType<ModuleOp>();
    if (!module || !found.error.empty())
      return;
    const std::string name = pass->getArgument().str();
    hasBarriers |= name == "insert-barriers";
    // Until barriers are inserted, no program with shared memory is right.
    auto memory = module.walk(
        [](tilegpu::AllocOp) { return mlir::WalkResult::interrupt(); });
    if (memory.wasInterrupted() && !hasBarriers)
      return;
    auto image = levelImage(module);
    if (!image.ok()) {
      found.error = name + ": " + image.status().message();
      return;
    }
    if (image->code == last)
      return;
    last = image->code;
    ++found.runs;
    module.walk([&](mlir::Operation *each) {
      found.ops.insert(each->getName().getStringRef().str());
    });
    Result result = comparison.run(*image, "interpreter", tolerance);
    if (!result.error.empty())
      found.error = "after " + name + ": " + result.error;
  }

  Levels found;

private:
  const Comparison &comparison;
  Tolerance tolerance;
  std::string last;
  bool hasBarriers = false;
};
} // namespace

Levels compareLevels(const Comparison &comparison, const std::string &target,
                     const std::string &schedule, Tolerance tolerance,
                     bool shuffles) {
  mlir::MLIRContext *context = &kernelContext();
  const bool isCpu = target == "cpu";
  auto module = moduleOf(
      comparison.kernel(),
      isCpu ? cpu::attributeOf(cpu::hostTarget(), context)
            : tilegpu::attributeOf(*target::findGpuTarget(target), context));
  mlir::PassManager passes(context);
  PipelineOptions options;
  options.verifyEach = true;
  options.schedule = schedule;
  buildPipeline(isCpu ? cpuStages() : gpuStages(), passes, options);
  auto owned = std::make_unique<AfterEach>(comparison, tolerance);
  AfterEach *after = owned.get();
  passes.addInstrumentation(std::move(owned));
  if (failed(passes.run(*module)) && after->found.error.empty())
    after->found.error = "a pass fails";
  if (!shuffles || !after->found.error.empty())
    return after->found;
  auto device =
      verify::makeInterpreterDevice({.orderSeed = 7, .copiesLandLate = true});
  auto image = levelImage(*module);
  after->found.error = image.ok()
                           ? comparison.run(*image, *device, tolerance).error
                           : image.status().message();
  return after->found;
}

} // namespace tilewright::kerneltest
