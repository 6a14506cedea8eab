//===- EmitScan.cpp - Scans of fibers -------------------------------------===//
//
// A thread scans its part of each fiber in pieces. Then its total of each round
// is scanned over the lanes; what the warps, the rounds, the lanes and the
// pieces before each piece have is combined once, and then with each element of
// the piece. "Before" is in the order of the scan: a reverse one begins at the
// end of the fiber.
//
//===----------------------------------------------------------------------===//
#include "codegen/layout/Access.h"
#include "codegen/nvptx/Combiner.h"
#include "codegen/nvptx/Emission.h"
#include "codegen/nvptx/GpuOpTable.h"
#include "codegen/nvptx/Shuffles.h"
#include "codegen/nvptx/Threads.h"
#include "codegen/nvptx/Values.h"
#include "codegen/tilegpu/Fiber.h"
#include "codegen/tilegpu/TileGpu.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <numeric>

using namespace mlir;

namespace tilewright::nvptx {

using layout::HardwareDim;

namespace {
/// One scan. Vectors hold one element for each fiber, or for each of a thread's
/// registers: those of the first element in scan order, then the second's, ..
class Scan {
public:
  Scan(Emission &e, tilegpu::ScanOp op, const tilegpu::Fiber &fiber)
      : e(e), b(e.b), op(op), fiber(fiber), combiner(e, op.getCombiner()),
        fibers(int64_t(fiber.registers[0].size())), pieces(piecesOf(fiber)) {}

  LogicalResult emit();

private:
  /// Elements [first, end) of a thread's fiber, of one round, which are scanned
  /// one after the other.
  struct Piece {
    int64_t first, end;
    /// Whether it begins, and ends, its round.
    bool isFirst, isLast;
  };
  /// Longer pieces are longer chains of waits, shorter ones more carries.
  static constexpr int64_t pieceLength = 8;
  static SmallVector<Piece> piecesOf(const tilegpu::Fiber &fiber);

  Parts inScanOrder();
  void addElements(std::vector<int32_t> &registers, int64_t k) const;
  void combineInto(Parts &all, const Parts &first, ArrayRef<int32_t> second);
  void scanPieces(Parts &all);
  SmallVector<Parts> totalsOfPieces(const Parts &all);
  Value changedLane(unsigned set, unsigned cleared);
  Parts fromLane(const Parts &parts, Value lane);
  Parts scanLanes(Parts totals);
  Parts lanesBefore(const Parts &scanned);
  Parts warpsBefore();
  SmallVector<std::optional<Parts>> partsBefore(ArrayRef<Parts> ofPieces);

  Parts concat(const Parts &all, const Parts &more);
  Parts ofRound(const Parts &parts, int64_t round);
  Parts map(const Parts &parts, llvm::function_ref<Value(Value)> change);
  /// Whether a bit of this thread's index means that another part precedes.
  Value follows(unsigned mask);
  void require(Parts &parts, Value condition);
  Value warpPart();

  Emission &e;
  ImplicitLocOpBuilder &b;
  tilegpu::ScanOp op;
  const tilegpu::Fiber &fiber;
  Combiner combiner;
  int64_t fibers;
  SmallVector<Piece> pieces;
};
} // namespace

SmallVector<Scan::Piece> Scan::piecesOf(const tilegpu::Fiber &fiber) {
  SmallVector<Piece> pieces;
  for (int64_t round = 0; round < fiber.perThread(); round += fiber.run)
    for (int64_t at = 0; at < fiber.run; at += pieceLength) {
      const int64_t end = std::min(at + pieceLength, fiber.run);
      pieces.push_back({round + at, round + end, at == 0, end == fiber.run});
    }
  return pieces;
}

//===--- Parts ------------------------------------------------------------===//

Parts Scan::map(const Parts &parts, llvm::function_ref<Value(Value)> change) {
  Parts result;
  for (Value value : parts.values)
    result.values.push_back(change(value));
  if (parts.valid)
    result.valid = change(parts.valid);
  return result;
}

/// Elements of `all`, then those of `more`.
Parts Scan::concat(const Parts &all, const Parts &more) {
  Parts result;
  for (auto [first, second] : llvm::zip(all.values, more.values))
    result.values.push_back(joined(b, first, second));
  if (all.valid)
    result.valid = joined(b, all.valid, more.valid);
  return result;
}

/// Of elements for each fiber of all rounds, those of one round.
Parts Scan::ofRound(const Parts &parts, int64_t round) {
  std::vector<int32_t> own(size_t(fibers), 0);
  std::iota(own.begin(), own.end(), int32_t(round * fibers));
  return map(parts, [&](Value value) { return pick(b, value, own); });
}

/// Takes the parts as none where `condition`, a scalar, does not hold.
void Scan::require(Parts &parts, Value condition) {
  int64_t count = cast<VectorType>(parts.values[0].getType()).getNumElements();
  Value all = splat(b, condition, count);
  parts.valid = parts.valid
                    ? arith::AndIOp::create(b, parts.valid, all).getResult()
                    : all;
}

Value Scan::follows(unsigned mask) {
  Value bits = arith::AndIOp::create(b, e.thread, integer(b, mask));
  // Backwards, the last part has all bits set and is the first.
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, bits,
                               integer(b, op.getReverse() ? mask : 0));
}

/// Padding is at the end of a fiber: only a reverse scan meets it before
/// elements of the tile.
Parts Scan::inScanOrder() {
  std::vector<int32_t> from;
  for (int64_t k = 0; k < fiber.perThread(); ++k)
    for (int32_t reg :
         fiber.registers[op.getReverse() ? fiber.perThread() - 1 - k : k])
      from.push_back(reg);
  Parts run;
  for (Value input : op.getInputs())
    run.values.push_back(pick(b, e.get(input), from));
  if (!op.getReverse())
    return run;
  auto type = cast<RankedTensorType>(op.getInputs()[0].getType());
  const layout::Layout &layout = tilegpu::layoutOf(type);
  // Along the fiber alone: of other dimensions, whole fibers are padding.
  SmallVector<int64_t> shape = tilegpu::fromDims(layout.shape());
  shape[op.getAxis()] = type.getDimSize(op.getAxis());
  if (Value valid = inTile(e, layout, shape))
    run.valid = pick(b, valid, from);
  return run;
}

//===--- Steps ------------------------------------------------------------===//

/// Replaces elements `second` of all registers by what `first` and they give.
void Scan::combineInto(Parts &all, const Parts &first,
                       ArrayRef<int32_t> second) {
  Parts made = combiner.apply(
      first, map(all, [&](Value value) { return pick(b, value, second); }));
  std::vector<int32_t> back;
  for (int64_t i = 0; i < fiber.perThread() * fibers; ++i)
    back.push_back(int32_t(i));
  for (auto [i, at] : llvm::enumerate(second))
    back[at] = int32_t(back.size() + i);
  for (auto [old, value] : llvm::zip(all.values, made.values))
    old = pick(b, joined(b, old, value), back);
  if (all.valid)
    all.valid = pick(
        b,
        joined(b, all.valid,
               made.valid ? made.valid
                          : splat(b, integer(b, 1, 1), int64_t(second.size()))),
        back);
}

/// The registers of element k of each fiber.
void Scan::addElements(std::vector<int32_t> &registers, int64_t k) const {
  for (int64_t i = 0; i < fibers; ++i)
    registers.push_back(int32_t(k * fibers + i));
}

/// Scans each piece, all at once.
void Scan::scanPieces(Parts &all) {
  for (int64_t at = 1; at < pieceLength; ++at) {
    std::vector<int32_t> first, second;
    for (const Piece &piece : pieces)
      if (piece.first + at < piece.end) {
        addElements(first, piece.first + at - 1);
        addElements(second, piece.first + at);
      }
    if (!second.empty())
      combineInto(all, map(all, [&](Value v) { return pick(b, v, first); }),
                  second);
  }
}

/// From scanned pieces, what a thread has of a round up to the end of each.
SmallVector<Parts> Scan::totalsOfPieces(const Parts &all) {
  SmallVector<Parts> totals;
  for (const Piece &piece : pieces) {
    std::vector<int32_t> last;
    addElements(last, piece.end - 1);
    Parts own = map(all, [&](Value value) { return pick(b, value, last); });
    totals.push_back(piece.isFirst ? own : combiner.apply(totals.back(), own));
  }
  return totals;
}

/// This lane's index with bits set and cleared; higher bits are ignored.
Value Scan::changedLane(unsigned set, unsigned cleared) {
  Value lane = arith::OrIOp::create(b, e.thread, integer(b, set));
  return arith::AndIOp::create(b, lane, integer(b, 31 & ~cleared));
}

/// The parts, for each fiber of all rounds, that another lane has.
Parts Scan::fromLane(const Parts &parts, Value lane) {
  Parts moved;
  for (Value value : parts.values)
    moved.values.push_back(shuffleFrom(b, value, lane));
  // All fibers of a round are valid together.
  for (int64_t round = 0; parts.valid && round < fiber.rounds(); ++round) {
    Value own = element(b, parts.valid, round * fibers);
    Value valid = splat(b, shuffleFrom(b, own, lane), fibers);
    moved.valid = round ? joined(b, moved.valid, valid) : valid;
  }
  return moved;
}

/// From each lane's totals to those of this lane and the lanes before it.
Parts Scan::scanLanes(Parts totals) {
  unsigned below = 0;
  for (unsigned left = fiber.laneMask; left; left &= left - 1) {
    unsigned bit = left & -left;
    // The last lane, in scan order, of the preceding half.
    Value lane =
        op.getReverse() ? changedLane(bit, below) : changedLane(below, bit);
    Parts before = fromLane(totals, lane);
    require(before, follows(bit));
    totals = combiner.apply(before, totals);
    below |= bit;
  }
  return totals;
}

/// What the lanes before this one have; not valid where there are none.
Parts Scan::lanesBefore(const Parts &scanned) {
  // The neighbour's total, its index counted in the bits of the mask.
  Value mask = integer(b, fiber.laneMask);
  Value own = arith::AndIOp::create(b, e.thread, mask);
  Value next = op.getReverse() ? arith::SubIOp::create(b, own, mask).getResult()
                               : arith::SubIOp::create(b, own, integer(b, 1));
  next = arith::AndIOp::create(b, next, mask);
  Value others = changedLane(0, fiber.laneMask);
  Parts before = fromLane(scanned, arith::OrIOp::create(b, others, next));
  require(before, follows(fiber.laneMask));
  return before;
}

/// Which part of its fibers this warp has, i32.
Value Scan::warpPart() {
  const layout::Layout &layout = tilegpu::layoutOf(op.getInputs()[0].getType());
  layout::LinearMap map(layout.bits(HardwareDim::lane), 32);
  layout::Bits next = 1;
  for (unsigned bit = 0; bit < layout.bits(HardwareDim::warp); ++bit) {
    bool chooses = fiber.warpMask >> bit & 1;
    map.append(chooses ? next : 0);
    next <<= chooses;
  }
  return applyToThread(e, map);
}

/// What the warps before this one have of each fiber, by their totals.
Parts Scan::warpsBefore() {
  auto type = cast<RankedTensorType>(op.getInputs()[0].getType());
  auto totals = cast<RankedTensorType>(op.getTotals()[0].getType());
  const layout::Layout &from = tilegpu::layoutOf(type);
  const layout::Layout &to = tilegpu::layoutOf(totals);
  int64_t warps = totals.getDimSize(op.getAxis());
  auto totalOf = [&](int64_t warp) {
    std::vector<int32_t> registers;
    for (int32_t reg : fiber.registers[0]) {
      layout::Dims at = from.apply(layout::inRegister(reg, 0));
      at[op.getAxis()] = warp;
      registers.push_back(int32_t(to.invert(at)[HardwareDim::reg]));
    }
    Parts parts;
    for (Value total : op.getTotals())
      parts.values.push_back(pick(b, e.get(total), registers));
    return parts;
  };
  Value index = warpPart();
  Parts before, sum;
  for (int64_t i = 0; i + 1 < warps; ++i) {
    int64_t warp = op.getReverse() ? warps - 1 - i : i;
    sum = i ? combiner.apply(sum, totalOf(warp)) : totalOf(warp);
    Value here = arith::CmpIOp::create(
        b, arith::CmpIPredicate::eq, index,
        integer(b, op.getReverse() ? warp - 1 : warp + 1));
    if (!i) {
      before = sum;
      continue;
    }
    for (auto [chosen, value] : llvm::zip(before.values, sum.values))
      chosen = arith::SelectOp::create(b, here, value, chosen);
  }
  if (warps > 1)
    require(before, arith::CmpIOp::create(
                        b,
                        op.getReverse() ? arith::CmpIPredicate::ult
                                        : arith::CmpIPredicate::ugt,
                        index, integer(b, op.getReverse() ? warps - 1 : 0)));
  return before;
}

/// For each round, what the warps, the rounds and the lanes before have, by the
/// totals of pieces; nothing where there are none.
SmallVector<std::optional<Parts>> Scan::partsBefore(ArrayRef<Parts> ofPieces) {
  Parts totals;
  for (auto [piece, total] : llvm::zip(pieces, ofPieces))
    if (piece.isLast)
      totals = totals.values.empty() ? total : concat(totals, total);
  std::optional<Parts> lanes, carried;
  if (fiber.laneMask) {
    Parts scanned = scanLanes(totals);
    lanes = lanesBefore(scanned);
    // The last lane, in scan order, has what its warp has of each round.
    if (fiber.rounds() > 1)
      totals =
          fromLane(scanned, op.getReverse() ? changedLane(0, fiber.laneMask)
                                            : changedLane(fiber.laneMask, 0));
  }
  if (fiber.warpMask && cast<RankedTensorType>(op.getTotals()[0].getType())
                                .getDimSize(op.getAxis()) > 1)
    carried = warpsBefore();
  SmallVector<std::optional<Parts>> before;
  for (int64_t round = 0; round < fiber.rounds(); ++round) {
    auto after = [&](const Parts &parts) {
      Parts own = ofRound(parts, round);
      return carried ? combiner.apply(*carried, own) : own;
    };
    before.push_back(lanes ? after(*lanes) : carried);
    if (round + 1 < fiber.rounds())
      carried = after(totals);
  }
  return before;
}

LogicalResult Scan::emit() {
  Parts all = inScanOrder();
  scanPieces(all);
  const SmallVector<Parts> totals = totalsOfPieces(all);
  const SmallVector<std::optional<Parts>> before = partsBefore(totals);
  // What precedes a piece is combined first, and then with each element.
  for (auto [i, piece] : llvm::enumerate(pieces)) {
    std::optional<Parts> carried = before[size_t(piece.first / fiber.run)];
    if (!piece.isFirst)
      carried =
          carried ? combiner.apply(*carried, totals[i - 1]) : totals[i - 1];
    if (!carried)
      continue;
    std::vector<int32_t> fiberOf, second;
    for (int64_t k = piece.first; k < piece.end; ++k) {
      addElements(fiberOf, 0);
      addElements(second, k);
    }
    combineInto(all,
                map(*carried, [&](Value v) { return pick(b, v, fiberOf); }),
                second);
  }
  // Back to registers; copies of others too.
  const layout::Layout &layout = tilegpu::layoutOf(op.getInputs()[0].getType());
  std::vector<int32_t> back(size_t(layout.items()), -1);
  for (int64_t k = 0; k < fiber.perThread(); ++k)
    for (auto [i, reg] : llvm::enumerate(
             fiber.registers[op.getReverse() ? fiber.perThread() - 1 - k : k]))
      back[reg] = int32_t(k * fibers + int64_t(i));
  for (auto [reg, source] : llvm::enumerate(layout::registerCopies(layout)))
    back[reg] = back[source];
  for (auto [result, value] : llvm::zip(op.getResults(), all.values))
    e.set(result, pick(b, value, back));
  return combiner.status();
}

static LogicalResult emitScan(tilegpu::ScanOp op, Emission &e) {
  StatusOr<tilegpu::Fiber> fiber =
      tilegpu::fiberAlong(tilegpu::layoutOf(op.getInputs()[0].getType()),
                          op.getAxis(), tilegpu::Rounds::any);
  if (!fiber.ok())
    return reject(op, fiber.status().message());
  return Scan(e, op, *fiber).emit();
}

void addScanOps(GpuOps &ops) { add(ops, emitScan); }

} // namespace tilewright::nvptx
