//===- SplitProducts.cpp - Sums of products read by index -----------------===//
//
// A body may read its factors where index arithmetic says, as a transposed
// convolution does. The elements that it reads become two tensors, which are
// views, and the sum a contraction of these.
//
//===----------------------------------------------------------------------===//
#include "graph/analysis/Access.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "spatial/transforms/LowerOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilewright::spatial {

/// Index arithmetic that does nothing within the loops' extents.
static void simplifyIndices(linalg::GenericOp op) {
  SmallVector<int64_t> extents = loopExtents(op);
  for (Operation &inner : llvm::make_early_inc_range(*op.getBody())) {
    if (!isa<arith::DivUIOp, arith::RemUIOp, arith::DivSIOp, arith::RemSIOp>(
            inner))
      continue;
    auto index = inner.getOperand(0).getDefiningOp<linalg::IndexOp>();
    APInt divisor;
    if (!index || !matchPattern(inner.getOperand(1), m_ConstantInt(&divisor)) ||
        divisor.getSExtValue() < extents[index.getDim()])
      continue;
    OpBuilder builder(&inner);
    Value result = index;
    if (isa<arith::DivUIOp, arith::DivSIOp>(inner))
      result = arith::ConstantIndexOp::create(builder, inner.getLoc(), 0);
    inner.getResult(0).replaceAllUsesWith(result);
    inner.erase();
  }
}

namespace {
/// What one side of the products reads.
struct Factor {
  /// An extract, or one that is widened.
  Value value;
  llvm::SmallSetVector<unsigned, 4> loops;
};

class ProductSplit {
public:
  explicit ProductSplit(linalg::GenericOp op)
      : op(op), extents(loopExtents(op)), builder(op) {}

  void run();

private:
  bool match();
  bool readFactor(Value value, Factor &factor);
  bool coversLoops();
  void addTaps(Value index);
  Value makeView(const Factor &factor, Value condition);
  void makeContraction(Value a, Value b);

  linalg::GenericOp op;
  SmallVector<int64_t> extents;
  OpBuilder builder;
  Factor first, second;
  /// Where it holds, the product counts; null if it always does.
  Value condition;
  /// Reduction loops that an index has beside a parallel one.
  llvm::SmallSetVector<unsigned, 4> taps;
};
} // namespace

/// Whether a scalar follows from the loops alone.
static bool followsFromLoops(Value value) {
  Operation *inner = value.getDefiningOp();
  if (!inner || isa<tensor::ExtractOp>(inner))
    return false;
  return llvm::all_of(inner->getOperands(), followsFromLoops);
}

void ProductSplit::addTaps(Value index) {
  llvm::SmallSetVector<unsigned, 4> loops;
  collectLoops(op, index, loops);
  auto kinds = op.getIteratorTypesArray();
  auto isReduction = [&](unsigned loop) {
    return kinds[loop] == utils::IteratorType::reduction;
  };
  if (llvm::all_of(loops, isReduction))
    return;
  for (unsigned loop : loops)
    if (isReduction(loop))
      taps.insert(loop);
}

bool ProductSplit::readFactor(Value value, Factor &factor) {
  factor.value = value;
  if (auto widened = value.getDefiningOp<arith::ExtFOp>())
    value = widened.getIn();
  auto extract = value.getDefiningOp<tensor::ExtractOp>();
  if (!extract || !llvm::all_of(extract.getIndices(), followsFromLoops))
    return false;
  for (Value index : extract.getIndices()) {
    collectLoops(op, index, factor.loops);
    addTaps(index);
  }
  return true;
}

/// Whether all loops index a tensor.
bool ProductSplit::coversLoops() {
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (unsigned loop = 0; loop < extents.size(); ++loop)
    if (!first.loops.contains(loop) && !second.loops.contains(loop) &&
        !result.isFunctionOfDim(loop))
      return false;
  return true;
}

bool ProductSplit::match() {
  std::optional<graph::Accumulation> accumulation =
      graph::matchAccumulation(op);
  if (!accumulation || !isa<arith::AddFOp>(accumulation->combiner))
    return false;
  Value element = accumulation->element;
  if (auto guard = element.getDefiningOp<arith::SelectOp>();
      guard && matchPattern(guard.getFalseValue(), m_AnyZeroFloat()) &&
      followsFromLoops(guard.getCondition())) {
    condition = guard.getCondition();
    element = guard.getTrueValue();
  }
  auto product = element.getDefiningOp<arith::MulFOp>();
  if (!product || !readFactor(product.getLhs(), first) ||
      !readFactor(product.getRhs(), second))
    return false;
  if (condition) {
    llvm::SmallSetVector<unsigned, 4> loops;
    collectLoops(op, condition, loops);
    auto missing = [&](const Factor &factor) {
      return llvm::count_if(
          loops, [&](unsigned loop) { return !factor.loops.contains(loop); });
    };
    // The factor that has more of the condition's loops is left out.
    if (missing(second) < missing(first))
      std::swap(first, second);
    first.loops.insert(loops.begin(), loops.end());
  }
  return coversLoops();
}

/// A tensor with what the factor is at each point of its loops, zero where the
/// condition does not hold.
Value ProductSplit::makeView(const Factor &factor, Value condition) {
  SmallVector<unsigned> loops(factor.loops.begin(), factor.loops.end());
  llvm::sort(loops);
  SmallVector<int64_t> shape;
  for (unsigned loop : loops)
    shape.push_back(extents[loop]);
  Location where = op.getLoc();
  Type type = factor.value.getType();
  Value empty = tensor::EmptyOp::create(builder, where, shape, type);
  auto rank = static_cast<unsigned>(shape.size());
  auto view = linalg::GenericOp::create(
      builder, where, empty.getType(), ValueRange{}, empty,
      builder.getMultiDimIdentityMap(rank),
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [&](OpBuilder &inner, Location, ValueRange) {
        IRMapping mapping;
        std::function<Value(Value)> clone = [&](Value value) -> Value {
          if (Value known = mapping.lookupOrNull(value))
            return known;
          Operation *maker = value.getDefiningOp();
          if (maker->getBlock() != op.getBody())
            return value;
          if (auto index = dyn_cast<linalg::IndexOp>(maker)) {
            const auto *loop =
                llvm::find(loops, static_cast<unsigned>(index.getDim()));
            return linalg::IndexOp::create(inner, where, loop - loops.begin());
          }
          for (Value operand : maker->getOperands())
            if (operand.getParentBlock() == op.getBody())
              mapping.map(operand, clone(operand));
          return inner.clone(*maker, mapping)->getResult(0);
        };
        Value value = clone(factor.value);
        if (condition) {
          Value zero =
              arith::ConstantOp::create(inner, where, inner.getZeroAttr(type));
          value = arith::SelectOp::create(inner, where, clone(condition), value,
                                          zero);
        }
        linalg::YieldOp::create(inner, where, value);
      });
  return view.getResult(0);
}

void ProductSplit::makeContraction(Value a, Value b) {
  auto mapOf = [&](const Factor &factor) {
    SmallVector<unsigned> loops(factor.loops.begin(), factor.loops.end());
    llvm::sort(loops);
    SmallVector<AffineExpr> results;
    for (unsigned loop : loops)
      results.push_back(builder.getAffineDimExpr(loop));
    return AffineMap::get(static_cast<unsigned>(extents.size()), 0, results,
                          builder.getContext());
  };
  OpOperand *init = op.getDpsInitOperand(0);
  auto contraction = linalg::GenericOp::create(
      builder, op.getLoc(), op->getResultTypes(), ValueRange{a, b}, init->get(),
      {mapOf(first), mapOf(second), op.getMatchingIndexingMap(init)},
      op.getIteratorTypesArray(),
      [](OpBuilder &inner, Location where, ValueRange in) {
        Value product = arith::MulFOp::create(inner, where, in[0], in[1]);
        linalg::YieldOp::create(
            inner, where,
            ValueRange{arith::AddFOp::create(inner, where, in[2], product)});
      });
  contraction->setAttr(kTapsAttr,
                       builder.getDenseI32ArrayAttr(
                           SmallVector<int32_t>(taps.begin(), taps.end())));
  op.getResult(0).replaceAllUsesWith(contraction.getResult(0));
  op.erase();
}

void ProductSplit::run() {
  if (op.getNumReductionLoops() == 0 || op->getNumResults() != 1)
    return;
  simplifyIndices(op);
  if (!match())
    return;
  Value a = makeView(first, condition), b = makeView(second, {});
  makeContraction(a, b);
}

void splitProducts(linalg::GenericOp op) { ProductSplit(op).run(); }

} // namespace tilewright::spatial
