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

Value threadPart(Emission &e, const layout::Layout &layout, unsigned dim) {
  return applyToThread(e, threadMap(layout, dim));
}

Value coordinates(Emission &e, const layout::Layout &layout, unsigned dim) {
  ImplicitLocOpBuilder &b = e.b;
  SmallVector<int32_t> registers;
  for (int64_t reg = 0; reg < layout.items(); ++reg)
    registers.push_back(int32_t(layout.apply(layout::inRegister(reg, 0))[dim]));
  auto type = VectorType::get({layout.items()}, b.getI32Type());
  Value constant = arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, ArrayRef<int32_t>(registers)));
  Value part = splat(b, threadPart(e, layout, dim), layout.items());
  return arith::XOrIOp::create(b, constant, part);
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
  if (!mask)
    return {};
  Value bits = arith::AndIOp::create(b, e.thread, integer(b, mask));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, bits,
                               integer(b, 0));
}

Value inTile(Emission &e, const layout::Layout &layout,
             ArrayRef<int64_t> shape) {
  ImplicitLocOpBuilder &b = e.b;
  Value all;
  layout::Dims covered = layout.shape();
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (covered[dim] == size)
      continue;
    Value bound = splat(b, integer(b, size), layout.items());
    Value inside = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                         coordinates(e, layout, dim), bound);
    all = all ? arith::AndIOp::create(b, all, inside) : inside;
  }
  return all;
}

} // namespace tilewright::nvptx
