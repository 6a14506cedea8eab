//===- LowerToLlvm.cpp - Loops over vectors to the llvm dialect -----------===//
#include "codegen/llvm/LowerToLlvm.h"

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
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_ANNOTATELOOPS
#define GEN_PASS_DEF_LOWERDIVISIONS
#include "codegen/llvm/Passes.h.inc"

namespace {
struct LowerDivisions : impl::LowerDivisionsBase<LowerDivisions> {
  using LowerDivisionsBase::LowerDivisionsBase;
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

struct AnnotateLoops : impl::AnnotateLoopsBase<AnnotateLoops> {
  using AnnotateLoopsBase::AnnotateLoopsBase;
  void runOnOperation() override {
    constexpr StringRef name = "llvm.loop_annotation";
    getOperation().walk([&](LLVM::BrOp branch) {
      if (auto annotation = dyn_cast_or_null<LLVM::LoopAnnotationAttr>(
              branch->removeDiscardableAttr(name)))
        branch.setLoopAnnotationAttr(annotation);
    });
  }
};
} // namespace

void buildLlvmPipeline(OpPassManager &passes) {
  passes.addPass(createLowerAffinePass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createLoopInvariantCodeMotionPass());
  // From here on the math ops left are those that LLVM has.
  passes.addPass(createLowerMath());
  // Here, as sin and cos of one operand then share its reduction.
  passes.addPass(createCSEPass());
  passes.addPass(createLowerDivisions());
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createConvertVectorToLLVMPass());
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createConvertFuncToLLVMPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
  passes.addPass(createAnnotateLoops());
}

void registerLlvmPipelinePasses() {
  registerLlvmPasses();
  registerPass([] { return createLowerAffinePass(); });
  registerPass([] { return createSCFToControlFlowPass(); });
  registerPass([] { return createConvertVectorToLLVMPass(); });
  registerPass([] { return createConvertMathToLLVMPass(); });
  registerPass([] { return createArithToLLVMConversionPass(); });
  registerPass([] { return createConvertFuncToLLVMPass(); });
  registerPass([] { return createConvertControlFlowToLLVMPass(); });
  registerPass([] { return createReconcileUnrealizedCastsPass(); });
}

void registerLlvmLowering(DialectRegistry &registry) {
  OpPassManager passes(ModuleOp::getOperationName());
  buildLlvmPipeline(passes);
  passes.getDependentDialects(registry);
  registry.insert<func::FuncDialect, LLVM::LLVMDialect, scf::SCFDialect,
                  vector::VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

} // namespace tilewright
