//===- AtomicOps.cpp - Atomic updates of the llvm dialect -----------------===//
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "tileir/reference/ElementOps.h"
#include "verify/threads/AtomicErrors.h"
#include "verify/threads/Combine.h"
#include "verify/threads/Lanes.h"
#include "verify/threads/Layout.h"

#include <map>

using namespace mlir;
using namespace tilewright::reference;

namespace tilewright::verify::threads {

namespace {
struct Update : Details {
  Combine combine = nullptr;
  Combining combining = Combining::exchange;
  Type type;
};
} // namespace

/// Blocks and programs run one after the other, so each update is whole; orders
/// and scopes have no effect.
static Outcome runUpdate(const Instruction &i, Thread &t) {
  const Lane &address = t.frame[i.a], &value = t.frame[i.b];
  if (isOpen(address))
    return poisonFault(i, t, address, "its address");
  if (isPoison(value))
    return poisonFault(i, t, value, "what it stores");
  const unsigned bytes = i.resultBits / 8;
  const auto &update = i.as<Update>();
  std::optional<uint64_t> old = readWord(i, t, address.bits, bytes, true);
  AtomicUpdate marked = {update.combining, update.type, address.bits, value,
                         old.value_or(0)};
  if (t.launch.hasErrors())
    marked.readMarks(t.launch.errors());
  if (!old || !writeWord(i, t, address.bits, bytes,
                         update.combine(*old, value.bits, i.resultBits), true))
    return Outcome::fault;
  t.frame[i.result] = {*old, nullptr};
  if (t.launch.hasErrors()) {
    markUpdate(t, marked);
    t.frame[i.result].mark = markOfOld(marked);
  }
  return Outcome::next;
}

static std::optional<Combining> combiningOf(LLVM::AtomicBinOp kind) {
  using K = LLVM::AtomicBinOp;
  static const std::map<K, Combining> kinds = {
      {K::xchg, Combining::exchange},    {K::add, Combining::add},
      {K::sub, Combining::sub},          {K::_and, Combining::bitAnd},
      {K::_or, Combining::bitOr},        {K::_xor, Combining::bitXor},
      {K::max, Combining::maxSigned},    {K::min, Combining::minSigned},
      {K::umax, Combining::maxUnsigned}, {K::umin, Combining::minUnsigned},
      {K::fadd, Combining::add},         {K::fsub, Combining::sub},
      {K::fmax, Combining::maxNumber},   {K::fmin, Combining::minNumber}};
  auto found = kinds.find(kind);
  return found == kinds.end() ? std::nullopt : std::optional(found->second);
}

static LogicalResult buildUpdate(LLVM::AtomicRMWOp op, Compiler &c) {
  std::optional<Combining> combining = combiningOf(op.getBinOp());
  auto update = std::make_shared<Update>();
  if (combining)
    update->combine = combinerOf(*combining, op.getVal().getType());
  update->combining = combining.value_or(Combining::exchange);
  update->type = op.getVal().getType();
  if (!update->combine)
    return errorAt(op) << "the reference of threads has no such update of "
                       << op.getVal().getType();
  Instruction instruction = c.beginMove(op);
  instruction.run = runUpdate;
  instruction.details = std::move(update);
  c.emit(std::move(instruction));
  return success();
}

/// Marks what was exchanged. Whether it is what is expected errors do not
/// change: who fails tries again with what is there. But that is another number
/// if it was not read there.
static void markExchange(const Instruction &i, Thread &t, const Mark &there) {
  const bool isSame = there == t.frame[i.b].mark;
  t.launch.errors().write(t.frame[i.a].bits, i.resultBits / 8,
                          isSame ? t.frame[i.c].mark : Mark::unknown());
}

/// Two results: what was there, and whether it was what is expected.
static Outcome runExchange(const Instruction &i, Thread &t) {
  const Lane &address = t.frame[i.a];
  for (unsigned lane : {i.a, i.b, i.c})
    if (isPoison(t.frame[lane]))
      return poisonFault(i, t, t.frame[lane], "an operand");
  if (isOpen(address))
    return poisonFault(i, t, address, "its address");
  const unsigned bytes = i.resultBits / 8;
  const Mark there = t.launch.hasErrors()
                         ? t.launch.errors().read(address.bits, bytes)
                         : Mark();
  std::optional<uint64_t> old = readWord(i, t, address.bits, bytes, true);
  if (!old)
    return Outcome::fault;
  const bool isExpected = *old == t.frame[i.b].bits;
  if (isExpected &&
      !writeWord(i, t, address.bits, bytes, t.frame[i.c].bits, true))
    return Outcome::fault;
  t.frame[i.result] = {*old, there};
  t.frame[i.result + 1] = {isExpected, nullptr};
  if (t.launch.hasErrors() && isExpected)
    markExchange(i, t, there);
  return Outcome::next;
}

static Outcome runFence(const Instruction &, Thread &) { return Outcome::next; }

void addAtomicOps(OpTable &ops) {
  ops.add<LLVM::AtomicRMWOp>(buildUpdate);
  ops.add<LLVM::AtomicCmpXchgOp>([](LLVM::AtomicCmpXchgOp op, Compiler &c) {
    Instruction instruction = c.beginMove(op);
    instruction.run = runExchange;
    c.emit(std::move(instruction));
    return success();
  });
  ops.addRun<LLVM::FenceOp>(runFence);
}

} // namespace tilewright::verify::threads
