//===- Values.cpp - Vectors of registers, indices of threads --------------===//
#include "codegen/nvptx/ThreadEmitter.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::nvptx {

using layout::Axis;

//===--- Values -----------------------------------------------------------===//

Type ThreadEmitter::typeOf(Type type) const {
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile)
    return numeric::registerType(type);
  return VectorType::get({tilegpu::layoutOf(tile).items()},
                         numeric::registerType(tile.getElementType()));
}

Value ThreadEmitter::index(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value ThreadEmitter::integer(int64_t value, unsigned bits) {
  return arith::ConstantOp::create(
      b, loc, b.getIntegerAttr(b.getIntegerType(bits), value));
}

Value ThreadEmitter::zero(Type type) {
  return arith::ConstantOp::create(b, loc,
                                   cast<TypedAttr>(b.getZeroAttr(type)));
}

Value ThreadEmitter::splat(Value scalar, int64_t count) {
  return vector::BroadcastOp::create(
      b, loc, VectorType::get({count}, scalar.getType()), scalar);
}

Value ThreadEmitter::element(Value vector, int64_t at) {
  return vector::ExtractOp::create(b, loc, vector, at);
}

Value ThreadEmitter::vectorOf(ArrayRef<Value> elements) {
  auto type =
      VectorType::get({int64_t(elements.size())}, elements.front().getType());
  return vector::FromElementsOp::create(b, loc, type, elements);
}

Value ThreadEmitter::pick(Value vector, ArrayRef<int32_t> from) {
  SmallVector<int64_t> positions;
  bool same = int64_t(from.size()) ==
              cast<VectorType>(vector.getType()).getNumElements();
  for (auto [i, position] : llvm::enumerate(from)) {
    // Not poison: a loop or a division may depend on it.
    positions.push_back(std::max(position, 0));
    same &= position < 0 || position == int32_t(i);
  }
  if (same)
    return vector;
  return vector::ShuffleOp::create(b, loc, vector, vector, positions);
}

Value ThreadEmitter::joined(Value first, Value second) {
  int64_t count = cast<VectorType>(first.getType()).getNumElements() +
                  cast<VectorType>(second.getType()).getNumElements();
  return vector::ShuffleOp::create(b, loc, first, second,
                                   llvm::to_vector(llvm::seq<int64_t>(count)));
}

Value ThreadEmitter::concatenated(ArrayRef<Value> vectors) {
  SmallVector<Value> level(vectors);
  while (level.size() > 1) {
    if (level.size() % 2)
      level.push_back(level.back());
    SmallVector<Value> next;
    for (size_t i = 0; i < level.size(); i += 2)
      next.push_back(joined(level[i], level[i + 1]));
    level = next;
  }
  return level.front();
}

//===--- Threads ----------------------------------------------------------===//

Value ThreadEmitter::applyTo(Value bits, const layout::LinearMap &map) {
  // Runs of bits that move by the same distance are moved together.
  struct Run {
    uint32_t mask;
    int shift;
  };
  SmallVector<Run> runs;
  Value result = integer(0);
  auto add = [&](Value part) {
    result = b.createOrFold<arith::XOrIOp>(loc, result, part);
  };
  for (unsigned bit = 0; bit < map.inBits(); ++bit) {
    layout::Bits column = map.column(bit);
    if (!column)
      continue;
    if (std::popcount(column) > 1) {
      Value shifted = arith::ShRUIOp::create(b, loc, bits, integer(bit));
      Value one = arith::AndIOp::create(b, loc, shifted, integer(1));
      add(arith::MulIOp::create(b, loc, one, integer(int64_t(column))));
      continue;
    }
    int shift = std::countr_zero(column) - int(bit);
    if (!runs.empty() && runs.back().shift == shift)
      runs.back().mask |= 1u << bit;
    else
      runs.push_back({1u << bit, shift});
  }
  for (Run run : runs) {
    Value part = arith::AndIOp::create(b, loc, bits, integer(run.mask));
    if (run.shift > 0)
      part = arith::ShLIOp::create(b, loc, part, integer(run.shift));
    else if (run.shift < 0)
      part = arith::ShRUIOp::create(b, loc, part, integer(-run.shift));
    add(part);
  }
  return result;
}

/// The map from the bits of (lane, warp) to the coordinate along `dim`.
static layout::LinearMap threadMap(const layout::Layout &layout, unsigned dim) {
  unsigned first = layout.firstCellBit(dim);
  unsigned bits = unsigned(layout.cellBits()[dim]);
  layout::LinearMap map = layout.map(Axis::lane).project(first, bits);
  layout::LinearMap warps = layout.map(Axis::warp).project(first, bits);
  for (layout::Bits column : warps.allColumns())
    map.append(column);
  return map;
}

Value ThreadEmitter::threadPart(const layout::Layout &layout, unsigned dim) {
  return applyToThread(threadMap(layout, dim));
}

Value ThreadEmitter::coordinates(const layout::Layout &layout, unsigned dim) {
  SmallVector<int32_t> registers;
  for (int64_t reg = 0; reg < layout.items(); ++reg)
    registers.push_back(int32_t(layout.apply(layout::inRegister(reg, 0))[dim]));
  auto type = VectorType::get({layout.items()}, b.getI32Type());
  Value constant = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, ArrayRef<int32_t>(registers)));
  Value part = splat(threadPart(layout, dim), layout.items());
  return arith::XOrIOp::create(b, loc, constant, part);
}

Value ThreadEmitter::isFirstThread() {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, thread,
                               integer(0));
}

Value ThreadEmitter::ownsElements(const layout::Layout &layout) {
  layout::HardwareIndex redundant = layout.redundantBits();
  int64_t mask = redundant[Axis::lane] | redundant[Axis::warp]
                                             << layout.bits(Axis::lane);
  if (!mask)
    return {};
  Value bits = arith::AndIOp::create(b, loc, thread, integer(mask));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, bits,
                               integer(0));
}

Value ThreadEmitter::inTile(const layout::Layout &layout,
                            ArrayRef<int64_t> shape) {
  Value all;
  layout::Dims covered = layout.shape();
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (covered[dim] == size)
      continue;
    Value bound = splat(integer(size), layout.items());
    Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                         coordinates(layout, dim), bound);
    all = all ? arith::AndIOp::create(b, loc, all, inside) : inside;
  }
  return all;
}

} // namespace tilewright::nvptx
