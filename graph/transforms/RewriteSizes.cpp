//===- RewriteSizes.cpp - Arithmetic of sizes that shapes can follow ------===//
#include "graph/ir/Graph.h"
#include "graph/transforms/Build.h"
#include "graph/transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_REWRITESIZES
#include "graph/transforms/Passes.h.inc"

/// Whether a value is known not to be negative: a size, or sums, products and
/// quotients of such.
static bool isNatural(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return !constant.isNegative();
  Operation *op = value.getDefiningOp();
  if (auto read = dyn_cast_or_null<SizeOp>(op))
    return read.getAtLeast() >= 0;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument == loop.getInductionVar() &&
           isNatural(loop.getLowerBound());
  }
  if (isa_and_nonnull<tensor::DimOp>(op))
    return true;
  return isa_and_nonnull<arith::AddIOp, arith::MulIOp, arith::DivSIOp,
                         arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
                         arith::FloorDivSIOp, arith::CeilDivSIOp,
                         arith::CeilDivUIOp, arith::MaxSIOp, arith::MinSIOp,
                         arith::IndexCastOp>(op) &&
         llvm::all_of(op->getOperands(), isNatural);
}

namespace {
/// Rounding is the same whatever its name where no operand is negative.
template <typename From, typename To> struct Rename : OpRewritePattern<From> {
  using OpRewritePattern<From>::OpRewritePattern;
  LogicalResult matchAndRewrite(From op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isIndex() || !llvm::all_of(op->getOperands(), isNatural))
      return rewriter.notifyMatchFailure(op, "may be negative");
    rewriter.replaceOpWithNewOp<To>(op, op.getOperand(0), op.getOperand(1));
    return success();
  }
};

/// a mod b = a - (a / b) * b.
template <typename From> struct RewriteRemainder : OpRewritePattern<From> {
  using OpRewritePattern<From>::OpRewritePattern;
  LogicalResult matchAndRewrite(From op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isIndex() || !llvm::all_of(op->getOperands(), isNatural))
      return rewriter.notifyMatchFailure(op, "may be negative");
    Value a = op.getOperand(0), b = op.getOperand(1);
    Location loc = op.getLoc();
    Value whole = arith::FloorDivSIOp::create(rewriter, loc, a, b);
    Value most = arith::MulIOp::create(rewriter, loc, whole, b);
    rewriter.replaceOpWithNewOp<arith::SubIOp>(op, a, most);
    return success();
  }
};

/// One arith op for each result of the map.
template <typename From, typename To>
struct RewriteExtremum : OpRewritePattern<From> {
  using OpRewritePattern<From>::OpRewritePattern;
  LogicalResult matchAndRewrite(From op,
                                PatternRewriter &rewriter) const override {
    Value extremum;
    AffineMap map = op.getMap();
    for (unsigned i = 0; i < map.getNumResults(); ++i) {
      Value next = affine::AffineApplyOp::create(
          rewriter, op.getLoc(), map.getSubMap(i), op.getOperands());
      extremum =
          extremum
              ? To::create(rewriter, op.getLoc(), extremum, next).getResult()
              : next;
    }
    rewriter.replaceOp(op, extremum);
    return success();
  }
};

/// The smaller or the larger of two sizes, as a comparison chooses it.
struct RewriteChoice : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    using Predicate = arith::CmpIPredicate;
    auto compare = op.getCondition().getDefiningOp<arith::CmpIOp>();
    if (!op.getType().isIndex() || !compare)
      return rewriter.notifyMatchFailure(op, "no comparison of sizes");
    Value a = op.getTrueValue(), b = op.getFalseValue();
    bool isSwapped = compare.getLhs() == b && compare.getRhs() == a;
    if (!isSwapped && (compare.getLhs() != a || compare.getRhs() != b))
      return rewriter.notifyMatchFailure(op, "chooses between other values");
    Predicate predicate = compare.getPredicate();
    bool isUnsigned =
        predicate == Predicate::ult || predicate == Predicate::ule ||
        predicate == Predicate::ugt || predicate == Predicate::uge;
    if (predicate == Predicate::eq || predicate == Predicate::ne ||
        (isUnsigned && !(isNatural(a) && isNatural(b))))
      return rewriter.notifyMatchFailure(op, "the order is not that of sizes");
    bool isLess = predicate == Predicate::slt || predicate == Predicate::sle ||
                  predicate == Predicate::ult || predicate == Predicate::ule;
    if (isLess != isSwapped)
      rewriter.replaceOpWithNewOp<arith::MinSIOp>(op, a, b);
    else
      rewriter.replaceOpWithNewOp<arith::MaxSIOp>(op, a, b);
    return success();
  }
};

struct RewriteSizes : impl::RewriteSizesBase<RewriteSizes> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns
        .add<Rename<arith::DivSIOp, arith::FloorDivSIOp>,
             Rename<arith::DivUIOp, arith::FloorDivSIOp>,
             Rename<arith::CeilDivUIOp, arith::CeilDivSIOp>,
             RewriteRemainder<arith::RemSIOp>, RewriteRemainder<arith::RemUIOp>,
             RewriteExtremum<affine::AffineMinOp, arith::MinSIOp>,
             RewriteExtremum<affine::AffineMaxOp, arith::MaxSIOp>,
             RewriteChoice>(&getContext());
    if (failed(rewriteAll(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

} // namespace tilewright::graph
