//===- EmitScan.cpp - Scans of fibers -------------------------------------===//
//
// A thread scans its part of each fiber in its registers. Then its total is
// scanned over the lanes, what the lanes before it have is combined with all of
// its registers, and so is what the warps before it have. "Before" is in the
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
  Parts inScanOrder();
  void scanRegisters(Parts &run);
  Parts scanLanes(Parts total);
  Parts warpsBefore();
  void combineAll(Parts &run, const Parts &before);

  /// A thread's last element of each fiber, in scan order.
  Parts lastOf(const Parts &run);
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

Parts Scan::lastOf(const Parts &run) {
  std::vector<int32_t> from;
  for (int64_t i = 0; i < fibers; ++i)
    from.push_back(int32_t((fiber.perThread() - 1) * fibers + i));
  return map(run, [&](Value value) { return pick(b, value, from); });
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

/// Runs of 2^i elements come from two scanned halves: the last element of the
/// first is combined with each of the second. (J. Sklansky, "Conditional-sum
/// addition logic", 1960)
void Scan::scanRegisters(Parts &run) {
  int64_t count = fiber.perThread();
  for (int64_t half = 1; half < count; half *= 2) {
    std::vector<int32_t> last, second, back;
    for (int64_t i = 0; i < count * fibers; ++i) {
      int64_t k = i / fibers;
      back.push_back(int32_t(i));
      if (!(k & half))
        continue;
      int64_t end = (k & ~(2 * half - 1)) + half - 1;
      last.push_back(int32_t(end * fibers + i % fibers));
      back.back() = int32_t(count * fibers + int64_t(second.size()));
      second.push_back(int32_t(i));
    }
    Parts sums = combiner.apply(
        map(run, [&](Value value) { return pick(b, value, last); }),
        map(run, [&](Value value) { return pick(b, value, second); }));
    auto put = [&](Value old, Value made) {
      return pick(b, joined(b, old, made), back);
    };
    for (auto [old, made] : llvm::zip(run.values, sums.values))
      old = put(old, made);
    if (run.valid)
      run.valid = put(run.valid, sums.valid);
  }
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

/// Combines the preceding parts with each of a thread's registers.
void Scan::combineAll(Parts &run, const Parts &before) {
  std::vector<int32_t> from;
  for (int64_t i = 0; i < fiber.perThread() * fibers; ++i)
    from.push_back(int32_t(i % fibers));
  run = combiner.apply(
      map(before, [&](Value value) { return pick(b, value, from); }), run);
}

LogicalResult Scan::emit() {
  Parts run = inScanOrder();
  scanRegisters(run);
  if (fiber.laneMask)
    combineAll(run, scanLanes(lastOf(run)));
  if (fiber.warpMask && cast<RankedTensorType>(op.getTotals()[0].getType())
                                .getDimSize(op.getAxis()) > 1)
    combineAll(run, warpsBefore());
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
