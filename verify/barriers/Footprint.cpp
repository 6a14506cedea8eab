//===- Footprint.cpp - What an op does to memory --------------------------===//
#include "verify/barriers/Footprint.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright::verify {

//===--- Slots of rings ---------------------------------------------------===//

/// `number` of a ring of so many slots, as it is written.
static SlotNumber writtenNumber(Value number, int64_t slots) {
  SlotNumber slot{number, 0};
  while (auto advance = slot.base.getDefiningOp<tilegpu::AdvanceOp>()) {
    if (int64_t(advance.getSlots()) != slots)
      break;
    slot.distance += int64_t(advance.getBy());
    slot.base = advance.getNumber();
  }
  if (APInt constant; matchPattern(slot.base, m_ConstantInt(&constant))) {
    slot.distance += constant.getSExtValue();
    slot.base = Value();
  }
  slot.distance %= slots;
  return slot;
}

/// Whether, in each iteration of `loop`, its argument number `follower` is
/// `distance` beyond its argument number `leader`: by induction.
static bool keepsDistance(scf::ForOp loop, unsigned follower, unsigned leader,
                          int64_t distance, int64_t slots) {
  Value arguments[] = {loop.getRegionIterArg(follower),
                       loop.getRegionIterArg(leader)};
  auto next = [&](unsigned index) {
    SlotNumber number = writtenNumber(loop.getYieldedValues()[index], slots);
    if (number.base == arguments[0])
      number = {arguments[1], number.distance + distance};
    return number;
  };
  SlotNumber ofFollower = next(follower), ofLeader = next(leader);
  return ofFollower.base == ofLeader.base &&
         (ofFollower.distance - ofLeader.distance - distance) % slots == 0;
}

SlotNumber slotNumberOf(Value number, int64_t slots) {
  SlotNumber slot = writtenNumber(number, slots);
  auto argument = dyn_cast_or_null<BlockArgument>(slot.base);
  auto loop = argument
                  ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : scf::ForOp();
  if (!loop || argument == loop.getInductionVar())
    return slot;
  const unsigned own = argument.getArgNumber() - 1;
  auto init = [&](unsigned index) {
    return writtenNumber(loop.getInitArgs()[index], slots);
  };
  for (unsigned leader = 0; leader < own; ++leader) {
    if (!loop.getRegionIterArg(leader).getType().isInteger(32) ||
        init(leader).base != init(own).base)
      continue;
    const int64_t distance =
        (init(own).distance - init(leader).distance + slots) % slots;
    if (keepsDistance(loop, own, leader, distance, slots))
      return {loop.getRegionIterArg(leader),
              (slot.distance + distance) % slots};
  }
  return slot;
}

//===--- What an op does --------------------------------------------------===//

template <typename Attr> static Attr inherent(Operation *op, StringRef name) {
  return dyn_cast_or_null<Attr>(
      op->getInherentAttr(name).value_or(Attribute()));
}

/// The only operand of this type; null if there are none or several.
template <typename T> static Value onlyOperand(Operation *op) {
  Value found;
  for (Value operand : op->getOperands())
    if (isa<T>(operand.getType())) {
      if (found)
        return {};
      found = operand;
    }
  return found;
}

/// The view whose allocation the op's pointers stay in; null where unknown.
static Value pointedInto(Operation *op) {
  auto access = dyn_cast<tile::PointerAccessOpInterface>(op);
  Operation *made = access ? access.getPtr().getDefiningOp() : nullptr;
  auto isPointer = [](Value value) {
    return isa<tile::PtrType>(getElementTypeOrSelf(value.getType()));
  };
  // What makes pointers of one pointer, or of one tile of them, has it first.
  while (made && !isa<tile::BaseOp>(made)) {
    const bool isKept = isMemoryEffectFree(made) &&
                        llvm::count_if(made->getOperands(), isPointer) == 1 &&
                        isPointer(made->getOperand(0));
    made = isKept ? made->getOperand(0).getDefiningOp() : nullptr;
  }
  return made ? made->getOperand(0) : Value();
}

static void addOrder(Operation *op, Footprint &footprint) {
  using Order = tile::MemoryOrder;
  auto order = inherent<tile::MemoryOrderAttr>(op, "order");
  auto scope = inherent<tile::MemoryScopeAttr>(op, "scope");
  if (!order || !scope || scope.getValue() == tile::MemoryScope::program)
    return;
  switch (order.getValue()) {
  case Order::weak:
  case Order::relaxed:
    return;
  case Order::acquire:
    footprint.acquires = true;
    return;
  case Order::release:
    footprint.releases = true;
    return;
  case Order::acq_rel:
  case Order::seq_cst:
    footprint.acquires = footprint.releases = true;
    return;
  }
}

static RankedTensorType tileOf(Operation *op) {
  for (TypeRange types :
       {TypeRange(op->getResultTypes()), TypeRange(op->getOperandTypes())})
    for (Type type : types)
      if (tilegpu::hasLayout(type))
        return cast<RankedTensorType>(type);
  return {};
}

/// The range of a window of a tile in shared memory; empty if there is none.
static SmallVector<std::pair<int64_t, int64_t>> partOf(Operation *op) {
  SmallVector<std::pair<int64_t, int64_t>> part;
  auto offsets = inherent<DenseI64ArrayAttr>(op, "offsets");
  auto steps = inherent<DenseI64ArrayAttr>(op, "steps");
  RankedTensorType tile = tileOf(op);
  if (!offsets || offsets.empty() || !tile)
    return part;
  for (auto [dim, first] : llvm::enumerate(offsets.asArrayRef())) {
    int64_t step = steps && !steps.empty() ? steps[dim] : 1;
    part.push_back({first, first + (tile.getDimSize(dim) - 1) * step});
  }
  return part;
}

/// The range of a tile of a view whose elements have addresses of their own, as
/// far as it is constant.
static void addViewPart(Operation *op, Footprint &footprint) {
  using Limits = std::numeric_limits<int64_t>;
  Value view = onlyOperand<tile::ViewType>(op);
  RankedTensorType tile = tileOf(op);
  if (!view || !tile || !inherent<UnitAttr>(op, "byElement") ||
      cast<tile::ViewType>(view.getType()).hasExplicitStrides())
    return;
  auto steps = inherent<DenseI64ArrayAttr>(op, "steps");
  footprint.allocation = view;
  for (Value operand : op->getOperands()) {
    if (!operand.getType().isIndex())
      continue;
    const size_t dim = footprint.part.size();
    APInt first;
    int64_t span = 0, last = 0;
    const bool isKnown =
        matchPattern(operand, m_ConstantInt(&first)) &&
        !llvm::MulOverflow(tile.getDimSize(dim) - 1,
                           steps && !steps.empty() ? steps[dim] : 1, span) &&
        !llvm::AddOverflow(first.getSExtValue(), span, last);
    footprint.part.emplace_back(isKnown ? first.getSExtValue() : Limits::min(),
                                isKnown ? last : Limits::max());
  }
}

Footprint sharedFootprint(Operation *op, Value memory) {
  Footprint footprint;
  footprint.bytes = {0, std::numeric_limits<int64_t>::max()};
  auto identity =
      memory ? memory.getDefiningOp<tilegpu::MemoryIdentityOpInterface>()
             : nullptr;
  if (!identity)
    return footprint;
  auto root = identity.getRoot().getDefiningOp<tilegpu::AllocOp>();
  tilegpu::SharedType type = root.getType();
  int64_t begin = root.getOffset().value_or(0);
  footprint.bytes = {begin, begin + type.getBytes()};
  footprint.allocation = root;
  footprint.part = partOf(op);
  if (Value number = identity.getSlotNumber()) {
    footprint.slots = type.getSlots();
    footprint.slot = slotNumberOf(number, footprint.slots);
    if (!footprint.slot.base) {
      begin += footprint.slot.distance * type.getSlotStride();
      footprint.bytes = {begin, begin + type.getSlotType().getBytes()};
    }
  }
  return footprint;
}

SmallVector<Footprint> footprintsOf(Operation *op) {
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface || isa<tilegpu::BarrierOp, tile::PrintOp, tile::AssertOp>(op))
    return {};
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  llvm::MapVector<Value, Footprint> shared;
  std::optional<Footprint> global;
  for (const MemoryEffects::EffectInstance &effect : effects) {
    bool reads = isa<MemoryEffects::Read>(effect.getEffect());
    bool writes = isa<MemoryEffects::Write>(effect.getEffect());
    if (!reads && !writes)
      continue;
    // The order of a thread's groups of copies is no memory.
    if (isa<tilegpu::CopyGroups>(effect.getResource()))
      continue;
    bool isShared = isa<tilegpu::SharedMemory>(effect.getResource());
    if (!isShared && !global)
      global = Footprint();
    Footprint &footprint =
        isShared ? shared
                       .try_emplace(effect.getValue(),
                                    sharedFootprint(op, effect.getValue()))
                       .first->second
                 : *global;
    footprint.reads |= reads;
    footprint.writes |= writes;
  }
  SmallVector<Footprint> footprints;
  for (auto &[memory, footprint] : shared)
    footprints.push_back(footprint);
  if (auto copy = dyn_cast<tilegpu::CopyOp>(op))
    footprints.front().token = copy.getToken();
  if (!global)
    return footprints;
  global->isFence = isa<tile::FenceOp>(op);
  Value view = onlyOperand<tile::ViewType>(op);
  if (!view)
    view = pointedInto(op);
  auto argument = dyn_cast_or_null<BlockArgument>(view);
  if (argument && isa<tile::KernelOp>(argument.getOwner()->getParentOp())) {
    global->argument = view;
    addViewPart(op, *global);
  }
  addOrder(op, *global);
  // An ordered load counts as a write for others; here it is a read.
  global->writes &= !isa<tile::LoadPtrOp>(op);
  if (auto copy = dyn_cast<tilegpu::CopyOp>(op->getParentOp()))
    global->token = copy.getToken();
  footprints.push_back(*global);
  return footprints;
}

//===--- Whether accesses are apart ---------------------------------------===//

bool areApart(const Footprint &a, const Footprint &b) {
  if (!a.allocation || a.allocation != b.allocation)
    return false;
  for (auto [x, y] : llvm::zip(a.part, b.part))
    if (x.second < y.first || y.second < x.first)
      return true;
  return false;
}

bool byOneThread(Operation *first, Operation *second, bool renewed) {
  RankedTensorType tile = tileOf(first);
  // Pointers may lead several threads to one element.
  if (!onlyOperand<tile::ViewType>(first) ||
      !onlyOperand<tile::ViewType>(second))
    return false;
  auto view =
      cast<tile::ViewType>(onlyOperand<tile::ViewType>(first).getType());
  // With explicit strides, two elements may share an address.
  if (!tile || view.hasExplicitStrides() || tile != tileOf(second) ||
      tilegpu::layoutOf(tile).copies() > 1 ||
      first->getInherentAttr("byElement") !=
          second->getInherentAttr("byElement") ||
      first->getInherentAttr("steps") != second->getInherentAttr("steps"))
    return false;
  // Tiles by index split a view into pieces; others are the same or overlap.
  if (!inherent<UnitAttr>(first, "byElement"))
    return true;
  auto isIndex = [](Value value) { return value.getType().isIndex(); };
  return !renewed &&
         llvm::equal(llvm::make_filter_range(first->getOperands(), isIndex),
                     llvm::make_filter_range(second->getOperands(), isIndex));
}

} // namespace tilewright::verify
