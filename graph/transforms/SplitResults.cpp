//===- SplitResults.cpp - One generic for what is accumulated together ----===//
#include "graph/transforms/Build.h"
#include "graph/transforms/Passes.h"

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_SPLITRESULTS
#include "graph/transforms/Passes.h.inc"

/// The `outs` operands that result `number` depends on, in one iteration or in
/// several, and `number` itself.
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

static AffineMap mapOfResult(linalg::GenericOp op, unsigned number) {
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
    maps.push_back(mapOfResult(op, number));
  }
  SmallVector<Type> types;
  for (unsigned number : kept.set_bits()) {
    inits.push_back(op.getDpsInits()[number]);
    maps.push_back(mapOfResult(op, number));
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
  AffineMap map = mapOfResult(op, results.find_first());
  return op.getNumReductionLoops() > 0 &&
         llvm::all_of(results.set_bits(), [&](unsigned number) {
           return mapOfResult(op, number) == map;
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

namespace {
struct SplitResults : impl::SplitResultsBase<SplitResults> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> several;
    getOperation().walk([&](linalg::GenericOp op) {
      if (op->getNumResults() > 1)
        several.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : several)
      splitResults(rewriter, op);
  }
};
} // namespace

} // namespace tilewright::graph
