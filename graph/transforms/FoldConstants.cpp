//===- FoldConstants.cpp - Tensors that depend on no input ----------------===//
#include "graph/analysis/Blocks.h"
#include "graph/analysis/Evaluator.h"
#include "graph/transforms/ConstantSums.h"
#include "graph/transforms/Function.h"
#include "graph/transforms/Passes.h"
#include "graph/transforms/Resources.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include <cstring>

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_FOLDCONSTANTS
#include "graph/transforms/Passes.h.inc"

static bool isConstant(Value value) {
  return matchPattern(value, m_Constant());
}

/// Whether the body uses only constants and is the same at each point.
static bool hasConstantBody(linalg::GenericOp op) {
  bool isConstantBody = true;
  op.getBody()->walk([&](Operation *inner) {
    isConstantBody &= !isa<linalg::IndexOp, tensor::ExtractOp>(inner);
    for (Value operand : inner->getOperands())
      isConstantBody &=
          operand.getParentRegion() == &op.getRegion() || isConstant(operand);
  });
  return isConstantBody;
}

/// Whether the op reads only constants. An op that computes elements from their
/// positions (an iota) reads nothing, and stays.
static bool readsConstants(Operation &op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    SmallVector<Value> inputs = generic.getDpsInputs();
    return inputs.empty() ? hasConstantBody(generic)
                          : llvm::all_of(inputs, isConstant);
  }
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return llvm::all_of(concat.getInputs(), isConstant);
  if (isa<tensor::PadOp, tensor::ExtractSliceOp, tensor::ReshapeOp,
          tensor::CastOp>(op))
    return isConstant(op.getOperand(0));
  return false;
}

/// Whether the op widens floats and does nothing else: where its result is read
/// they cost less memory as they are.
static bool onlyWidens(Operation &op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && llvm::hasNItems(*generic.getBody(), 2) &&
         isa<arith::ExtFOp>(generic.getBody()->front());
}

/// The elements of an op's only result; null where they are not known.
static ElementsAttr evaluate(Operation &op, int64_t mostElements,
                             int64_t mostOperations) {
  // What owns the elements of a scatter is not specified.
  if (op.getNumResults() == 0 ||
      !llvm::all_of(op.getResults().drop_front(),
                    [](Value other) { return other.use_empty(); }))
    return {};
  auto type = dyn_cast<RankedTensorType>(op.getResult(0).getType());
  if (!type || !type.hasStaticShape() || type.getNumElements() == 0 ||
      type.getNumElements() > mostElements || !readsConstants(op) ||
      (onlyWidens(op) && type.getNumElements() > 1))
    return {};
  Sizes sizes(op.getContext());
  // All sizes are constants here, which the evaluator handles itself.
  Evaluator evaluator(sizes, [](Value) { return Expr(); }, mostOperations);
  SmallVector<int64_t> strides = computeStrides(type.getShape());
  SmallVector<Attribute> elements;
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    auto known = evaluator.element(op.getResult(0), delinearize(i, strides));
    if (!known || !known->constant ||
        known->constant.getType() != type.getElementType())
      return {};
    elements.push_back(known->constant);
  }
  return DenseElementsAttr::get(type, elements);
}

/// The elements of a constant of which constants replace some, at indices that
/// are constants; null for other ops. There may be many: tables are made so.
static ElementsAttr scattered(Operation &op) {
  constexpr int64_t mostElements = int64_t(1) << 24;
  auto scatter = dyn_cast<ScatterOp>(op);
  ElementsAttr data, updates;
  if (!scatter || scatter.getKind() != "set" ||
      (scatter.getOwners() && !scatter.getOwners().use_empty()) ||
      !llvm::all_of(scatter.getIndices(), isConstant) ||
      !matchPattern(scatter.getData(), m_Constant(&data)) ||
      !matchPattern(scatter.getUpdates(), m_Constant(&updates)) ||
      data.getNumElements() > mostElements)
    return {};
  const ArrayRef<char> before = bytesOf(data), changes = bytesOf(updates);
  Sizes sizes(op.getContext());
  Evaluator evaluator(sizes, [](Value) { return Expr(); }, mostElements);
  auto last = evaluator.lastUpdatesOf(scatter);
  if (before.empty() || changes.empty() || !last)
    return {};
  const size_t bytes = data.getElementType().getIntOrFloatBitWidth() / 8,
               count = size_t(data.getNumElements());
  AsmResourceBlob blob =
      HeapAsmResourceBlob::allocate(count * bytes, /*align=*/64);
  char *to = blob.getMutableData().data();
  // Of equal elements there is one.
  auto copy = [&](size_t at, ArrayRef<char> from, size_t number) {
    const size_t start = from.size() == bytes ? 0 : number * bytes;
    std::memcpy(to + at * bytes, from.data() + start, bytes);
  };
  for (size_t at = 0; at < count; ++at)
    copy(at, before, at);
  for (auto [at, number] : *last)
    copy(size_t(at), changes, size_t(number));
  return DenseResourceElementsAttr::get(cast<ShapedType>(data.getType()),
                                        "scattered", std::move(blob));
}

/// Puts operands with one value for all elements into the body. Contractions
/// keep them, and so their form.
static void inlineSplats(linalg::GenericOp op) {
  if (op.getNumReductionLoops() > 0)
    return;
  OpBuilder b = OpBuilder::atBlockBegin(op.getBody());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (unsigned i = op.getNumDpsInputs(); i-- > 0;) {
    DenseElementsAttr data;
    if (!matchPattern(op.getDpsInputs()[i], m_Constant(&data)) ||
        !data.isSplat())
      continue;
    auto value = cast<TypedAttr>(data.getSplatValue<Attribute>());
    Value scalar = arith::ConstantOp::create(b, op.getLoc(), value);
    op.getBody()->getArgument(i).replaceAllUsesWith(scalar);
    op.getBody()->eraseArgument(i);
    op.getInputsMutable().erase(i);
    maps.erase(maps.begin() + i);
  }
  op.setIndexingMapsAttr(b.getAffineMapArrayAttr(maps));
}

namespace {
struct FoldConstants : impl::FoldConstantsBase<FoldConstants> {
  using FoldConstantsBase::FoldConstantsBase;

  void runOnOperation() override {
    FailureOr<func::FuncOp> func = graphFunction(getOperation());
    if (failed(func))
      return signalPassFailure();
    for (Operation *op : graphOps(*func)) {
      if (auto generic = dyn_cast<linalg::GenericOp>(op))
        inlineSplats(generic);
      ElementsAttr elements = evaluate(*op, mostElements, mostOperations);
      if (!elements)
        elements = scattered(*op);
      if (auto generic = dyn_cast<linalg::GenericOp>(op); generic && !elements)
        elements = sumsOfConstant(generic);
      if (!elements)
        continue;
      OpBuilder b(op);
      Value constant = arith::ConstantOp::create(b, op->getLoc(), elements);
      op->getResult(0).replaceAllUsesWith(constant);
      op->erase();
      ++foldedCount;
    }
  }
};
} // namespace

} // namespace tilewright::graph
