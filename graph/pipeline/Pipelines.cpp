//===- Pipelines.cpp - The way of a graph to tile kernels -----------------===//
#include "graph/pipeline/Pipelines.h"

#include "graph/lowering/Passes.h"
#include "graph/transforms/Function.h"
#include "graph/transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
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

/// Canonicalization that does not select between what both sides of a branch
/// yield from outside of it: of tensors that would be a copy, and of sizes
/// something that shapes cannot follow.
static void addCanonicalizer(OpPassManager &passes) {
  passes.addNestedPass<func::FuncOp>(createCanonicalizerPass(
      GreedyRewriteConfig(),
      {"(anonymous namespace)::ConvertTrivialIfToSelect",
       // Gives what a loop carries the sizes that it begins with, also where
       // an iteration changes them.
       "(anonymous namespace)::ForOpTensorCastFolder"}));
}

/// Dead code goes, without the canonicalization that the pass would run: of
/// that `addCanonicalizer` leaves out a part.
static std::unique_ptr<Pass> createRemoveDeadValues() {
  std::unique_ptr<Pass> pass = createRemoveDeadValuesPass();
  LogicalResult ok = pass->initializeOptions(
      "canonicalize=false", [](const Twine &) { return failure(); });
  assert(succeeded(ok) && "an option of this version of MLIR");
  (void)ok;
  return pass;
}

void buildModulePipeline(OpPassManager &passes) {
  // From here on: one function of one block, but for control flow; no calls.
  passes.addPass(createInlineFunctions());
  passes.addPass(createSpecializeShapes());
  // Before any folding: arith folds tensors to constants of unknown size (`x ^
  // x` of tensor<?xi32>).
  passes.addPass(createElementwiseToGeneric());
  // Bounds and conditions become constants.
  addCanonicalizer(passes);
  passes.addPass(createFlattenControlFlow());
  // From here on: arguments and results are tensors.
  passes.addPass(createScalarsToTensors());
  addCanonicalizer(passes);
}

void buildGraphFormPipeline(OpPassManager &passes) {
  // Dead code first: it need not have a form. In a function alone nobody would
  // seem to want the results, so that the pass runs on the module.
  passes.addNestedPass<func::FuncOp>(createCSEPass());
  passes.addPass(createRemoveDeadValues());
  // Softmax and its like become structured ops, slices, reshapes and loops.
  passes.addPass(createDecomposeLinalg());
  // From here on: the rows of a sort fit into a tile.
  passes.addPass(createExpandSorts());
  // From here on: no op with a region but linalg's, tensor's and graph's, and
  // branches and loops that the host decides.
  passes.addPass(createFlattenControlFlow());
  passes.addPass(createRewriteSizes());
  // From here on: no size of a slice or an empty tensor depends on elements.
  passes.addPass(createReadSizes());
  passes.addPass(createInsertsToScatters());
  passes.addPass(createLowerTensorOps());
  passes.addPass(createLowerSlices());
  passes.addPass(createLowerReshapes());
  passes.addPass(createElementwiseToGeneric());
  // From here on: what computes is a generic, or a fill with a constant.
  passes.addPass(createGeneralizeOps());
  passes.addPass(createFoldBatchNorm());
  passes.addPass(createFoldConstants());
  // From here on: bodies read operands, constants and sizes.
  passes.addPass(createCaptureScalars());
  passes.addPass(createIndicesToIntegers());
  // Equal ops are merged before those with several results are taken apart.
  passes.addNestedPass<func::FuncOp>(createCSEPass());
  passes.addPass(createSplitResults());
  passes.addPass(createNormalizeGenerics());
  passes.addPass(createPushGathers());
  passes.addPass(createMoveReshapes());
  passes.addPass(createSplitReductions());
  // From here on: what is read was written.
  passes.addPass(createDefineContent());
  passes.addPass(createInitsToInputs());
  passes.addPass(createMoveConcats());
  passes.addPass(createVerifyGraphForm());
}

void buildGroupsPipeline(OpPassManager &passes, const GroupsOptions &options) {
  buildGraphFormPipeline(passes);
  // From here on: no size depends on an op that computes elements.
  passes.addPass(createResolveSizes());
  passes.addPass(createInsertSizeChecks());
  // Behind the checks: that of a reshape says that it keeps all elements.
  passes.addPass(createSqueezeSlices());
  passes.addPass(createOrderWeights({.ofF32 = options.roundsF32}));
  if (options.attention)
    passes.addPass(createMarkAttentions(
        {.always = options.alwaysAttention, .explain = options.explain}));
  // From here on: what computes is in a group.
  passes.addPass(createFormGroups({.explain = options.explain}));
  passes.addPass(createMergeRows());
}

void buildTilePipeline(OpPassManager &passes, StringRef precision) {
  // From here on: the function launches kernels, which are in modules of their
  // own.
  passes.addPass(createConvertGraphToTile({.precision = precision.str()}));
  passes.addPass(createLoopsToKernels());
  passes.addPass(createDeduplicateKernels());
}

FailureOr<func::FuncOp> groupGraph(ModuleOp module) {
  if (failed(graphFunction(module)))
    return failure();
  PassManager passes(module.getContext());
  buildGroupsPipeline(passes);
  if (failed(passes.run(module)))
    return failure();
  return graphFunction(module);
}

void registerGraphPipelines() {
  registerGraphPasses();
  registerGraphLoweringPasses();
  using Pipeline = PassPipelineRegistration<>;
  Pipeline("module-to-graph",
           "A module of linalg on tensors as one function of tensors",
           buildModulePipeline);
  Pipeline("graph-form",
           "A module of linalg on tensors in the form that groups of ops are "
           "made of",
           [](OpPassManager &passes) {
             buildModulePipeline(passes);
             buildGraphFormPipeline(passes);
           });
  Pipeline("graph-to-groups", "A graph as groups, each of which is a kernel",
           [](OpPassManager &passes) { buildGroupsPipeline(passes); });
  Pipeline("groups-to-tile", "Groups as tile kernels and their launches",
           [](OpPassManager &passes) { buildTilePipeline(passes); });
}

} // namespace tilewright::graph
