//===- Compile.cpp - From a tile kernel to a kernel image -----------------===//
#include "tilewright/mlir/Compile.h"

#include "codegen/cpu/ByteProduct.h"
#include "codegen/cpu/CpuTargets.h"
#include "codegen/cpu/HostObject.h"
#include "codegen/nvptx/Ptx.h"
#include "codegen/pipeline/DescribeKernel.h"
#include "codegen/pipeline/DiagnosticCollector.h"
#include "codegen/pipeline/Limits.h"
#include "codegen/pipeline/RunStages.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tileir/ir/Register.h"

using namespace mlir;

namespace tilewright {

void registerCompilerDialects(DialectRegistry &registry) {
  registerAllDialects(registry);
  registry
      .insert<affine::AffineDialect, arith::ArithDialect,
              cf::ControlFlowDialect, func::FuncDialect, linalg::LinalgDialect,
              LLVM::LLVMDialect, math::MathDialect, scf::SCFDialect,
              tensor::TensorDialect, vector::VectorDialect>();
  nvptx::registerDialects(registry);
}

void prepareContext(MLIRContext &context) {
  DialectRegistry registry;
  registerCompilerDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
}

StatusOr<KernelImage> makeImage(ModuleOp module, const cpu::CpuTarget &target,
                                const CompileOptions &options) {
  TimingScope untimed;
  TimingScope &timing = options.timing ? *options.timing : untimed;
  TILEWRIGHT_ASSIGN_OR_RETURN(FunctionOpInterface function,
                              kernelFunction(module));
  const std::string name = SymbolTable::getSymbolName(function).str();
  DiagnosticCollector errors(module.getContext(), options.diagnostics);
  StatusOr<cpu::HostObject> object =
      cpu::translateToObject(module, target, timing,
                             {options.wantText, options.control,
                              options.remarks, options.runsLlvmPass});
  if (!object)
    return Status(object.status().code(),
                  "kernel '" + name + "': " + object.status().message() +
                      errors.text());
  FailureOr<schedule::CpuSchedule> schedule = cpu::scheduleOf(function);
  auto scratch =
      function->getAttrOfType<IntegerAttr>(tile::TileDialect::kScratchAttr);
  if (failed(schedule) || !scratch)
    return Status::invalidInput("kernel '" + name +
                                "': the function lacks tile.scratch or a "
                                "schedule of a CPU" +
                                errors.text());
  KernelImage image;
  TILEWRIGHT_ASSIGN_OR_RETURN(image.manifest,
                              describeKernel(name, signatureOf(function), "cpu",
                                             persistentOf(function)));
  image.manifest.features = cpu::requiredFeatures(module, target);
  image.manifest.fastMath = fastMathOf(function);
  image.manifest.image = "kernels/" + name + ".cpu.o";
  image.manifest.scratch = scratch.getInt();
  image.manifest.chunk = schedule->chunk;
  image.manifest.threads = schedule->threads;
  image.code = std::move(object->object);
  image.llvmIr = std::move(object->llvmIr);
  image.assembly = std::move(object->assembly);
  return image;
}

static StatusOr<KernelImage> compileForCpu(tile::KernelOp kernel,
                                           const cpu::CpuTarget &target,
                                           const CompileOptions &options) {
  const std::string name = kernel.getSymName().str();
  OwningOpRef<ModuleOp> module =
      moduleOf(kernel, cpu::attributeOf(target, kernel.getContext()));
  std::string loops;
  auto atEnd = [&](Stage::Form form) -> Status {
    if (form == Stage::Form::assigned) {
      tile::KernelOp assigned = *module->getOps<tile::KernelOp>().begin();
      DiagnosticCollector errors(kernel.getContext(), options.diagnostics);
      if (failed(cpu::scheduleOf(assigned)))
        return Status::invalidInput("kernel '" + name + "': " + errors.text());
      return checkLimits(assigned, 0, options.diagnostics);
    }
    if (form == Stage::Form::loops && options.wantText)
      llvm::raw_string_ostream(loops) << *module;
    return {};
  };
  TILEWRIGHT_RETURN_IF_ERROR(runStages(
      cpuStages(), *module, name,
      options.cpuSchedule ? options.cpuSchedule->text() : "", options, atEnd));
  TILEWRIGHT_ASSIGN_OR_RETURN(KernelImage image,
                              makeImage(*module, target, options));
  image.loops = std::move(loops);
  return image;
}

StatusOr<KernelImage> compile(tile::KernelOp kernel,
                              const cpu::CpuTarget &target,
                              const CompileOptions &options) {
  return compileControlled(kernel.getSymName(), options,
                           [&](const CompileOptions &controlled) {
                             return compileForCpu(kernel, target, controlled);
                           });
}

} // namespace tilewright
