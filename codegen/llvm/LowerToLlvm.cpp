//===- LowerToLlvm.cpp - Loops over vectors to the llvm dialect -----------===//
#include "codegen/llvm/LowerToLlvm.h"

#include "codegen/llvm/LowerMath.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tilewright {

namespace {
/// Divisions that round up or down, by those of LLVM. The upstream pass also
/// expands maxima and minima, and loses the sign of zero.
struct ExpandDivisions : PassWrapper<ExpandDivisions, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandDivisions)
  StringRef getName() const override { return "ExpandDivisions"; }
  StringRef getArgument() const override { return "expand-divisions"; }
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

static void buildPipeline(OpPassManager &passes) {
  passes.addPass(createLowerAffinePass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createLoopInvariantCodeMotionPass());
  // From here on the math ops left are those that LLVM has.
  passes.addPass(createLowerMath());
  // Here, as sin and cos of one operand then share its reduction.
  passes.addPass(createCSEPass());
  passes.addPass(std::make_unique<ExpandDivisions>());
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createConvertVectorToLLVMPass());
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createConvertFuncToLLVMPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
}

void registerLlvmLowering(DialectRegistry &registry) {
  OpPassManager passes(ModuleOp::getOperationName());
  buildPipeline(passes);
  passes.getDependentDialects(registry);
  registry.insert<func::FuncDialect, LLVM::LLVMDialect, scf::SCFDialect,
                  vector::VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

/// What loops ask of LLVM comes through the passes beside their branches; here
/// it gets where the translation looks for it.
static void annotateLoops(ModuleOp module) {
  constexpr StringRef name = "llvm.loop_annotation";
  module.walk([&](LLVM::BrOp branch) {
    if (auto annotation = dyn_cast_or_null<LLVM::LoopAnnotationAttr>(
            branch->removeDiscardableAttr(name)))
      branch.setLoopAnnotationAttr(annotation);
  });
}

LogicalResult lowerToLlvm(ModuleOp module, TimingScope &timing) {
  // What comes in is verified here, what comes out as LLVM IR; not between the
  // passes, which would take a fifth of the time to PTX.
  if (failed(verify(module)))
    return failure();
  PassManager passes(module.getContext());
  passes.enableVerifier(false);
  passes.enableTiming(timing);
  buildPipeline(passes);
  if (failed(passes.run(module)))
    return failure();
  annotateLoops(module);
  return success();
}

} // namespace tilewright
