//===- BarrierCheck.cpp - Are accesses ordered by barriers? ---------------===//
#include "verify/barriers/BarrierCheck.h"

#include "verify/barriers/Walk.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tilewright::verify {

//===--- Whether two accesses clash ---------------------------------------===//

/// Of two accesses of shared memory, of which one writes.
static std::optional<UnorderedAccesses> sharedClash(const Footprint &a,
                                                    Operation *second,
                                                    const Footprint &b,
                                                    const Point &point) {
  using Reason = UnorderedAccesses::Reason;
  int64_t begin = std::max(a.bytes->first, b.bytes->first);
  int64_t end = std::min(a.bytes->second, b.bytes->second);
  if (begin >= end || areApart(a, b))
    return std::nullopt;
  if (a.slots && b.slots && a.allocation == b.allocation &&
      slotsBeyond(point, b.slot, b.slots).value_or(0) != 0)
    return std::nullopt;
  return UnorderedAccesses{
      nullptr, second, point.isOpen ? Reason::openCopy : Reason::sharedMemory,
      begin, end};
}

/// Of an access and one that is met at `point`.
static std::optional<UnorderedAccesses> clash(Operation *first,
                                              const Footprint &a,
                                              const Footprint &b,
                                              const Point &point) {
  using Reason = UnorderedAccesses::Reason;
  Operation *second = point.op;
  if (a.bytes.has_value() != b.bytes.has_value())
    return std::nullopt;
  bool writes = a.writes || b.writes;
  if (a.bytes) {
    if (!writes)
      return std::nullopt;
    auto finding = sharedClash(a, second, b, point);
    // The wait makes what a copy has written visible.
    if (finding)
      finding->first = point.wait ? point.wait : first;
    return finding;
  }
  if (a.isFence && b.isFence)
    return std::nullopt;
  if (!point.isOpen && (a.acquires || b.releases))
    return UnorderedAccesses{first, second, Reason::memoryOrder};
  // Through two arguments no order is assumed. A copy reads at any time, so it
  // is not in the order of its thread.
  if (!writes || a.isFence || b.isFence ||
      (a.argument && b.argument &&
       (a.argument != b.argument || areApart(a, b) ||
        (!point.isOpen && byOneThread(first, second, point.renewed)))))
    return std::nullopt;
  return UnorderedAccesses{
      first, second, point.isOpen ? Reason::openCopy : Reason::globalMemory};
}

/// At the wait for a copy: the finding, if it does not name the memory that the
/// copy surely writes.
static std::optional<UnorderedAccesses>
checkWait(Operation *first, const Footprint &a, const Point &point) {
  if (!a.bytes)
    return std::nullopt;
  for (Value memory : cast<tilegpu::WaitOp>(point.op).getMemories()) {
    Footprint waited = sharedFootprint(point.op, memory);
    if (a.allocation == waited.allocation &&
        (!waited.slots ||
         slotsBeyond(point, waited.slot, waited.slots).value_or(1) == 0))
      return std::nullopt;
  }
  return UnorderedAccesses{first, point.op,
                           UnorderedAccesses::Reason::otherMemory,
                           a.bytes->first, a.bytes->second};
}

//===--- All pairs --------------------------------------------------------===//

using Accesses = llvm::MapVector<Operation *, SmallVector<Footprint>>;

static void findFrom(Operation *first, ArrayRef<Footprint> footprints,
                     const Accesses &accesses,
                     DenseSet<std::pair<Operation *, Operation *>> &found,
                     std::vector<UnorderedAccesses> &findings) {
  auto add = [&](const std::optional<UnorderedAccesses> &finding) {
    if (finding && found.insert({finding->first, finding->second}).second)
      findings.push_back(*finding);
    return finding.has_value();
  };
  Walk(first, footprints.front()).run([&](const Point &point) {
    if (isAtItsWait(point))
      add(checkWait(first, footprints.front(), point));
    auto second = accesses.find(point.op);
    if (second == accesses.end() ||
        found.contains({point.wait ? point.wait : first, point.op}))
      return;
    for (const Footprint &a : footprints)
      for (const Footprint &b : second->second)
        if (add(clash(first, a, b, point)))
          return;
  });
}

std::vector<UnorderedAccesses> findUnordered(tile::KernelOp kernel) {
  Accesses accesses;
  kernel.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    // A wait writes nothing itself: the copies that it waits for do.
    if (SmallVector<Footprint> footprints = footprintsOf(op);
        !footprints.empty() && !isa<tilegpu::WaitOp>(op))
      accesses.insert({op, footprints});
  });
  std::vector<UnorderedAccesses> findings;
  DenseSet<std::pair<Operation *, Operation *>> found;
  for (auto &[first, footprints] : accesses) {
    // What fills a slot need not be ordered after its acquire.
    if (isa<tilegpu::AcquireOp>(first))
      continue;
    // One walk for all footprints of which it knows nothing more.
    SmallVector<Footprint> regular;
    for (const Footprint &footprint : footprints) {
      if (footprint.isRegular())
        regular.push_back(footprint);
      else
        findFrom(first, footprint, accesses, found, findings);
    }
    if (!regular.empty())
      findFrom(first, regular, accesses, found, findings);
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
  bool isShared = finding.endByte > 0;
  auto *found = llvm::find_if(footprints, [&](const Footprint &footprint) {
    return isShared ? footprint.bytes &&
                          footprint.bytes->first <= finding.beginByte &&
                          footprint.bytes->second >= finding.endByte
                    : !footprint.bytes;
  });
  if (found != footprints.end())
    return *found;
  // A wait for other memory than the finding's.
  return footprints.empty() ? Footprint() : footprints.front();
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
  struct Text {
    const char *title, *again, *reason;
  };
  auto textOf = [&]() -> Text {
    const char *noBarrier = "no barrier on a way from the first to the second; "
                            "a tilegpu.barrier before the second would order "
                            "them";
    const char *again = "no barrier on the way; a tilegpu.barrier in the loop "
                        "would order them";
    switch (finding.reason) {
    case Reason::sharedMemory:
      return {"race in shared memory", again, noBarrier};
    case Reason::globalMemory:
      return {"race in global memory", again, noBarrier};
    case Reason::memoryOrder:
      return {"race in memory order", again, noBarrier};
    case Reason::openCopy:
      return {"race with an asynchronous copy",
              "no tilegpu.wait for the copy's group on the way",
              "no tilegpu.wait for the copy's group on a way from the first to "
              "the second; barriers do not end a copy"};
    case Reason::otherMemory:
      return {"wait for an asynchronous copy to other memory", "",
              "the second waits for the first, and must name the memory that "
              "it writes: the slot or its ring"};
    }
    llvm_unreachable("unknown reason");
  };
  Text text = textOf();
  std::string result = std::string(text.title) + ", kernel " +
                       kernel.getSymName().str() + "\n" +
                       lineOf(finding, finding.first);
  if (finding.first == finding.second)
    return result +
           "  the same op in the next iteration of its loop: " + text.again +
           "\n";
  return result + lineOf(finding, finding.second) + "  " + text.reason + "\n";
}

} // namespace tilewright::verify
