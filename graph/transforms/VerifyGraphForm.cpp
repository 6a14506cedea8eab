//===- VerifyGraphForm.cpp - The form that groups are made of -------------===//
#include "graph/transforms/Passes.h"

#include "graph/analysis/Access.h"
#include "graph/ir/Graph.h"
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
          tensor::EmptyOp, tensor::FromElementsOp, tensor::PadOp,
          tensor::ExtractSliceOp>(op) ||
      hasOwnKernels(&op) || (isa<ub::PoisonOp>(op) && op.use_empty()))
    return success();
  bool hasTensors =
      llvm::any_of(op.getResultTypes(), llvm::IsaPred<TensorType>);
  bool hasEffects = op.getNumResults() == 0 &&
                    !isa<func::ReturnOp, cf::AssertOp, CheckOp, RequireOp>(op);
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
      for (Operation &op : func.getBody().front())
        if (failed(verifyOp(op)))
          return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};
} // namespace

} // namespace tilewright::graph
