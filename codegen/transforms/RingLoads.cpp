//===- RingLoads.cpp - Loads that a loop can start early ------------------===//
#include "codegen/transforms/RingLoads.h"

#include "codegen/transforms/CopyAccess.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "support/Format.h"
#include "tileir/analysis/ArgumentAccesses.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilewright::tilegpu {

static std::string nameOf(Operation *op) {
  return op->getName().getStringRef().str();
}

//===--- Operands ---------------------------------------------------------===//

/// Adds the ops in the loop's body that compute `value`. Rejected where that is
/// not known iterations before.
static Status addSlice(Value value, scf::ForOp loop,
                       llvm::SetVector<Operation *> &slice) {
  if (loop.isDefinedOutsideOfLoop(value) || value == loop.getInductionVar())
    return Status();
  Operation *op = value.getDefiningOp();
  if (!op)
    return Status::invalidInput(
        "where it loads depends on the iteration before");
  if (op->getBlock() != loop.getBody() || op->getNumRegions() ||
      !isMemoryEffectFree(op))
    return Status::invalidInput("where it loads depends on " + nameOf(op));
  for (Value operand : op->getOperands())
    TILEWRIGHT_RETURN_IF_ERROR(addSlice(operand, loop, slice));
  slice.insert(op);
  return Status();
}

SmallVector<Operation *> operandSlice(ArrayRef<RingLoad> loads,
                                      scf::ForOp loop) {
  llvm::SetVector<Operation *> slice;
  for (const RingLoad &ring : loads)
    for (Value operand : ring.load->getOperands())
      if (!addSlice(operand, loop, slice).ok())
        llvm_unreachable("ringLoad has checked it");
  SmallVector<Operation *> ordered = slice.takeVector();
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ordered;
}

//===--- Memory -----------------------------------------------------------===//

/// Whether `op` may write what is loaded from `view`, or orders it with what
/// other programs write.
static bool mayWrite(Operation *op, Value view) {
  if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return false;
  auto effecting = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effecting)
    return true;
  SmallVector<MemoryEffects::EffectInstance> effects;
  effecting.getEffects(effects);
  const bool writes =
      llvm::any_of(effects, [](const MemoryEffects::EffectInstance &effect) {
        return !isa<MemoryEffects::Read>(effect.getEffect()) &&
               !isa<SharedMemory, CopyGroups>(effect.getResource());
      });
  auto access = dyn_cast<tile::ViewAccessOpInterface>(op);
  if (!writes || !access)
    return writes;
  auto kernel = op->getParentOfType<tile::KernelOp>();
  const auto written = tile::argumentOf(kernel, access.getView()),
             read = tile::argumentOf(kernel, view);
  return !written || !read || written == read;
}

static Operation *writerIn(scf::ForOp loop, Value view) {
  Operation *writer = nullptr;
  loop.getBody()->walk([&](Operation *op) {
    if (!writer && mayWrite(op, view))
      writer = op;
  });
  return writer;
}

/// Follows a loaded tile to the one op that stores it.
static Status findStore(Value tile, scf::ForOp loop, RingLoad &ring) {
  if (!tile.hasOneUse())
    return Status::invalidInput(tile.use_empty() ? "nothing uses it"
                                                 : "it has more than one use");
  Operation *user = *tile.getUsers().begin();
  if (user->getBlock() != loop.getBody())
    return Status::invalidInput("it is used in a region of " +
                                nameOf(user->getParentOp()));
  if (auto store = dyn_cast<StoreSharedOp>(user)) {
    ring.store = store;
    return Status();
  }
  const bool isConverted =
      !ring.between.empty() && isa<ConvertLayoutOp>(ring.between.back());
  if (isConverted || !(renamesElements(user) || isa<ConvertLayoutOp>(user)))
    return Status::invalidInput("its elements feed " + nameOf(user));
  ring.between.push_back(user);
  return findStore(user->getResult(0), loop, ring);
}

/// Whether memory that `store` fills is read after it, in the same iteration,
/// and nowhere else.
static bool isFilledBy(AllocOp memory, StoreSharedOp store, scf::ForOp loop) {
  return llvm::all_of(memory->getUsers(), [&](Operation *user) {
    if (user == store)
      return true;
    Operation *beside = loop.getBody()->findAncestorOpInBlock(*user);
    auto effecting = dyn_cast<MemoryEffectOpInterface>(user);
    return beside && store->isBeforeInBlock(beside) && effecting &&
           !effecting.getEffectOnValue<MemoryEffects::Write>(
               memory.getResult());
  });
}

bool isLoad(Operation &op) {
  return isa<tile::ViewAccessOpInterface>(op) &&
         hasSingleEffect<MemoryEffects::Read>(&op);
}

StatusOr<RingLoad> ringLoad(tile::ViewAccessOpInterface load, scf::ForOp loop,
                            bool hasAsyncCopies) {
  RingLoad ring;
  ring.load = load;
  TILEWRIGHT_RETURN_IF_ERROR(findStore(load.getTile(), loop, ring));
  ring.memory = ring.store.getMemory().getDefiningOp<AllocOp>();
  if (!ring.memory || ring.store.hasWindow() ||
      !isFilledBy(ring.memory, ring.store, loop))
    return Status::invalidInput(
        "the shared memory that it is stored in has other contents, too");
  llvm::SetVector<Operation *> slice;
  for (Value operand : load->getOperands())
    TILEWRIGHT_RETURN_IF_ERROR(addSlice(operand, loop, slice));
  if (Operation *writer = writerIn(loop, load.getView()))
    return Status::invalidInput("the loop may change what it loads: " +
                                nameOf(writer));
  Value tile = ring.store.getValue();
  // A copy needs no conversion: each thread writes what it would load.
  if (auto conversion = tile.getDefiningOp<ConvertLayoutOp>())
    tile = conversion.getSource();
  if (!hasAsyncCopies)
    ring.throughRegisters = "the target has no cp.async";
  else if (ring.memory.getType().getShape() !=
           cast<RankedTensorType>(tile.getType()).getShape())
    ring.throughRegisters = "shared memory has another shape";
  else if (StatusOr<CopyAccess> copy =
               copyAccess(load, tile, ring.memory.getType());
           !copy.ok())
    ring.throughRegisters = copy.status().message();
  return ring;
}

} // namespace tilewright::tilegpu
