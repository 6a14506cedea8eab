//===- GpuWork.cpp - What the threads of a launch have to do --------------===//
#include "autotune/cost/GpuWork.h"

#include "autotune/cost/GpuAccess.h"
#include "autotune/cost/Work.h"
#include "codegen/layout/MatrixAccess.h"
#include "codegen/nvptx/DotReader.h"
#include "codegen/pipeline/ScheduleFacts.h"
#include "codegen/tilegpu/MatrixProduct.h"
#include "codegen/tilegpu/Rings.h"
#include "codegen/tilegpu/WarpReduction.h"
#include "codegen/transforms/CopyAccess.h"
#include "codegen/transforms/LayoutRelations.h"
#include "codegen/transforms/OpCosts.h"
#include "mlir/Analysis/Liveness.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::autotune {

namespace {
class GpuAnalysis {
public:
  GpuAnalysis(tile::KernelOp kernel, LoopNest nest)
      : kernel(kernel), nest(std::move(nest)) {}
  GpuWork run();

private:
  /// `count` instructions of each thread of `warps` warps for each execution of
  /// the op; in `slots` slots, if that is another number.
  void issue(double count, double slots = -1);
  void addElementwise(Operation *op, RankedTensorType type);
  void addView(tile::ViewAccessOpInterface op);
  void addCopy(tilegpu::CopyOp op);
  void addWait(tilegpu::WaitOp op);
  template <typename Op> void addShared(Op op, Value tile);
  void addSharedElements(RankedTensorType tile);
  void addDot(tilegpu::DotOp op);
  void addMma(tilegpu::MmaOp op);
  double addFragments(const layout::Layout &registers,
                      tilegpu::SharedType memory);
  double addDotReads(tilegpu::DotOp op, tilegpu::DotSide side,
                     const nvptx::DotReader &reader,
                     const nvptx::DotChunks &chunks);
  void addReduction(tilegpu::ReduceOp op);
  void addScan(tilegpu::ScanOp op);
  void addConversion(tilegpu::ConvertLayoutOp op);
  void addPointers(tile::PointerAccessOpInterface op);
  void addExchange(tilegpu::ExchangeOp op);
  void addOp(Operation *op);
  void addRegisters();
  void wait(double cycles) { work.chain += cycles * times / programs; }

  tile::KernelOp kernel;
  LoopNest nest;
  GpuWork work;
  /// Of the op at hand: how often it runs, and the warps that do.
  double times = 0, warps = 1, programs = 1;
};
} // namespace

/// Cycles that a warp waits for global memory, shared memory with a barrier,
/// shared memory alone, a shuffle, and an arithmetic instruction.
static constexpr double globalWait = 500, barrierWait = 35, sharedWait = 30,
                        shuffleWait = 25, arithmeticWait = 4;

/// Registers of a tile that hold no copies of others.
static double ownRegisters(Type type) {
  std::vector<int32_t> copies = layout::registerCopies(tilegpu::layoutOf(type));
  double count = 0;
  for (size_t reg = 0; reg < copies.size(); ++reg)
    count += copies[reg] == int32_t(reg);
  return count;
}

/// Instructions for one combination of two elements.
static tilegpu::OpCost combinerCost(Region &region) {
  tilegpu::OpCost cost;
  for (Operation &op : region.front().without_terminator()) {
    const tilegpu::OpCost one = tilegpu::costOf(&op);
    cost.instructions += one.instructions;
    cost.slots += one.slots;
  }
  return cost;
}

/// The part of a block's warps that own some of a tile: the others skip what
/// is stored.
static double owningShare(const layout::Layout &layout) {
  int64_t warps = layout.size(layout::HardwareDim::warp), owning = 0;
  for (int64_t warp = 0; warp < warps; ++warp)
    owning += layout.isOwner(layout::inRegister(0, 0, warp));
  return double(owning) / double(warps);
}

void GpuAnalysis::issue(double count, double slots) {
  work.instructions += count * warps * times;
  work.slots += (slots < 0 ? count : slots) * warps * times;
}

void GpuAnalysis::addElementwise(Operation *op, RankedTensorType type) {
  const tilegpu::OpCost cost = tilegpu::costOf(op);
  double count = ownRegisters(type);
  issue(count * double(cost.instructions), count * double(cost.slots));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Where a tile may extend beyond its view, each access has a check.
void GpuAnalysis::addView(tile::ViewAccessOpInterface op) {
  ViewTraffic traffic = viewTraffic(op, nest);
  work.globalRequests += traffic.requests * times;
  work.sectors += traffic.sectors * times;
  double rank = double(op.getTile().getType().getRank());
  double whole = traffic.groups * 2;
  bool isLoad = !op.getWrittenTile();
  double checked =
      traffic.groups * (4 + 2 * rank + (isLoad ? traffic.elements : 0));
  issue(whole * traffic.wholeShare + checked * (1 - traffic.wholeShare));
  // Offsets of the thread, before the loops; in them, those of the iteration.
  if (op->getParentOfType<LoopLikeOpInterface>())
    issue(2);
  const double all = times;
  times = std::min(times, programs);
  issue(4 + 3 * rank);
  times = all;
  if (isLoad)
    wait(globalWait);
}

void GpuAnalysis::addCopy(tilegpu::CopyOp op) {
  const double all = times;
  ViewTraffic traffic = viewTraffic(op.getRead(), nest, op.getLive());
  times *= traffic.liveShare;
  work.globalRequests += traffic.requests * times;
  work.sectors += traffic.sectors * times;
  StatusOr<tilegpu::CopyAccess> access =
      tilegpu::copyAccess(op.getRead(), op.getTile(), op.getMemory().getType());
  if (access.ok()) {
    const auto count = double(access->instructions.size());
    constexpr double lanes = 32, bytesOfWavefront = 128;
    const double wavefronts =
        count * std::max(1.0, access->bytes * lanes / bytesOfWavefront);
    work.sharedRequests += count * warps * times;
    work.wavefronts += wavefronts * warps * times;
    work.idealWavefronts += wavefronts * warps * times;
    // Each copy has its own address; those of shared memory are sums.
    issue(3 * count + 4);
  }
  times = all;
}

/// The copies of the iterations ahead have hidden their part of the latency.
void GpuAnalysis::addWait(tilegpu::WaitOp op) {
  issue(1);
  const FailureOr<int64_t> later = tilegpu::laterGroups(op);
  wait(globalWait / (1 + double(succeeded(later) ? *later : 0)));
}

/// Element by element: a window, or memory whose offsets are no XOR of bits.
void GpuAnalysis::addSharedElements(RankedTensorType tile) {
  double count = ownRegisters(tile);
  issue(count * 4);
  work.sharedRequests += count * warps * times;
  work.wavefronts += count * warps * times;
  work.idealWavefronts += count * warps * times;
}

template <typename Op> void GpuAnalysis::addShared(Op op, Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  const layout::Layout &layout = tilegpu::layoutOf(type);
  bool isStore = isa<tilegpu::StoreSharedOp>(op.getOperation());
  double all = warps;
  if (isStore)
    warps *= owningShare(layout);
  StatusOr<layout::SharedAccess> access = sharedAccess(op, tile);
  if (op.hasWindow() || !access.ok()) {
    addSharedElements(type);
  } else {
    double count = double(access->instructions.size());
    issue(count * 1.5 + 2);
    work.sharedRequests += count * warps * times;
    work.wavefronts += double(access->wavefronts) * warps * times;
    double bytes = double(tilegpu::elementBits(type.getElementType())) / 8 *
                   access->elements;
    work.idealWavefronts += count * std::max(1.0, bytes / 4) * warps * times;
  }
  warps = all;
  if (!isStore)
    wait(barrierWait);
}

void GpuAnalysis::addPointers(tile::PointerAccessOpInterface op) {
  auto tile = dyn_cast<RankedTensorType>(op.getPtr().getType());
  double count = tile ? ownRegisters(tile) : 1;
  double bytes = double(tilegpu::elementBits(op.getPointee())) / 8;
  auto ordered = dyn_cast<tile::MemoryOrderOpInterface>(op.getOperation());
  bool isAtomic = ordered && ordered.isAtomicUpdate();
  issue(count * (isAtomic ? 8 : 4));
  work.globalRequests += count * warps * times;
  // Nothing is known of the addresses: half of them are taken to be together.
  work.sectors += count * warps * times * std::max(1.0, bytes * 32 / 32 * 2);
  wait(globalWait);
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// Accesses of one operand over the whole depth, in the order of EmitDot.cpp.
double GpuAnalysis::addDotReads(tilegpu::DotOp op, tilegpu::DotSide side,
                                const nvptx::DotReader &reader,
                                const nvptx::DotChunks &chunks) {
  // Each access of a chunk is made once, however many positions need it.
  std::set<int32_t> made;
  for (int64_t position : chunks.positions)
    for (int32_t access : reader.accessesAt(position))
      made.insert(access);
  double reads = double(made.size());
  reads *= double(chunks.count);
  tilegpu::SharedType memory = side == tilegpu::DotSide::lhs
                                   ? op.getLhs().getType()
                                   : op.getRhs().getType();
  double bytes = double(tilegpu::elementBits(memory.getElementType())) / 8 *
                 reader.access().elements;
  work.sharedRequests += reads * warps * times;
  work.wavefronts += reads * reader.access().wavefrontsEach * warps * times;
  work.idealWavefronts += reads * std::max(1.0, bytes / 4) * warps * times;
  // Narrow operands are converted as they are read.
  if (memory.getElementType() != getElementTypeOrSelf(op.getType()))
    issue(reads * double(reader.access().elements));
  return reads;
}

void GpuAnalysis::addDot(tilegpu::DotOp op) {
  const layout::Layout &accumulators = tilegpu::layoutOf(op.getType());
  int64_t depth = op.getLhs().getType().getShape().back();
  auto readerOf = [&](tilegpu::DotSide side, tilegpu::SharedType memory) {
    return nvptx::DotReader::create(
        accumulators, side, depth, memory.getLayout().getLayout(),
        tilegpu::elementBits(memory.getElementType()));
  };
  auto lhs = readerOf(tilegpu::DotSide::lhs, op.getLhs().getType());
  auto rhs = readerOf(tilegpu::DotSide::rhs, op.getRhs().getType());
  double items = double(accumulators.items());
  double products = items * double(depth);
  bool isFloat =
      isa<FloatType>(cast<RankedTensorType>(op.getType()).getElementType());
  work.products += products * warps * times;
  double count = products * (isFloat ? 1 : 1.2);
  wait(double(depth) * std::max(arithmeticWait, items));
  if (!lhs.ok() || !rhs.ok()) {
    issue(count * 2);
    return;
  }
  constexpr int64_t productsOfChunk = 1024;
  nvptx::DotChunks chunks = nvptx::chooseChunks(
      *lhs, *rhs, std::max<int64_t>(1, productsOfChunk / accumulators.items()));
  double reads = addDotReads(op, tilegpu::DotSide::lhs, *lhs, chunks) +
                 addDotReads(op, tilegpu::DotSide::rhs, *rhs, chunks);
  issue(count + reads + (chunks.count > 1 ? double(chunks.count) * 10 : 8));
}

/// Loads of an operand's fragments.
double GpuAnalysis::addFragments(const layout::Layout &registers,
                                 tilegpu::SharedType memory) {
  const unsigned bits = tilegpu::elementBits(memory.getElementType());
  StatusOr<layout::MatrixAccess> access =
      layout::fragmentAccess(registers, memory.getLayout().getLayout(), bits);
  if (!access.ok())
    return 0;
  const auto loads = double(access->instructions.size());
  work.sharedRequests += loads * warps * times;
  work.wavefronts += double(access->wavefronts) * warps * times;
  work.idealWavefronts += loads * access->count * warps * times;
  return loads;
}

void GpuAnalysis::addMma(tilegpu::MmaOp op) {
  const target::MatrixInstruction &instruction =
      *target::findMatrixInstruction(op.getInstruction());
  const int64_t depth = op.getDepth();
  StatusOr<tilegpu::MatrixProduct> product = tilegpu::matrixProduct(
      instruction, tilegpu::elementBits(op.getRhs().getType().getElementType()),
      tilegpu::layoutOf(op.getType()), depth);
  if (!product.ok())
    return;
  const auto parts = double(tilegpu::partsOfProduct(op.getPrecision()).size());
  const double count = double(product->steps.size()) * parts;
  const double products = count * warps * times *
                          double(instruction.m * instruction.n * instruction.k);
  work.tensorOperations += count * warps * times;
  work.matrixProducts += products;
  work.productsOfF16 += products * 1024 / double(instruction.productsOfCycle);
  double loads = addFragments(product->rhs, op.getRhs().getType());
  if (op.getLhsMemory())
    loads += addFragments(product->lhs, op.getLhsMemory().getType());
  // Splitting an element takes two instructions or more for each part but one.
  loads +=
      2 * (parts > 1 ? double(product->lhs.items() + product->rhs.items()) : 0);
  // Most addresses are a constant away from another, or the same in each
  // iteration.
  issue(count + 1.3 * loads + 2);
  // The first fragments, then sums that need one another.
  constexpr double productWait = 20;
  wait(sharedWait + double(depth / instruction.k) * productWait);
}

//===----------------------------------------------------------------------===//
// Within warps
//===----------------------------------------------------------------------===//

void GpuAnalysis::addReduction(tilegpu::ReduceOp op) {
  auto type = cast<RankedTensorType>(op.getInputs()[0].getType());
  StatusOr<tilegpu::WarpReduction> reduction = tilegpu::warpReduction(
      tilegpu::layoutOf(type), op.getAxis(), type.getDimSize(op.getAxis()));
  if (!reduction.ok())
    return;
  const tilegpu::OpCost combine = combinerCost(op.getCombiner());
  double targets = double(reduction->layout.items());
  double counted = 0;
  for (int32_t target : reduction->target)
    counted += target >= 0;
  double inputs = double(op.getInputs().size());
  double steps = double(reduction->laneMasks.size());
  double combinations = std::max(0.0, counted - targets) + targets * steps;
  // A shuffle, and the moves around it.
  double moves = targets * steps * inputs * 2;
  issue(combinations * double(combine.instructions) + moves,
        combinations * double(combine.slots) + moves);
  wait(steps * shuffleWait +
       std::log2(std::max(1.0, counted / targets)) * arithmeticWait);
}

void GpuAnalysis::addScan(tilegpu::ScanOp op) {
  auto type = cast<RankedTensorType>(op.getInputs()[0].getType());
  const tilegpu::OpCost combine = combinerCost(op.getCombiner());
  double count = double(tilegpu::layoutOf(type).items());
  constexpr double laneSteps = 5;
  double combinations = count * 2 + laneSteps;
  issue(combinations * double(combine.instructions + 1) + laneSteps * 4,
        combinations * double(combine.slots + 1) + laneSteps * 4);
  wait(count * arithmeticWait + laneSteps * shuffleWait);
}

void GpuAnalysis::addConversion(tilegpu::ConvertLayoutOp op) {
  StatusOr<layout::ConversionPlan> plan = conversionPlan(op);
  if (!plan.ok() || plan->kind != layout::ConversionKind::shuffle)
    return;
  // Selects for the value that is sent and for its destination.
  double shuffles = double(plan->shuffles);
  issue(shuffles * 4 + 6);
  wait(shuffleWait);
}

void GpuAnalysis::addExchange(tilegpu::ExchangeOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  double words = tilegpu::elementBits(type.getElementType()) > 32 ? 2 : 1;
  // An exchange of neighbours within a thread is none.
  const layout::Layout &layout = tilegpu::layoutOf(type);
  bool crosses = false;
  for (layout::Bits column : layout.columns(layout::HardwareDim::lane)) {
    layout::Dims moved = layout.cellCoordinates(column);
    crosses |= (moved[unsigned(op.getAxis())] & op.getMask()) != 0;
  }
  if (crosses)
    issue(ownRegisters(type) * words * 2);
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

void GpuAnalysis::addOp(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](tile::ViewAccessOpInterface access) { addView(access); })
      .Case([&](tile::PointerAccessOpInterface access) { addPointers(access); })
      .Case([&](tilegpu::StoreSharedOp store) {
        addShared(store, store.getValue());
      })
      .Case([&](tilegpu::LoadSharedOp load) {
        addShared(load, load.getResult());
      })
      .Case([&](tilegpu::DotOp dot) { addDot(dot); })
      .Case([&](tilegpu::MmaOp mma) { addMma(mma); })
      .Case([&](tilegpu::ReduceOp reduce) { addReduction(reduce); })
      .Case([&](tilegpu::ScanOp scan) { addScan(scan); })
      .Case([&](tilegpu::ConvertLayoutOp convert) { addConversion(convert); })
      .Case([&](tilegpu::ExchangeOp exchange) { addExchange(exchange); })
      .Case<tilegpu::GatherSharedOp, tilegpu::CountSharedOp>([&](auto) {
        for (Value operand : op->getOperands())
          if (auto tile = dyn_cast<RankedTensorType>(operand.getType())) {
            addSharedElements(tile);
            break;
          }
      })
      .Case([&](tilegpu::BarrierOp) {
        work.barriers += warps * times;
        issue(1);
        wait(barrierWait);
      })
      .Case([](tilegpu::AllocOp) {})
      .Case<tilegpu::CommitOp, tilegpu::SlotOp>([&](auto) { issue(1); })
      .Case([&](tilegpu::AdvanceOp) { issue(3); })
      .Case([&](tilegpu::CopyOp copy) { addCopy(copy); })
      .Case([&](tilegpu::WaitOp wait) { addWait(wait); })
      // No instructions.
      .Case<tilegpu::AcquireOp, tilegpu::ReleaseOp>([](auto) {})
      .Case<tile::IotaOp, tilegpu::CoordinateOp>(
          [&](auto) { issue(ownRegisters(op->getResult(0).getType())); })
      // Bounds, the counter and the branch of each iteration.
      .Case<scf::ForOp, scf::WhileOp>([&](auto) { issue(4); })
      .Case<scf::YieldOp>([&](auto) { issue(4); })
      .Default([&](Operation *) {
        auto type = op->getNumResults()
                        ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                        : RankedTensorType();
        if (tilegpu::layoutRelation(op).isRenaming)
          return;
        if (type && op->getNumRegions() == 0 && tilegpu::hasLayout(type))
          addElementwise(op, type);
        else if (op->getNumRegions() == 0)
          issue(1);
      });
}

static bool isMadeAgain(Operation *op) {
  return op && (tilegpu::layoutRelation(op).isFree ||
                isa<tile::BroadcastOp, tilegpu::CoordinateOp>(op));
}

/// A lower bound: tiles that something still needs, but those that cost
/// nothing to make again.
void GpuAnalysis::addRegisters() {
  Liveness liveness(kernel);
  auto wordsOf = [](Value value) -> int64_t {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !tilegpu::hasLayout(type) ||
        isMadeAgain(value.getDefiningOp()))
      return 0;
    unsigned bits = tilegpu::elementBits(type.getElementType());
    return int64_t(ownRegisters(type)) * bits / 32;
  };
  kernel.walk([&](Operation *op) {
    if (!isa<tilegpu::DotOp, tilegpu::MmaOp, tilegpu::BarrierOp,
             tilegpu::ReduceOp>(op))
      return;
    int64_t words = 0;
    for (Value value :
         liveness.getLiveness(op->getBlock())->currentlyLiveValues(op))
      words += wordsOf(value);
    work.registers = std::max(work.registers, words);
  });
}

GpuWork GpuAnalysis::run() {
  auto attribute = [&](StringRef name) -> int64_t {
    auto found = kernel->getAttrOfType<IntegerAttr>(name);
    return found ? found.getInt() : 0;
  };
  work.programs = nest.programs();
  work.warps =
      std::max<int64_t>(1, attribute(tilegpu::TileGpuDialect::kWarpsAttr));
  work.shared = attribute(tilegpu::TileGpuDialect::kSharedAttr);
  for (const Variable &variable : nest.variables())
    work.isGuess |= variable.isGuess;
  programs = double(std::max<int64_t>(1, work.programs));
  warps = double(work.warps);
  times = programs;
  // Parameters, the thread's index and its parts.
  issue(40);
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == kernel.getOperation())
      return WalkResult::advance();
    times = nest.executions(op);
    addOp(op);
    return isa<tile::CombiningOpInterface, tilegpu::CopyOp>(op)
               ? WalkResult::skip()
               : WalkResult::advance();
  });
  addRegisters();
  return std::move(work);
}

StatusOr<GpuWork> analyzeGpuWork(tile::KernelOp scheduled,
                                 std::span<const ArgumentShape> arguments) {
  TILEWRIGHT_ASSIGN_OR_RETURN(LoopNest nest,
                              LoopNest::create(scheduled, arguments));
  return GpuAnalysis(scheduled, std::move(nest)).run();
}

} // namespace tilewright::autotune
