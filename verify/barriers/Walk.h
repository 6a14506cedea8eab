//===- Walk.h - The ways that lead on from an access -*- C++ -*-===//
#ifndef TILEWRIGHT_VERIFY_BARRIERS_WALK_H
#define TILEWRIGHT_VERIFY_BARRIERS_WALK_H

#include "verify/barriers/Footprint.h"
#include <map>
#include <set>

namespace tilewright::verify {

/// Where a walk is: before an op, with what is known there of the access that
/// it came from. Values are held by their opaque pointers.
struct Point {
  mlir::Operation *op;
  /// On the way, an index of the access may have changed.
  bool renewed = false;
  /// The access is an asynchronous copy that no wait has ended.
  bool isOpen = false;
  /// A commit has closed the copy's group, which `tokens` then name.
  bool isCommitted = false;
  /// The wait that ended the copy.
  mlir::Operation *wait = nullptr;
  /// From here, the access is in the slot that is this far beyond each of these
  /// numbers (null: beyond 0). Empty: in any slot.
  std::map<const void *, int64_t> slot;
  /// All that the copy, or its group, is called here.
  std::set<const void *> tokens;

  auto operator<=>(const Point &) const = default;
};

/// How many slots the access that a walk came from is beyond the slot of `to`;
/// nothing where that is not known.
std::optional<int64_t> slotsBeyond(const Point &point, const SlotNumber &to,
                                   int64_t slots);
/// Whether `point` is at the wait that ends the open copy.
bool isAtItsWait(const Point &point);

/// Walks the ways from one access on.
class Walk {
public:
  Walk(mlir::Operation *from, const Footprint &access) : slots(access.slots) {
    for (mlir::Value operand : from->getOperands())
      if (operand.getType().isIndex())
        locations.push_back(operand);
    start.op = from;
    if (slots)
      start.slot[access.slot.base.getAsOpaquePointer()] = access.slot.distance;
    if (access.token) {
      start.isOpen = true;
      start.tokens.insert(access.token.getAsOpaquePointer());
    }
  }

  /// Calls `met(point)` for each op reachable without a barrier, or, from a
  /// copy that is open, without a wait.
  void run(llvm::function_ref<void(const Point &)> met);

private:
  void pass(Point &point);
  void enter(mlir::Region *region, mlir::Operation *parent,
             mlir::ValueRange operands, mlir::ValueRange inputs, Point point);
  void follow(const Point &point);
  void visit(mlir::Operation *op, Point point) {
    point.op = op;
    if (op && seen.insert(point).second)
      work.push_back(std::move(point));
  }

  int64_t slots;
  Point start;
  llvm::SmallVector<mlir::Value> locations;
  std::vector<Point> work;
  std::set<Point> seen;
};
} // namespace tilewright::verify

#endif // TILEWRIGHT_VERIFY_BARRIERS_WALK_H
