//===- BarrierCheck.cpp - Are accesses ordered by barriers? ---------------===//
#include "verify/barriers/BarrierCheck.h"

#include "codegen/tilegpu/TileGpu.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright::verify {

namespace {
/// What one op does to one memory.
struct Footprint {
  bool reads = false, writes = false;
  /// Of shared memory.
  std::optional<std::pair<int64_t, int64_t>> bytes;
  /// Of memory that is accessed in part: the allocation or the view, and the
  /// first and last element along each dimension.
  Value allocation;
  SmallVector<std::pair<int64_t, int64_t>> part;
  /// Of global memory: the kernel's view, where it is known to be one.
  Value argument;
  /// It touches nothing, but orders global memory.
  bool isFence = false;
  bool releases = false, acquires = false;
};

/// Walks the ways from one access on.
class Walk {
public:
  explicit Walk(Operation *from) : from(from) {
    for (Value operand : from->getOperands())
      if (operand.getType().isIndex())
        locations.push_back(operand);
  }

  /// Calls `met(op, renewed)` for each op reachable without a barrier.
  /// `renewed`: on the way, an index of the access may have changed.
  void run(llvm::function_ref<void(Operation *, bool)> met);

private:
  void enter(Region *region, Operation *parent, bool renewed);
  void follow(Operation *op, bool renewed);
  void visit(Operation *op, bool renewed) {
    if (op && seen.insert(Point(op, renewed)).second)
      work.push_back(Point(op, renewed));
  }

  Operation *from;
  SmallVector<Value> locations;
  /// Ops with `renewed` as a bit.
  using Point = llvm::PointerIntPair<Operation *, 1, bool>;
  SmallVector<Point> work;
  DenseSet<Point> seen;
};
} // namespace

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

/// What an op does to one allocation of shared memory; to all of it if that is
/// not known.
static Footprint sharedFootprint(Operation *op, Value memory) {
  Footprint footprint;
  footprint.bytes = {0, std::numeric_limits<int64_t>::max()};
  if (auto alloc =
          memory ? memory.getDefiningOp<tilegpu::AllocOp>() : nullptr) {
    int64_t begin = alloc.getOffset().value_or(0);
    footprint.bytes = {begin, begin + alloc.getType().getBytes()};
    footprint.allocation = memory;
    footprint.part = partOf(op);
  }
  return footprint;
}

/// Nothing for an op that accesses no memory of interest.
static SmallVector<Footprint> footprintsOf(Operation *op) {
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
  footprints.push_back(*global);
  return footprints;
}

//===--- Whether two accesses clash ---------------------------------------===//

/// Whether both access parts of one allocation or view that have no element in
/// common.
static bool areApart(const Footprint &a, const Footprint &b) {
  if (!a.allocation || a.allocation != b.allocation)
    return false;
  for (auto [x, y] : llvm::zip(a.part, b.part))
    if (x.second < y.first || y.second < x.first)
      return true;
  return false;
}

/// Whether each element of a view that both access is accessed by one thread.
static bool byOneThread(Operation *first, Operation *second, bool renewed) {
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

static std::optional<UnorderedAccesses>
clash(Operation *first, const Footprint &a, Operation *second,
      const Footprint &b, bool renewed) {
  using Reason = UnorderedAccesses::Reason;
  if (a.bytes.has_value() != b.bytes.has_value())
    return std::nullopt;
  bool writes = a.writes || b.writes;
  if (a.bytes) {
    int64_t begin = std::max(a.bytes->first, b.bytes->first);
    int64_t end = std::min(a.bytes->second, b.bytes->second);
    if (!writes || begin >= end || areApart(a, b))
      return std::nullopt;
    return UnorderedAccesses{first, second, Reason::sharedMemory, begin, end};
  }
  if (a.isFence && b.isFence)
    return std::nullopt;
  if (a.acquires || b.releases)
    return UnorderedAccesses{first, second, Reason::memoryOrder};
  // Through two arguments no order is assumed.
  if (!writes || a.isFence || b.isFence ||
      (a.argument && b.argument &&
       (a.argument != b.argument || areApart(a, b) ||
        byOneThread(first, second, renewed))))
    return std::nullopt;
  return UnorderedAccesses{first, second, Reason::globalMemory};
}

//===--- Ways through a kernel --------------------------------------------===//

/// To the first op of `region`, or, if that is null, to what follows `parent`.
void Walk::enter(Region *region, Operation *parent, bool renewed) {
  if (!region)
    return visit(parent->getNextNode(), renewed);
  Block &block = region->front();
  for (Value location : locations)
    renewed |= llvm::is_contained(block.getArguments(), location);
  visit(&block.front(), renewed);
}

/// To all ops that may run right after `op`.
void Walk::follow(Operation *op, bool renewed) {
  for (Value location : locations)
    renewed |= location.getDefiningOp() == op;
  SmallVector<RegionSuccessor> successors;
  Operation *parent = op;
  if (auto branch = dyn_cast<RegionBranchOpInterface>(op)) {
    branch.getSuccessorRegions(RegionBranchPoint::parent(), successors);
  } else if (op->getNextNode()) {
    return visit(op->getNextNode(), renewed);
  } else {
    parent = op->getParentOp();
    auto around = dyn_cast<RegionBranchOpInterface>(parent);
    if (!around)
      return; // The end of the kernel.
    around.getSuccessorRegions(*op->getParentRegion(), successors);
  }
  for (const RegionSuccessor &successor : successors)
    enter(successor.isParent() ? nullptr : successor.getSuccessor(), parent,
          renewed);
}

void Walk::run(llvm::function_ref<void(Operation *, bool)> met) {
  follow(from, false);
  while (!work.empty()) {
    Point at = work.pop_back_val();
    if (isa<tilegpu::BarrierOp>(at.getPointer()))
      continue;
    met(at.getPointer(), at.getInt());
    follow(at.getPointer(), at.getInt());
  }
}

std::vector<UnorderedAccesses> findUnordered(tile::KernelOp kernel) {
  llvm::MapVector<Operation *, SmallVector<Footprint>> accesses;
  kernel.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (SmallVector<Footprint> footprints = footprintsOf(op);
        !footprints.empty())
      accesses.insert({op, footprints});
  });
  auto clashOf = [](Operation *first, ArrayRef<Footprint> ofFirst,
                    Operation *second, ArrayRef<Footprint> ofSecond,
                    bool renewed) {
    std::optional<UnorderedAccesses> finding;
    for (const Footprint &a : ofFirst)
      for (const Footprint &b : ofSecond)
        if (!finding)
          finding = clash(first, a, second, b, renewed);
    return finding;
  };
  std::vector<UnorderedAccesses> findings;
  for (auto &[first, footprints] : accesses) {
    DenseSet<Operation *> found;
    Walk(first).run([&, first = first, &footprints = footprints](Operation *op,
                                                                 bool renewed) {
      auto second = accesses.find(op);
      if (second == accesses.end() || found.contains(op))
        return;
      auto finding = clashOf(first, footprints, op, second->second, renewed);
      if (finding && found.insert(op).second)
        findings.push_back(*finding);
    });
  }
  return findings;
}

//===--- Text -------------------------------------------------------------===//

static std::string locationOf(Operation *op) {
  if (auto location = op->getLoc()->findInstanceOf<FileLineColLoc>())
    return llvm::formatv("{0}:{1}:{2}", location.getFilename().getValue(),
                         location.getLine(), location.getColumn())
        .str();
  return "at an unknown location";
}

/// The part of `op` that the finding is about.
static Footprint footprintIn(const UnorderedAccesses &finding, Operation *op) {
  SmallVector<Footprint> footprints = footprintsOf(op);
  bool isShared = finding.reason == UnorderedAccesses::Reason::sharedMemory;
  auto *found = llvm::find_if(footprints, [&](const Footprint &footprint) {
    return isShared ? footprint.bytes &&
                          footprint.bytes->first <= finding.beginByte &&
                          footprint.bytes->second >= finding.endByte
                    : !footprint.bytes;
  });
  return *found;
}

static std::string lineOf(const UnorderedAccesses &finding, Operation *op) {
  Footprint footprint = footprintIn(finding, op);
  std::string bytes;
  if (footprint.bytes)
    bytes = llvm::formatv("bytes {0}..{1}", footprint.bytes->first,
                          footprint.bytes->second - 1)
                .str();
  const char *what = footprint.isFence  ? "fence"
                     : footprint.writes ? "write"
                                        : "read";
  return llvm::formatv("  {0,-5}  {1,-22}  {2,-16}  {3}\n", what,
                       op->getName().getStringRef(), bytes, locationOf(op))
      .str();
}

std::string describe(const UnorderedAccesses &finding) {
  using Reason = UnorderedAccesses::Reason;
  auto kernel = finding.first->getParentOfType<tile::KernelOp>();
  std::string memory = finding.reason == Reason::sharedMemory ? "shared memory"
                       : finding.reason == Reason::globalMemory
                           ? "global memory"
                           : "memory order";
  std::string text = "race in " + memory + ", kernel " +
                     kernel.getSymName().str() + "\n" +
                     lineOf(finding, finding.first);
  if (finding.first == finding.second)
    return text +
           "  the same op in the next iteration of its loop: no barrier on "
           "the way; a tilegpu.barrier in the loop would order them\n";
  return text + lineOf(finding, finding.second) +
         "  no barrier on a way from the first to the second; a "
         "tilegpu.barrier before the second would order them\n";
}

} // namespace tilewright::verify
