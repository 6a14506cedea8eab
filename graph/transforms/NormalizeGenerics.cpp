//===- NormalizeGenerics.cpp - Generics in the form that kernels have -----===//
#include "graph/transforms/Build.h"
#include "graph/transforms/Passes.h"

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_NORMALIZEGENERICS
#include "graph/transforms/Passes.h.inc"

static AffineMap resultMap(linalg::GenericOp op, unsigned number) {
  return op.getMatchingIndexingMap(op.getDpsInitOperand(number));
}

/// Which loops accumulate follows from how the results are indexed.
static void setIterators(linalg::GenericOp op) {
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  for (auto [loop, kind] : llvm::enumerate(kinds)) {
    bool inAll = true, inNone = true;
    for (unsigned number = 0; number < op->getNumResults(); ++number) {
      bool isIn = resultMap(op, number).isFunctionOfDim(loop);
      inAll &= isIn;
      inNone &= !isIn;
    }
    if (inAll)
      kind = utils::IteratorType::parallel;
    if (inNone)
      kind = utils::IteratorType::reduction;
  }
  if (kinds == op.getIteratorTypesArray())
    return;
  Builder b(op.getContext());
  SmallVector<Attribute> attributes;
  for (utils::IteratorType kind : kinds)
    attributes.push_back(linalg::IteratorTypeAttr::get(op.getContext(), kind));
  op.setIteratorTypesAttr(b.getArrayAttr(attributes));
}

/// Adds a loop for each subscript of a result that is a constant, or repeats
/// another subscript, and keeps the initial element elsewhere.
static void freeSubscripts(RewriterBase &rewriter, linalg::GenericOp op) {
  AffineMap map = resultMap(op, 0);
  auto type = cast<RankedTensorType>(op.getResultTypes()[0]);
  unsigned loops = op.getNumLoops();
  struct Fixed {
    unsigned loop;
    AffineExpr at;
    bool isWhole;
  };
  SmallVector<Fixed> fixed;
  SmallVector<AffineExpr> subscripts;
  llvm::SmallBitVector seen(loops);
  for (auto [d, subscript] : llvm::enumerate(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(subscript);
    auto constant = dyn_cast<AffineConstantExpr>(subscript);
    bool isFree = dim && !seen.test(dim.getPosition());
    if (dim)
      seen.set(dim.getPosition());
    bool isUnit = constant && type.getDimSize(d) == 1;
    // A reduction's tile has units where they are wanted.
    if (isFree || (!dim && !constant) ||
        (isUnit && op.getNumReductionLoops() > 0)) {
      subscripts.push_back(subscript);
      continue;
    }
    unsigned loop = loops + fixed.size();
    fixed.push_back({loop, subscript, isUnit});
    subscripts.push_back(rewriter.getAffineDimExpr(loop));
  }
  if (fixed.empty())
    return;
  unsigned all = loops + fixed.size();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (AffineMap &old : maps)
    old = AffineMap::get(all, 0, old.getResults(), op.getContext());
  for (unsigned number = 0; number < op->getNumResults(); ++number)
    maps[op.getNumDpsInputs() + number] =
        AffineMap::get(all, 0, subscripts, op.getContext());
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  kinds.resize(all, utils::IteratorType::parallel);
  rewriter.setInsertionPoint(op);
  auto body = [&](OpBuilder &b, Location at, ValueRange elements) {
    IRMapping mapping;
    mapping.map(op.getBody()->getArguments(), elements);
    SmallVector<Value> values = cloneBody(b, *op.getBody(), mapping);
    for (const Fixed &one : fixed) {
      if (one.isWhole)
        continue;
      Value here = linalg::IndexOp::create(b, at, one.loop);
      Value there;
      if (auto dim = dyn_cast<AffineDimExpr>(one.at))
        there = linalg::IndexOp::create(b, at, dim.getPosition());
      else
        there = arith::ConstantIndexOp::create(
            b, at, cast<AffineConstantExpr>(one.at).getValue());
      Value isHere =
          arith::CmpIOp::create(b, at, arith::CmpIPredicate::eq, here, there);
      for (auto [value, init] :
           llvm::zip(values, elements.take_back(op->getNumResults())))
        value = arith::SelectOp::create(b, at, isHere, value, init);
    }
    linalg::YieldOp::create(b, at, values);
  };
  rewriter.replaceOpWithNewOp<linalg::GenericOp>(
      op, op.getResultTypes(), op.getDpsInputs(), op.getDpsInits(), maps, kinds,
      body);
}

static SmallVector<linalg::GenericOp> genericsOf(ModuleOp module) {
  SmallVector<linalg::GenericOp> generics;
  module.walk([&](linalg::GenericOp op) { generics.push_back(op); });
  return generics;
}

namespace {
struct NormalizeGenerics : impl::NormalizeGenericsBase<NormalizeGenerics> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : genericsOf(getOperation()))
      if (op->getNumResults() > 0) {
        setIterators(op);
        freeSubscripts(rewriter, op);
      }
  }
};
} // namespace

} // namespace tilewright::graph
