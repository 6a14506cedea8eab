//===- EmitScan.cpp - Scans of fibers -------------------------------------===//
//
// A thread scans its part of each fiber in runs. Then its total is scanned over
// the lanes; what the warps, the lanes and the runs before each run have is
// combined once, and then with each element of the run. "Before" is in the
// order of the scan: a reverse one begins at the end of the fiber.
//
//===----------------------------------------------------------------------===//
#include "codegen/gpu/Fiber.h"
#include "codegen/gpu/TileGpu.h"
#include "codegen/layout/Access.h"
#include "codegen/nvptx/Combiner.h"
#include "codegen/nvptx/Emission.h"
#include "codegen/nvptx/GpuOpTable.h"
#include "codegen/nvptx/Shuffles.h"
#include "codegen/nvptx/Threads.h"
#include "codegen/nvptx/Values.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

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
        fibers(int64_t(fiber.registers[0].size())) {}

  LogicalResult emit();

private:
  /// Elements of a thread's fiber that are scanned one after the other. Longer
  /// runs are longer chains of waits, shorter ones more carries.
  static constexpr int64_t runLength = 8;

  Parts inScanOrder();
  void addElements(std::vector<int32_t> &registers, int64_t k) const;
  void combineInto(Parts &all, const Parts &first, ArrayRef<int32_t> second);
  void scanRuns(Parts &all);
  SmallVector<Parts> totalsOfRuns(const Parts &all);
  Parts scanLanes(Parts total);
  Parts warpsBefore();
  std::optional<Parts> partsBefore(const Parts &total);

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
};
} // namespace

//===--- Parts ------------------------------------------------------------===//

Parts Scan::map(const Parts &parts, llvm::function_ref<Value(Value)> change) {
  Parts result;
  for (Value value : parts.values)
    result.values.push_back(change(value));
  if (parts.valid)
    result.valid = change(parts.valid);
  return result;
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

/// Scans each run of `runLength` elements, all runs at once.
void Scan::scanRuns(Parts &all) {
  for (int64_t at = 1; at < runLength; ++at) {
    std::vector<int32_t> first, second;
    for (int64_t k = at; k < fiber.perThread(); k += runLength) {
      addElements(first, k - 1);
      addElements(second, k);
    }
    if (!second.empty())
      combineInto(all, map(all, [&](Value v) { return pick(b, v, first); }),
                  second);
  }
}

/// From scanned runs, what a thread has up to the end of each.
SmallVector<Parts> Scan::totalsOfRuns(const Parts &all) {
  SmallVector<Parts> totals;
  for (int64_t k = 0; k < fiber.perThread(); k += runLength) {
    std::vector<int32_t> last;
    addElements(last, std::min(k + runLength, fiber.perThread()) - 1);
    Parts own = map(all, [&](Value value) { return pick(b, value, last); });
    totals.push_back(totals.empty() ? own : combiner.apply(totals.back(), own));
  }
  return totals;
}

/// From each lane's total to what the lanes before it have; not valid where
/// there are none.
Parts Scan::scanLanes(Parts total) {
  bool reverse = op.getReverse();
  unsigned below = 0;
  auto fromLane = [&](const Parts &parts, Value lane) {
    Parts moved;
    for (Value value : parts.values)
      moved.values.push_back(shuffleFrom(b, value, lane));
    // All fibers are valid together.
    if (parts.valid)
      moved.valid =
          splat(b, shuffleFrom(b, element(b, parts.valid, 0), lane), fibers);
    return moved;
  };
  // A lane's index; higher bits are ignored.
  auto changed = [&](unsigned set, unsigned cleared) -> Value {
    Value lane = arith::OrIOp::create(b, e.thread, integer(b, set));
    return arith::AndIOp::create(b, lane, integer(b, 31 & ~cleared));
  };
  for (unsigned left = fiber.laneMask; left; left &= left - 1) {
    unsigned bit = left & -left;
    // The last lane, in scan order, of the preceding half.
    Value lane = reverse ? changed(bit, below) : changed(below, bit);
    Parts before = fromLane(total, lane);
    require(before, follows(bit));
    total = combiner.apply(before, total);
    below |= bit;
  }
  // The neighbour's total, its index counted in the bits of the mask.
  Value mask = integer(b, fiber.laneMask);
  Value own = arith::AndIOp::create(b, e.thread, mask);
  Value next = reverse ? arith::SubIOp::create(b, own, mask).getResult()
                       : arith::SubIOp::create(b, own, integer(b, 1));
  next = arith::AndIOp::create(b, next, mask);
  Value others = changed(0, fiber.laneMask);
  Parts before = fromLane(total, arith::OrIOp::create(b, others, next));
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

/// What the lanes and the warps before this thread have, by its total; nothing
/// where there are none.
std::optional<Parts> Scan::partsBefore(const Parts &total) {
  std::optional<Parts> before;
  if (fiber.laneMask)
    before = scanLanes(total);
  if (fiber.warpMask && cast<RankedTensorType>(op.getTotals()[0].getType())
                                .getDimSize(op.getAxis()) > 1)
    before = before ? combiner.apply(warpsBefore(), *before) : warpsBefore();
  return before;
}

LogicalResult Scan::emit() {
  Parts run = inScanOrder();
  scanRuns(run);
  SmallVector<Parts> totals = totalsOfRuns(run);
  std::optional<Parts> before = partsBefore(totals.back());
  // What precedes a run is combined first, and then with each of its elements.
  for (int64_t k = 0; k < fiber.perThread(); k += runLength) {
    std::optional<Parts> carried = before;
    if (k)
      carried = before ? combiner.apply(*before, totals[k / runLength - 1])
                       : totals[k / runLength - 1];
    if (!carried)
      continue;
    std::vector<int32_t> fiberOf, second;
    for (int64_t i = k; i < std::min(k + runLength, fiber.perThread()); ++i) {
      addElements(fiberOf, 0);
      addElements(second, i);
    }
    combineInto(run,
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
  for (auto [result, value] : llvm::zip(op.getResults(), run.values))
    e.set(result, pick(b, value, back));
  return combiner.status();
}

static LogicalResult emitScan(tilegpu::ScanOp op, Emission &e) {
  StatusOr<tilegpu::Fiber> fiber = tilegpu::fiberAlong(
      tilegpu::layoutOf(op.getInputs()[0].getType()), op.getAxis());
  if (!fiber.ok())
    return reject(op, fiber.status().message());
  return Scan(e, op, *fiber).emit();
}

void addScanOps(GpuOps &ops) { add(ops, emitScan); }

} // namespace tilewright::nvptx
