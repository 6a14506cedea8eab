#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "tileir/ir/FastMath.h"
#include "tileir/transforms/Passes.h"

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

/// The reciprocal of a divisor that has fewer different elements than the
/// quotient; null where it has as many.
static Value sharedReciprocal(PatternRewriter &rewriter, arith::DivFOp op) {
  if (std::optional<APFloat> number = constantNumber(op.getRhs());
      number && number->isFiniteNonZero())
    return splatOf(rewriter, op.getLoc(), op.getType(),
                   oneLike(op.getType()) / *number);
  Operation *repeats = op.getRhs().getDefiningOp();
  if (!repeats || !repeatsOperand(repeats))
    return {};
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(repeats);
  Value inverse = reciprocalOf(rewriter, op, repeats->getOperand(0));
  Operation *again = rewriter.clone(*repeats);
  again->setOperand(0, inverse);
  return again->getResult(0);
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
