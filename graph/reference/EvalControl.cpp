// Branches, loops and calls. What a loop carries is stored in each iteration,
// so that no element waits for all iterations before.
#include "graph/reference/Execution.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewright::graph::reference {

/// Computes the tensors that an iteration leaves; each element counts as an op.
static LogicalResult storeAll(Operation *op, MutableArrayRef<Slot> values,
                              Machine &machine) {
  for (Slot &value : values) {
    if (!value.tensor)
      continue;
    FailureOr<TensorPtr> stored = store(op, value.tensor);
    if (failed(stored))
      return failure();
    value.tensor = *stored;
    machine.ops += uint64_t(value.tensor->count());
    if (failed(machine.checkLimit(op)))
      return failure();
  }
  return success();
}

static SmallVector<Slot> operandsFrom(Execution &execution, unsigned first) {
  SmallVector<Slot> operands;
  for (unsigned n = first; n < execution.getOp()->getNumOperands(); ++n)
    operands.push_back(execution.operand(n));
  return operands;
}

static Slot scalarSlot(int64_t value, Type type) {
  unsigned width = numerics::widthOf(type);
  return {
      Scalar::ofBits(uint64_t(value) & llvm::maskTrailingOnes<uint64_t>(width)),
      nullptr};
}

//===--- scf --------------------------------------------------------------===//

/// Runs a region without arguments, and takes what it yields as results.
static LogicalResult takeRegion(Execution &execution, unsigned number) {
  FailureOr<SmallVector<Slot>> results = execution.runRegion(number, {});
  return failed(results) ? failure() : execution.setAll(*results);
}

static LogicalResult evalScfIf(scf::IfOp op, Execution &execution) {
  FailureOr<int64_t> condition = execution.integer(0);
  if (failed(condition))
    return failure();
  return takeRegion(execution, *condition ? 0 : 1);
}

static LogicalResult evalScfSwitch(scf::IndexSwitchOp op,
                                   Execution &execution) {
  FailureOr<int64_t> chosen = execution.integer(0);
  if (failed(chosen))
    return failure();
  unsigned region = 0; // The default.
  for (auto [number, value] : llvm::enumerate(op.getCases()))
    if (value == *chosen)
      region = number + 1;
  return takeRegion(execution, region);
}

static LogicalResult evalScfExecute(scf::ExecuteRegionOp op,
                                    Execution &execution) {
  return takeRegion(execution, 0);
}

/// The number behind an iteration's; none if the type has no such number.
static std::optional<int64_t> nextIteration(int64_t i, int64_t step,
                                            bool isUnsigned) {
  int64_t next = int64_t(uint64_t(i) + uint64_t(step));
  if (isUnsigned ? uint64_t(next) < uint64_t(i) : next < i)
    return std::nullopt;
  return next;
}

static LogicalResult evalScfFor(scf::ForOp op, Execution &execution) {
  Type type = op.getInductionVar().getType();
  const bool isUnsigned = op.getUnsignedCmp();
  int64_t bounds[3]; // Lower, upper, step.
  for (unsigned n = 0; n < 3; ++n) {
    FailureOr<int64_t> bound = execution.integer(n);
    if (failed(bound))
      return failure();
    bounds[n] = isUnsigned ? int64_t(execution.scalar(n).bits()) : *bound;
  }
  auto [lower, upper, step] = bounds;
  if (isUnsigned ? step == 0 : step <= 0)
    return numerics::errorAt(op)
           << "the step is " << step << ", expected more than 0";
  SmallVector<Slot> carried = operandsFrom(execution, 3);
  std::optional<int64_t> i = lower;
  while (i && (isUnsigned ? uint64_t(*i) < uint64_t(upper) : *i < upper)) {
    SmallVector<Slot> arguments = {scalarSlot(*i, type)};
    arguments.append(carried);
    FailureOr<SmallVector<Slot>> next = execution.runRegion(0, arguments);
    if (failed(next) || failed(storeAll(op, *next, execution.getMachine())))
      return failure();
    carried = std::move(*next);
    i = nextIteration(*i, step, isUnsigned);
  }
  return execution.setAll(carried);
}

static LogicalResult evalScfWhile(scf::WhileOp op, Execution &execution) {
  SmallVector<Slot> carried = operandsFrom(execution, 0);
  while (true) {
    FailureOr<SmallVector<Slot>> before = execution.runRegion(0, carried);
    if (failed(before) || failed(storeAll(op, *before, execution.getMachine())))
      return failure();
    // The first operand of scf.condition decides, the rest is passed on.
    Scalar goesOn = before->front().scalar;
    if (goesOn.isPoison())
      return poisonFault(op, goesOn, "uses poison as condition");
    if (goesOn.hasSpread())
      return execution.getMachine().stop(op, "a condition");
    ArrayRef<Slot> passed = ArrayRef<Slot>(*before).drop_front();
    if (goesOn.bits() == 0)
      return execution.setAll(passed);
    FailureOr<SmallVector<Slot>> after = execution.runRegion(1, passed);
    if (failed(after) || failed(storeAll(op, *after, execution.getMachine())))
      return failure();
    carried = std::move(*after);
  }
}

/// Each iteration sees the tensors as they were before all of them.
static LogicalResult evalScfForall(scf::ForallOp op, Execution &execution) {
  FailureOr<Shape> lower =
      execution.integers(op.getStaticLowerBound(), op.getDynamicLowerBound());
  FailureOr<Shape> upper =
      execution.integers(op.getStaticUpperBound(), op.getDynamicUpperBound());
  FailureOr<Shape> step =
      execution.integers(op.getStaticStep(), op.getDynamicStep());
  if (failed(lower) || failed(upper) || failed(step))
    return failure();
  Shape counts;
  for (auto [low, high, by] : llvm::zip_equal(*lower, *upper, *step)) {
    if (by <= 0)
      return numerics::errorAt(op) << "a step is " << by;
    counts.push_back(high <= low ? 0 : llvm::divideCeil(high - low, by));
  }
  const Sequence &sequence = execution.getInstruction().regions[0];
  ArrayRef<unsigned> shared =
      ArrayRef<unsigned>(sequence.arguments).drop_front(counts.size());
  SmallVector<Slot> before = operandsFrom(
      execution, op->getNumOperands() - unsigned(op.getOutputs().size()));
  SmallVector<Slot> after = before;
  Shape at(counts.size(), 0);
  Type index = IndexType::get(op.getContext());
  for (bool goesOn = countOf(counts) > 0; goesOn;
       goesOn = advance(counts, at)) {
    SmallVector<Slot> arguments;
    for (size_t d = 0; d < at.size(); ++d)
      arguments.push_back(scalarSlot((*lower)[d] + at[d] * (*step)[d], index));
    arguments.append(before);
    if (failed(execution.runRegion(0, arguments)))
      return failure();
    for (auto [slot, value] : llvm::zip_equal(shared, after))
      execution.getFrame()[slot] = value;
    if (failed(run(sequence.inserts, execution.getFrame(),
                   execution.getMachine())))
      return failure();
    for (auto [slot, value] : llvm::zip_equal(shared, after))
      value = execution.getFrame()[slot];
    if (failed(storeAll(op, after, execution.getMachine())))
      return failure();
  }
  return execution.setAll(after);
}

//===--- func, cf ---------------------------------------------------------===//

/// Calls in calls, of which the stack of this process has room for.
static constexpr unsigned kMostCalls = 200;

static LogicalResult evalFuncCall(func::CallOp op, Execution &execution) {
  Machine &machine = execution.getMachine();
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, op.getCalleeAttr());
  if (!callee || callee.isExternal())
    return numerics::errorAt(op)
           << "calls @" << op.getCallee() << ", which has no body";
  if (machine.calls == kMostCalls)
    return numerics::errorAt(op)
           << kMostCalls << " calls of functions are in each other";
  std::shared_ptr<const Body> &body = machine.functions[callee];
  if (!body) {
    FailureOr<std::shared_ptr<const Body>> compiled =
        compileBody(callee.getBody());
    if (failed(compiled))
      return failure();
    body = *compiled;
  }
  std::shared_ptr<const Body> kept = body;
  Frame frame = kept->frame();
  for (auto [n, slot] : llvm::enumerate(kept->sequence.arguments))
    frame[slot] = execution.operand(n);
  ++machine.calls;
  LogicalResult ran = run(kept->sequence.instructions, frame, machine);
  --machine.calls;
  if (failed(ran))
    return failure();
  SmallVector<Slot> results;
  for (unsigned slot : kept->sequence.yielded)
    results.push_back(frame[slot]);
  return execution.setAll(results);
}

static LogicalResult evalAssert(cf::AssertOp op, Execution &execution) {
  FailureOr<int64_t> holds = execution.integer(0);
  if (failed(holds))
    return failure();
  if (!*holds)
    return numerics::errorAt(op) << op.getMsg();
  return success();
}

void addControlEvals(EvalTable &table) {
  table.add<cf::AssertOp>(evalAssert);
  table.add<func::CallOp>(evalFuncCall);
  table.add<scf::ExecuteRegionOp>(evalScfExecute);
  table.add<scf::ForOp>(evalScfFor);
  table.add<scf::ForallOp>(evalScfForall);
  table.add<scf::IfOp>(evalScfIf);
  table.add<scf::IndexSwitchOp>(evalScfSwitch);
  table.add<scf::WhileOp>(evalScfWhile);
}

} // namespace tilewright::graph::reference
