//===- MemoryOps.cpp - Addresses, loads and stores ------------------------===//
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "tileir/reference/ElementOps.h"
#include "verify/threads/Lanes.h"
#include "verify/threads/Layout.h"

using namespace mlir;
using namespace tilewright::reference;

namespace tilewright::verify::threads {

static unsigned lanesIn(Type type) {
  SmallVector<Type> scalars;
  (void)scalarsOf(type, scalars);
  return unsigned(scalars.size());
}

//===--- Addresses --------------------------------------------------------===//

namespace {
struct Address : Details {
  struct Term {
    unsigned lane, bits, count;
    int64_t stride;
  };
  SmallVector<Term> terms;
  int64_t constant = 0;
  unsigned bases = 1;
  bool isInBounds = false, isUpward = false;
};
} // namespace

static Outcome runAddress(const Instruction &i, Thread &t) {
  const auto &address = i.as<Address>();
  for (unsigned n = 0; n < i.lanes; ++n) {
    const Lane &base = t.frame[i.a + (address.bases == 1 ? 0 : n)];
    Lane &to = t.frame[i.result + n];
    Operation *poison = base.mark;
    int64_t offset = address.constant;
    for (const Address::Term &term : address.terms) {
      const Lane &index = t.frame[term.lane + (term.count == 1 ? 0 : n)];
      if (!poison)
        poison = index.mark;
      offset =
          int64_t(uint64_t(offset) + uint64_t(asSigned(index.bits, term.bits)) *
                                         uint64_t(term.stride));
    }
    if (poison) {
      to = {0, poison};
      continue;
    }
    to = {base.bits + uint64_t(offset), nullptr};
    if (address.isUpward && offset < 0)
      to.mark = i.op;
    if (address.isInBounds && offset != 0) {
      Allocation *memory = t.launch.memory.containing(base.bits);
      if (!memory || to.bits < memory->begin || to.bits > memory->end())
        to.mark = i.op;
    }
  }
  return Outcome::next;
}

static LogicalResult buildAddress(LLVM::GEPOp op, Compiler &c) {
  auto address = std::make_shared<Address>();
  const auto flags = op.getNoWrapFlags();
  using Flags = LLVM::GEPNoWrapFlags;
  address->isInBounds = bitEnumContainsAll(flags, Flags::inbounds);
  address->isUpward = bitEnumContainsAny(flags, Flags::nuw);
  address->bases = lanesIn(op.getBase().getType());
  Type type = op.getElemType();
  for (auto [n, index] : llvm::enumerate(op.getIndices())) {
    int64_t stride = 0;
    auto record = dyn_cast<LLVM::LLVMStructType>(type);
    if (n == 0) {
      stride = int64_t(threads::layoutOf(type).stride());
    } else if (auto array = dyn_cast<LLVM::LLVMArrayType>(type)) {
      type = array.getElementType();
      stride = int64_t(threads::layoutOf(type).stride());
    } else if (auto vector = dyn_cast<VectorType>(type)) {
      type = vector.getElementType();
      stride = int64_t(threads::layoutOf(type).stride());
    } else if (!record || !isa<IntegerAttr>(index)) {
      return errorAt(op) << "the reference of threads steps into arrays, "
                            "vectors and structs, found "
                         << type;
    }
    if (auto value = dyn_cast<Value>(index)) {
      Type indexType = getElementTypeOrSelf(value.getType());
      address->terms.push_back({c.laneOf(value), bitsOf(indexType),
                                lanesIn(value.getType()), stride});
      continue;
    }
    const int64_t number = cast<IntegerAttr>(index).getInt();
    if (n == 0 || !record) {
      address->constant += number * stride;
      continue;
    }
    // The member begins where a struct of those up to it ends without it.
    MemoryLayout whole = threads::layoutOf(LLVM::LLVMStructType::getLiteral(
        op.getContext(), record.getBody().take_front(size_t(number) + 1),
        record.isPacked()));
    type = record.getBody()[size_t(number)];
    const size_t fields = whole.fields.size() - lanesIn(type);
    address->constant += int64_t(whole.fields[fields].bitOffset / 8);
  }
  Instruction instruction = c.begin(op);
  instruction.run = runAddress;
  instruction.details = std::move(address);
  c.emit(std::move(instruction));
  return success();
}

//===--- Loads and stores -------------------------------------------------===//

static Outcome runLoad(const Instruction &i, Thread &t) {
  return readMemory(i, t, t.frame[i.a], i.as<Access>(), t.frame + i.result);
}
/// The value is the first operand, the address the second.
static Outcome runStore(const Instruction &i, Thread &t) {
  return writeMemory(i, t, t.frame[i.b], i.as<Access>(), t.frame + i.a);
}

template <typename Op>
static LogicalResult buildAccess(Op op, Type type, Run run, Compiler &c) {
  auto access = std::make_shared<Access>();
  access->layout = threads::layoutOf(type);
  access->align =
      op.getAlignment() ? uint64_t(*op.getAlignment()) : access->layout.align;
  access->isAtomic = op.getOrdering() != LLVM::AtomicOrdering::not_atomic;
  Instruction instruction = c.beginMove(op);
  instruction.run = run;
  instruction.details = std::move(access);
  c.emit(std::move(instruction));
  return success();
}

//===--- Memory of a thread -----------------------------------------------===//

/// number: the bytes of one element; target: the alignment.
static Outcome runAlloca(const Instruction &i, Thread &t) {
  const Lane &count = t.frame[i.a];
  if (isOpen(count))
    return poisonFault(i, t, count, "its size");
  const uint64_t bytes = count.bits * uint64_t(i.number);
  t.stack = llvm::alignTo(t.stack, i.target);
  t.launch.memory.reuse("memory of a thread", t.stack, bytes);
  t.frame[i.result] = {t.stack, nullptr};
  // A gap, so that a stray address hits no other.
  t.stack += bytes + 64;
  return Outcome::next;
}

static LogicalResult buildAlloca(LLVM::AllocaOp op, Compiler &c) {
  const MemoryLayout layout = threads::layoutOf(op.getElemType());
  Instruction instruction = c.begin(op);
  instruction.run = runAlloca;
  instruction.number = int64_t(layout.stride());
  instruction.target =
      unsigned(std::max(op.getAlignment().value_or(1), layout.align));
  c.emit(std::move(instruction));
  return success();
}

//===--- Blocks of bytes --------------------------------------------------===//

/// Copies bytes that were not written as such.
static Outcome runCopyBytes(const Instruction &i, Thread &t) {
  const Lane &count = t.frame[i.c];
  if (isOpen(count))
    return poisonFault(i, t, count, "its size");
  if (count.bits == 0)
    return Outcome::next;
  Access access;
  access.layout = threads::layoutOf(LLVM::LLVMArrayType::get(
      IntegerType::get(i.op->getContext(), 8), unsigned(count.bits)));
  std::vector<Lane> bytes(count.bits);
  Outcome outcome = readMemory(i, t, t.frame[i.b], access, bytes.data());
  if (outcome == Outcome::next)
    outcome = writeMemory(i, t, t.frame[i.a], access, bytes.data());
  // Numbers of several bytes remain whole.
  if (outcome == Outcome::next && t.launch.hasErrors())
    t.launch.errors().copy(t.frame[i.a].bits, t.frame[i.b].bits, count.bits);
  return outcome;
}

static Outcome runFillBytes(const Instruction &i, Thread &t) {
  const Lane &count = t.frame[i.c];
  if (isOpen(count))
    return poisonFault(i, t, count, "its size");
  Access access;
  access.layout = threads::layoutOf(LLVM::LLVMArrayType::get(
      IntegerType::get(i.op->getContext(), 8), unsigned(count.bits)));
  const std::vector<Lane> bytes(count.bits, t.frame[i.b]);
  return count.bits == 0
             ? Outcome::next
             : writeMemory(i, t, t.frame[i.a], access, bytes.data());
}

void addMemoryOps(OpTable &ops) {
  ops.add<LLVM::GEPOp>(buildAddress);
  ops.add<LLVM::LoadOp>([](LLVM::LoadOp op, Compiler &c) {
    return buildAccess(op, op.getType(), runLoad, c);
  });
  ops.add<LLVM::StoreOp>([](LLVM::StoreOp op, Compiler &c) {
    return buildAccess(op, op.getValue().getType(), runStore, c);
  });
  ops.add<LLVM::AllocaOp>(buildAlloca);
  ops.addRun<LLVM::MemcpyOp, LLVM::MemmoveOp>(runCopyBytes);
  ops.addRun<LLVM::MemsetOp>(runFillBytes);
}

//===--- Masked accesses --------------------------------------------------===//

namespace {
/// An access of lanes for which a mask is true.
struct Masked : Details {
  /// Of one element.
  Access element;
  uint64_t align = 1;
  /// The first lanes of the mask and of what else is read; none: poison.
  unsigned mask = 0;
  std::optional<unsigned> otherwise;
  /// Each lane has an address.
  bool isIndexed = false;
};
} // namespace

static Lane addressAt(const Instruction &i, Thread &t, const Masked &masked,
                      unsigned first, unsigned n) {
  Lane address = t.frame[first + (masked.isIndexed ? n : 0)];
  if (!masked.isIndexed)
    address.bits += n * masked.element.layout.bytes;
  return address;
}

/// number: the lanes. The address of the whole is aligned, if a lane is used.
template <bool isStore>
static Outcome runMasked(const Instruction &i, Thread &t) {
  const auto &masked = i.as<Masked>();
  const unsigned addresses = isStore ? i.b : i.a;
  for (unsigned n = 0; n < unsigned(i.number); ++n) {
    const Lane &mask = t.frame[masked.mask + n];
    if (isOpen(mask))
      return poisonFault(i, t, mask, "its mask");
    if (!(mask.bits & 1)) {
      if (!isStore)
        t.frame[i.result + n] =
            masked.otherwise ? t.frame[*masked.otherwise + n] : Lane{0, i.op};
      continue;
    }
    const Lane &first = t.frame[addresses];
    if (!masked.isIndexed && !isPoison(first) && first.bits % masked.align != 0)
      return fault(i, t,
                   "its address is not aligned to " + Twine(masked.align) +
                       " bytes");
    const Lane address = addressAt(i, t, masked, addresses, n);
    const Outcome outcome =
        isStore
            ? writeMemory(i, t, address, masked.element, t.frame + i.a + n)
            : readMemory(i, t, address, masked.element, t.frame + i.result + n);
    if (outcome != Outcome::next)
      return outcome;
  }
  return Outcome::next;
}

static LogicalResult emitMasked(Operation *op, VectorType type, bool isStore,
                                bool isIndexed, uint64_t align, Value mask,
                                ValueRange otherwise, Compiler &c) {
  auto masked = std::make_shared<Masked>();
  masked->element.layout = threads::layoutOf(type.getElementType());
  if (bitsOf(type.getElementType()) % 8 != 0)
    return errorAt(op) << "the reference of threads masks accesses of whole "
                          "bytes, found "
                       << type;
  masked->align = std::max<uint64_t>(align, 1);
  masked->element.align = std::min(masked->align, masked->element.layout.bytes);
  masked->mask = c.laneOf(mask);
  masked->isIndexed = isIndexed;
  if (!otherwise.empty())
    masked->otherwise = c.laneOf(otherwise.front());
  Instruction instruction = c.beginMove(op);
  instruction.run = isStore ? runMasked<true> : runMasked<false>;
  instruction.number = type.getNumElements();
  instruction.details = std::move(masked);
  c.emit(std::move(instruction));
  return success();
}

void addMaskedOps(OpTable &ops) {
  ops.add<LLVM::MaskedLoadOp>([](LLVM::MaskedLoadOp op, Compiler &c) {
    return emitMasked(op, cast<VectorType>(op.getType()), false, false,
                      op.getAlignment(), op.getMask(), op.getPassThru(), c);
  });
  ops.add<LLVM::MaskedStoreOp>([](LLVM::MaskedStoreOp op, Compiler &c) {
    return emitMasked(op, cast<VectorType>(op.getValue().getType()), true,
                      false, op.getAlignment(), op.getMask(), {}, c);
  });
  ops.add<LLVM::masked_gather>([](LLVM::masked_gather op, Compiler &c) {
    return emitMasked(op, cast<VectorType>(op.getType()), false, true,
                      op.getAlignment(), op.getMask(), op.getPassThru(), c);
  });
  ops.add<LLVM::masked_scatter>([](LLVM::masked_scatter op, Compiler &c) {
    return emitMasked(op, cast<VectorType>(op.getValue().getType()), true, true,
                      op.getAlignment(), op.getMask(), {}, c);
  });
}

} // namespace tilewright::verify::threads
