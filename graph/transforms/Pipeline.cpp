//===- Pipeline.cpp - From a module of linalg on tensors to graph form ----===//
#include "graph/transforms/Passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tilewright::graph {

void registerModuleDialects(DialectRegistry &registry) {
  registry.insert<affine::AffineDialect, arith::ArithDialect,
                  cf::ControlFlowDialect, func::FuncDialect,
                  linalg::LinalgDialect, math::MathDialect, scf::SCFDialect,
                  tensor::TensorDialect, ub::UBDialect>();
  func::registerInlinerExtension(registry);
}

void buildModulePipeline(OpPassManager &passes) {
  // From here on: one function, one block, no calls.
  passes.addPass(createInlineFunctions());
  // Before anything folds: arith makes constants of no known size of tensors
  // (`x ^ x` of tensor<?xi32>).
  passes.addPass(createElementwiseToGeneric());
  // Bounds and conditions become constants.
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createFlattenControlFlow());
  // From here on: arguments and results are tensors.
  passes.addPass(createScalarsToTensors());
  passes.addPass(createCanonicalizerPass());
}

void buildGraphFormPipeline(OpPassManager &passes) {
  // Dead code first: it need not have a form.
  passes.addPass(createCSEPass());
  passes.addPass(createRemoveDeadValuesPass());
  // Softmax and its like become structured ops, slices, reshapes and loops.
  passes.addPass(createDecomposeLinalg());
  // From here on: no op with a region but linalg's, tensor's and graph's.
  passes.addPass(createFlattenControlFlow());
  passes.addPass(createRewriteSizes());
  passes.addPass(createLowerTensorOps());
  passes.addPass(createLowerSlices());
  passes.addPass(createLowerReshapes());
  passes.addPass(createElementwiseToGeneric());
  // From here on: what computes is a generic, or a fill with a constant.
  passes.addPass(createGeneralizeOps());
  // From here on: bodies read operands, constants and sizes.
  passes.addPass(createCaptureScalars());
  passes.addPass(createIndicesToIntegers());
  // Equal ops are merged before those with several results are taken apart.
  passes.addPass(createCSEPass());
  passes.addPass(createSplitResults());
  passes.addPass(createNormalizeGenerics());
  // From here on: what is read was written.
  passes.addPass(createDefineContent());
  passes.addPass(createInitsToInputs());
  passes.addPass(createVerifyGraphForm());
}

void registerGraphPipelines() {
  PassPipelineRegistration<> form(
      "graph-form",
      "A module of linalg on tensors in the form that groups of "
      "ops are made of",
      [](OpPassManager &passes) {
        buildModulePipeline(passes);
        buildGraphFormPipeline(passes);
      });
}

} // namespace tilewright::graph
