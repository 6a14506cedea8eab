//===- NormalizeGenerics.cpp - Generics in the form that kernels have -----===//
#include "frontends/graph/normalize/Build.h"
#include "frontends/graph/normalize/Passes.h"

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_NORMALIZEGENERICS
#include "frontends/graph/normalize/Passes.h.inc"

/// The `outs` operands whose elements the value of result `number` is computed
/// from, in one iteration or in several, and `number` itself.
static llvm::SmallBitVector neededInits(linalg::GenericOp op, unsigned number) {
  llvm::SmallBitVector needed(op.getNumDpsInits());
  SmallVector<unsigned> pending{number};
  needed.set(number);
  while (!pending.empty()) {
    SmallVector<Value> values{
        op.getBody()->getTerminator()->getOperand(pending.pop_back_val())};
    llvm::SmallPtrSet<Value, 16> seen;
    while (!values.empty()) {
      Value value = values.pop_back_val();
      if (!seen.insert(value).second)
        continue;
      if (Operation *inner = value.getDefiningOp()) {
        if (inner->getBlock() == op.getBody())
          llvm::append_range(values, inner->getOperands());
        continue;
      }
      auto argument = cast<BlockArgument>(value);
      if (argument.getOwner() != op.getBody() ||
          argument.getArgNumber() < op.getNumDpsInputs())
        continue;
      unsigned init = argument.getArgNumber() - op.getNumDpsInputs();
      if (!needed.test(init))
        pending.push_back(init);
      needed.set(init);
    }
  }
  return needed;
}

static AffineMap resultMap(linalg::GenericOp op, unsigned number) {
  return op.getMatchingIndexingMap(op.getDpsInitOperand(number));
}

/// The `outs` operands, other than the kept ones, that the body reads: inputs
/// where no loop accumulates.
static SmallVector<unsigned> readInits(linalg::GenericOp op,
                                       const llvm::SmallBitVector &kept) {
  SmallVector<unsigned> read;
  for (BlockArgument argument : op.getRegionOutputArgs()) {
    unsigned init = argument.getArgNumber() - op.getNumDpsInputs();
    if (!kept.test(init) && !argument.use_empty())
      read.push_back(init);
  }
  return read;
}

/// `op` with these of its results only.
static linalg::GenericOp keepResults(RewriterBase &rewriter,
                                     linalg::GenericOp op,
                                     const llvm::SmallBitVector &kept) {
  SmallVector<Value> inputs(op.getDpsInputs()), inits;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps.resize(inputs.size());
  SmallVector<unsigned> read = readInits(op, kept);
  for (unsigned number : read) {
    inputs.push_back(op.getDpsInits()[number]);
    maps.push_back(resultMap(op, number));
  }
  SmallVector<Type> types;
  for (unsigned number : kept.set_bits()) {
    inits.push_back(op.getDpsInits()[number]);
    maps.push_back(resultMap(op, number));
    types.push_back(op.getResultTypes()[number]);
  }
  return linalg::GenericOp::create(
      rewriter, op.getLoc(), types, inputs, inits, maps,
      op.getIteratorTypesArray(),
      [&](OpBuilder &b, Location at, ValueRange elements) {
        IRMapping mapping;
        mapping.map(op.getRegionInputArgs(),
                    elements.take_front(op.getNumDpsInputs()));
        for (auto [i, number] : llvm::enumerate(read))
          mapping.map(op.getRegionOutputArgs()[number],
                      elements[op.getNumDpsInputs() + i]);
        for (auto [i, number] : llvm::enumerate(kept.set_bits()))
          mapping.map(op.getRegionOutputArgs()[number],
                      elements[inputs.size() + i]);
        SmallVector<Value> yielded;
        // Only what the kept results are computed from.
        llvm::SetVector<Operation *> wanted;
        SmallVector<Value> pending;
        Operation *end = op.getBody()->getTerminator();
        for (unsigned number : kept.set_bits())
          pending.push_back(end->getOperand(number));
        while (!pending.empty()) {
          Operation *inner = pending.pop_back_val().getDefiningOp();
          if (inner && inner->getBlock() == op.getBody() &&
              wanted.insert(inner))
            llvm::append_range(pending, inner->getOperands());
        }
        for (Operation &inner : op.getBody()->without_terminator())
          if (wanted.contains(&inner))
            b.clone(inner, mapping);
        for (unsigned number : kept.set_bits())
          yielded.push_back(mapping.lookupOrDefault(end->getOperand(number)));
        linalg::YieldOp::create(b, at, yielded);
      });
}

/// Whether one kernel accumulates these results together.
static bool areTogether(linalg::GenericOp op,
                        const llvm::SmallBitVector &results) {
  AffineMap map = resultMap(op, results.find_first());
  return op.getNumReductionLoops() > 0 &&
         llvm::all_of(results.set_bits(), [&](unsigned number) {
           return resultMap(op, number) == map;
         });
}

/// Computes results apart that are not accumulated together; drops unused ones.
static void splitResults(RewriterBase &rewriter, linalg::GenericOp op) {
  SmallVector<std::pair<unsigned, llvm::SmallBitVector>> used;
  for (OpResult result : op.getResults()) {
    unsigned number = result.getResultNumber();
    if (result.use_empty())
      continue;
    llvm::SmallBitVector needed(op->getNumResults());
    needed.set(number);
    if (op.getNumReductionLoops() > 0)
      needed = neededInits(op, number);
    used.push_back({number, needed});
  }
  // Those that need most first: they may compute the others on the way.
  llvm::sort(used, [](auto &a, auto &b) {
    return std::pair(b.second.count(), a.first) <
           std::pair(a.second.count(), b.first);
  });
  SmallVector<std::pair<llvm::SmallBitVector, linalg::GenericOp>> parts;
  rewriter.setInsertionPoint(op);
  for (auto &[number, needed] : used) {
    auto *part = llvm::find_if(parts, [&, number = number](auto &known) {
      return known.first.test(number) && areTogether(op, known.first);
    });
    if (part == parts.end()) {
      parts.push_back({needed, keepResults(rewriter, op, needed)});
      part = std::prev(parts.end());
    }
    unsigned position = 0;
    for (unsigned before : part->first.set_bits())
      position += before < number ? 1 : 0;
    rewriter.replaceAllUsesWith(op.getResult(number),
                                part->second.getResult(position));
  }
  rewriter.eraseOp(op);
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

/// Gives each subscript of a result that is a constant, or a loop that another
/// one is too, a loop of its own, and keeps the initial element elsewhere.
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
      if (op->getNumResults() > 1)
        splitResults(rewriter, op);
    for (linalg::GenericOp op : genericsOf(getOperation()))
      if (op->getNumResults() > 0) {
        setIterators(op);
        freeSubscripts(rewriter, op);
      }
  }
};
} // namespace

} // namespace tilewright::graph
