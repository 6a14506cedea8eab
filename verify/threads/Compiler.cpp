//===- Compiler.cpp - From ops to instructions ----------------------------===//
#include "verify/threads/Compiler.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/RegionGraphTraits.h"
#include "tileir/reference/ElementOps.h"
#include "verify/threads/Thread.h"
#include "verify/threads/Tracking.h"
#include "llvm/ADT/PostOrderIterator.h"

using namespace mlir;

namespace tilewright::verify::threads {

//===--- Types ------------------------------------------------------------===//

LogicalResult scalarsOf(Type type, SmallVectorImpl<Type> &scalars) {
  auto repeated = [&](Type element, uint64_t count) -> LogicalResult {
    SmallVector<Type> one;
    if (failed(scalarsOf(element, one)))
      return failure();
    for (uint64_t i = 0; i < count; ++i)
      scalars.append(one);
    return success();
  };
  if (auto vector = dyn_cast<VectorType>(type)) {
    if (vector.isScalable())
      return failure();
    return repeated(vector.getElementType(), uint64_t(vector.getNumElements()));
  }
  if (auto array = dyn_cast<LLVM::LLVMArrayType>(type))
    return repeated(array.getElementType(), array.getNumElements());
  if (auto record = dyn_cast<LLVM::LLVMStructType>(type)) {
    for (Type member : record.getBody())
      if (failed(scalarsOf(member, scalars)))
        return failure();
    return success();
  }
  if (isa<LLVM::LLVMVoidType>(type))
    return success();
  if (!isa<LLVM::LLVMPointerType>(type) &&
      (!type.isIntOrIndexOrFloat() || bitsOf(type) > 64))
    return failure();
  scalars.push_back(type);
  return success();
}

unsigned bitsOf(Type scalar) {
  if (scalar.isIntOrFloat())
    return scalar.getIntOrFloatBitWidth();
  return 64;
}

//===--- Values -----------------------------------------------------------===//

static unsigned countLanes(Type type) {
  SmallVector<Type> scalars;
  (void)scalarsOf(type, scalars);
  return unsigned(scalars.size());
}

unsigned Compiler::reserve(unsigned count) {
  const size_t first = code.frame.size();
  code.frame.resize(first + count);
  return unsigned(first);
}

unsigned Compiler::define(Value value) {
  const unsigned first = reserve(countLanes(value.getType()));
  lanes[value] = first;
  return first;
}

LaneRange Compiler::rangeOf(Value value) const {
  return {laneOf(value), countLanes(value.getType())};
}

//===--- Instructions -----------------------------------------------------===//

static unsigned firstBits(Type type) {
  SmallVector<Type> scalars;
  (void)scalarsOf(type, scalars);
  return scalars.empty() ? 64 : bitsOf(scalars.front());
}

Instruction Compiler::begin(Operation *op) {
  Instruction instruction;
  instruction.op = op;
  const unsigned count = op->getNumOperands();
  if (count > 0) {
    instruction.a = laneOf(op->getOperand(0));
    instruction.bits = firstBits(op->getOperand(0).getType());
  }
  if (count > 1)
    instruction.b = laneOf(op->getOperand(1));
  if (count > 2)
    instruction.c = laneOf(op->getOperand(2));
  instruction.result = unsigned(code.frame.size());
  for (Value result : op->getResults())
    (void)define(result);
  instruction.lanes = unsigned(code.frame.size()) - instruction.result;
  if (op->getNumResults() > 0)
    instruction.resultBits = firstBits(op->getResult(0).getType());
  instruction.tracker = trackerOf(op, *this);
  return instruction;
}

namespace {
/// Lanes that are copied.
struct Moves : Details {
  struct Move {
    unsigned to, from, count;
  };
  std::vector<Move> moves;
  unsigned lanes = 0;
};
} // namespace

static Outcome runMove(const Instruction &i, Thread &t) {
  std::copy_n(t.frame + i.a, i.lanes, t.frame + i.result);
  return Outcome::next;
}

static Outcome runMoves(const Instruction &i, Thread &t) {
  const Moves &all = i.as<Moves>();
  SmallVector<Lane, 64> copy(all.lanes);
  Lane *next = copy.data();
  for (const Moves::Move &move : all.moves)
    next = std::copy_n(t.frame + move.from, move.count, next);
  next = copy.data();
  for (const Moves::Move &move : all.moves) {
    std::copy_n(next, move.count, t.frame + move.to);
    next += move.count;
  }
  return Outcome::next;
}

void Compiler::emitMoves(Operation *op, ValueRange from,
                         ArrayRef<unsigned> to) {
  auto moves = std::make_shared<Moves>();
  for (auto [value, target] : llvm::zip_equal(from, to)) {
    const unsigned source = laneOf(value), count = countLanes(value.getType());
    moves->lanes += count;
    auto &all = moves->moves;
    if (source == target || count == 0)
      continue;
    if (!all.empty() && all.back().to + all.back().count == target &&
        all.back().from + all.back().count == source)
      all.back().count += count;
    else
      all.push_back({target, source, count});
  }
  if (moves->moves.empty())
    return;
  Instruction instruction;
  instruction.op = op;
  instruction.lanes = moves->lanes;
  if (moves->moves.size() == 1) {
    const Moves::Move move = moves->moves.front();
    instruction.run = runMove;
    instruction.result = move.to;
    instruction.a = move.from;
    instruction.lanes = move.count;
  } else {
    instruction.run = runMoves;
    instruction.details = std::move(moves);
  }
  emit(std::move(instruction));
}

static Outcome runJump(const Instruction &i, Thread &t) {
  t.pc = i.target;
  return Outcome::jump;
}

unsigned Compiler::emitJump(Operation *op, unsigned target) {
  Instruction instruction;
  instruction.op = op;
  instruction.run = runJump;
  instruction.target = target;
  return emit(std::move(instruction));
}

static Outcome runBranch(const Instruction &i, Thread &t) {
  const Lane &condition = t.frame[i.a];
  if (isOpen(condition))
    return poisonFault(i, t, condition, "its condition");
  if (condition.bits & 1)
    return Outcome::next;
  t.pc = i.otherwise;
  return Outcome::jump;
}

unsigned Compiler::emitBranch(Operation *op, unsigned condition) {
  Instruction instruction;
  instruction.op = op;
  instruction.run = runBranch;
  instruction.a = condition;
  return emit(std::move(instruction));
}

void Compiler::jumpTo(Operation *op, Block *block, ValueRange operands) {
  SmallVector<unsigned> to;
  for (BlockArgument argument : block->getArguments())
    to.push_back(laneOf(argument));
  emitMoves(op, operands, to);
  openJumps.emplace_back(emitJump(op), block);
}

//===--- Ops and functions ------------------------------------------------===//

const Build *OpTable::find(Operation *op) const {
  auto found = builds.find(op->getName().getStringRef());
  return found == builds.end() ? nullptr : &found->second;
}

OpTable::OpTable() {
  addControlOps(*this);
  addConstantOps(*this);
  addIntegerOps(*this);
  addFloatOps(*this);
  addConvertOps(*this);
  addVectorOps(*this);
  addPositionOps(*this);
  addReductionOps(*this);
  addMemoryOps(*this);
  addMaskedOps(*this);
  addAtomicOps(*this);
  addCallOps(*this);
  addWarpOps(*this);
  addIntrinsicOps(*this);
  addPtxOps(*this);
}

const OpTable &OpTable::get() {
  static const OpTable table;
  return table;
}

static LogicalResult checkTypes(Operation *op, TypeRange types) {
  SmallVector<Type> scalars;
  for (Type type : types)
    if (failed(scalarsOf(type, scalars)))
      return reference::errorAt(op)
             << "the reference of threads has integers and floats of at most "
                "64 bits, pointers, and vectors, arrays and structs of them; "
                "found "
             << type;
  return success();
}

LogicalResult Compiler::compileOp(Operation *op) {
  if (failed(checkTypes(op, op->getResultTypes())) ||
      failed(checkTypes(op, op->getOperandTypes())))
    return failure();
  if (const Build *build = OpTable::get().find(op))
    return (*build)(op, *this);
  if (!reference::elementFunctions(op).empty())
    return buildElementwise(op, *this);
  return reference::errorAt(op)
         << "the reference of threads does not know this op";
}

LogicalResult Compiler::compileBlock(Block &block) {
  for (Operation &op : block) {
    if (&op == &block.back() && op.hasTrait<OpTrait::IsTerminator>())
      return success();
    if (failed(compileOp(&op)))
      return failure();
  }
  return success();
}

LogicalResult Compiler::compile(FunctionOpInterface function) {
  Region &body = function.getFunctionBody();
  for (Block &block : body)
    for (BlockArgument argument : block.getArguments()) {
      if (failed(checkTypes(function, argument.getType())))
        return failure();
      const unsigned first = define(argument);
      if (&block == &body.front())
        code.arguments.push_back(first);
    }
  // Values are defined before they are used: what dominates a block comes
  // before it in this order.
  llvm::ReversePostOrderTraversal<Region *> order(&body);
  for (Block *block : order) {
    blocks[block] = next();
    for (Operation &op : *block)
      if (failed(compileOp(&op)))
        return failure();
  }
  for (auto [jump, block] : openJumps)
    code.instructions[jump].target = blocks.at(block);
  return success();
}

FailureOr<std::shared_ptr<const Code>>
compileFunction(FunctionOpInterface function) {
  auto code = std::make_shared<Code>();
  if (failed(Compiler(*code).compile(function)))
    return failure();
  return std::shared_ptr<const Code>(std::move(code));
}

} // namespace tilewright::verify::threads
