#include "verify/threads/Layout.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "tileir/reference/ElementOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright::verify::threads {

/// Both halves of a byte hold a value: the flag of the interpreter device.
static constexpr uint8_t kWritten = 3;

//===--- Layouts ----------------------------------------------------------===//

uint64_t MemoryLayout::stride() const { return llvm::alignTo(bytes, align); }

/// Adds a type at the next bit that it may begin at.
static void append(Type type, MemoryLayout &layout) {
  auto place = [&](uint64_t align) {
    layout.bytes = llvm::alignTo(layout.bytes, align);
    layout.align = std::max(layout.align, align);
  };
  if (auto array = dyn_cast<LLVM::LLVMArrayType>(type)) {
    const MemoryLayout element = layoutOf(array.getElementType());
    place(element.align);
    for (uint64_t n = 0; n < array.getNumElements(); ++n) {
      layout.bytes = llvm::alignTo(layout.bytes, element.align);
      append(array.getElementType(), layout);
    }
    layout.bytes = llvm::alignTo(layout.bytes, element.align);
    return;
  }
  if (auto record = dyn_cast<LLVM::LLVMStructType>(type)) {
    const uint64_t first = layout.align;
    for (Type member : record.getBody()) {
      if (!record.isPacked())
        place(layoutOf(member).align);
      append(member, layout);
    }
    layout.bytes =
        llvm::alignTo(layout.bytes, record.isPacked() ? 1 : layout.align);
    layout.align = std::max(layout.align, first);
    return;
  }
  auto vector = dyn_cast<VectorType>(type);
  const unsigned bits = bitsOf(vector ? vector.getElementType() : type);
  const int64_t count = vector ? vector.getNumElements() : 1;
  const uint64_t start = layout.bytes * 8;
  for (int64_t n = 0; n < count; ++n)
    layout.fields.push_back({start + uint64_t(n) * bits, bits});
  const uint64_t bytes = llvm::divideCeil(uint64_t(count) * bits, 8);
  layout.bytes += bytes;
  layout.align = std::max(layout.align, llvm::PowerOf2Ceil(bytes));
}

MemoryLayout layoutOf(Type type) {
  MemoryLayout layout;
  append(type, layout);
  if (layout.fields.empty())
    return layout;
  const unsigned bits = layout.fields.front().bits;
  const unsigned bytes = unsigned(llvm::divideCeil(bits, 8));
  const bool isRegular =
      llvm::all_of(llvm::enumerate(layout.fields), [&](const auto &each) {
        return each.value().bits == bits &&
               each.value().bitOffset == each.index() * bytes * 8;
      });
  if (isRegular) {
    layout.scalarBytes = bytes;
    layout.scalarBits = bits;
  }
  return layout;
}

//===--- Accesses ---------------------------------------------------------===//

Allocation *accessible(const Instruction &i, Thread &t, const Lane &address,
                       uint64_t bytes, uint64_t align, bool isWrite) {
  if (isOpen(address)) {
    (void)poisonFault(i, t, address, "its address");
    return nullptr;
  }
  std::string error;
  Allocation *memory = t.launch.memory.find(address.bits, bytes, error);
  if (!memory) {
    (void)fault(i, t, error);
    return nullptr;
  }
  const uint64_t offset = address.bits - memory->begin;
  if (address.bits % align != 0) {
    (void)fault(i, t,
                "access to byte " + Twine(offset) + " of '" + memory->name +
                    "' is not aligned to " + Twine(align) + " bytes");
    return nullptr;
  }
  if (isWrite && memory->isReadOnly) {
    (void)fault(i, t, "write to '" + memory->name + "', which is constant");
    return nullptr;
  }
  return memory;
}

Outcome orderFault(const Instruction &i, Thread &t, const std::string &message,
                   Operation *other) {
  InFlightDiagnostic error = reference::errorAt(i.op) << message;
  error << " (block [" << t.block[0] << ", " << t.block[1] << ", " << t.block[2]
        << "])";
  if (other)
    error.attachNote(other->getLoc())
        << "the other one is this " << other->getName();
  return Outcome::fault;
}

static bool checkRead(const Instruction &i, Thread &t, Allocation &memory,
                      uint64_t offset, uint64_t bytes, bool isAtomic) {
  Operation *other = nullptr;
  std::string error = t.launch.memory.checkRead(
      memory, offset, bytes, {i.op, t.number, isAtomic}, other);
  if (!error.empty())
    (void)orderFault(i, t, error, other);
  return error.empty();
}

static bool checkWrite(const Instruction &i, Thread &t, Allocation &memory,
                       uint64_t offset, ArrayRef<uint8_t> data, bool isAtomic) {
  Operation *other = nullptr;
  std::string error = t.launch.memory.checkWrite(memory, offset, data.size(),
                                                 {i.op, t.number, isAtomic},
                                                 data.data(), other);
  if (!error.empty())
    (void)orderFault(i, t, error, other);
  return error.empty();
}

static uint64_t load(const uint8_t *from, unsigned bytes) {
  uint64_t made = 0;
  std::memcpy(&made, from, bytes);
  return made;
}

/// The scalar at any bit, and whether all of its bytes were written.
static Lane loadField(const Instruction &i, const uint8_t *bytes,
                      const uint8_t *written,
                      const MemoryLayout::Field &field) {
  Lane lane;
  for (unsigned n = 0; n < field.bits; ++n) {
    const uint64_t bit = field.bitOffset + n;
    if (!written[bit / 8])
      return {0, i.op};
    lane.bits |= uint64_t(bytes[bit / 8] >> bit % 8 & 1) << n;
  }
  return lane;
}

/// The marks of scalars that were read.
static void markRead(Thread &t, uint64_t address, const MemoryLayout &layout,
                     Lane *lanes) {
  for (auto [n, field] : llvm::enumerate(layout.fields)) {
    if (isPoison(lanes[n]))
      continue;
    const uint64_t first = field.bitOffset / 8;
    const uint64_t last = (field.bitOffset + field.bits - 1) / 8;
    const Mark mark =
        t.launch.errors().read(address + first, unsigned(last - first + 1));
    const bool isWhole = field.bits % 8 == 0 && field.bitOffset % 8 == 0;
    lanes[n].mark = isWhole || mark.isClear() ? mark : Mark::unknown();
  }
}

/// The marks of memory that scalars were written to.
static void markWritten(Thread &t, uint64_t address, const MemoryLayout &layout,
                        const Lane *lanes) {
  ErrorMemory &errors = t.launch.errors();
  errors.clear(address, layout.bytes);
  for (auto [n, field] : llvm::enumerate(layout.fields)) {
    const Mark &mark = lanes[n].mark;
    if (mark.isExact() || mark.isPoison())
      continue;
    const bool isWhole = field.bits % 8 == 0 && field.bitOffset % 8 == 0;
    const uint64_t first = field.bitOffset / 8;
    if (isWhole)
      errors.write(address + first, field.bits / 8, mark);
    else
      errors.write(address + first, 1, Mark::unknown());
  }
}

Outcome readMemory(const Instruction &i, Thread &t, const Lane &address,
                   const Access &access, Lane *to) {
  const MemoryLayout &layout = access.layout;
  Allocation *memory =
      accessible(i, t, address, layout.bytes, access.align, false);
  if (!memory)
    return Outcome::fault;
  const uint64_t offset = address.bits - memory->begin;
  if (t.launch.memory.hasThreads &&
      !checkRead(i, t, *memory, offset, layout.bytes, access.isAtomic))
    return Outcome::fault;
  const uint8_t *bytes = memory->bytes.data() + offset;
  const uint8_t *written = memory->written.data() + offset;
  if (!layout.scalarBytes) {
    for (auto [n, field] : llvm::enumerate(layout.fields))
      to[n] = loadField(i, bytes, written, field);
    if (t.launch.hasErrors())
      markRead(t, address.bits, layout, to);
    return Outcome::next;
  }
  const bool isWhole = !std::memchr(written, 0, layout.bytes);
  const uint64_t mask = Instruction::maskOf(layout.scalarBits);
  const unsigned size = layout.scalarBytes;
  for (size_t n = 0; n < layout.fields.size(); ++n) {
    const bool isWritten = isWhole || !std::memchr(written + n * size, 0, size);
    to[n] = isWritten ? Lane{load(bytes + n * size, size) & mask, nullptr}
                      : Lane{0, i.op};
  }
  if (t.launch.hasErrors())
    markRead(t, address.bits, layout, to);
  return Outcome::next;
}

Outcome writeMemory(const Instruction &i, Thread &t, const Lane &address,
                    const Access &access, const Lane *from) {
  const MemoryLayout &layout = access.layout;
  Allocation *memory =
      accessible(i, t, address, layout.bytes, access.align, true);
  if (!memory)
    return Outcome::fault;
  const uint64_t offset = address.bits - memory->begin;
  SmallVector<uint8_t, 64> data(layout.bytes), flags(layout.bytes, kWritten);
  for (auto [n, field] : llvm::enumerate(layout.fields)) {
    const Lane &lane = from[n];
    if (isPoison(lane) && memory->kind == Allocation::Kind::global &&
        !memory->holdsPoison)
      return poisonFault(i, t, lane, "what it stores");
    if (layout.scalarBytes) {
      const size_t at = n * layout.scalarBytes;
      std::memcpy(data.data() + at, &lane.bits, layout.scalarBytes);
      if (isPoison(lane))
        std::memset(flags.data() + at, 0, layout.scalarBytes);
      continue;
    }
    for (unsigned b = 0; b < field.bits; ++b) {
      const uint64_t bit = field.bitOffset + b;
      data[bit / 8] |= uint8_t((lane.bits >> b & 1) << bit % 8);
      if (isPoison(lane))
        flags[bit / 8] = 0;
    }
  }
  if (t.launch.memory.hasThreads &&
      !checkWrite(i, t, *memory, offset, data, access.isAtomic))
    return Outcome::fault;
  llvm::copy(data, memory->bytes.begin() + offset);
  llvm::copy(flags, memory->written.begin() + offset);
  if (t.launch.hasErrors())
    markWritten(t, address.bits, layout, from);
  return Outcome::next;
}

//===--- Words ------------------------------------------------------------===//

std::optional<uint64_t> readWord(const Instruction &i, Thread &t,
                                 uint64_t address, unsigned bytes,
                                 bool isAtomic) {
  Allocation *memory =
      accessible(i, t, {address, nullptr}, bytes, bytes, false);
  if (!memory)
    return std::nullopt;
  const uint64_t offset = address - memory->begin;
  if (!checkRead(i, t, *memory, offset, bytes, isAtomic))
    return std::nullopt;
  if (std::memchr(memory->written.data() + offset, 0, bytes)) {
    (void)fault(i, t,
                "read of byte " + Twine(offset) + " of '" + memory->name +
                    "', which was never written");
    return std::nullopt;
  }
  return load(memory->bytes.data() + offset, bytes);
}

bool writeWord(const Instruction &i, Thread &t, uint64_t address,
               unsigned bytes, uint64_t value, bool isAtomic) {
  Access access;
  access.layout.bytes = bytes;
  access.layout.fields = {{0, bytes * 8}};
  access.layout.scalarBytes = bytes;
  access.align = bytes;
  access.isAtomic = isAtomic;
  const Lane lane = {value, nullptr};
  return writeMemory(i, t, {address, nullptr}, access, &lane) == Outcome::next;
}

} // namespace tilewright::verify::threads
