//===- Access.cpp - How the ops of a graph read their operands ------------===//
#include "graph/analysis/Access.h"

#include "graph/ir/Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "tileir/ir/NeutralElement.h"

using namespace mlir;

namespace tilewright::graph {

bool isComputeOp(Operation *op) {
  return isa<linalg::GenericOp, linalg::FillOp, tensor::PadOp,
             tensor::ExtractSliceOp>(op);
}

bool hasOwnKernels(Operation *op) {
  return isa<tensor::ConcatOp, TopKOp, ScatterOp, SortOp, ScanOp, DigitCountsOp,
             DigitScatterOp>(op);
}

bool isElementwise(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && generic.getNumReductionLoops() == 0 &&
         generic->getNumResults() == 1;
}

bool isCounted(Operation *op) {
  if (!isElementwise(op))
    return false;
  auto generic = cast<linalg::GenericOp>(op);
  return generic.getNumDpsInputs() == 0 &&
         llvm::none_of(op->getOpOperands(), readsContent) &&
         generic.getBody()->getOps<tensor::ExtractOp>().empty();
}

bool isPureCopy(Operation *op) {
  if (!isElementwise(op))
    return false;
  Block &body = op->getRegion(0).front();
  if (!llvm::hasSingleElement(body))
    return false;
  auto yielded = dyn_cast<BlockArgument>(body.front().getOperand(0));
  return yielded && yielded.getOwner() == &body;
}

bool isReduction(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && generic.getNumReductionLoops() > 0;
}

/// `combiner` as the accumulation of its other operand in `acc`.
static std::optional<Accumulation> accumulationIn(Value acc,
                                                  Operation *combiner) {
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp, arith::MulFOp,
                       arith::MulIOp, arith::MaximumFOp, arith::MinimumFOp,
                       arith::MaxNumFOp, arith::MinNumFOp, arith::MaxSIOp,
                       arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp,
                       arith::AndIOp, arith::OrIOp, arith::XOrIOp>(combiner) ||
      !llvm::is_contained(combiner->getOperands(), acc))
    return std::nullopt;
  Value element = combiner->getOperand(0) == acc ? combiner->getOperand(1)
                                                 : combiner->getOperand(0);
  return Accumulation{combiner, element};
}

std::optional<Accumulation> matchAccumulation(linalg::GenericOp op) {
  if (op->getNumResults() != 1)
    return std::nullopt;
  Block *body = op.getBody();
  BlockArgument acc = body->getArguments().back();
  Operation *combiner = body->getTerminator()->getOperand(0).getDefiningOp();
  if (!acc.hasOneUse() || combiner != *acc.user_begin())
    return std::nullopt;
  return accumulationIn(acc, combiner);
}

TypedAttr neutralOf(const Accumulation &accumulation) {
  return tile::neutralElement(accumulation.combiner);
}

TypedAttr neutralInput(BlockArgument input, const Accumulation &accumulation) {
  TypedAttr neutral = neutralOf(accumulation);
  if (!neutral || accumulation.element == input)
    return neutral;
  auto widened = accumulation.element.getDefiningOp<arith::ExtFOp>();
  if (!widened || widened.getIn() != input)
    return {};
  APFloat value = cast<FloatAttr>(neutral).getValue();
  bool losesInfo = false;
  value.convert(cast<FloatType>(input.getType()).getFloatSemantics(),
                APFloat::rmNearestTiesToEven, &losesInfo);
  return losesInfo ? TypedAttr() : FloatAttr::get(input.getType(), value);
}

namespace {
/// `first <= second` of the subscripts of two loops, `<` if it is strict.
struct LoopOrder {
  unsigned first, second;
  bool isStrict;
};
} // namespace

static std::optional<LoopOrder> loopOrder(Value condition) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return std::nullopt;
  auto lhs = compare.getLhs().getDefiningOp<linalg::IndexOp>();
  auto rhs = compare.getRhs().getDefiningOp<linalg::IndexOp>();
  if (!lhs || !rhs)
    return std::nullopt;
  const auto left = unsigned(lhs.getDim()), right = unsigned(rhs.getDim());
  using Predicate = arith::CmpIPredicate;
  switch (compare.getPredicate()) {
  case Predicate::sle:
  case Predicate::ule:
    return LoopOrder{left, right, false};
  case Predicate::slt:
  case Predicate::ult:
    return LoopOrder{left, right, true};
  case Predicate::sge:
  case Predicate::uge:
    return LoopOrder{right, left, false};
  case Predicate::sgt:
  case Predicate::ugt:
    return LoopOrder{right, left, true};
  default:
    return std::nullopt;
  }
}

std::optional<Prefixes> matchPrefixes(linalg::GenericOp op) {
  if (op->getNumResults() != 1 || op.getNumReductionLoops() != 1)
    return std::nullopt;
  Block *body = op.getBody();
  BlockArgument acc = body->getArguments().back();
  auto select =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::SelectOp>();
  // Nothing else reads what is accumulated.
  if (!select || select.getFalseValue() != acc ||
      llvm::range_size(acc.getUses()) != 2)
    return std::nullopt;
  std::optional<Accumulation> accumulation =
      accumulationIn(acc, select.getTrueValue().getDefiningOp());
  std::optional<LoopOrder> order = loopOrder(select.getCondition());
  if (!accumulation || !order || order->first == order->second)
    return std::nullopt;
  bool isReverse = op.getIteratorTypesArray()[order->second] ==
                   utils::IteratorType::reduction;
  Prefixes prefixes{.accumulation = *accumulation,
                    .loop = order->second,
                    .reduction = order->first,
                    .isReverse = isReverse,
                    .isExclusive = order->isStrict,
                    .extent = 0,
                    .dim = 0};
  if (isReverse)
    std::swap(prefixes.loop, prefixes.reduction);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  prefixes.extent = ranges[prefixes.loop];
  if (op.getIteratorTypesArray()[prefixes.reduction] !=
          utils::IteratorType::reduction ||
      ranges[prefixes.reduction] != prefixes.extent)
    return std::nullopt;
  // An element depends on the reduction loop, and not on the other.
  for (OpOperand *input : op.getDpsInputOperands())
    if (op.getMatchingIndexingMap(input).isFunctionOfDim(prefixes.loop))
      return std::nullopt;
  for (linalg::IndexOp index : body->getOps<linalg::IndexOp>())
    if (index.getDim() == prefixes.loop && !index->hasOneUse())
      return std::nullopt;
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  std::optional<unsigned> dim =
      out.getResultPosition(getAffineDimExpr(prefixes.loop, op.getContext()));
  if (!dim)
    return std::nullopt;
  prefixes.dim = *dim;
  return prefixes;
}

/// Looks through a cast to the block argument that it reads.
static BlockArgument inputThroughCast(Value value, Block *body) {
  if (Operation *op = value.getDefiningOp())
    if (isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(op))
      value = op->getOperand(0);
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner() == body ? argument : BlockArgument();
}

/// Whether a dot computes the last bits, or the roundings, of products and sums
/// in this type.
static bool canBeDot(Type type) {
  if (isa<FloatType>(type))
    return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type);
  return type.isInteger() && !type.isInteger(1);
}

/// Whether the elements that are combined depend on each reduction loop in both
/// inputs.
static bool readsBothAlongReductions(linalg::GenericOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction && ranges[loop] != 1 &&
        !(maps[0].isFunctionOfDim(loop) && maps[1].isFunctionOfDim(loop)))
      return false;
  return true;
}

bool isContraction(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || !isReduction(op) || generic.getNumDpsInputs() != 2 ||
      !readsBothAlongReductions(generic))
    return false;
  std::optional<Accumulation> accumulation = matchAccumulation(generic);
  if (!accumulation ||
      !isa<arith::AddFOp, arith::AddIOp>(accumulation->combiner))
    return false;
  Operation *product = accumulation->element.getDefiningOp();
  if (!product || !isa<arith::MulFOp, arith::MulIOp>(product) ||
      !canBeDot(product->getResult(0).getType()))
    return false;
  BlockArgument lhs =
      inputThroughCast(product->getOperand(0), generic.getBody());
  BlockArgument rhs =
      inputThroughCast(product->getOperand(1), generic.getBody());
  return lhs && rhs && lhs.getArgNumber() + rhs.getArgNumber() == 1;
}

std::optional<unsigned> partsLoop(linalg::GenericOp op) {
  auto loop = op->getAttrOfType<IntegerAttr>(kPartsAttr);
  return loop ? std::optional(unsigned(loop.getInt())) : std::nullopt;
}

void setPartsLoop(linalg::GenericOp op, unsigned loop) {
  op->setAttr(kPartsAttr, Builder(op.getContext()).getI64IntegerAttr(loop));
}

bool isTakenInTurn(linalg::GenericOp op, unsigned loop) {
  std::optional<unsigned> parts = partsLoop(op);
  return parts && loop != *parts &&
         ShapedType::isDynamic(op.getStaticLoopRanges()[loop]) &&
         llvm::any_of(op.getIndexingMapsArray(), [&](AffineMap map) {
           return llvm::any_of(map.getResults(), [&](AffineExpr subscript) {
             return subscript.isFunctionOfDim(*parts) &&
                    subscript.isFunctionOfDim(loop);
           });
         });
}

llvm::SmallBitVector windowLoops(linalg::GenericOp op) {
  llvm::SmallBitVector loops(op.getNumLoops());
  std::optional<unsigned> parts = partsLoop(op);
  for (AffineMap map : op.getIndexingMapsArray())
    for (AffineExpr subscript : map.getResults()) {
      llvm::SmallBitVector used(op.getNumLoops());
      subscript.walk([&](AffineExpr part) {
        if (auto dim = dyn_cast<AffineDimExpr>(part))
          used.set(dim.getPosition());
      });
      if (parts)
        used.reset(*parts);
      if (used.count() > 1)
        loops |= used;
    }
  return loops;
}

SmallVector<unsigned> plainReductionLoops(linalg::GenericOp op) {
  llvm::SmallBitVector windows = windowLoops(op);
  SmallVector<unsigned> loops;
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction && !windows.test(loop))
      loops.push_back(loop);
  return loops;
}

SmallVector<unsigned> ownLoops(linalg::GenericOp op, unsigned side) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<unsigned> loops;
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::parallel && ranges[loop] != 1 &&
        maps[side].isFunctionOfDim(loop) &&
        !maps[1 - side].isFunctionOfDim(loop))
      loops.push_back(loop);
  return loops;
}

bool isMatrixProduct(Operation *op) {
  if (!isContraction(op))
    return false;
  auto generic = cast<linalg::GenericOp>(op);
  return !plainReductionLoops(generic).empty() ||
         (!ownLoops(generic, 0).empty() && !ownLoops(generic, 1).empty());
}

bool isInnermost(linalg::GenericOp op, unsigned loop) {
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    AffineMap map = op.getMatchingIndexingMap(input);
    return map.getNumResults() > 0 &&
           !op.getMatchingBlockArgument(input).use_empty() &&
           map.getResults().back().isFunctionOfDim(loop);
  });
}

bool reducesNeighbours(linalg::GenericOp op) {
  return llvm::any_of(plainReductionLoops(op),
                      [&](unsigned loop) { return isInnermost(op, loop); });
}

bool isWindowReduction(linalg::GenericOp op) {
  constexpr int64_t mostPoints = 64;
  if (isMatrixProduct(op) || !plainReductionLoops(op).empty())
    return false;
  int64_t points = 1;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (kind != utils::IteratorType::reduction)
      continue;
    if (ShapedType::isDynamic(ranges[loop]) || ranges[loop] > mostPoints)
      return false;
    points *= ranges[loop];
  }
  return points > 0 && points <= mostPoints;
}

bool isAffineAccess(AffineMap map) {
  for (AffineExpr subscript : map.getResults()) {
    if (!subscript.isPureAffine())
      return false;
    bool isLinear = true;
    subscript.walk([&](AffineExpr part) {
      AffineExprKind kind = part.getKind();
      isLinear &=
          kind != AffineExprKind::FloorDiv && kind != AffineExprKind::CeilDiv &&
          kind != AffineExprKind::Mod && kind != AffineExprKind::SymbolId;
      if (kind == AffineExprKind::Mul)
        if (auto factor = dyn_cast<AffineConstantExpr>(
                cast<AffineBinaryOpExpr>(part).getRHS()))
          isLinear &= factor.getValue() > 0;
    });
    if (!isLinear)
      return false;
  }
  return true;
}

bool readsContent(OpOperand &use) {
  if (isa<tensor::DimOp>(use.getOwner()))
    return false;
  auto op = dyn_cast<linalg::GenericOp>(use.getOwner());
  // An empty reduction returns its initial value.
  return !op || op.isDpsInput(&use) || isReduction(op) ||
         !op.getMatchingBlockArgument(&use).use_empty();
}

bool isStructuredRead(OpOperand &use) {
  auto op = dyn_cast<linalg::GenericOp>(use.getOwner());
  if (!op)
    return true;
  AffineMap map = op.getMatchingIndexingMap(&use);
  if (!isAffineAccess(map))
    return false;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<unsigned> plain = plainReductionLoops(op);
  std::optional<unsigned> parts = partsLoop(op);
  llvm::SmallBitVector seen(op.getNumLoops());
  for (AffineExpr subscript : map.getResults()) {
    bool hasLoop = false;
    for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
      bool isTiled = loop != parts && (kind == utils::IteratorType::parallel ||
                                       llvm::is_contained(plain, loop));
      if (!isTiled || ranges[loop] == 1 || !subscript.isFunctionOfDim(loop))
        continue;
      if (hasLoop || seen.test(loop))
        return false;
      hasLoop = true;
      seen.set(loop);
    }
  }
  return true;
}

bool reordersElements(ArrayRef<int64_t> permutation, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> wide;
  for (int64_t dim : permutation)
    if (shape[dim] > 1)
      wide.push_back(dim);
  return !llvm::is_sorted(wide);
}

bool isEmptyTensor(Type tensor) {
  return llvm::is_contained(cast<RankedTensorType>(tensor).getShape(), 0);
}

bool isSplatConstant(Value value, TypedAttr *splat) {
  SplatElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)))
    return false;
  if (splat)
    *splat = cast<TypedAttr>(elements.getSplatValue<Attribute>());
  return true;
}

} // namespace tilewright::graph
