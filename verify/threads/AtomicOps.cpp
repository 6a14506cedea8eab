//===- AtomicOps.cpp - Atomic updates of the llvm dialect -----------------===//
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "tileir/reference/ElementOps.h"
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
};
} // namespace

/// Blocks and programs run one after the other, so each update is whole; orders
/// and scopes have no effect.
static Outcome runUpdate(const Instruction &i, Thread &t) {
  const Lane &address = t.frame[i.a], &value = t.frame[i.b];
  if (isPoison(address))
    return poisonFault(i, t, address, "its address");
  if (isPoison(value))
    return poisonFault(i, t, value, "what it stores");
  const unsigned bytes = i.resultBits / 8;
  std::optional<uint64_t> old = readWord(i, t, address.bits, bytes, true);
  if (!old ||
      !writeWord(i, t, address.bits, bytes,
                 i.as<Update>().combine(*old, value.bits, i.resultBits), true))
    return Outcome::fault;
  t.frame[i.result] = {*old, nullptr};
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
  if (!update->combine)
    return errorAt(op) << "the reference of threads has no such update of "
                       << op.getVal().getType();
  Instruction instruction = c.begin(op);
  instruction.run = runUpdate;
  instruction.details = std::move(update);
  c.emit(std::move(instruction));
  return success();
}

/// Two results: what was there, and whether it was what is expected.
static Outcome runExchange(const Instruction &i, Thread &t) {
  const Lane &address = t.frame[i.a];
  for (unsigned lane : {i.a, i.b, i.c})
    if (isPoison(t.frame[lane]))
      return poisonFault(i, t, t.frame[lane], "an operand");
  const unsigned bytes = i.resultBits / 8;
  std::optional<uint64_t> old = readWord(i, t, address.bits, bytes, true);
  if (!old)
    return Outcome::fault;
  const bool isExpected = *old == t.frame[i.b].bits;
  if (isExpected &&
      !writeWord(i, t, address.bits, bytes, t.frame[i.c].bits, true))
    return Outcome::fault;
  t.frame[i.result] = {*old, nullptr};
  t.frame[i.result + 1] = {isExpected, nullptr};
  return Outcome::next;
}

static Outcome runFence(const Instruction &, Thread &) { return Outcome::next; }

void addAtomicOps(OpTable &ops) {
  ops.add<LLVM::AtomicRMWOp>(buildUpdate);
  ops.addRun<LLVM::AtomicCmpXchgOp>(runExchange);
  ops.addRun<LLVM::FenceOp>(runFence);
}

} // namespace tilewright::verify::threads
