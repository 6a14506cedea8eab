//===- Threads.cpp - What a thread's index says of its elements -----------===//
#include "codegen/nvptx/Threads.h"

#include "codegen/nvptx/Values.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tilewright::nvptx {

using layout::HardwareDim;

/// One of three special registers, by dimension, as an index.
template <typename X, typename Y, typename Z>
static Value ofDim(Emission &e, unsigned dim) {
  ImplicitLocOpBuilder &b = e.b;
  Type i32 = b.getI32Type();
  Value value = dim == 0   ? X::create(b, i32).getResult()
                : dim == 1 ? Y::create(b, i32).getResult()
                           : Z::create(b, i32).getResult();
  return arith::IndexCastUIOp::create(b, b.getIndexType(), value);
}

Value programId(Emission &e, unsigned dim) {
  return ofDim<NVVM::BlockIdXOp, NVVM::BlockIdYOp, NVVM::BlockIdZOp>(e, dim);
}

Value programCount(Emission &e, unsigned dim) {
  return ofDim<NVVM::GridDimXOp, NVVM::GridDimYOp, NVVM::GridDimZOp>(e, dim);
}

Value applyTo(Emission &e, Value bits, const layout::LinearMap &map) {
  ImplicitLocOpBuilder &b = e.b;
  // Runs of bits that move by the same distance are moved together.
  struct Run {
    uint32_t mask;
    int shift;
  };
  SmallVector<Run> runs;
  Value result = integer(b, 0);
  auto add = [&](Value part) {
    result = b.createOrFold<arith::XOrIOp>(result, part);
  };
  for (unsigned bit = 0; bit < map.inBits(); ++bit) {
    layout::Bits column = map.column(bit);
    if (!column)
      continue;
    if (std::popcount(column) > 1) {
      Value shifted = arith::ShRUIOp::create(b, bits, integer(b, bit));
      Value one = arith::AndIOp::create(b, shifted, integer(b, 1));
      add(arith::MulIOp::create(b, one, integer(b, int64_t(column))));
      continue;
    }
    int shift = std::countr_zero(column) - int(bit);
    if (!runs.empty() && runs.back().shift == shift)
      runs.back().mask |= 1u << bit;
    else
      runs.push_back({1u << bit, shift});
  }
  for (Run run : runs) {
    Value part = arith::AndIOp::create(b, bits, integer(b, run.mask));
    if (run.shift > 0)
      part = arith::ShLIOp::create(b, part, integer(b, run.shift));
    else if (run.shift < 0)
      part = arith::ShRUIOp::create(b, part, integer(b, -run.shift));
    add(part);
  }
  return result;
}

Value applyToThread(Emission &e, const layout::LinearMap &map) {
  return applyTo(e, e.thread, map);
}

/// The map from the bits of (lane, warp) to the coordinate along `dim`.
static layout::LinearMap threadMap(const layout::Layout &layout, unsigned dim) {
  unsigned first = layout.firstCellBit(dim);
  unsigned bits = unsigned(layout.cellBits()[dim]);
  layout::LinearMap map = layout.map(HardwareDim::lane).project(first, bits);
  layout::LinearMap warps = layout.map(HardwareDim::warp).project(first, bits);
  for (layout::Bits column : warps.allColumns())
    map.append(column);
  return map;
}

/// The group of warps that this thread's warp is in, an i32.
static Value partOfThread(Emission &e, const layout::Layout &layout) {
  unsigned bits =
      layout.bits(HardwareDim::lane) + layout.bits(HardwareDim::warp);
  return arith::ShRUIOp::create(e.b, e.thread, integer(e.b, bits));
}

/// The digit of an index of repeats, an i32.
static Value digitOf(Emission &e, const layout::Repeats &repeats, Value index,
                     unsigned digit) {
  ImplicitLocOpBuilder &b = e.b;
  int64_t faster = 1;
  for (unsigned i = digit + 1; i < repeats.digits().rank(); ++i)
    faster *= repeats.digitCounts()[i];
  index = b.createOrFold<arith::DivUIOp>(index, integer(b, faster));
  if (digit)
    index = b.createOrFold<arith::RemUIOp>(
        index, integer(b, repeats.digitCounts()[digit]));
  return index;
}

/// The coordinate along `dim` of a repeat's first element, by the repeat's
/// index; null where it is 0 for all.
static Value repeatAlong(Emission &e, const layout::Layout &layout, Value index,
                         unsigned dim) {
  const layout::Repeats &repeats = layout.repeats();
  for (unsigned digit = 0; digit < repeats.digits().rank(); ++digit)
    if (repeats.digits()[digit] == dim)
      return e.b.createOrFold<arith::MulIOp>(digitOf(e, repeats, index, digit),
                                             integer(e.b, layout.cell(dim)));
  return {};
}

Value threadPart(Emission &e, const layout::Layout &layout, unsigned dim) {
  Value inCell = applyToThread(e, threadMap(layout, dim));
  const layout::Repeats &repeats = layout.repeats();
  if (repeats.partsAlong(dim) == 1 || !repeats.isSeparable())
    return inCell;
  return e.b.createOrFold<arith::AddIOp>(
      inCell, repeatAlong(e, layout, partOfThread(e, layout), dim));
}

int64_t registerPart(const layout::Layout &layout, int64_t reg, unsigned dim) {
  layout::Dims at = layout.apply(layout::inRegister(reg, 0));
  return layout.repeats().isSeparable() ? at[dim]
                                        : at[dim] & (layout.cell(dim) - 1);
}

Value repeatPart(Emission &e, const layout::Layout &layout, int64_t reg,
                 unsigned dim) {
  const layout::Repeats &repeats = layout.repeats();
  if (repeats.isSeparable())
    return {};
  int64_t round = reg >> layout.bits(HardwareDim::reg);
  Value index = e.b.createOrFold<arith::AddIOp>(
      partOfThread(e, layout), integer(e.b, round * repeats.parts()));
  return repeatAlong(e, layout, index, dim);
}

/// The coordinates along `dim`, of which the registers' part leaves out the
/// lowest bits.
static Value coarseCoordinates(Emission &e, const layout::Layout &layout,
                               unsigned dim, unsigned lowBits) {
  ImplicitLocOpBuilder &b = e.b;
  // In the cell, threads and registers may choose the same bits.
  SmallVector<int32_t> inCell, ofRound;
  for (int64_t reg = 0; reg < layout.items(); ++reg) {
    int64_t part = registerPart(layout, reg, dim) >> lowBits << lowBits;
    inCell.push_back(int32_t(part & (layout.cell(dim) - 1)));
    ofRound.push_back(int32_t(part - inCell.back()));
  }
  auto type = VectorType::get({layout.items()}, b.getI32Type());
  auto constant = [&](ArrayRef<int32_t> values) -> Value {
    return arith::ConstantOp::create(b, DenseElementsAttr::get(type, values));
  };
  Value cell = applyToThread(e, threadMap(layout, dim));
  const layout::Repeats &repeats = layout.repeats();
  if (repeats.partsAlong(dim) == 1 && repeats.isSeparable()) {
    for (auto [sum, more] : llvm::zip(inCell, ofRound))
      sum += more;
    return arith::XOrIOp::create(b, constant(inCell),
                                 splat(b, cell, layout.items()));
  }
  Value sum = arith::XOrIOp::create(b, constant(inCell),
                                    splat(b, cell, layout.items()));
  if (repeats.isSeparable()) {
    Value ofPart = repeatAlong(e, layout, partOfThread(e, layout), dim);
    Value repeated = arith::AddIOp::create(b, constant(ofRound),
                                           splat(b, ofPart, layout.items()));
    return arith::AddIOp::create(b, sum, repeated);
  }
  SmallVector<Value> repeated;
  int64_t ofCell = int64_t(1) << layout.bits(HardwareDim::reg);
  for (int64_t reg = 0; reg < layout.items(); ++reg) {
    Value first =
        reg % ofCell ? repeated.back() : repeatPart(e, layout, reg, dim);
    repeated.push_back(first ? first : integer(b, 0));
  }
  return arith::AddIOp::create(b, sum, vectorOf(b, repeated));
}

Value coordinates(Emission &e, const layout::Layout &layout, unsigned dim) {
  return coarseCoordinates(e, layout, dim, 0);
}

Value isFirstThread(Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, e.thread,
                               integer(b, 0));
}

Value ownsElements(Emission &e, const layout::Layout &layout) {
  ImplicitLocOpBuilder &b = e.b;
  layout::HardwareIndex redundant = layout.redundantBits();
  int64_t mask = redundant[HardwareDim::lane] |
                 redundant[HardwareDim::warp] << layout.bits(HardwareDim::lane);
  auto isZero = [&](Value value) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, value,
                                 integer(b, 0));
  };
  Value owns;
  if (mask)
    owns = isZero(arith::AndIOp::create(b, e.thread, integer(b, mask)));
  const layout::Repeats &repeats = layout.repeats();
  if (!repeats.ownersArePart())
    return owns;
  for (unsigned digit = 0; digit < repeats.digits().rank(); ++digit)
    if (repeats.digits()[digit] == layout::Repeats::copies) {
      Value first = isZero(digitOf(e, repeats, partOfThread(e, layout), digit));
      owns = owns ? arith::AndIOp::create(b, owns, first) : first;
    }
  return owns;
}

Value inTile(Emission &e, const layout::Layout &layout,
             ArrayRef<int64_t> shape) {
  ImplicitLocOpBuilder &b = e.b;
  Value all;
  layout::Dims covered = layout.shape();
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (covered[dim] == size && !layout.repeats().runsOnAlong(unsigned(dim)))
      continue;
    Value bound = splat(b, integer(b, size), layout.items());
    // In a cell, bits below the lowest one of the size do not decide: so
    // neighbours have one condition.
    const int64_t undecided = std::min<int64_t>(
        std::countr_zero(uint64_t(size)), layout.cellBits()[dim]);
    Value inside = arith::CmpIOp::create(
        b, arith::CmpIPredicate::ult,
        coarseCoordinates(e, layout, unsigned(dim), unsigned(undecided)),
        bound);
    all = all ? arith::AndIOp::create(b, all, inside) : inside;
  }
  return all;
}

} // namespace tilewright::nvptx
