//===- Views.cpp - Views of memory ----------------------------------------===//
#include "codegen/cpu/Views.h"

#include "codegen/cpu/Arithmetic.h"
#include "codegen/cpu/CpuOp.h"
#include "codegen/cpu/LaneAccess.h"
#include "codegen/cpu/Programs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;

namespace tilewright::cpu {

void completeStrides(ImplicitLocOpBuilder &b, ViewArgument &view) {
  view.strides.resize(view.dims.size());
  Value stride = index(b, 1);
  for (int64_t d = view.dims.size() - 1; d >= 0; --d) {
    view.strides[d] = stride;
    stride = mul(b, stride, view.dims[d]);
  }
}

bool isInside(const ViewTile &tile, unsigned dim, Emission &e) {
  int64_t extent = cast<tile::ViewType>(tile.view.getType()).getShape()[dim];
  std::optional<int64_t> offset = maximum(tile.offsets[dim], e);
  if (ShapedType::isDynamic(extent) || !offset)
    return false;
  std::optional<int64_t> first = llvm::checkedMul(*offset, tile.scale(dim));
  std::optional<int64_t> behind =
      llvm::checkedMul(tile.shape[dim] - 1, tile.step(dim));
  std::optional<int64_t> last;
  if (first && behind)
    last = llvm::checkedAdd(*first, *behind);
  return last && *last < extent;
}

Value endInside(const ViewTile &tile, unsigned dim, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  Value start = mul(b, e.scalars.lookupOrDefault(tile.offsets[dim]),
                    index(b, tile.scale(dim)));
  Value left = arith::SubIOp::create(b, e.views[tile.view].dims[dim], start);
  left = arith::MaxSIOp::create(b, left, index(b, 0));
  left = arith::CeilDivUIOp::create(b, left, index(b, tile.step(dim)));
  return arith::MinUIOp::create(b, left, index(b, tile.shape[dim]));
}

Address viewAddress(const ViewTile &tile, const Lanes &at, bool isChecked,
                    Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  const ViewArgument &argument = e.views[tile.view];
  auto type = cast<tile::ViewType>(tile.view.getType());
  Address result;
  Value element = index(b, 0), outer;
  for (unsigned d = 0; d < tile.offsets.size(); ++d) {
    int64_t step = tile.step(d);
    Value start = mul(b, e.scalars.lookupOrDefault(tile.offsets[d]),
                      index(b, tile.scale(d)));
    Value position = add(b, start, mul(b, at.index[d], index(b, step)));
    element = add(b, element, mul(b, position, argument.strides[d]));
    bool isLane = at.lane == static_cast<int>(d) && at.width > 1;
    if (isLane) {
      result.stride = mul(b, argument.strides[d], index(b, step));
      APInt unit;
      result.isUnit =
          matchPattern(result.stride, m_ConstantInt(&unit)) && unit == 1;
    }
    if (!isChecked || isInside(tile, d, e))
      continue;
    Value extent = argument.dims[d];
    if (tile.view.getDefiningOp()) // its sizes may be negative
      extent = arith::MaxSIOp::create(b, extent, index(b, 0));
    if (isLane) {
      Value lanes = laneNumbers(b, b.getIndexType(), at.width);
      if (step != 1)
        lanes =
            arith::MulIOp::create(b, lanes, splat(b, index(b, step), at.width));
      lanes = arith::AddIOp::create(b, lanes, splat(b, position, at.width));
      result.mask = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, lanes,
                                          splat(b, extent, at.width));
      continue;
    }
    Value inside =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, position, extent);
    outer =
        outer ? arith::AndIOp::create(b, outer, inside).getResult() : inside;
  }
  if (outer) {
    Value spread = splat(b, outer, at.width);
    result.mask =
        result.mask ? arith::AndIOp::create(b, result.mask, spread).getResult()
                    : spread;
  }
  if (!result.stride)
    result.stride = index(b, 1);
  result.pointer = address(b, argument.pointer, element, type.getElementType());
  if (Value there = laneMask(b, at))
    result.mask = result.mask
                      ? arith::AndIOp::create(b, result.mask, there).getResult()
                      : there;
  // Far outside there may be no memory. A masked access of no lanes is legal
  // there but takes hundreds of cycles, so it uses the view's beginning.
  if (outer)
    result.pointer =
        LLVM::SelectOp::create(b, outer, result.pointer, argument.pointer);
  return result;
}

static LogicalResult emitMakeView(tile::MakeViewOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  auto type = cast<tile::ViewType>(op.getType());
  ViewArgument view;
  view.pointer =
      LLVM::IntToPtrOp::create(b, LLVM::LLVMPointerType::get(b.getContext()),
                               e.scalars.lookup(op.getPtr()));
  auto next = [&](int64_t known, auto &given) -> Value {
    return ShapedType::isDynamic(known) ? e.scalars.lookup(*given++)
                                        : index(b, known);
  };
  auto size = op.getSizes().begin();
  for (int64_t dim : type.getShape())
    view.dims.push_back(next(dim, size));
  auto stride = op.getStrides().begin();
  for (int64_t known : type.getStrides())
    view.strides.push_back(next(known, stride));
  if (!type.hasExplicitStrides())
    completeStrides(b, view);
  e.views[op.getResult()] = view;
  return success();
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

static LogicalResult emitDim(tile::DimOp op, Emission &e) {
  e.scalars.map(op.getResult(), e.views[op.getView()].dims[op.getDim()]);
  return success();
}

static LogicalResult emitStride(tile::StrideOp op, Emission &e) {
  e.scalars.map(op.getResult(), e.views[op.getView()].strides[op.getDim()]);
  return success();
}

static LogicalResult emitCount(tile::CountOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  // A size below 0 counts as 0.
  Value extent = arith::MaxSIOp::create(
      b, e.views[op.getView()].dims[op.getDim()], index(b, 0));
  e.scalars.map(op.getResult(), arith::CeilDivUIOp::create(
                                    b, extent, index(b, op.getExtent())));
  return success();
}

static LogicalResult emitBase(tile::BaseOp op, Emission &e) {
  e.scalars.map(op.getResult(),
                LLVM::PtrToIntOp::create(e.b, e.b.getI64Type(),
                                         e.views[op.getView()].pointer));
  return success();
}

//===----------------------------------------------------------------------===//
// Views as scalars
//===----------------------------------------------------------------------===//

void appendScalars(Value value, Values &parts, Emission &e) {
  if (!isa<tile::ViewType>(value.getType())) {
    parts.push_back(e.scalars.lookup(value));
    return;
  }
  const ViewArgument &view = e.views[value];
  parts.push_back(view.pointer);
  llvm::append_range(parts, view.dims);
  llvm::append_range(parts, view.strides);
}

/// Row-major strides, as far as the dims after them are static.
static SmallVector<int64_t> knownStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), ShapedType::kDynamic);
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    if (ShapedType::isDynamic(shape[d]))
      break;
    stride *= shape[d];
  }
  return strides;
}

size_t bindScalars(Value name, ValueRange parts, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  auto type = dyn_cast<tile::ViewType>(name.getType());
  if (!type) {
    e.scalars.map(name, parts[0]);
    return 1;
  }
  OpBuilder::InsertionGuard guard(b);
  // Where constants are before all that is read of the view, in loops too.
  auto function = parts[0].getParentRegion()->getParentOfType<func::FuncOp>();
  b.setInsertionPointToStart(&function.getBody().front());
  size_t rank = type.getRank();
  ViewArgument view;
  view.pointer = parts[0];
  for (auto [size, part] : llvm::zip(type.getShape(), parts.slice(1, rank)))
    view.dims.push_back(ShapedType::isDynamic(size) ? part : index(b, size));
  SmallVector<int64_t> known(type.getStrides());
  if (!type.hasExplicitStrides())
    known = knownStrides(type.getShape());
  for (auto [stride, part] : llvm::zip(known, parts.slice(1 + rank, rank)))
    view.strides.push_back(ShapedType::isDynamic(stride) ? part
                                                         : index(b, stride));
  e.views[name] = view;
  return 1 + 2 * rank;
}

void addViewOps(CpuOps &ops) {
  ops.add<tile::MakeViewOp>({.emit = onOp(emitMakeView), .keepsMemory = true});
  ops.add<tile::BaseOp>({.emit = onOp(emitBase), .keepsMemory = true});
  ops.add<tile::DimOp>({.emit = onOp(emitDim)});
  ops.add<tile::StrideOp>({.emit = onOp(emitStride)});
  ops.add<tile::CountOp>({.emit = onOp(emitCount)});
}

} // namespace tilewright::cpu
