//===- CaptureScalars.cpp - Scalars of bodies as operands -----------------===//
#include "graph/ir/Graph.h"
#include "graph/transforms/Build.h"
#include "graph/transforms/Passes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_CAPTURESCALARS
#include "graph/transforms/Passes.h.inc"

namespace {
class ScalarCapture {
public:
  explicit ScalarCapture(MLIRContext *context) : rewriter(context) {}

  LogicalResult run(linalg::GenericOp op);

private:
  FailureOr<bool> replace(linalg::GenericOp op);
  bool stays(Value scalar);
  FailureOr<Value> tensorOf(Value scalar);
  FailureOr<Value> elementOf(tensor::ExtractOp op);
  FailureOr<Value> computedBy(Operation *op, Value result);

  IRRewriter rewriter;
  DenseMap<Value, Value> tensors;
  DenseMap<Value, bool> known;
};
} // namespace

/// Values that a kernel can compute without reading memory: constants, and
/// sizes that its caller passes.
bool ScalarCapture::stays(Value scalar) {
  if (matchPattern(scalar, m_Constant()))
    return true;
  auto [it, isNew] = known.try_emplace(scalar, false);
  if (isNew)
    it->second = scalar.getType().isIndex() && isSize(scalar);
  return known[scalar];
}

FailureOr<Value> ScalarCapture::tensorOf(Value scalar) {
  if (Value tensor = tensors.lookup(scalar))
    return tensor;
  Operation *op = scalar.getDefiningOp();
  if (!op) {
    emitError(scalar.getLoc(), "expected a number that the function computes, "
                               "found an argument that is no tensor");
    return failure();
  }
  // What the host reads, kernels read as well.
  if (auto condition = dyn_cast<ConditionOp>(op))
    return condition.getTensor();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfter(op);
  auto extract = dyn_cast<tensor::ExtractOp>(op);
  bool isSlice = extract && llvm::all_of(extract.getIndices(), [](Value index) {
                   return isSize(index);
                 });
  FailureOr<Value> tensor =
      isSlice ? elementOf(extract) : computedBy(op, scalar);
  if (succeeded(tensor))
    tensors[scalar] = *tensor;
  return tensor;
}

/// The tensor of one element that `op` reads.
FailureOr<Value> ScalarCapture::elementOf(tensor::ExtractOp op) {
  if (op.getIndices().empty())
    return op.getTensor();
  SmallVector<OpFoldResult> offsets = getAsOpFoldResult(op.getIndices());
  SmallVector<OpFoldResult> ones(offsets.size(), rewriter.getIndexAttr(1));
  auto type = RankedTensorType::get({}, op.getType());
  return tensor::ExtractSliceOp::create(rewriter, op.getLoc(), type,
                                        op.getTensor(), offsets, ones, ones)
      .getResult();
}

/// The result of an op on scalars, as a tensor.
FailureOr<Value> ScalarCapture::computedBy(Operation *op, Value result) {
  StringRef dialect = op->getName().getDialectNamespace();
  bool isMapped =
      isa<tensor::ExtractOp>(op) || (dialect == "arith" || dialect == "math");
  if (!isMapped || op->getNumRegions() != 0 ||
      !result.getType().isIntOrIndexOrFloat())
    return op->emitError("expected a number that ops of arith and math compute "
                         "from sizes, constants and elements of tensors");
  SmallVector<Value> scalars;
  SmallVector<Read> reads;
  for (Value operand : op->getOperands()) {
    if (isa<TensorType>(operand.getType()) || stays(operand) ||
        llvm::is_contained(scalars, operand))
      continue;
    FailureOr<Value> tensor = tensorOf(operand);
    if (failed(tensor))
      return failure();
    scalars.push_back(operand);
    reads.push_back({*tensor, rewriter.getMultiDimIdentityMap(0)});
  }
  rewriter.setInsertionPointAfter(op);
  auto type = RankedTensorType::get({}, result.getType());
  return buildElementwise(
      rewriter, op->getLoc(), type, {}, reads,
      [&](OpBuilder &b, Location, ValueRange elements) -> Value {
        IRMapping mapping;
        mapping.map(scalars, elements);
        return b.clone(*op, mapping)
            ->getResult(cast<OpResult>(result).getResultNumber());
      });
}

/// Whether the op is a tensor of one number from outside: an op on tensors may
/// compute it already.
FailureOr<bool> ScalarCapture::replace(linalg::GenericOp op) {
  Value number = op.getBody()->getTerminator()->getOperand(0);
  if (op.getNumLoops() != 0 || op->getNumResults() != 1 ||
      number.getParentBlock() == op.getBody() || stays(number))
    return false;
  FailureOr<Value> tensor = tensorOf(number);
  if (failed(tensor))
    return failure();
  if (!tensor->getDefiningOp<linalg::GenericOp>())
    return false;
  rewriter.replaceOp(op, *tensor);
  return true;
}

LogicalResult ScalarCapture::run(linalg::GenericOp op) {
  FailureOr<bool> isReplaced = replace(op);
  if (failed(isReplaced) || *isReplaced)
    return isReplaced;
  IRMapping mapping;
  SmallVector<Value> inputs, read;
  SmallVector<AffineMap> maps;
  SmallVector<BlockArgument> kept;
  bool hasScalars = false;
  auto add = [&](Value scalar) -> LogicalResult {
    FailureOr<Value> tensor = tensorOf(scalar);
    if (failed(tensor))
      return failure();
    inputs.push_back(*tensor);
    maps.push_back(AffineMap::get(op.getNumLoops(), 0, op.getContext()));
    return success();
  };
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(input);
    bool isScalar = !isa<TensorType>(input->get().getType());
    hasScalars |= isScalar;
    if (isScalar && stays(input->get())) {
      mapping.map(argument, input->get());
      continue;
    }
    kept.push_back(argument);
    if (isScalar) {
      if (failed(add(input->get())))
        return failure();
      continue;
    }
    inputs.push_back(input->get());
    maps.push_back(op.getMatchingIndexingMap(input));
  }
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op.getRegion(), captured);
  for (Value value : captured) {
    if (isa<TensorType>(value.getType()) || stays(value))
      continue;
    hasScalars = true;
    if (failed(add(value)))
      return failure();
    read.push_back(value);
  }
  if (!hasScalars)
    return success();
  for (OpOperand &init : op.getDpsInitsMutable())
    maps.push_back(op.getMatchingIndexingMap(&init));
  rewriter.setInsertionPoint(op);
  auto body = [&](OpBuilder &b, Location at, ValueRange elements) {
    for (auto [from, to] : llvm::zip_first(kept, elements))
      mapping.map(from, to);
    mapping.map(read, elements.slice(kept.size(), read.size()));
    unsigned outs = op.getNumDpsInits();
    mapping.map(op.getRegionOutputArgs(), elements.take_back(outs));
    linalg::YieldOp::create(b, at, cloneBody(b, *op.getBody(), mapping));
  };
  rewriter.replaceOpWithNewOp<linalg::GenericOp>(
      op, op.getResultTypes(), inputs, op.getDpsInits(), maps,
      op.getIteratorTypesArray(), body);
  return success();
}

namespace {
struct CaptureScalars : impl::CaptureScalarsBase<CaptureScalars> {
  void runOnOperation() override {
    ScalarCapture capture(&getContext());
    SmallVector<linalg::GenericOp> generics;
    getOperation().walk([&](linalg::GenericOp op) { generics.push_back(op); });
    for (linalg::GenericOp op : generics)
      if (failed(capture.run(op)))
        return signalPassFailure();
  }
};
} // namespace

} // namespace tilewright::graph
