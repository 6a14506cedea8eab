#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "tileir/ir/FastMath.h"
#include "tileir/transforms/Passes.h"
#include "tilewright/mlir/Tile.h"

#include <numbers>

using namespace mlir;

namespace tilewright::tile {

#define GEN_PASS_DEF_USEFASTMATH
#include "tileir/transforms/Passes.h.inc"

using arith::FastMathFlags;

static bool hasFlag(Operation *op, FastMathFlags flag) {
  return arith::bitEnumContainsAll(fastMathFlagsOf(op), flag);
}

/// What both ops allow.
static arith::FastMathFlagsAttr commonFlags(Operation *a, Operation *b) {
  return arith::FastMathFlagsAttr::get(a->getContext(),
                                       fastMathFlagsOf(a) & fastMathFlagsOf(b));
}

/// A product that may be fused into `sum`, its only reader.
static arith::MulFOp fusedProduct(Value operand, Operation *sum) {
  auto product = operand.getDefiningOp<arith::MulFOp>();
  bool fuses = product && product->hasOneUse() &&
               product->getBlock() == sum->getBlock() &&
               hasFlag(product, FastMathFlags::contract) &&
               hasFlag(sum, FastMathFlags::contract);
  return fuses ? product : nullptr;
}

/// Each factor of a product that allows `flag`, and the other one; none where
/// `value` is no such product.
static SmallVector<std::pair<Value, Value>, 2> factorsOf(Value value,
                                                         FastMathFlags flag) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product || !hasFlag(product, flag))
    return {};
  Value lhs = product.getLhs(), rhs = product.getRhs();
  return {{lhs, rhs}, {rhs, lhs}};
}

static bool is16BitsOrMore(Type type) {
  return getElementTypeOrSelf(type).getIntOrFloatBitWidth() >= 16;
}

namespace {
/// a * b + c and c + a * b, rounded once.
struct FuseAddition : OpRewritePattern<arith::AddFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::AddFOp op,
                                PatternRewriter &rewriter) const override {
    for (auto [from, other] : {std::pair(op.getLhs(), op.getRhs()),
                               std::pair(op.getRhs(), op.getLhs())})
      if (arith::MulFOp product = fusedProduct(from, op);
          product && is16BitsOrMore(op.getType())) {
        rewriter.replaceOpWithNewOp<math::FmaOp>(op, product.getLhs(),
                                                 product.getRhs(), other,
                                                 commonFlags(op, product));
        return success();
      }
    return failure();
  }
};

/// a * b - c and c - a * b, rounded once.
struct FuseSubtraction : OpRewritePattern<arith::SubFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::SubFOp op,
                                PatternRewriter &rewriter) const override {
    if (!is16BitsOrMore(op.getType()))
      return failure();
    Location loc = op.getLoc();
    if (arith::MulFOp product = fusedProduct(op.getLhs(), op)) {
      Value negated = arith::NegFOp::create(rewriter, loc, op.getRhs());
      rewriter.replaceOpWithNewOp<math::FmaOp>(op, product.getLhs(),
                                               product.getRhs(), negated,
                                               commonFlags(op, product));
      return success();
    }
    arith::MulFOp product = fusedProduct(op.getRhs(), op);
    if (!product)
      return failure();
    Value negated = arith::NegFOp::create(rewriter, loc, product.getLhs());
    rewriter.replaceOpWithNewOp<math::FmaOp>(
        op, negated, product.getRhs(), op.getLhs(), commonFlags(op, product));
    return success();
  }
};
} // namespace

static Value splatOf(PatternRewriter &rewriter, Location loc, Type type,
                     const APFloat &number) {
  TypedAttr value = rewriter.getFloatAttr(getElementTypeOrSelf(type), number);
  if (auto tile = dyn_cast<RankedTensorType>(type))
    value = DenseElementsAttr::get(tile, Attribute(value));
  return arith::ConstantOp::create(rewriter, loc, value);
}

static APFloat oneLike(Type type) {
  return APFloat::getOne(
      cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics());
}

/// A root whose reciprocal may be one function.
static math::SqrtOp approximateRoot(arith::DivFOp op, Value divisor) {
  auto root = divisor.getDefiningOp<math::SqrtOp>();
  bool approximates = root && root->hasOneUse() &&
                      hasFlag(op, FastMathFlags::afn) &&
                      hasFlag(root, FastMathFlags::afn);
  return approximates ? root : nullptr;
}

/// 1 / divisor, with the flags of `op`.
static Value reciprocalOf(PatternRewriter &rewriter, arith::DivFOp op,
                          Value divisor) {
  Location loc = op.getLoc();
  if (math::SqrtOp root = approximateRoot(op, divisor))
    return math::RsqrtOp::create(rewriter, loc, root.getOperand(),
                                 op.getFastmathAttr());
  Type type = divisor.getType();
  return arith::DivFOp::create(rewriter, loc,
                               splatOf(rewriter, loc, type, oneLike(type)),
                               divisor, op.getFastmathAttr());
}

/// Of a scalar constant, or of all elements of a tile.
static std::optional<APFloat> constantNumber(Value value) {
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return std::nullopt;
  if (auto splat = dyn_cast<SplatElementsAttr>(constant))
    return splat.getSplatValue<APFloat>();
  if (auto number = dyn_cast<FloatAttr>(constant))
    return number.getValue();
  return std::nullopt;
}

static int64_t elementCount(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? tile.getNumElements() : 1;
}

/// Whether the op has more elements than its only operand, and no others: a
/// splat or a broadcast.
static bool repeatsOperand(Operation *op) {
  return isPure(op) && op->getNumOperands() == 1 && op->getNumResults() == 1 &&
         getElementTypeOrSelf(op->getOperand(0)) ==
             getElementTypeOrSelf(op->getResult(0)) &&
         elementCount(op->getOperand(0).getType()) <
             elementCount(op->getResult(0).getType());
}

/// `of` the elements that a splat or a broadcast repeats, repeated; null where
/// `value` is neither.
static Value onceOfEach(PatternRewriter &rewriter, Value value,
                        llvm::function_ref<Value(Value)> of) {
  Operation *repeats = value.getDefiningOp();
  if (!repeats || !repeatsOperand(repeats))
    return {};
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(repeats);
  Value made = of(repeats->getOperand(0));
  Operation *again = rewriter.clone(*repeats);
  again->setOperand(0, made);
  return again->getResult(0);
}

/// The reciprocal of a divisor that has fewer different elements than the
/// quotient; null where it has as many.
static Value sharedReciprocal(PatternRewriter &rewriter, arith::DivFOp op) {
  if (std::optional<APFloat> number = constantNumber(op.getRhs());
      number && number->isFiniteNonZero())
    return splatOf(rewriter, op.getLoc(), op.getType(),
                   oneLike(op.getType()) / *number);
  return onceOfEach(rewriter, op.getRhs(), [&](Value divisor) {
    return reciprocalOf(rewriter, op, divisor);
  });
}

/// `value`, of f32, times `factor`, computed once for each different element;
/// null where it has as many as elements.
static Value sharedProduct(PatternRewriter &rewriter, Value value,
                           double factor) {
  auto splat = [&](Type type, double number) {
    return splatOf(rewriter, value.getLoc(), type, APFloat(float(number)));
  };
  if (std::optional<APFloat> number = constantNumber(value))
    return splat(value.getType(), number->convertToDouble() * factor);
  return onceOfEach(rewriter, value, [&](Value each) -> Value {
    return arith::MulFOp::create(rewriter, value.getLoc(), each,
                                 splat(each.getType(), factor));
  });
}

/// The only number of the tile `value`, of f32, times `factor`, as a tile of
/// `type`; null where its elements differ.
static Value oneNumber(PatternRewriter &rewriter, Value value, Type type,
                       double factor) {
  Location loc = value.getLoc();
  if (std::optional<APFloat> number = constantNumber(value))
    return splatOf(rewriter, loc, type,
                   APFloat(float(number->convertToDouble() * factor)));
  Operation *splat = value.getDefiningOp();
  if (!splat || !repeatsOperand(splat) ||
      isa<RankedTensorType>(splat->getOperand(0).getType()))
    return {};
  Value number = splat->getOperand(0);
  number = arith::MulFOp::create(
      rewriter, loc, number,
      splatOf(rewriter, loc, number.getType(), APFloat(float(factor))));
  Operation *again = rewriter.clone(*splat);
  again->setOperand(0, number);
  again->getResult(0).setType(type);
  return again->getResult(0);
}

static Value beforeScale(PatternRewriter &rewriter, Value value,
                         std::optional<APFloat> &scale);

/// The same for what both branches of a condition yield: they yield x, and the
/// product follows the condition.
static Value beforeScaleOfBranches(PatternRewriter &rewriter, OpResult result,
                                   std::optional<APFloat> &scale) {
  auto branches = cast<scf::IfOp>(result.getOwner());
  const unsigned number = result.getResultNumber();
  Operation *first = branches.thenYield(), *second = branches.elseYield();
  std::optional<APFloat> other;
  Value x = beforeScale(rewriter, first->getOperand(number), scale),
        y = x ? beforeScale(rewriter, second->getOperand(number), other) : x;
  if (!y || !scale->bitwiseIsEqual(*other))
    return {};
  rewriter.modifyOpInPlace(first, [&] { first->setOperand(number, x); });
  rewriter.modifyOpInPlace(second, [&] { second->setOperand(number, y); });
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfter(branches);
  auto scaled = arith::MulFOp::create(
      rewriter, branches.getLoc(), result,
      splatOf(rewriter, branches.getLoc(), result.getType(), *scale),
      arith::FastMathFlagsAttr::get(rewriter.getContext(),
                                    FastMathFlags::contract));
  rewriter.replaceAllUsesExcept(result, scaled, scaled);
  return result;
}

/// x, where `value` is x times a positive number, also where a selection puts
/// infinities instead; null where it is not. Multiplying then leaves the order
/// of elements as it is.
static Value beforeScale(PatternRewriter &rewriter, Value value,
                         std::optional<APFloat> &scale) {
  auto hasInfinity = [](Value each) {
    std::optional<APFloat> number = constantNumber(each);
    return number && number->isInfinity();
  };
  for (auto [factor, other] : factorsOf(value, FastMathFlags::contract)) {
    scale = constantNumber(factor);
    if (scale && scale->isFiniteNonZero() && !scale->isNegative())
      return other;
  }
  if (value.getDefiningOp<scf::IfOp>())
    return beforeScaleOfBranches(rewriter, cast<OpResult>(value), scale);
  auto select = value.getDefiningOp<arith::SelectOp>();
  if (!select)
    return {};
  const bool isFirst = hasInfinity(select.getFalseValue());
  if (!isFirst && !hasInfinity(select.getTrueValue()))
    return {};
  Value scaled = isFirst ? select.getTrueValue() : select.getFalseValue();
  Value x = beforeScale(rewriter, scaled, scale);
  if (!x)
    return {};
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(select);
  Operation *again = rewriter.clone(*select);
  again->setOperand(isFirst ? 1 : 2, x);
  return again->getResult(0);
}

/// Whether an op is a dot, or moves elements to one.
static bool feedsProduct(Operation *op) {
  if (isa<ContractionOpInterface>(op))
    return true;
  return isPure(op) && op->getNumRegions() == 0 &&
         !op->hasTrait<OpTrait::Elementwise>() &&
         llvm::any_of(op->getUsers(), feedsProduct);
}

namespace {
/// x / broadcast(y) as x * broadcast(1 / y); x / c as x * (1 / c).
struct ShareReciprocal : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::DivFOp op,
                                PatternRewriter &rewriter) const override {
    if (!hasFlag(op, FastMathFlags::arcp) ||
        matchPattern(op.getLhs(), m_OneFloat()))
      return failure();
    Value inverse = sharedReciprocal(rewriter, op);
    if (!inverse)
      return failure();
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, op.getLhs(), inverse,
                                               op.getFastmathAttr());
    return success();
  }
};

/// x / sqrt(y) as x * rsqrt(y).
struct DivideBySquareRoot : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::DivFOp op,
                                PatternRewriter &rewriter) const override {
    if (!hasFlag(op, FastMathFlags::arcp) || !approximateRoot(op, op.getRhs()))
      return failure();
    Value inverse = reciprocalOf(rewriter, op, op.getRhs());
    if (matchPattern(op.getLhs(), m_OneFloat()))
      rewriter.replaceOp(op, inverse);
    else
      rewriter.replaceOpWithNewOp<arith::MulFOp>(op, op.getLhs(), inverse,
                                                 op.getFastmathAttr());
    return success();
  }
};

/// An exponent as x * scale + offset, to the base 2; `scale` and `offset` have
/// fewer different elements than x.
struct Exponent {
  Value x, scale, offset;
};

/// exp(x * c - y) and exp((x - y) * c) as exp2(x * (c * log2 e) - ..) with one
/// fma, where c and y have fewer different elements than x.
struct FuseExponential : OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;

  static std::optional<Exponent> ofDifference(arith::SubFOp difference,
                                              PatternRewriter &rewriter) {
    Value x = difference.getLhs();
    Value offset =
        sharedProduct(rewriter, difference.getRhs(), -std::numbers::log2e);
    if (!offset)
      return std::nullopt;
    Location loc = difference.getLoc();
    std::optional<APFloat> number;
    if (Value before = beforeScale(rewriter, x, number))
      return Exponent{before,
                      splatOf(rewriter, loc, x.getType(),
                              APFloat(float(number->convertToDouble() *
                                            std::numbers::log2e))),
                      offset};
    for (auto [factor, other] : factorsOf(x, FastMathFlags::contract))
      if (Value scale = sharedProduct(rewriter, factor, std::numbers::log2e))
        return Exponent{other, scale, offset};
    return Exponent{x,
                    splatOf(rewriter, loc, x.getType(),
                            APFloat(std::numbers::log2e_v<float>)),
                    offset};
  }

  /// Of (x - y) * c, c being one number.
  static std::optional<Exponent> ofProduct(Value product,
                                           PatternRewriter &rewriter) {
    for (auto [factor, other] : factorsOf(product, FastMathFlags::contract)) {
      auto difference = other.getDefiningOp<arith::SubFOp>();
      Operation *repeats =
          difference ? difference.getRhs().getDefiningOp() : nullptr;
      if (!repeats || !repeatsOperand(repeats) ||
          !hasFlag(difference, FastMathFlags::contract))
        continue;
      Value y = repeats->getOperand(0);
      Value ofX = oneNumber(rewriter, factor, factor.getType(),
                            std::numbers::log2e),
            ofY =
                oneNumber(rewriter, factor, y.getType(), -std::numbers::log2e);
      if (!ofX || !ofY)
        continue;
      Value scaled = arith::MulFOp::create(rewriter, product.getLoc(), y, ofY);
      Operation *offset = rewriter.clone(*repeats);
      offset->setOperand(0, scaled);
      return Exponent{difference.getLhs(), ofX, offset->getResult(0)};
    }
    return std::nullopt;
  }

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    if (!hasFlag(op, FastMathFlags::afn) ||
        !getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    auto difference = op.getOperand().getDefiningOp<arith::SubFOp>();
    if (difference && !hasFlag(difference, FastMathFlags::contract))
      return failure();
    std::optional<Exponent> found = difference
                                        ? ofDifference(difference, rewriter)
                                        : ofProduct(op.getOperand(), rewriter);
    if (!found)
      return failure();
    Value exponent = math::FmaOp::create(rewriter, op.getLoc(), found->x,
                                         found->scale, found->offset);
    rewriter.replaceOpWithNewOp<math::Exp2Op>(op, exponent,
                                              op.getFastmathAttr());
    return success();
  }
};

/// The greatest x * c as (the greatest x) * c, for positive c: equal numbers.
struct ScaleMaximum : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    Block &combiner = op.getCombiner().front();
    if (op.getInputs().size() != 1 || combiner.getOperations().size() != 2 ||
        !isa<arith::MaximumFOp, arith::MaxNumFOp>(combiner.front()))
      return failure();
    std::optional<APFloat> scale;
    Value x = beforeScale(rewriter, op.getInputs()[0], scale);
    if (!x)
      return failure();
    Location loc = op.getLoc();
    rewriter.modifyOpInPlace(op, [&] { op->setOperand(0, x); });
    rewriter.setInsertionPointAfter(op);
    Value most = op.getResult(0);
    auto scaled = arith::MulFOp::create(
        rewriter, loc, most, splatOf(rewriter, loc, most.getType(), *scale));
    rewriter.replaceAllUsesExcept(most, scaled, scaled);
    return success();
  }
};

/// x instead of extf(truncf x), where the types are equal.
struct DropRounding : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    auto rounded = op.getIn().getDefiningOp<arith::TruncFOp>();
    if (!rounded || rounded.getIn().getType() != op.getType() ||
        !hasFlag(op, FastMathFlags::contract) ||
        !hasFlag(rounded, FastMathFlags::contract))
      return failure();
    // Matrix instructions multiply narrow elements.
    bool drops = false;
    rewriter.replaceUsesWithIf(op, rounded.getIn(), [&](OpOperand &use) {
      const bool isWide = !feedsProduct(use.getOwner());
      drops |= isWide;
      return isWide;
    });
    return success(drops);
  }
};

struct UseFastMath : impl::UseFastMathBase<UseFastMath> {
  using UseFastMathBase::UseFastMathBase;

  void runOnOperation() override {
    // Mostly nothing is to do.
    auto all = FastMathFlags::none;
    getOperation().walk([&](arith::ArithFastMathInterface op) {
      all = all | fastMathFlagsOf(op);
    });
    if (all == FastMathFlags::none)
      return;
    getOperation()->setAttr(
        TileDialect::kFastMathAttr,
        StringAttr::get(&getContext(), arith::stringifyFastMathFlags(all)));
    // Before their differences become fmas of other products.
    RewritePatternSet first(&getContext());
    first.add<FuseExponential, ScaleMaximum, DropRounding>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(first));
    RewritePatternSet patterns(&getContext());
    patterns.add<FuseAddition, FuseSubtraction, ShareReciprocal,
                 DivideBySquareRoot>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    const FastMathFlags used =
        FastMathFlags::contract | FastMathFlags::arcp | FastMathFlags::reassoc;
    getOperation().walk([&](arith::ArithFastMathInterface op) {
      setFastMathFlags(op, fastMathFlagsOf(op) & ~used);
    });
  }
};
} // namespace

} // namespace tilewright::tile
