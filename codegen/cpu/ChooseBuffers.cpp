//===- ChooseBuffers.cpp - Which tiles have memory on a CPU ---------------===//
#include "codegen/cpu/CpuOp.h"
#include "codegen/cpu/TileToCpu.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilewright/mlir/Tile.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tilewright::cpu {

#define GEN_PASS_DEF_CHOOSEBUFFERS
#include "codegen/cpu/Passes.h.inc"

namespace {
/// The ops that will request elements of a tile, as far as decisions depend on
/// them.
struct Sinks {
  /// One of them, and another one.
  Operation *one = nullptr, *other = nullptr;
  /// The last in the block of the tile.
  Operation *last = nullptr;
  /// Whether some are in regions of that block's ops.
  bool areInside = false;

  void add(Operation *sink, Block *block) {
    if (!one)
      one = sink;
    else if (sink != one && !other)
      other = sink;
    if (sink->getBlock() != block)
      areInside = true;
    else if (!last || last->isBeforeInBlock(sink))
      last = sink;
  }
  void add(const Sinks &sinks, Block *block) {
    for (Operation *sink : {sinks.one, sinks.other, sinks.last})
      if (sink)
        add(sink, block);
    areInside |= sinks.areInside;
  }
};

/// Decides for the tiles of one kernel, in the order of its ops.
class BufferChooser {
public:
  /// Results of lazy ops that get a buffer, by their numbers.
  llvm::MapVector<Operation *, SmallVector<int64_t>> chosen;

  void visit(Block &block);
  /// Decides for a buffer in each long chain of lazy ops.
  void cutChains(Block &block);

private:
  void visit(Operation &op);
  void hold(ValueRange values);
  bool needsBuffer(Value tile);
  bool decide(Value tile);
  const Sinks &sinksOf(Value tile);
  unsigned readingsOf(Value tile);
  Operation *nextWrite(Operation *op);
  int64_t cost(Value tile);
  bool readsMemory(Value tile);

  /// The visited tiles that are in memory.
  llvm::DenseSet<Value> held;
  MemoryReads memoryReads;
  /// Answers of needsBuffer and cost.
  llvm::DenseMap<Value, bool> decisions;
  llvm::DenseMap<Value, int64_t> costs;
  /// Of tiles that some op asked for.
  llvm::DenseMap<Value, std::unique_ptr<Sinks>> sinks;
  llvm::DenseMap<Value, unsigned> readings;
  /// For each op of the blocks seen the next that writes memory, if there is.
  llvm::DenseMap<Operation *, Operation *> nextWrites;
  llvm::SmallPtrSet<Block *, 4> scanned;
  /// Lazy ops in a row that an element of a tile takes.
  llvm::DenseMap<Value, unsigned> depths;
};

/// Elements are emitted from op to op, with about a kilobyte of stack for each.
constexpr unsigned maxChain = 1024;
} // namespace

/// Whether elements of the op's result cost nothing: it has no buffer.
static bool isFree(Operation *op) {
  const CpuOp *known = lookupOp(op);
  return known && known->cost == 0;
}

static bool shiftsElements(Operation *op) {
  const CpuOp *known = lookupOp(op);
  return known && known->shifts;
}

void BufferChooser::cutChains(Block &block) {
  for (Operation &op : block) {
    unsigned depth = 0;
    if (isLazy(&op))
      for (Value operand : op.getOperands())
        depth = std::max(depth, depths.lookup(operand) + 1);
    const bool isCut = depth >= maxChain && !isFree(&op) && !mergesDims(&op);
    for (Value result : op.getResults())
      if (isa<RankedTensorType>(result.getType())) {
        depths[result] = isCut ? 0 : depth;
        if (isCut)
          decisions[result] = true;
      }
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        cutChains(inner);
  }
}

void BufferChooser::hold(ValueRange values) {
  for (Value value : values)
    if (isa<RankedTensorType>(value.getType()))
      held.insert(value);
}

void BufferChooser::visit(Block &block) {
  // Loop-carried tiles are in memory.
  hold(block.getArguments());
  for (Operation &op : block.without_terminator())
    visit(op);
}

void BufferChooser::visit(Operation &op) {
  if (!isLazy(&op)) {
    if (isa<scf::SCFDialect>(op.getDialect()))
      for (Region &region : op.getRegions())
        for (Block &block : region)
          visit(block);
    return hold(op.getResults());
  }
  for (OpResult result : op.getResults())
    if (isa<RankedTensorType>(result.getType()) && needsBuffer(result)) {
      held.insert(result);
      chosen[&op].push_back(result.getResultNumber());
    }
}

/// Whether the result has a single reader that finds its elements in memory or
/// buffers them itself.
static bool isBufferedByReader(Operation *op) {
  if (!op->hasOneUse())
    return false;
  OpOperand &use = *op->use_begin();
  const CpuOp *reader = lookupOp(use.getOwner());
  return reader && reader->buffersOperand && reader->buffersOperand(use) &&
         use.getOwner()->getBlock() == op->getBlock();
}

/// Rough cycles to compute one element again.
int64_t BufferChooser::cost(Value tile) {
  if (held.contains(tile))
    return 1;
  Operation *op = tile.getDefiningOp();
  if (!op || isFree(op))
    return 0;
  if (auto known = costs.find(tile); known != costs.end())
    return known->second;
  const CpuOp *known = lookupOp(op);
  int64_t total = known ? known->cost : 1;
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      total += cost(operand);
  return costs[tile] = std::min<int64_t>(total, 1000);
}

bool BufferChooser::readsMemory(Value tile) {
  return memoryReads.isNeededFor(
      tile, [&](Value other) { return held.contains(other); });
}

/// The ops that will request elements of `tile`.
const Sinks &BufferChooser::sinksOf(Value tile) {
  if (auto known = sinks.find(tile); known != sinks.end())
    return *known->second;
  auto own = std::make_unique<Sinks>();
  Block *block = tile.getParentBlock();
  for (Operation *user : tile.getUsers()) {
    if (user->getBlock() != block || !isLazy(user)) {
      own->add(user, block);
      continue;
    }
    for (Value result : user->getResults()) {
      if (needsBuffer(result))
        own->add(user, block);
      else
        own->add(sinksOf(result), block);
    }
  }
  return *(sinks[tile] = std::move(own));
}

/// At how many indices the readers of a tile want its elements at a time: each
/// slice shifts them. A large number is not exact.
unsigned BufferChooser::readingsOf(Value tile) {
  if (auto known = readings.find(tile); known != readings.end())
    return known->second;
  constexpr unsigned most = 1024;
  unsigned here = 0, shifted = 0;
  for (Operation *user : tile.getUsers()) {
    unsigned of = 1;
    if (user->getBlock() == tile.getParentBlock() && isLazy(user))
      for (Value result : user->getResults())
        if (!needsBuffer(result))
          of = std::max(of, readingsOf(result));
    if (shiftsElements(user))
      shifted += of;
    else
      here = std::max(here, of);
  }
  return readings[tile] = std::min(here + shifted, most);
}

/// The next op of the block that may write memory; null if there is none.
Operation *BufferChooser::nextWrite(Operation *op) {
  Block *block = op->getBlock();
  if (scanned.insert(block).second) {
    Operation *next = nullptr;
    for (Operation &each : llvm::reverse(*block)) {
      nextWrites[&each] = next;
      if (!isMemoryEffectFree(&each) && !loadsMemory(&each))
        next = &each;
    }
  }
  return nextWrites.lookup(op);
}

bool BufferChooser::needsBuffer(Value tile) {
  if (auto known = decisions.find(tile); known != decisions.end())
    return known->second;
  bool decision = decide(tile);
  return decisions[tile] = decision;
}

bool BufferChooser::decide(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (isFree(op))
    return false;
  // Permuting dims, and adding or dropping dims of size 1, is index arithmetic.
  if (mergesDims(op))
    return !isBufferedByReader(op);
  const Sinks &readers = sinksOf(tile);
  if (readers.areInside || (readers.other && cost(tile) >= 4))
    return true;
  // So often computed it is more code than a loop that fills a buffer.
  constexpr unsigned mostReadings = 4;
  if (!shiftsElements(op) && !loadsMemory(op) &&
      readingsOf(tile) >= mostReadings && cost(tile) >= 4)
    return true;
  if (!readsMemory(tile) || !readers.one)
    return false;
  // Memory must not change between the load and its last reader.
  Operation *write = nextWrite(op);
  return write && write->isBeforeInBlock(readers.last);
}

namespace {
struct ChooseBuffers : impl::ChooseBuffersBase<ChooseBuffers> {
  void runOnOperation() override {
    using Tile = tile::TileDialect;
    tile::KernelOp kernel = getOperation();
    BufferChooser chooser;
    chooser.cutChains(kernel.getRegion().front());
    chooser.visit(kernel.getRegion().front());
    Builder b(&getContext());
    int64_t count = 0;
    for (const auto &[op, results] : chooser.chosen) {
      op->setAttr(Tile::kBufferedAttr, b.getDenseI64ArrayAttr(results));
      count += results.size();
    }
    kernel->setAttr(Tile::kBuffersAttr, b.getI64IntegerAttr(count));
    chosenCount += count;
  }
};
} // namespace

} // namespace tilewright::cpu
