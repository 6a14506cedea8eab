//===- ControlOps.cpp - Loops and branches --------------------------------===//
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "verify/threads/Lanes.h"
#include <unordered_map>

using namespace mlir;

namespace tilewright::verify::threads {

//===--- Structured control flow ------------------------------------------===//

static SmallVector<unsigned> lanesOf(ValueRange values, Compiler &c) {
  SmallVector<unsigned> lanes;
  for (Value value : values)
    lanes.push_back(c.laneOf(value));
  return lanes;
}

static void defineAll(ValueRange values, Compiler &c) {
  for (Value value : values)
    (void)c.define(value);
}

/// Goes on with the body while a < b.
template <bool isUnsigned>
static Outcome runLoopHead(const Instruction &i, Thread &t) {
  const Lane &at = t.frame[i.a], &end = t.frame[i.b], &step = t.frame[i.c];
  for (const Lane *bound : {&at, &end, &step})
    if (isOpen(*bound))
      return poisonFault(i, t, *bound, "a bound");
  if (isUnsigned ? step.bits == 0 : asSigned(step.bits, i.bits) <= 0)
    return fault(i, t,
                 "expected a positive step, found " +
                     Twine(asSigned(step.bits, i.bits)));
  const bool goesOn =
      isUnsigned ? at.bits < end.bits
                 : asSigned(at.bits, i.bits) < asSigned(end.bits, i.bits);
  if (goesOn)
    return Outcome::next;
  t.pc = i.otherwise;
  return Outcome::jump;
}

static Outcome runLoopEnd(const Instruction &i, Thread &t) {
  t.frame[i.a].bits = (t.frame[i.a].bits + t.frame[i.c].bits) & i.mask();
  t.pc = i.target;
  return Outcome::jump;
}

static LogicalResult buildFor(scf::ForOp op, Compiler &c) {
  const unsigned at = c.define(op.getInductionVar());
  SmallVector<Value> start = {op.getLowerBound()};
  llvm::append_range(start, op.getInitArgs());
  SmallVector<unsigned> carried;
  // A result is what the loop carries at its end.
  for (auto [argument, result] :
       llvm::zip(op.getRegionIterArgs(), op.getResults())) {
    carried.push_back(c.define(argument));
    c.alias(result, carried.back());
  }
  SmallVector<unsigned> first = {at};
  first.append(carried);
  c.emitMoves(op, start, first);
  Instruction loop;
  loop.op = op;
  loop.a = at;
  loop.b = c.laneOf(op.getUpperBound());
  loop.c = c.laneOf(op.getStep());
  loop.bits = bitsOf(op.getInductionVar().getType());
  loop.run = op.getUnsignedCmp() ? runLoopHead<true> : runLoopHead<false>;
  const unsigned head = c.emit(loop);
  if (failed(c.compileBlock(*op.getBody())))
    return failure();
  Operation *end = op.getBody()->getTerminator();
  c.emitMoves(end, end->getOperands(), carried);
  loop.run = runLoopEnd;
  loop.target = head;
  c.emit(loop);
  c.at(head).otherwise = c.next();
  return success();
}

static LogicalResult buildIf(scf::IfOp op, Compiler &c) {
  defineAll(op.getResults(), c);
  SmallVector<unsigned> to = lanesOf(op.getResults(), c);
  const unsigned branch = c.emitBranch(op, c.laneOf(op.getCondition()));
  if (failed(c.compileBlock(*op.thenBlock())))
    return failure();
  Operation *end = op.thenBlock()->getTerminator();
  c.emitMoves(end, end->getOperands(), to);
  if (!op.elseBlock()) {
    c.at(branch).otherwise = c.next();
    return success();
  }
  const unsigned jump = c.emitJump(op);
  c.at(branch).otherwise = c.next();
  if (failed(c.compileBlock(*op.elseBlock())))
    return failure();
  end = op.elseBlock()->getTerminator();
  c.emitMoves(end, end->getOperands(), to);
  c.at(jump).target = c.next();
  return success();
}

static LogicalResult buildWhile(scf::WhileOp op, Compiler &c) {
  defineAll(op.getBeforeArguments(), c);
  defineAll(op.getAfterArguments(), c);
  defineAll(op.getResults(), c);
  SmallVector<unsigned> before = lanesOf(op.getBeforeArguments(), c);
  c.emitMoves(op, op.getInits(), before);
  const unsigned head = c.next();
  if (failed(c.compileBlock(*op.getBeforeBody())))
    return failure();
  scf::ConditionOp condition = op.getConditionOp();
  const unsigned branch =
      c.emitBranch(condition, c.laneOf(condition.getCondition()));
  c.emitMoves(condition, condition.getArgs(),
              lanesOf(op.getAfterArguments(), c));
  if (failed(c.compileBlock(*op.getAfterBody())))
    return failure();
  scf::YieldOp end = op.getYieldOp();
  c.emitMoves(end, end.getOperands(), before);
  c.emitJump(end, head);
  c.at(branch).otherwise = c.next();
  c.emitMoves(condition, condition.getArgs(), lanesOf(op.getResults(), c));
  return success();
}

namespace {
/// Where an integer goes on at.
struct Cases : Details {
  std::unordered_map<uint64_t, unsigned> targets;
};
} // namespace

static Outcome runSwitch(const Instruction &i, Thread &t) {
  const Lane &chosen = t.frame[i.a];
  if (isOpen(chosen))
    return poisonFault(i, t, chosen, "its condition");
  const Cases &cases = i.as<Cases>();
  auto found = cases.targets.find(chosen.bits);
  t.pc = found == cases.targets.end() ? i.otherwise : found->second;
  return Outcome::jump;
}

static LogicalResult buildIndexSwitch(scf::IndexSwitchOp op, Compiler &c) {
  defineAll(op.getResults(), c);
  SmallVector<unsigned> to = lanesOf(op.getResults(), c), jumps;
  Instruction choice;
  choice.op = op;
  choice.run = runSwitch;
  choice.a = c.laneOf(op.getArg());
  const unsigned at = c.emit(choice);
  auto cases = std::make_shared<Cases>();
  auto compile = [&](Block &block) -> LogicalResult {
    if (failed(c.compileBlock(block)))
      return failure();
    Operation *end = block.getTerminator();
    c.emitMoves(end, end->getOperands(), to);
    jumps.push_back(c.emitJump(end));
    return success();
  };
  for (auto [i, number] : llvm::enumerate(op.getCases())) {
    cases->targets[uint64_t(number)] = c.next();
    if (failed(compile(op.getCaseBlock(unsigned(i)))))
      return failure();
  }
  c.at(at).otherwise = c.next();
  if (failed(compile(op.getDefaultBlock())))
    return failure();
  for (unsigned jump : jumps)
    c.at(jump).target = c.next();
  c.at(at).details = std::move(cases);
  return success();
}

//===--- Blocks -----------------------------------------------------------===//

template <typename Op> static LogicalResult buildBranch(Op op, Compiler &c) {
  c.jumpTo(op, op.getDest(), op.getDestOperands());
  return success();
}

template <typename Op>
static LogicalResult buildCondBranch(Op op, Compiler &c) {
  const unsigned branch = c.emitBranch(op, c.laneOf(op.getCondition()));
  c.jumpTo(op, op.getTrueDest(), op.getTrueDestOperands());
  c.at(branch).otherwise = c.next();
  c.jumpTo(op, op.getFalseDest(), op.getFalseDestOperands());
  return success();
}

template <typename Op>
static LogicalResult buildSwitch(Op op, Value flag, ValueRange defaults,
                                 Compiler &c) {
  Instruction choice;
  choice.op = op;
  choice.run = runSwitch;
  choice.a = c.laneOf(flag);
  const unsigned at = c.emit(choice);
  auto cases = std::make_shared<Cases>();
  if (std::optional<DenseIntElementsAttr> numbers = op.getCaseValues())
    for (auto [number, block, operands] :
         llvm::zip_equal(numbers->getValues<APInt>(), op.getCaseDestinations(),
                         op.getCaseOperands())) {
      cases->targets[number.getZExtValue()] = c.next();
      c.jumpTo(op, block, operands);
    }
  c.at(at).otherwise = c.next();
  c.at(at).details = std::move(cases);
  c.jumpTo(op, op.getDefaultDestination(), defaults);
  return success();
}

static Outcome runUnreachable(const Instruction &i, Thread &t) {
  return fault(i, t, "was reached");
}

static Outcome runAssert(const Instruction &i, Thread &t) {
  const Lane &condition = t.frame[i.a];
  if (isOpen(condition))
    return poisonFault(i, t, condition, "its condition");
  return condition.bits & 1 ? Outcome::next : fault(i, t, "does not hold");
}

namespace {
struct Returned : Details {
  SmallVector<std::pair<unsigned, unsigned>> lanes;
};
} // namespace

static Outcome runReturn(const Instruction &i, Thread &t) {
  SmallVector<Lane> results;
  for (auto [first, count] : i.as<Returned>().lanes)
    results.append(t.frame + first, t.frame + first + count);
  return t.leave(results) ? Outcome::end : Outcome::jump;
}

static LogicalResult buildReturn(Operation *op, Compiler &c) {
  auto returned = std::make_shared<Returned>();
  for (Value value : op->getOperands()) {
    SmallVector<Type> scalars;
    (void)scalarsOf(value.getType(), scalars);
    returned->lanes.emplace_back(c.laneOf(value), unsigned(scalars.size()));
  }
  Instruction instruction = c.beginMove(op);
  instruction.run = runReturn;
  instruction.details = std::move(returned);
  c.emit(std::move(instruction));
  return success();
}

void addControlOps(OpTable &ops) {
  ops.add<scf::ForOp>(buildFor);
  ops.add<scf::IfOp>(buildIf);
  ops.add<scf::WhileOp>(buildWhile);
  ops.add<scf::IndexSwitchOp>(buildIndexSwitch);
  ops.add<cf::BranchOp>(buildBranch<cf::BranchOp>);
  ops.add<LLVM::BrOp>(buildBranch<LLVM::BrOp>);
  ops.add<cf::CondBranchOp>(buildCondBranch<cf::CondBranchOp>);
  ops.add<LLVM::CondBrOp>(buildCondBranch<LLVM::CondBrOp>);
  ops.add<cf::SwitchOp>([](cf::SwitchOp op, Compiler &c) {
    return buildSwitch(op, op.getFlag(), op.getDefaultOperands(), c);
  });
  ops.add<LLVM::SwitchOp>([](LLVM::SwitchOp op, Compiler &c) {
    return buildSwitch(op, op.getValue(), op.getDefaultOperands(), c);
  });
  ops.add<func::ReturnOp>(buildReturn);
  ops.add<LLVM::ReturnOp>(buildReturn);
  ops.addRun<LLVM::UnreachableOp>(runUnreachable);
  ops.addRun<cf::AssertOp>(runAssert);
  ops.addRun<LLVM::AssumeOp>(runAssert);
}

} // namespace tilewright::verify::threads
