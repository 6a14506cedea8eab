//===- EmitAtomic.cpp - Atomic updates, orders and scopes -----------------===//
//
// The thread that owns an element updates it. LLVM drops order and scope of
// atomicrmw on this target, so updates are PTX; loads, stores and fences are
// LLVM's. What the order of one thread's access means for the whole block is
// the barriers' part, which are set before (codegen/transforms).
//
//===----------------------------------------------------------------------===//
#include "codegen/nvptx/Atomics.h"

#include "codegen/nvptx/GpuOpTable.h"
#include "codegen/nvptx/Pointers.h"
#include "codegen/nvptx/Values.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tilewright::nvptx {

using tile::AtomicKind;
using tile::MemoryOrder;
using tile::MemoryScope;

//===--- Orders and scopes ------------------------------------------------===//

/// The scope of PTX.
static StringRef ptxScope(MemoryScope scope, const target::GpuTarget &target) {
  switch (scope) {
  case MemoryScope::program:
    return "cta";
  case MemoryScope::cluster:
    return target.hasClusters() ? "cluster" : "gpu";
  case MemoryScope::device:
    return "gpu";
  case MemoryScope::system:
    return "sys";
  }
  llvm_unreachable("all scopes are listed");
}

StringRef syncScope(MemoryScope scope, const target::GpuTarget &target) {
  return llvm::StringSwitch<StringRef>(ptxScope(scope, target))
      .Case("cta", "block")
      .Case("gpu", "device")
      .Case("cluster", "cluster")
      .Default("");
}

LLVM::AtomicOrdering llvmOrdering(MemoryOrder order) {
  switch (order) {
  case MemoryOrder::weak:
    return LLVM::AtomicOrdering::not_atomic;
  case MemoryOrder::relaxed:
    return LLVM::AtomicOrdering::monotonic;
  case MemoryOrder::acquire:
    return LLVM::AtomicOrdering::acquire;
  case MemoryOrder::release:
    return LLVM::AtomicOrdering::release;
  case MemoryOrder::acq_rel:
    return LLVM::AtomicOrdering::acq_rel;
  case MemoryOrder::seq_cst:
    return LLVM::AtomicOrdering::seq_cst;
  }
  llvm_unreachable("all orders are listed");
}

/// Accesses of one program are ordered by barriers alone.
static void emitFence(tile::FenceOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  if (op.getScope() != MemoryScope::program)
    LLVM::FenceOp::create(b, llvmOrdering(op.getOrder()),
                          syncScope(op.getScope(), e.target));
}

//===--- Instructions -----------------------------------------------------===//

/// The letter of inline PTX for a register of this type.
static char registerClass(Type type) {
  if (type.isF32())
    return 'f';
  if (type.isF64())
    return 'd';
  unsigned width = type.getIntOrFloatBitWidth();
  return width == 16 ? 'h' : width == 32 ? 'r' : 'l';
}

/// PTX with `operands` as $1, .. after the result $0; without a result (null)
/// they begin at $0.
static Value emitAsm(Emission &e, Type result, ValueRange operands,
                     const Twine &text) {
  ImplicitLocOpBuilder &b = e.b;
  std::string constraints;
  if (result)
    constraints = std::string("=") + registerClass(result) + ",";
  for (Value operand : operands)
    constraints += std::string(1, registerClass(operand.getType())) + ",";
  auto call = LLVM::InlineAsmOp::create(
      b, result ? TypeRange(result) : TypeRange(), operands,
      b.getStringAttr(text), b.getStringAttr(constraints + "~{memory}"),
      b.getUnitAttr(), UnitAttr(),
      LLVM::TailCallKindAttr::get(b.getContext(),
                                  LLVM::tailcallkind::TailCallKind::None),
      LLVM::AsmDialectAttr(), ArrayAttr());
  return result ? call.getResult(0) : Value();
}

/// What PTX calls the update of one element; empty where it has none. The
/// kinds of floats other than these would lose a NaN, or do not exist.
static std::string instructionFor(AtomicKind kind, Type type,
                                  const target::GpuTarget &target) {
  unsigned width = type.getIntOrFloatBitWidth();
  auto named = [&](const char *name) {
    return llvm::formatv(name, width).str();
  };
  if (isa<FloatType>(type)) {
    if (kind == AtomicKind::exchange)
      return width >= 32 ? named("exch.b{0}") : "";
    if (kind != AtomicKind::add)
      return "";
    if (type.isBF16())
      return target.hasAtomicAddBf16() ? "add.noftz.bf16" : "";
    return type.isF16() ? "add.noftz.f16" : named("add.f{0}");
  }
  switch (kind) {
  case AtomicKind::exchange:
    return named("exch.b{0}");
  case AtomicKind::add:
    return named("add.u{0}");
  case AtomicKind::and_:
    return named("and.b{0}");
  case AtomicKind::or_:
    return named("or.b{0}");
  case AtomicKind::xor_:
    return named("xor.b{0}");
  case AtomicKind::max:
    return named("max.s{0}");
  case AtomicKind::min:
    return named("min.s{0}");
  case AtomicKind::umax:
    return named("max.u{0}");
  case AtomicKind::umin:
    return named("min.u{0}");
  }
  llvm_unreachable("all kinds are listed");
}

/// A value as the integer of its bits.
static Value bitsOf(ImplicitLocOpBuilder &b, Value value) {
  if (isa<IntegerType>(value.getType()))
    return value;
  Type bits = b.getIntegerType(value.getType().getIntOrFloatBitWidth());
  return arith::BitcastOp::create(b, bits, value);
}

static Value compareAndSwap(Emission &e, Ordering ordering, Value address,
                            Value expected, Value value) {
  return emitAsm(e, value.getType(), {address, expected, value},
                 "atom." + stringifyMemoryOrder(ordering.order) + "." +
                     ptxScope(ordering.scope, e.target) + ".global.cas.b" +
                     Twine(value.getType().getIntOrFloatBitWidth()) +
                     " $0, [$1], $2, $3;");
}

/// Computes the new element from the old and exchanges their bits until no one
/// came between.
static Value updateByExchange(Emission &e, AtomicKind kind, Ordering ordering,
                              Value address, Value value) {
  ImplicitLocOpBuilder &b = e.b;
  Type type = value.getType();
  Type bits = b.getIntegerType(type.getIntOrFloatBitWidth());
  Value source = LLVM::IntToPtrOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), 1), address);
  Value first = LLVM::LoadOp::create(
      b, bits, source, bits.getIntOrFloatBitWidth() / 8, false, false, false,
      false, LLVM::AtomicOrdering::monotonic,
      syncScope(ordering.scope, e.target));
  auto loop = scf::WhileOp::create(b, TypeRange(bits), first);
  OpBuilder::InsertionGuard guard(b);
  Value old =
      b.createBlock(&loop.getBefore(), {}, bits, b.getLoc())->getArgument(0);
  Value number = arith::BitcastOp::create(b, type, old);
  Value next = value;
  if (kind == AtomicKind::add)
    next = arith::AddFOp::create(b, number, value);
  else if (kind == AtomicKind::max)
    next = arith::MaximumFOp::create(b, number, value);
  else if (kind == AtomicKind::min)
    next = arith::MinimumFOp::create(b, number, value);
  Value found = compareAndSwap(e, ordering, address, old, bitsOf(b, next));
  Value again = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, found, old);
  scf::ConditionOp::create(b, again, found);
  Block *after = b.createBlock(&loop.getAfter(), {}, bits, b.getLoc());
  scf::YieldOp::create(b, after->getArgument(0));
  b.setInsertionPointAfter(loop);
  return arith::BitcastOp::create(b, type, loop.getResult(0));
}

/// PTX has no exchange as a reduction, and a reduction never acquires.
static bool isReduction(AtomicKind kind, MemoryOrder order) {
  return kind != AtomicKind::exchange &&
         (order == MemoryOrder::relaxed || order == MemoryOrder::release);
}

/// Updates the element at `address`; returns its old value, null unless
/// `wantsOld`.
static Value updateElement(Emission &e, AtomicKind kind, Ordering ordering,
                           Value address, Value value, bool wantsOld) {
  ImplicitLocOpBuilder &b = e.b;
  Type type = value.getType();
  std::string instruction = instructionFor(kind, type, e.target);
  if (instruction.empty())
    return updateByExchange(e, kind, ordering, address, value);
  // A float of 16 bits is in a register of 16 bits.
  bool isHalf = type.getIntOrFloatBitWidth() == 16;
  Value operand = isHalf ? bitsOf(b, value) : value;
  std::string rest =
      (stringifyMemoryOrder(ordering.order) + "." +
       ptxScope(ordering.scope, e.target) + ".global." + instruction)
          .str();
  if (!wantsOld && isReduction(kind, ordering.order)) {
    emitAsm(e, {}, {address, operand}, "red." + rest + " [$0], $1;");
    return {};
  }
  Value old = emitAsm(e, operand.getType(), {address, operand},
                      "atom." + rest + " $0, [$1], $2;");
  return isHalf ? arith::BitcastOp::create(b, type, old).getResult() : old;
}

void updateGroup(Emission &e, AtomicKind kind, Ordering ordering, Value address,
                 Value values) {
  ImplicitLocOpBuilder &b = e.b;
  auto type = cast<VectorType>(values.getType());
  int64_t count = type.getNumElements();
  if (count > 1 && count <= 4 && type.getElementType().isF32() &&
      kind == AtomicKind::add && e.target.hasAtomicAddVector()) {
    SmallVector<Value> operands = {address};
    std::string list;
    for (int64_t i = 0; i < count; ++i) {
      operands.push_back(element(b, values, i));
      list += llvm::formatv("{0}${1}", i ? ", " : "", i + 1).str();
    }
    emitAsm(e, {}, operands,
            "red." + stringifyMemoryOrder(ordering.order) + "." +
                ptxScope(ordering.scope, e.target) + ".global.add.v" +
                Twine(count) + ".f32 [$0], {" + list + "};");
    return;
  }
  unsigned bytes = type.getElementTypeBitWidth() / 8;
  for (int64_t i = 0; i < count; ++i) {
    Value at = i ? arith::AddIOp::create(b, address, integer(b, i * bytes, 64))
                       .getResult()
                 : address;
    updateElement(e, kind, ordering, at, element(b, values, i), false);
  }
}

//===--- Ops --------------------------------------------------------------===//

static LogicalResult emitAtomicRmw(tile::AtomicRmwOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  auto tile = dyn_cast<RankedTensorType>(op.getType());
  if (!tile)
    return rejectScalar(op);
  Value addresses = e.get(op.getPtr()), value = e.get(op.getValue());
  Value mask = op.getMask() ? e.get(op.getMask()) : Value();
  Value nothing =
      op->use_empty() ? zero(b, typeOf(tile.getElementType())) : Value();
  e.set(op, emitOnce(e, tile, [&] {
          return forEachPointer(e, tile, mask, {}, [&](int64_t reg) {
            Value old = updateElement(
                e, op.getKind(), {op.getOrder(), op.getScope()},
                element(b, addresses, reg), element(b, value, reg), !nothing);
            return nothing ? nothing : old;
          });
        }));
  return success();
}

static LogicalResult emitAtomicCas(tile::AtomicCasOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  auto tile = dyn_cast<RankedTensorType>(op.getType());
  if (!tile)
    return rejectScalar(op);
  Value addresses = e.get(op.getPtr()), value = e.get(op.getValue());
  Value expected = e.get(op.getCompare());
  Value mask = op.getMask() ? e.get(op.getMask()) : Value();
  e.set(op, emitOnce(e, tile, [&] {
          return forEachPointer(e, tile, mask, {}, [&](int64_t reg) {
            return compareAndSwap(
                e, {op.getOrder(), op.getScope()}, element(b, addresses, reg),
                element(b, expected, reg), element(b, value, reg));
          });
        }));
  return success();
}

void addAtomicOps(GpuOps &ops) {
  add(ops, emitAtomicRmw);
  add(ops, emitAtomicCas);
  add(ops, emitFence);
}

} // namespace tilewright::nvptx
