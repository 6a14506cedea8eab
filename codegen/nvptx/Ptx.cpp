//===- Ptx.cpp - Functions of the llvm dialect as PTX ---------------------===//
#include "codegen/nvptx/Ptx.h"

#include "codegen/llvm/Emit.h"
#include "codegen/llvm/LowerToLlvm.h"
#include "codegen/nvptx/ZeroSigns.h"
#include "codegen/tilegpu/TileGpu.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Target/TargetMachine.h"

namespace tilewright::nvptx {

void registerDialects(mlir::DialectRegistry &registry) {
  registerLlvmLowering(registry);
  registry.insert<tilegpu::TileGpuDialect, mlir::NVVM::NVVMDialect>();
  mlir::registerNVVMDialectTranslation(registry);
}

static StatusOr<std::unique_ptr<llvm::TargetMachine>>
createMachine(const target::GpuTarget &target) {
  llvm::Triple triple("nvptx64-nvidia-cuda");
  TILEWRIGHT_ASSIGN_OR_RETURN(const llvm::Target *found, findTarget(triple));
  // LLVM would print that it does not know the name, and go on.
  std::unique_ptr<llvm::MCSubtargetInfo> known(
      found->createMCSubtargetInfo(triple, "", ""));
  if (!known || !known->isCPUStringValid(target.name))
    return Status::unsupported("LLVM has no code generator for '" +
                               std::string(target.name) + "'");
  llvm::TargetOptions options;
  // Multiplications and additions are fused before, where that is meant.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(found->createTargetMachine(
      triple, target.name, llvm::formatv("+ptx{0}", target.ptxVersion).str(),
      options, llvm::Reloc::PIC_, std::nullopt,
      llvm::CodeGenOptLevel::Default));
}

/// Marks the module's functions as kernels.
static void markKernels(llvm::Module &module, int64_t threads,
                        const PtxOptions &options) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.setCallingConv(llvm::CallingConv::PTX_Kernel);
    // Every launch has exactly this block.
    function.addFnAttr("nvvm.reqntid", std::to_string(threads));
    if (options.minBlocks)
      function.addFnAttr("nvvm.minctasm", std::to_string(options.minBlocks));
    if (options.maxRegisters)
      function.addFnAttr("nvvm.maxnreg", std::to_string(options.maxRegisters));
  }
}

/// Locations become .loc directives and nothing else: PTX takes a full line
/// table for a request to debug, which slows code down.
static mlir::LogicalResult addLineInfo(mlir::ModuleOp module) {
  mlir::PassManager passes(module.getContext());
  mlir::LLVM::DIScopeForLLVMFuncOpPassOptions options;
  options.emissionKind = mlir::LLVM::DIEmissionKind::DebugDirectivesOnly;
  passes.addPass(mlir::LLVM::createDIScopeForLLVMFuncOpPass(options));
  return passes.run(module);
}

StatusOr<PtxText> translateToPtx(mlir::ModuleOp module,
                                 const target::GpuTarget &target,
                                 int64_t threads, mlir::TimingScope &timing,
                                 const PtxOptions &options) {
  auto begin = [&](const char *phase) {
    if (options.control)
      options.control->beginPhase(phase);
  };
  begin("translate");
  mlir::TimingScope step = timing.nest("Translation to LLVM IR");
  TILEWRIGHT_ASSIGN_OR_RETURN(std::unique_ptr<llvm::TargetMachine> machine,
                              createMachine(target));
  std::string errors;
  if (options.lineInfo && mlir::failed(addLineInfo(module)))
    return Status::internal("no line information for this kernel");
  llvm::LLVMContext llvmContext;
  collectDiagnostics(llvmContext, errors, options.remarks);
  TILEWRIGHT_ASSIGN_OR_RETURN(std::unique_ptr<llvm::Module> translated,
                              translate(module, llvmContext, *machine));
  llvm::Module &llvmModule = *translated;
  markKernels(llvmModule, threads, options);
  step = timing.nest("LLVM optimization");
  begin("optimize");
  TILEWRIGHT_RETURN_IF_ERROR(optimize(llvmModule, *machine, options));
  keepZeroSigns(llvmModule);
  PtxText result;
  if (options.wantText)
    llvm::raw_string_ostream(result.llvmIr) << llvmModule;
  step = timing.nest("LLVM code generation");
  begin("generate");
  TILEWRIGHT_ASSIGN_OR_RETURN(
      result.ptx, emitFile(llvmModule, *machine,
                           llvm::CodeGenFileType::AssemblyFile, options));
  if (!errors.empty())
    return Status::internal(errors);
  return result;
}

} // namespace tilewright::nvptx
