//===- VerifyGraphForm.cpp - The form that groups are made of -------------===//
#include "graph/transforms/Passes.h"

#include "graph/analysis/Access.h"
#include "graph/analysis/Blocks.h"
#include "graph/ir/Graph.h"
#include "graph/transforms/Build.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_VERIFYGRAPHFORM
#include "graph/transforms/Passes.h.inc"

/// Each subscript of a result is a different loop, or 0 in a dimension of size
/// 1 that a reduction leaves.
static LogicalResult verifyResultMap(linalg::GenericOp op, unsigned number) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(number));
  if (!map.isProjectedPermutation(/*allowZeroInResults=*/true))
    return op.emitError("expected result ")
           << number << " to be indexed by loops, each once, found "
           << AffineMapAttr::get(map);
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if ((kind == utils::IteratorType::reduction) == map.isFunctionOfDim(loop))
      return op.emitError("expected results that are computed from each other "
                          "to be indexed alike, by the parallel loops; result ")
             << number << " is indexed by " << AffineMapAttr::get(map)
             << ", loop " << loop << " is " << stringifyIteratorType(kind);
  AffineMap first = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (map != first)
    return op.emitError("expected results that are computed from each other to "
                        "be indexed alike, found ")
           << AffineMapAttr::get(first) << " and " << AffineMapAttr::get(map);
  return success();
}

/// Whether tiles have an op for one of a body.
static LogicalResult verifyBodyOp(linalg::GenericOp op, Operation &inner) {
  StringRef dialect = inner.getName().getDialectNamespace();
  if (isa<linalg::IndexOp, linalg::YieldOp, tensor::ExtractOp, cf::AssertOp>(
          inner))
    return success();
  if ((dialect == "arith" || dialect == "math") && inner.getNumResults() == 1 &&
      inner.getNumRegions() == 0)
    return success();
  InFlightDiagnostic error =
      inner.emitError("expected ops of arith and math, linalg.index, "
                      "tensor.extract and structured control flow in the body "
                      "of an op on tensors, found ");
  error << inner.getName();
  error.attachNote(op.getLoc()) << "in the body of this op";
  return failure();
}

static LogicalResult verifyGeneric(linalg::GenericOp op) {
  for (Type type : op->getOperandTypes())
    if (!isa<RankedTensorType>(type))
      return op.emitError("expected operands that are ranked tensors, found ")
             << type;
  for (AffineMap map : op.getIndexingMapsArray())
    if (map.getNumSymbols() > 0)
      return op.emitError("expected indexing maps without symbols, found ")
             << AffineMapAttr::get(map);
  for (unsigned number = 0; number < op->getNumResults(); ++number)
    if (failed(verifyResultMap(op, number)))
      return failure();
  for (Operation &inner : *op.getBody())
    if (failed(verifyBodyOp(op, inner)))
      return failure();
  return success();
}

/// The elements that arithmetic and memory know.
static LogicalResult verifyType(Operation *op, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (isa<TensorType>(type) && !tensor)
    return op->emitError("expected a tensor of known rank, found ") << type;
  if (!tensor)
    return success();
  Type element = tensor.getElementType();
  bool isInteger = element.isSignlessInteger() &&
                   llvm::is_contained({1u, 4u, 8u, 16u, 32u, 64u},
                                      element.getIntOrFloatBitWidth());
  if (!isInteger && !element.isIndex() &&
      !isa<Float16Type, BFloat16Type, Float32Type, Float64Type,
           Float8E4M3FNType, Float8E5M2Type, Float4E2M1FNType,
           Float8E8M0FNUType>(element))
    return op->emitError(
               "expected elements that are i1, i4, i8, i16, i32, i64, "
               "index, f16, bf16, f32, f64, f8E4M3FN, f8E5M2, "
               "f4E2M1FN or f8E8M0FNU, found ")
           << type;
  if (tensor.getEncoding())
    return op->emitError("expected a dense tensor without an encoding, found ")
           << type;
  return success();
}

/// The numbers that the host has to know for a branch or a loop.
static SmallVector<Value> numbersOf(Operation *op) {
  SmallVector<Value> numbers;
  auto add = [&](ValueRange values) {
    llvm::copy_if(values, std::back_inserter(numbers),
                  [](Value value) { return value.getType().isIndex(); });
  };
  add(op->getOperands());
  for (Region &region : op->getRegions())
    add(region.front().getTerminator()->getOperands());
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    if (Value limit = conditionOf(loop).limit)
      numbers.push_back(limit);
  return numbers;
}

/// What the host decides, and what it carries from kernel to kernel.
static LogicalResult verifyBranchOrLoop(Operation *op) {
  for (Type type : op->getResultTypes())
    if (!isCarriedType(type))
      return op->emitError("expected a branch or a loop to yield tensors of "
                           "known rank and sizes, found ")
             << type;
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    if (!branch.getCondition().getDefiningOp<ConditionOp>())
      return op->emitError("expected the condition of a branch to be a "
                           "graph.condition");
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    if (!loop.getInductionVar().getType().isIndex() || loop.getUnsignedCmp())
      return op->emitError("expected the bounds of a loop to be sizes, found ")
             << loop.getInductionVar().getType();
  } else if (!isRotatedLoop(cast<scf::WhileOp>(op))) {
    return op->emitError("expected a loop that passes on what it carries, and "
                         "goes on as a graph.condition of a carried tensor "
                         "says");
  }
  if (!llvm::all_of(numbersOf(op), [](Value value) { return isSize(value); }))
    return op->emitError("expected the numbers of a branch or a loop to be "
                         "sizes; a graph.size reads one from memory");
  return success();
}

static LogicalResult verifyOp(Operation &op) {
  for (Type type : op.getResultTypes())
    if (failed(verifyType(&op, type)))
      return failure();
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return verifyGeneric(generic);
  if (auto fill = dyn_cast<linalg::FillOp>(op)) {
    if (matchPattern(fill.getInputs()[0], m_Constant()))
      return success();
    return op.emitError("expected a constant fill value");
  }
  if (isa<CompositeOp, arith::ConstantOp, tensor::ReshapeOp, tensor::CastOp,
          ResizeRowsOp, tensor::EmptyOp, tensor::FromElementsOp, tensor::PadOp,
          tensor::ExtractSliceOp>(op) ||
      hasOwnKernels(&op) || (isa<ub::PoisonOp>(op) && op.use_empty()))
    return success();
  if (isBranchOrLoop(&op))
    return verifyBranchOrLoop(&op);
  bool hasTensors =
      llvm::any_of(op.getResultTypes(), llvm::IsaPred<TensorType>);
  bool hasEffects = op.getNumResults() == 0 &&
                    !isa<func::ReturnOp, scf::YieldOp, scf::ConditionOp,
                         cf::AssertOp, CheckOp, RequireOp>(op);
  if (hasTensors || hasEffects || op.getNumRegions() > 0)
    return op.emitError("the graph level has no lowering for this op; expected "
                        "ops of linalg, tensor, arith, math and scf on tensors "
                        "(docs/mlir.md)");
  return success();
}

namespace {
struct VerifyGraphForm : impl::VerifyGraphFormBase<VerifyGraphForm> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (func.isExternal())
        continue;
      for (Type type : func.getArgumentTypes())
        if (failed(verifyType(func, type)))
          return signalPassFailure();
      for (Operation *op : graphOps(func))
        if (failed(verifyOp(*op)))
          return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};
} // namespace

} // namespace tilewright::graph
