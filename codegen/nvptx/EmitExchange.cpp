//===- EmitExchange.cpp - Tiles from lane to lane -------------------------===//
#include "codegen/layout/Conversion.h"
#include "codegen/nvptx/Emission.h"
#include "codegen/nvptx/GpuOpTable.h"
#include "codegen/nvptx/Shuffles.h"
#include "codegen/nvptx/Threads.h"
#include "codegen/nvptx/Values.h"
#include "codegen/tilegpu/TileGpu.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright::nvptx {

using tilegpu::layoutOf;

namespace {
/// Walks the rounds of a plan for one repeat of its frame. Registers are
/// virtual; a null value is padding.
class RoundWalker {
public:
  using Bits = layout::Bits;
  explicit RoundWalker(Emission &e) : e(e), b(e.b) {}

  void walk(const layout::Round &round, ArrayRef<layout::RoundPair> pairs,
            ArrayRef<Value> from, MutableArrayRef<Value> to);

private:
  Value threadBit(unsigned bit);
  Value choose(const layout::AffineMap &map, Bits at, unsigned bit,
               ArrayRef<Value> from);
  void receive(const layout::AffineMap &map, Bits at, unsigned bit,
               Value condition, Value value, MutableArrayRef<Value> to);
  Value accepted(const layout::AffineMap &reject);

  Emission &e;
  ImplicitLocOpBuilder &b;
};
} // namespace

/// Bit `bit` of the thread's index, as i1.
Value RoundWalker::threadBit(unsigned bit) {
  Value mask = arith::ConstantOp::create(b, b.getI32IntegerAttr(1 << bit));
  Value zero = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                               arith::AndIOp::create(b, e.thread, mask), zero);
}

/// from[map(thread) ^ at], by the thread's bits from `bit` on; those before
/// are in `at` already.
Value RoundWalker::choose(const layout::AffineMap &map, Bits at, unsigned bit,
                          ArrayRef<Value> from) {
  while (bit < map.linear.inBits() && !map.linear.column(bit))
    ++bit;
  if (bit == map.linear.inBits())
    return from[at ^ map.constant];
  Value zero = choose(map, at, bit + 1, from);
  Value one = choose(map, at ^ map.linear.column(bit), bit + 1, from);
  if (!zero || !one || zero == one)
    return zero ? zero : one;
  return arith::SelectOp::create(b, threadBit(bit), one, zero);
}

/// to[map(thread) ^ at] = value, where `condition` holds (null: always).
void RoundWalker::receive(const layout::AffineMap &map, Bits at, unsigned bit,
                          Value condition, Value value,
                          MutableArrayRef<Value> to) {
  while (bit < map.linear.inBits() && !map.linear.column(bit))
    ++bit;
  if (bit == map.linear.inBits()) {
    Value &target = to[at ^ map.constant];
    target =
        condition && target
            ? arith::SelectOp::create(b, condition, value, target).getResult()
            : value;
    return;
  }
  Value set = threadBit(bit);
  Value yes = arith::ConstantOp::create(b, b.getBoolAttr(true));
  Value clear = arith::XOrIOp::create(b, set, yes);
  auto both = [&](Value x) {
    return condition ? arith::AndIOp::create(b, condition, x).getResult() : x;
  };
  receive(map, at, bit + 1, both(clear), value, to);
  receive(map, at ^ map.linear.column(bit), bit + 1, both(set), value, to);
}

/// Null where no thread rejects.
Value RoundWalker::accepted(const layout::AffineMap &reject) {
  bool constant = llvm::all_of(reject.linear.allColumns(),
                               [](Bits column) { return column == 0; });
  if (constant && !reject.constant)
    return {};
  Value zero =
      arith::ConstantOp::create(b, b.getI32IntegerAttr(reject.constant));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                               applyToThread(e, reject.linear), zero);
}

void RoundWalker::walk(const layout::Round &round,
                       ArrayRef<layout::RoundPair> pairs, ArrayRef<Value> from,
                       MutableArrayRef<Value> to) {
  Value accept = accepted(round.reject);
  Value lane;
  if (round.crossesLanes) {
    lane = applyToThread(e, round.sourceLane.linear);
    Value constant = arith::ConstantOp::create(
        b, b.getI32IntegerAttr(round.sourceLane.constant));
    lane = arith::XOrIOp::create(b, lane, constant);
  }
  for (layout::RoundPair pair : pairs) {
    Value offered = choose(round.send, pair.send, 0, from);
    if (!offered)
      continue;
    Value got = lane ? shuffleFrom(b, offered, lane) : offered;
    receive(round.receive, pair.receive, 0, accept, got, to);
  }
}

static LogicalResult emitConversion(tilegpu::ConvertLayoutOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  auto from = cast<RankedTensorType>(op.getSource().getType());
  auto to = cast<RankedTensorType>(op.getType());
  if (std::optional<std::vector<int32_t>> registers =
          layout::sourceRegisters(layoutOf(from), layoutOf(to))) {
    e.set(op, pick(b, e.get(op.getSource()), *registers));
    return success();
  }
  layout::ConversionOptions options;
  options.elementBits = tilegpu::elementBits(from.getElementType());
  options.shape = tilegpu::toDims(from.getShape());
  StatusOr<layout::ConversionPlan> plan =
      layout::planConversion(layoutOf(from), layoutOf(to), options);
  if (!plan.ok())
    return reject(op, plan.status().message());
  if (plan->kind == layout::ConversionKind::shared)
    return reject(op, "expected a conversion within warps; this one goes "
                      "through shared memory");
  if (plan->kind == layout::ConversionKind::nothing) {
    // One of the two may have more registers beyond the tile.
    std::vector<int32_t> registers;
    for (int64_t reg = 0; reg < layoutOf(to).items(); ++reg)
      registers.push_back(reg < layoutOf(from).items() ? int32_t(reg) : -1);
    e.set(op, pick(b, e.get(op.getSource()), registers));
    return success();
  }
  auto type = cast<VectorType>(typeOf(to));
  Value nothing = arith::ConstantOp::create(
      b, cast<TypedAttr>(b.getZeroAttr(type.getElementType())));
  SmallVector<Value> result(size_t(type.getNumElements()), nothing);
  RoundWalker walker(e);
  for (int64_t repeat = 0; repeat < plan->frame.repeatCount(); ++repeat) {
    SmallVector<Value> source, target(size_t(1) << plan->to.itemBits);
    for (layout::Bits item = 0; item < layout::Bits(1) << plan->from.itemBits;
         ++item) {
      int32_t reg = plan->from.item(repeat, item);
      source.push_back(reg < 0 ? Value()
                               : element(b, e.get(op.getSource()), reg));
    }
    for (const layout::Round &round : plan->rounds)
      walker.walk(round, plan->pairs, source, target);
    for (auto [item, value] : llvm::enumerate(target)) {
      int32_t reg = plan->to.item(repeat, item);
      if (reg >= 0 && value)
        result[reg] = value;
    }
  }
  e.set(op, vectorOf(b, result));
  return success();
}

void addExchangeOps(GpuOps &ops) { add(ops, emitConversion); }

} // namespace tilewright::nvptx
