//===- Pipeliner.cpp - A loop whose loads start early ---------------------===//
#include "codegen/transforms/Pipeliner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tilewright::tilegpu {

/// A load through registers is one iteration ahead.
static constexpr int64_t slotsThroughRegisters = 2;

namespace {
/// Builds one pipelined loop.
class Pipeliner {
public:
  Pipeliner(scf::ForOp loop, EarlyLoads loads, int64_t stages)
      : loop(loop), loads(std::move(loads)), stages(stages),
        rewriter(loop.getContext()) {}
  scf::ForOp run();

private:
  /// An iteration whose loads are started, and whether there is one: null if
  /// that is known.
  struct Step {
    Value index, live;
  };

  Location loc() { return loop.getLoc(); }
  Value number(int64_t value);
  Step stepAt(Value first, int64_t ahead);
  Value makeRing(RingLoad &load, int64_t slots);
  IRMapping cloneOperands(ArrayRef<RingLoad> of, const Step &step);
  Value startCopies(const Step &step, Value slot);
  SmallVector<Value> startLoads(const Step &step);
  void buildPrologue();
  void buildStep();
  void release(Value slot);
  void drain();

  scf::ForOp loop;
  EarlyLoads loads;
  int64_t stages;
  IRRewriter rewriter;
  SmallVector<Value> copiedRings, registerRings;
  /// What the loop carries besides: the slots that are read and filled, the
  /// groups that are under way, the tiles in registers.
  SmallVector<Value> inits;
  unsigned firstCarried = 0;
};
} // namespace

//===--- Counting iterations ----------------------------------------------===//

/// The same loop from 0 to its number of iterations, an i32: the test of what
/// exists iterations ahead is then one instruction.
static scf::ForOp countIterations(scf::ForOp loop, int64_t trips) {
  IRRewriter rewriter(loop);
  Location loc = loop.getLoc();
  auto constant = [&](int64_t value) {
    return arith::ConstantIntOp::create(rewriter, loc, value, 32);
  };
  auto counted = scf::ForOp::create(rewriter, loc, constant(0), constant(trips),
                                    constant(1), loop.getInitArgs());
  counted->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  if (counted.getNumRegionIterArgs() == 0)
    rewriter.eraseOp(counted.getBody()->getTerminator());
  rewriter.setInsertionPointToStart(counted.getBody());
  Value index = arith::IndexCastOp::create(
      rewriter, loc, rewriter.getIndexType(), counted.getInductionVar());
  index = arith::MulIOp::create(rewriter, loc, index, loop.getStep());
  index = arith::AddIOp::create(rewriter, loc, index, loop.getLowerBound());
  SmallVector<Value> arguments(counted.getRegionIterArgs());
  arguments.insert(arguments.begin(), index);
  rewriter.mergeBlocks(loop.getBody(), counted.getBody(), arguments);
  rewriter.replaceOp(loop, counted);
  return counted;
}

//===--- The pipelined loop -----------------------------------------------===//

Value Pipeliner::number(int64_t value) {
  return arith::ConstantIntOp::create(rewriter, loc(), value, 32);
}

Value Pipeliner::makeRing(RingLoad &load, int64_t slots) {
  SharedType type = load.memory.getType();
  auto ring = SharedType::get(type.getContext(), type.getShape(),
                              type.getElementType(), type.getLayout(), slots);
  return AllocOp::create(rewriter, loc(), ring, IntegerAttr());
}

/// The iteration so many after that with index `first`.
Pipeliner::Step Pipeliner::stepAt(Value first, int64_t ahead) {
  Type type = first.getType();
  Value count = rewriter.createOrFold<arith::ConstantOp>(
      loc(), type, rewriter.getIntegerAttr(type, ahead));
  Value distance =
      rewriter.createOrFold<arith::MulIOp>(loc(), loop.getStep(), count);
  Step step;
  step.index = rewriter.createOrFold<arith::AddIOp>(loc(), first, distance);
  const auto predicate = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult
                                               : arith::CmpIPredicate::slt;
  step.live = rewriter.createOrFold<arith::CmpIOp>(loc(), predicate, step.index,
                                                   loop.getUpperBound());
  if (getConstantIntValue(step.live).value_or(0))
    step.live = {};
  return step;
}

/// The operands of loads, in another iteration.
IRMapping Pipeliner::cloneOperands(ArrayRef<RingLoad> of, const Step &step) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), step.index);
  for (Operation *op : operandSlice(of, loop))
    rewriter.clone(*op, mapping);
  return mapping;
}

/// Returns the token of the group.
Value Pipeliner::startCopies(const Step &step, Value slot) {
  IRMapping mapping = cloneOperands(loads.copied, step);
  SmallVector<Value> tokens;
  for (auto [load, ring] : llvm::zip(loads.copied, copiedRings)) {
    Location at = load.load.getLoc();
    Value memory = SlotOp::create(rewriter, at, ring, slot);
    AcquireOp::create(rewriter, at, memory);
    auto copy = CopyOp::create(rewriter, at, memory, step.live);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.createBlock(&copy.getSource());
    Operation *last = rewriter.clone(*load.load, mapping);
    for (Operation *op : load.between)
      if (!isa<ConvertLayoutOp>(op))
        last = rewriter.clone(*op, mapping);
    YieldOp::create(rewriter, at, last->getResults());
    tokens.push_back(copy);
  }
  return CommitOp::create(rewriter, loc(), tokens);
}

/// The loads themselves; zeros where there is no such iteration.
SmallVector<Value> Pipeliner::startLoads(const Step &step) {
  auto load = [&] {
    IRMapping mapping = cloneOperands(loads.throughRegisters, step);
    SmallVector<Value> loaded;
    for (RingLoad &each : loads.throughRegisters)
      loaded.push_back(rewriter.clone(*each.load, mapping)->getResult(0));
    return loaded;
  };
  if (!step.live)
    return load();
  SmallVector<Type> types;
  for (RingLoad &each : loads.throughRegisters)
    types.push_back(each.load.getTile().getType());
  auto branch = scf::IfOp::create(rewriter, loc(), types, step.live,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(rewriter, loc(), load());
  rewriter.setInsertionPointToEnd(branch.elseBlock());
  SmallVector<Value> zeros;
  for (Type type : types)
    zeros.push_back(arith::ConstantOp::create(
        rewriter, loc(), cast<TypedAttr>(rewriter.getZeroAttr(type))));
  scf::YieldOp::create(rewriter, loc(), zeros);
  return SmallVector<Value>(branch.getResults());
}

void Pipeliner::buildPrologue() {
  rewriter.setInsertionPoint(loop);
  for (RingLoad &load : loads.copied)
    copiedRings.push_back(makeRing(load, stages));
  for (RingLoad &load : loads.throughRegisters)
    registerRings.push_back(makeRing(load, slotsThroughRegisters));
  if (!loads.copied.empty()) {
    inits.append({number(0), number(stages - 1)});
    for (int64_t ahead = 0; ahead < stages - 1; ++ahead)
      inits.push_back(
          startCopies(stepAt(loop.getLowerBound(), ahead), number(ahead)));
  }
  if (!loads.throughRegisters.empty()) {
    inits.push_back(number(0));
    llvm::append_range(inits, startLoads(stepAt(loop.getLowerBound(), 0)));
  }
  // Each carried value is yielded as it is, until the step is built.
  firstCarried = loop.getNumRegionIterArgs();
  loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, inits, /*replaceInitOperandUsesInLoop=*/false,
      [](OpBuilder &, Location, ArrayRef<BlockArgument> carried) {
        return SmallVector<Value>(carried.begin(), carried.end());
      }));
}

void Pipeliner::buildStep() {
  Block *body = loop.getBody();
  Operation *end = body->getTerminator();
  auto carried = loop.getRegionIterArgs().drop_front(firstCarried);
  SmallVector<Value> yielded, slots;
  rewriter.setInsertionPointToStart(body);
  if (!loads.copied.empty()) {
    for (Value ring : copiedRings)
      slots.push_back(SlotOp::create(rewriter, loc(), ring, carried[0]));
    WaitOp::create(rewriter, loc(), carried[2], slots);
  }
  ValueRange inRegisters = carried.take_back(loads.throughRegisters.size());
  Value registerSlot;
  SmallVector<Value> registerSlots;
  if (!loads.throughRegisters.empty()) {
    registerSlot = carried.drop_back(inRegisters.size()).back();
    for (auto [load, ring, tile] :
         llvm::zip(loads.throughRegisters, registerRings, inRegisters)) {
      Value slot = SlotOp::create(rewriter, loc(), ring, registerSlot);
      registerSlots.push_back(slot);
      IRMapping mapping;
      mapping.map(load.load.getTile(), tile);
      for (Operation *op : load.between)
        rewriter.clone(*op, mapping);
      StoreSharedOp::create(rewriter, load.store.getLoc(),
                            mapping.lookup(load.store.getValue()), slot);
    }
  }
  // Behind these the threads meet: `insert-barriers` sees the slot again.
  if (!loads.copied.empty()) {
    // What the iteration before has read is what is filled now.
    Value group =
        startCopies(stepAt(loop.getInductionVar(), stages - 1), carried[1]);
    rewriter.setInsertionPoint(end);
    yielded.push_back(
        AdvanceOp::create(rewriter, loc(), carried[0], 1, stages));
    yielded.push_back(carried[0]);
    llvm::append_range(yielded, carried.slice(3, size_t(stages) - 2));
    yielded.push_back(group);
    rewriter.setInsertionPointAfterValue(group);
  }
  if (!loads.throughRegisters.empty()) {
    SmallVector<Value> next = startLoads(stepAt(loop.getInductionVar(), 1));
    rewriter.setInsertionPoint(end);
    yielded.push_back(AdvanceOp::create(rewriter, loc(), registerSlot, 1,
                                        slotsThroughRegisters));
    llvm::append_range(yielded, next);
  }
  end->setOperands(firstCarried, unsigned(yielded.size()), yielded);
  // The body reads the slots.
  auto redirect = [&](RingLoad &load, Value slot) {
    rewriter.eraseOp(load.store);
    for (Operation *op : llvm::reverse(load.between))
      rewriter.eraseOp(op);
    rewriter.eraseOp(load.load);
    rewriter.replaceOp(load.memory, slot);
  };
  for (auto [load, slot] : llvm::zip(loads.copied, slots)) {
    redirect(load, slot);
    release(slot);
  }
  for (auto [load, slot] : llvm::zip(loads.throughRegisters, registerSlots))
    redirect(load, slot);
}

/// Gives a slot back behind its last use.
void Pipeliner::release(Value slot) {
  Operation *last = nullptr;
  for (Operation *user : slot.getUsers()) {
    Operation *beside = loop.getBody()->findAncestorOpInBlock(*user);
    if (!last || last->isBeforeInBlock(beside))
      last = beside;
  }
  rewriter.setInsertionPointAfter(last);
  ReleaseOp::create(rewriter, loc(), slot);
}

/// Behind the loop nothing is under way.
void Pipeliner::drain() {
  if (loads.copied.empty())
    return;
  rewriter.setInsertionPointAfter(loop);
  ResultRange tokens =
      loop.getResults().slice(firstCarried + 2, unsigned(stages) - 1);
  for (Value token : llvm::reverse(tokens))
    WaitOp::create(rewriter, loc(), token, copiedRings);
}

scf::ForOp Pipeliner::run() {
  buildPrologue();
  buildStep();
  drain();
  return loop;
}

scf::ForOp pipelineLoop(scf::ForOp loop, EarlyLoads loads, int64_t stages) {
  const std::optional<APInt> trips = loop.getStaticTripCount();
  constexpr int64_t most = std::numeric_limits<int32_t>::max() - kMostSlots;
  if (trips && trips->sle(most))
    loop = countIterations(loop, trips->getSExtValue());
  return Pipeliner(loop, std::move(loads), stages).run();
}

} // namespace tilewright::tilegpu
