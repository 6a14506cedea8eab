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
#include "codegen/nvptx/Threads.h"
#include "codegen/nvptx/Values.h"
#include "codegen/tilegpu/TileGpu.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
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
  return width == 1 ? 'b' : width == 16 ? 'h' : width == 32 ? 'r' : 'l';
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
  Value source = globalPointer(b, address);
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

/// "relaxed.gpu.global." and what follows.
static std::string orderedName(Emission &e, Ordering ordering,
                               StringRef instruction) {
  return (stringifyMemoryOrder(ordering.order) + "." +
          ptxScope(ordering.scope, e.target) + ".global." + instruction)
      .str();
}

/// A float of 16 bits is in a register of 16 bits.
static Value asOperand(ImplicitLocOpBuilder &b, Value value) {
  const bool isHalf = value.getType().getIntOrFloatBitWidth() == 16;
  return isHalf ? bitsOf(b, value) : value;
}

/// Updates the element at `address`; returns its old value.
static Value updateElement(Emission &e, AtomicKind kind, Ordering ordering,
                           Value address, Value value) {
  ImplicitLocOpBuilder &b = e.b;
  std::string instruction = instructionFor(kind, value.getType(), e.target);
  if (instruction.empty())
    return updateByExchange(e, kind, ordering, address, value);
  Value operand = asOperand(b, value);
  Value old = emitAsm(e, operand.getType(), {address, operand},
                      "atom." + orderedName(e, ordering, instruction) +
                          " $0, [$1], $2;");
  return operand == value
             ? old
             : arith::BitcastOp::create(b, value.getType(), old).getResult();
}

/// `red` with `operands`, where `isUpdated` (i1; null: everywhere): a branch
/// around each would cost more.
static void emitReduction(Emission &e, ArrayRef<Value> operands,
                          Value isUpdated, const Twine &text) {
  SmallVector<Value> all(operands);
  std::string predicate;
  if (isUpdated) {
    predicate = llvm::formatv("@${0} ", all.size()).str();
    all.push_back(isUpdated);
  }
  emitAsm(e, {}, all, predicate + "red." + text + ";");
}

/// The same where `isUpdated` (i1; null: everywhere), for its effect alone.
static void updateElement(Emission &e, AtomicKind kind, Ordering ordering,
                          Value address, Value isUpdated, Value value) {
  ImplicitLocOpBuilder &b = e.b;
  std::string instruction = instructionFor(kind, value.getType(), e.target);
  if (!instruction.empty() && isReduction(kind, ordering.order))
    return emitReduction(e, {address, asOperand(b, value)}, isUpdated,
                         orderedName(e, ordering, instruction) + " [$0], $1");
  emitWhen(b, isUpdated,
           [&] { updateElement(e, kind, ordering, address, value); });
}

namespace {
/// An instruction that adds to several neighbours: "add.noftz.v2.f16x2".
struct VectorAdd {
  std::string name;
  unsigned elements = 0;
  /// Of the registers that it takes.
  unsigned wordBits = 32;
};
} // namespace

/// Of at most `count` elements, a power of two; no elements where there is
/// none.
static VectorAdd vectorAddOf(Type type, int64_t count,
                             const target::GpuTarget &target) {
  const bool isHalf = type.isF16() || type.isBF16();
  if (count == 1 || (!isHalf && !type.isF32()) ||
      (type.isBF16() && !target.hasAtomicAddBf16()))
    return {};
  const int64_t words = isHalf ? count / 2 : count;
  const int64_t most =
      target.hasAtomicAddVector() ? std::min<int64_t>(words, 4) : 1;
  if (most == 1 && !isHalf)
    return {};
  const std::string vector = most == 1 ? "" : ".v" + std::to_string(most);
  const char *kind = type.isF16()    ? ".f16x2"
                     : type.isBF16() ? ".bf16x2"
                                     : ".f32";
  return {(isHalf ? "add.noftz" : "add") + vector + kind,
          unsigned(isHalf ? 2 * most : most)};
}

/// `red` of the words of `values`, where `isUpdated`.
static void reduceVector(Emission &e, const VectorAdd &add, Ordering ordering,
                         Value address, Value isUpdated, Value values) {
  ImplicitLocOpBuilder &b = e.b;
  const int64_t words =
      int64_t(add.elements) *
      cast<VectorType>(values.getType()).getElementTypeBitWidth() /
      add.wordBits;
  Value bits = vector::BitCastOp::create(
      b, VectorType::get({words}, b.getIntegerType(add.wordBits)), values);
  SmallVector<Value> operands = {address};
  std::string list;
  for (int64_t i = 0; i < words; ++i) {
    operands.push_back(element(b, bits, i));
    list += llvm::formatv("{0}${1}", i ? ", " : "", i + 1).str();
  }
  if (words > 1)
    e.ptxVersion =
        std::max(e.ptxVersion, target::GpuTarget::atomicAddVectorPtxVersion);
  emitReduction(e, operands, isUpdated,
                orderedName(e, ordering, add.name) + " [$0], " +
                    (words == 1 ? list : "{" + list + "}"));
}

void updateGroup(Emission &e, AtomicKind kind, Ordering ordering, Value address,
                 Value isUpdated, Value values) {
  ImplicitLocOpBuilder &b = e.b;
  auto type = cast<VectorType>(values.getType());
  const int64_t count = type.getNumElements();
  const unsigned bytes = type.getElementTypeBitWidth() / 8;
  VectorAdd add;
  if (kind == AtomicKind::add && isReduction(kind, ordering.order))
    add = vectorAddOf(type.getElementType(), count, e.target);
  const int64_t step = std::max(1U, add.elements);
  for (int64_t i = 0; i < count; i += step) {
    Value at =
        b.createOrFold<arith::AddIOp>(address, integer(b, i * bytes, 64));
    if (add.elements) {
      auto registers =
          llvm::to_vector(llvm::seq<int32_t>(int32_t(i), int32_t(i + step)));
      reduceVector(e, add, ordering, at, isUpdated, pick(b, values, registers));
      continue;
    }
    updateElement(e, kind, ordering, at, isUpdated, element(b, values, i));
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
  const Ordering ordering = {op.getOrder(), op.getScope()};
  if (op->use_empty()) {
    emitWhen(b, ownsElements(e, tilegpu::layoutOf(tile)), [&] {
      forEachGroup(e, op, tile,
                   [&](Value address, Value isUpdated,
                       ArrayRef<int32_t> registers, const AliasFacts &) {
                     updateGroup(e, op.getKind(), ordering, address, isUpdated,
                                 pick(b, value, registers));
                   });
    });
    return success();
  }
  e.set(op, emitOnce(e, tile, [&] {
          return forEachPointer(e, tile, mask, {}, [&](int64_t reg) {
            return updateElement(e, op.getKind(), ordering,
                                 element(b, addresses, reg),
                                 element(b, value, reg));
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
