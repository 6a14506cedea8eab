//===- WarpOps.cpp - The nvvm dialect -------------------------------------===//
//
// Semantics: PTX ISA, "Data Movement and Conversion Instructions: shfl.sync",
// "Warp-level Matrix Load Instruction: ldmatrix", "cp.async", "prmt", and
// "barrier".
//
//===----------------------------------------------------------------------===//
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tileir/reference/ElementOps.h"
#include "verify/threads/ByteTracking.h"
#include "verify/threads/Collective.h"
#include "verify/threads/Lanes.h"
#include "verify/threads/Layout.h"

using namespace mlir;
using namespace tilewright::reference;

namespace tilewright::verify::threads {

Outcome runCollective(const Instruction &, Thread &) { return Outcome::wait; }

static void emitCollective(Operation *op,
                           std::shared_ptr<const Collective> collective,
                           Compiler &c) {
  Instruction instruction = c.beginMove(op);
  instruction.run = runCollective;
  instruction.details = std::move(collective);
  c.emit(std::move(instruction));
}

//===--- Registers --------------------------------------------------------===//

template <auto fn> static Outcome runRegister(const Instruction &i, Thread &t) {
  t.frame[i.result] = {uint64_t(fn(t)), nullptr};
  return Outcome::next;
}

static void addRegisters(OpTable &ops) {
  ops.addRun<NVVM::ThreadIdXOp>(
      runRegister<[](Thread &t) { return t.number; }>);
  ops.addRun<NVVM::LaneIdOp>(
      runRegister<[](Thread &t) { return t.number % kWarp; }>);
  ops.addRun<NVVM::WarpIdOp>(
      runRegister<[](Thread &t) { return t.number / kWarp; }>);
  ops.addRun<NVVM::ThreadIdYOp, NVVM::ThreadIdZOp>(
      runRegister<[](Thread &) { return 0; }>);
  ops.addRun<NVVM::BlockDimXOp>(
      runRegister<[](Thread &t) { return t.blockSize; }>);
  ops.addRun<NVVM::BlockDimYOp, NVVM::BlockDimZOp>(
      runRegister<[](Thread &) { return 1; }>);
  ops.addRun<NVVM::BlockIdXOp>(
      runRegister<[](Thread &t) { return t.block[0]; }>);
  ops.addRun<NVVM::BlockIdYOp>(
      runRegister<[](Thread &t) { return t.block[1]; }>);
  ops.addRun<NVVM::BlockIdZOp>(
      runRegister<[](Thread &t) { return t.block[2]; }>);
  ops.addRun<NVVM::GridDimXOp>(
      runRegister<[](Thread &t) { return t.grid[0]; }>);
  ops.addRun<NVVM::GridDimYOp>(
      runRegister<[](Thread &t) { return t.grid[1]; }>);
  ops.addRun<NVVM::GridDimZOp>(
      runRegister<[](Thread &t) { return t.grid[2]; }>);
}

//===--- Barriers ---------------------------------------------------------===//

namespace {
struct Barrier : Collective {
  Barrier() { isOfBlock = true; }
  Outcome complete(const Instruction &,
                   ArrayRef<Thread *> threads) const override {
    ++threads.front()->launch.memory.interval;
    return Outcome::next;
  }
};
} // namespace

static LogicalResult buildBarrier(NVVM::BarrierOp op, Compiler &c) {
  if (op->getNumOperands() || op->getNumResults())
    return errorAt(op) << "the reference of threads has barriers of a whole "
                          "block without a number or a reduction";
  emitCollective(op, std::make_shared<Barrier>(), c);
  return success();
}

//===--- Shuffles ---------------------------------------------------------===//

namespace {
struct Shuffle : Collective {
  NVVM::ShflKind kind = NVVM::ShflKind::idx;
  unsigned clamp = 0;
  bool hasPredicate = false;

  /// The lane that lane `at` reads; none: its own.
  [[nodiscard]] std::optional<unsigned> sourceOf(unsigned at, uint64_t by,
                                                 uint64_t control) const {
    const unsigned segment = control >> 8 & 31, bound = control & 31;
    const unsigned offset = by & 31;
    const unsigned last = (at & segment) | (bound & ~segment);
    const unsigned first = at & segment;
    switch (kind) {
    case NVVM::ShflKind::up:
      return at >= offset + last ? std::optional(at - offset) : std::nullopt;
    case NVVM::ShflKind::down:
      return at + offset <= last ? std::optional(at + offset) : std::nullopt;
    case NVVM::ShflKind::bfly:
      return (at ^ offset) <= last ? std::optional(at ^ offset) : std::nullopt;
    case NVVM::ShflKind::idx:
      break;
    }
    const unsigned source = first | (offset & ~segment);
    return source <= last ? std::optional(source) : std::nullopt;
  }

  Outcome complete(const Instruction &i,
                   ArrayRef<Thread *> threads) const override {
    SmallVector<Lane, kWarp> values;
    for (Thread *thread : threads)
      values.push_back(thread ? thread->frame[i.b] : Lane{0, i.op});
    for (auto [at, thread] : llvm::enumerate(threads)) {
      if (!thread)
        continue;
      for (unsigned lane : {i.c, clamp})
        if (isOpen(thread->frame[lane]))
          return poisonFault(i, *thread, thread->frame[lane], "its lane");
      std::optional<unsigned> source = sourceOf(
          unsigned(at), thread->frame[i.c].bits, thread->frame[clamp].bits);
      // A lane that does not take part has no value to read.
      thread->frame[i.result] = values[source.value_or(unsigned(at))];
      if (hasPredicate)
        thread->frame[i.result + 1] = {source.has_value(), nullptr};
    }
    return Outcome::next;
  }
};
} // namespace

static LogicalResult buildLaneShuffle(NVVM::ShflOp op, Compiler &c) {
  auto shuffle = std::make_shared<Shuffle>();
  shuffle->kind = op.getKind();
  shuffle->mask = c.laneOf(op.getThreadMask());
  shuffle->clamp = c.laneOf(op.getMaskAndClamp());
  shuffle->hasPredicate = bool(op.getReturnValueAndIsValid());
  emitCollective(op, std::move(shuffle), c);
  return success();
}

//===--- Matrices in shared memory ----------------------------------------===//

namespace {
struct LoadMatrices : Collective {
  unsigned count = 1;
  bool isTransposed = false;
  Access row;

  /// The addresses of a lane's two elements, of which `first` is the lane with
  /// the address of row 0.
  [[nodiscard]] std::pair<uint64_t, uint64_t> pairOf(ArrayRef<Thread *> threads,
                                                     unsigned address,
                                                     unsigned first, unsigned x,
                                                     unsigned y) const {
    auto at = [&](unsigned row, unsigned column) {
      return threads[first + row]->frame[address].bits + 2 * column;
    };
    return isTransposed ? std::pair(at(y, x), at(y + 1, x))
                        : std::pair(at(x, y), at(x, y + 1));
  }
  /// Elements next to each other may be the halves of one number.
  static Mark markOf(const Thread &t, std::pair<uint64_t, uint64_t> pair) {
    ByteParts parts = t.launch.errors().parts(pair.first, 2);
    llvm::append_range(parts, t.launch.errors().parts(pair.second, 2));
    return threads::markOf(parts);
  }

  Outcome complete(const Instruction &i,
                   ArrayRef<Thread *> threads) const override {
    if (llvm::is_contained(threads, nullptr))
      return fault(i, **llvm::find_if(threads, [](Thread *t) { return t; }),
                   "some of the warp's 32 lanes do not take part");
    // [matrix][row][element]
    SmallVector<std::array<std::array<Lane, 8>, 8>, 4> matrices(count);
    for (unsigned n = 0; n < count * 8; ++n) {
      Outcome outcome = readMemory(i, *threads[n], threads[n]->frame[i.a], row,
                                   matrices[n / 8][n % 8].data());
      if (outcome != Outcome::next)
        return outcome;
    }
    for (unsigned lane = 0; lane < kWarp; ++lane)
      for (unsigned n = 0; n < count; ++n) {
        const unsigned x = lane / 4, y = lane % 4 * 2;
        const auto &matrix = matrices[n];
        const Lane &low = isTransposed ? matrix[y][x] : matrix[x][y];
        const Lane &high = isTransposed ? matrix[y + 1][x] : matrix[x][y + 1];
        threads[lane]->frame[i.result + n] = {low.bits | high.bits << 16,
                                              low.mark ? low.mark : high.mark};
        if (threads[lane]->launch.hasErrors() &&
            !isPoison(threads[lane]->frame[i.result + n]))
          threads[lane]->frame[i.result + n].mark =
              markOf(*threads[lane], pairOf(threads, i.a, 8 * n, x, y));
      }
    return Outcome::next;
  }
};
} // namespace

static LogicalResult buildLoadMatrices(NVVM::LdMatrixOp op, Compiler &c) {
  if (op.getShape().getM() != 8 || op.getShape().getN() != 8 ||
      op.getEltType() != NVVM::LdStMatrixEltType::B16)
    return errorAt(op) << "the reference of threads loads matrices of 8 x 8 "
                          "elements of 16 bits";
  auto load = std::make_shared<LoadMatrices>();
  load->count = unsigned(op.getNum());
  load->isTransposed = op.getLayout() == NVVM::MMALayout::col;
  load->row.layout = threads::layoutOf(
      VectorType::get({8}, IntegerType::get(op.getContext(), 16)));
  load->row.align = 16;
  emitCollective(op, std::move(load), c);
  return success();
}

//===--- Asynchronous copies ----------------------------------------------===//

/// Marks the bytes that a copy writes, or that it has written.
static void mark(Thread &t, const AsyncCopy &copy, Operation *by) {
  Allocation *memory = t.launch.memory.containing(copy.target);
  for (unsigned n = 0; memory && n < copy.bytes; ++n)
    memory->touched(copy.target - memory->begin + n).copy = by;
}

static Access accessOf(unsigned bytes, MLIRContext *context) {
  Access access;
  access.align = 1;
  access.layout = threads::layoutOf(
      VectorType::get({int64_t(bytes)}, IntegerType::get(context, 8)));
  return access;
}

/// Zeros behind what it reads.
static Outcome readSource(const Instruction &i, Thread &t, AsyncCopy &copy) {
  copy.data.assign(copy.bytes, Lane());
  if (!copy.read)
    return Outcome::next;
  const Outcome outcome =
      readMemory(i, t, {copy.source, nullptr},
                 accessOf(copy.read, i.op->getContext()), copy.data.data());
  // Numbers of several bytes remain whole.
  if (t.launch.hasErrors())
    copy.marks = t.launch.errors().parts(copy.source, copy.read);
  return outcome;
}

static Outcome writeTarget(const Instruction &i, Thread &t,
                           const AsyncCopy &copy) {
  const Outcome outcome =
      writeMemory(i, t, {copy.target, nullptr},
                  accessOf(copy.bytes, i.op->getContext()), copy.data.data());
  if (t.launch.hasErrors())
    t.launch.errors().setParts(copy.target, copy.bytes, copy.marks);
  return outcome;
}

/// number: the bytes; otherwise: whether the third operand has the bytes that
/// are read.
static Outcome runAsyncCopy(const Instruction &i, Thread &t) {
  const Lane &target = t.frame[i.a], &source = t.frame[i.b];
  const auto bytes = unsigned(i.number);
  unsigned read = bytes;
  if (i.otherwise) {
    const Lane &size = t.frame[i.c];
    if (isOpen(size))
      return poisonFault(i, t, size, "its size");
    if (size.bits > bytes)
      return fault(i, t,
                   "reads " + Twine(size.bits) + " bytes of " + Twine(bytes));
    read = unsigned(size.bits);
  }
  if (!accessible(i, t, target, bytes, bytes, true))
    return Outcome::fault;
  if (read && !accessible(i, t, source, read, bytes, false))
    return Outcome::fault;
  AsyncCopy copy = {i.op, target.bits, source.bits, bytes, read};
  // It may write from now on; until it is waited for, its bytes are nobody's.
  if (readSource(i, t, copy) != Outcome::next ||
      writeTarget(i, t, copy) != Outcome::next)
    return Outcome::fault;
  mark(t, copy, i.op);
  t.copies.push_back(copy);
  return Outcome::next;
}

static LogicalResult buildAsyncCopy(NVVM::CpAsyncOp op, Compiler &c) {
  Instruction instruction = c.begin(op);
  instruction.run = runAsyncCopy;
  instruction.number = op.getSize();
  instruction.otherwise = op.getCpSize() ? 1 : 0;
  c.emit(std::move(instruction));
  return success();
}

static Outcome runCommit(const Instruction &, Thread &t) {
  t.groups.push_back(std::exchange(t.copies, {}));
  return Outcome::next;
}

Outcome endCopies(const Instruction &i, Thread &t, size_t kept) {
  while (t.groups.size() > kept) {
    for (AsyncCopy &copy : t.groups.front()) {
      mark(t, copy, nullptr);
      Instruction self = i;
      self.op = copy.op;
      if (t.launch.options.copiesLandLate &&
          readSource(self, t, copy) != Outcome::next)
        return Outcome::fault;
      // Written again: also early copies may write until here.
      if (writeTarget(self, t, copy) != Outcome::next)
        return Outcome::fault;
    }
    t.groups.pop_front();
  }
  return Outcome::next;
}

void dropCopies(Thread &t) {
  for (const auto &group : t.groups)
    for (const AsyncCopy &copy : group)
      mark(t, copy, nullptr);
  for (const AsyncCopy &copy : t.copies)
    mark(t, copy, nullptr);
}

static Outcome runWait(const Instruction &i, Thread &t) {
  return endCopies(i, t, size_t(i.number));
}

//===--- Bytes ------------------------------------------------------------===//

/// The four selectors choose one of eight bytes each, or its sign.
static uint64_t permuteBytes(uint64_t low, uint64_t high, uint64_t selector,
                             const Instruction &) {
  const uint64_t all = low | high << 32;
  uint64_t made = 0;
  for (unsigned n = 0; n < 4; ++n) {
    const uint64_t chosen = selector >> 4 * n & 15;
    uint64_t byte = all >> 8 * (chosen & 7) & 255;
    if (chosen & 8)
      byte = byte & 128 ? 255 : 0;
    made |= byte << 8 * n;
  }
  return made;
}

static LogicalResult buildPermute(NVVM::PermuteOp op, Compiler &c) {
  if (op.getMode() != NVVM::PermuteMode::DEFAULT)
    return errorAt(op) << "the reference of threads has the mode 'default'";
  Instruction instruction = c.begin(op);
  instruction.run = runTernary<permuteBytes>;
  instruction.tracker = permuteTracker(op, c);
  c.emit(std::move(instruction));
  return success();
}

void addWarpOps(OpTable &ops) {
  addRegisters(ops);
  ops.add<NVVM::BarrierOp>(buildBarrier);
  ops.add<NVVM::ShflOp>(buildLaneShuffle);
  ops.add<NVVM::LdMatrixOp>(buildLoadMatrices);
  ops.add<NVVM::CpAsyncOp>(buildAsyncCopy);
  ops.addRun<NVVM::CpAsyncCommitGroupOp>(runCommit);
  ops.add<NVVM::CpAsyncWaitGroupOp>(
      [](NVVM::CpAsyncWaitGroupOp op, Compiler &c) {
        Instruction instruction = c.begin(op);
        instruction.run = runWait;
        instruction.number = op.getN();
        c.emit(std::move(instruction));
        return success();
      });
  ops.add<NVVM::PermuteOp>(buildPermute);
}

} // namespace tilewright::verify::threads
