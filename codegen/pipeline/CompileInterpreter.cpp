//===- CompileInterpreter.cpp - A kernel as the interpreter takes it ------===//
#include "tilewright/mlir/Compile.h"

#include "codegen/pipeline/DescribeKernel.h"
#include "codegen/pipeline/DiagnosticCollector.h"
#include "codegen/pipeline/Limits.h"
#include "codegen/tilegpu/TileGpu.h"
#include "codegen/transforms/Schedules.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "tileir/transforms/Passes.h"

using namespace mlir;

namespace tilewright {

StatusOr<KernelImage> compileForInterpreter(tile::KernelOp kernel) {
  TILEWRIGHT_RETURN_IF_ERROR(checkLimits(kernel, 0));
  OwningOpRef<ModuleOp> module = ModuleOp::create(kernel.getLoc());
  // The copy that calls are inlined in, alone in its module.
  tile::KernelOp inlined = kernel.clone();
  module->push_back(inlined);
  tile::inlineCalls(inlined, kernel->getParentOp());
  KernelImage image;
  TILEWRIGHT_ASSIGN_OR_RETURN(
      image.manifest, describeKernel(kernel.getSymName(), kernel.getSignature(),
                                     "interpreter", persistentOf(kernel)));
  image.manifest.image = "kernels/" + image.manifest.name + ".tile.mlir";
  llvm::raw_string_ostream stream(image.code);
  // Locations are kept, so that a fault reports the line of the source.
  module->print(stream, OpPrintingFlags().enableDebugInfo());
  return image;
}

//===--- Any level --------------------------------------------------------===//

/// Adds what a launch of a function needs: of a GPU threads and shared memory,
/// of a CPU scratch memory.
static Status describeCode(FunctionOpInterface function, ModuleOp module,
                           runtime::KernelManifest &manifest) {
  auto number = [&](StringRef name) -> StatusOr<int64_t> {
    auto value = function->getAttrOfType<IntegerAttr>(name);
    if (!value)
      return Status::invalidInput("kernel '" + manifest.name +
                                  "': the function lacks " + name.str());
    return value.getInt();
  };
  auto target =
      module->getAttrOfType<tile::TargetAttr>(tile::TileDialect::kTargetAttr);
  if (!target)
    return Status::invalidInput("kernel '" + manifest.name +
                                "': the module lacks tile.target");
  if (target.getName() == "cpu") {
    TILEWRIGHT_ASSIGN_OR_RETURN(manifest.scratch,
                                number(tile::TileDialect::kScratchAttr));
    return {};
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(manifest.shared,
                              number(tilegpu::TileGpuDialect::kSharedAttr));
  DiagnosticCollector errors(module.getContext(), nullptr);
  FailureOr<schedule::GpuSchedule> schedule = tilegpu::scheduleOf(function);
  if (failed(schedule))
    return Status::invalidInput("kernel '" + manifest.name +
                                "': " + errors.text());
  manifest.block = schedule->threads();
  return {};
}

StatusOr<KernelImage> levelImage(ModuleOp module, bool awaitsBarriers) {
  KernelImage image;
  Operation *code = nullptr;
  auto kernels = llvm::to_vector(module.getOps<tile::KernelOp>());
  if (kernels.size() > 1)
    return Status::invalidInput("expected one tile.kernel, found " +
                                std::to_string(kernels.size()));
  if (!kernels.empty()) {
    tile::KernelOp kernel = kernels.front();
    code = kernel;
    TILEWRIGHT_ASSIGN_OR_RETURN(
        image.manifest,
        describeKernel(kernel.getSymName(), kernel.getSignature(),
                       "interpreter", persistentOf(kernel)));
  } else {
    TILEWRIGHT_ASSIGN_OR_RETURN(FunctionOpInterface function,
                                kernelFunction(module));
    code = function;
    TILEWRIGHT_ASSIGN_OR_RETURN(
        image.manifest, describeKernel(SymbolTable::getSymbolName(function),
                                       signatureOf(function), "interpreter",
                                       persistentOf(function)));
    TILEWRIGHT_RETURN_IF_ERROR(describeCode(function, module, image.manifest));
  }
  // The variants of a kernel have its name.
  auto variant =
      code->getAttrOfType<StringAttr>(tile::TileDialect::kVariantAttr);
  image.manifest.image = "kernels/" + image.manifest.name +
                         (variant ? "." + variant.str() : "") + ".tile.mlir";
  OwningOpRef<ModuleOp> copy = module.clone();
  if (awaitsBarriers)
    for (auto kernel : copy->getOps<tile::KernelOp>())
      kernel->setAttr(tilegpu::barriersToCome,
                      UnitAttr::get(module.getContext()));
  // Not as text: MLIR prints some locations of the llvm dialect in a way that
  // its parser does not take.
  llvm::raw_string_ostream stream(image.code);
  if (failed(writeBytecodeToFile(*copy, stream)))
    return Status::internal("kernel '" + image.manifest.name +
                            "': its module cannot be written");
  return image;
}

} // namespace tilewright
