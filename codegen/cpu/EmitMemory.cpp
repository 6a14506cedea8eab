//===- EmitMemory.cpp - Loads and stores of views -------------------------===//
#include "codegen/cpu/TileEmitter.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::cpu {

/// Elements of less than a byte take a byte in memory.
Value TileEmitter::address(Value base, Value element, Type type) {
  return LLVM::GEPOp::create(b, loc, base.getType(), numeric::storedType(type),
                             base, ArrayRef<LLVM::GEPArg>{toI64(element)});
}

/// Loads `width` elements `stride` apart; lanes where `mask` is false give
/// `pad` and touch no memory.
Value TileEmitter::loadLanes(Value pointer, Value stride, bool isUnit,
                             Type element, int64_t width, Value mask,
                             Value pad) {
  Type stored = numeric::storedType(element);
  unsigned align = stored.getIntOrFloatBitWidth() / 8;
  auto vectorType = VectorType::get({width}, stored);
  auto fromStored = [&](Value value) {
    return numeric::fromMemory(b, loc, value, element);
  };
  if (!mask && (width == 1 || isUnit))
    return fromStored(LLVM::LoadOp::create(
        b, loc, width == 1 ? stored : Type(vectorType), pointer, align));
  // A single masked element is a vector of one.
  auto one = VectorType::get({width}, b.getI1Type());
  if (!mask)
    mask = arith::ConstantOp::create(b, loc, DenseElementsAttr::get(one, true));
  else if (width == 1)
    mask = vector::BroadcastOp::create(b, loc, one, mask);
  Value passthru;
  if (pad) {
    passthru = numeric::toMemory(b, loc, pad);
    if (width == 1)
      passthru = vector::BroadcastOp::create(b, loc, vectorType, passthru);
  } else {
    passthru = arith::ConstantOp::create(b, loc, b.getZeroAttr(vectorType));
  }
  Value loaded;
  if (isUnit || width == 1) {
    loaded = LLVM::MaskedLoadOp::create(b, loc, vectorType, pointer, mask,
                                        passthru, align);
  } else {
    Value numbers = laneNumbers(b.getI64Type(), width);
    Value offsets =
        arith::MulIOp::create(b, loc, numbers, splat(toI64(stride), width));
    auto pointers = VectorType::get({width}, pointer.getType());
    Value at = LLVM::GEPOp::create(b, loc, pointers, stored, pointer,
                                   ArrayRef<LLVM::GEPArg>{offsets});
    loaded = LLVM::masked_gather::create(b, loc, vectorType, at, mask, passthru,
                                         align);
  }
  if (width == 1)
    loaded = vector::ExtractOp::create(b, loc, loaded, ArrayRef<int64_t>{0});
  return fromStored(loaded);
}

void TileEmitter::storeLanes(Value value, Value pointer, Value stride,
                             bool isUnit, Type element, int64_t width,
                             Value mask) {
  Type stored = numeric::storedType(element);
  unsigned align = stored.getIntOrFloatBitWidth() / 8;
  value = numeric::toMemory(b, loc, value);
  if (!mask && (isUnit || width == 1)) {
    LLVM::StoreOp::create(b, loc, value, pointer, align);
    return;
  }
  auto maskType = VectorType::get({width}, b.getI1Type());
  if (!mask)
    mask = arith::ConstantOp::create(b, loc,
                                     DenseElementsAttr::get(maskType, true));
  if (width == 1) {
    if (!isa<VectorType>(mask.getType()))
      mask = vector::BroadcastOp::create(b, loc, maskType, mask);
    value = vector::BroadcastOp::create(b, loc, VectorType::get({1}, stored),
                                        value);
  }
  if (isUnit || width == 1) {
    LLVM::MaskedStoreOp::create(b, loc, value, pointer, mask, align);
    return;
  }
  Value offsets = arith::MulIOp::create(
      b, loc, laneNumbers(b.getI64Type(), width), splat(toI64(stride), width));
  auto pointers = VectorType::get({width}, pointer.getType());
  Value at = LLVM::GEPOp::create(b, loc, pointers, stored, pointer,
                                 ArrayRef<LLVM::GEPArg>{offsets});
  LLVM::masked_scatter::create(b, loc, value, at, mask, align);
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// An upper bound of a kernel's index value, from constants, the grid and
/// loop bounds; all values it speaks of are at least 0.
std::optional<int64_t> TileEmitter::maximum(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue() < 0
               ? std::nullopt
               : std::optional<int64_t>(constant.getSExtValue());
  if (auto loop =
          dyn_cast_or_null<scf::ForOp>(value.getParentBlock()->getParentOp());
      loop && value == loop.getInductionVar()) {
    APInt first, end, step;
    if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&first)) ||
        !matchPattern(loop.getUpperBound(), m_ConstantInt(&end)) ||
        !matchPattern(loop.getStep(), m_ConstantInt(&step)))
      return std::nullopt;
    int64_t low = first.getSExtValue(), high = end.getSExtValue();
    if (low < 0 || high <= low)
      return std::nullopt;
    return low + (high - 1 - low) / step.getSExtValue() * step.getSExtValue();
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto id = dyn_cast<tile::ProgramIdOp>(op)) {
    AffineExpr extent =
        kernel.getGrid().getResult(cast<OpResult>(value).getResultNumber());
    SmallVector<AffineExpr> sizes;
    for (Type type : kernel.getArgumentTypes()) {
      auto view = dyn_cast<tile::ViewType>(type);
      if (!view) {
        sizes.push_back(getAffineSymbolExpr(sizes.size(), value.getContext()));
        continue;
      }
      for (int64_t size : view.getShape())
        sizes.push_back(
            ShapedType::isDynamic(size)
                ? getAffineSymbolExpr(sizes.size(), value.getContext())
                : getAffineConstantExpr(size, value.getContext()));
    }
    auto fixed = dyn_cast<AffineConstantExpr>(
        simplifyAffineExpr(extent.replaceSymbols(sizes), 0, sizes.size()));
    return fixed ? std::optional<int64_t>(fixed.getValue() - 1) : std::nullopt;
  }
  if (isa<arith::AddIOp, arith::MulIOp>(op)) {
    std::optional<int64_t> lhs = maximum(op->getOperand(0));
    std::optional<int64_t> rhs = maximum(op->getOperand(1));
    if (!lhs || !rhs)
      return std::nullopt;
    return isa<arith::AddIOp>(op) ? *lhs + *rhs : *lhs * *rhs;
  }
  if (auto rem = dyn_cast<arith::RemUIOp>(op))
    if (std::optional<int64_t> divisor = maximum(rem.getRhs()))
      return *divisor - 1;
  return std::nullopt;
}

/// Whether `size` elements from `offset * scale` on lie inside the view.
bool TileEmitter::isInside(Value view, Value offset, int64_t scale,
                           int64_t size, int64_t step, unsigned dim) {
  int64_t extent = cast<tile::ViewType>(view.getType()).getShape()[dim];
  std::optional<int64_t> last = maximum(offset);
  return !ShapedType::isDynamic(extent) && last &&
         *last * scale + (size - 1) * step < extent;
}

/// Where the lanes at `at` of a tile lie in a view, and which are inside.
TileEmitter::Address TileEmitter::viewAddress(Value view, ValueRange offsets,
                                              ArrayRef<int64_t> steps,
                                              bool byElement,
                                              ArrayRef<int64_t> tileShape,
                                              const Lanes &at, bool isChecked) {
  const ViewArgument &argument = views[view];
  auto type = cast<tile::ViewType>(view.getType());
  Address result;
  Value element = index(0), outer;
  for (unsigned d = 0; d < offsets.size(); ++d) {
    int64_t step = steps.empty() ? 1 : steps[d];
    int64_t scale = byElement ? 1 : tileShape[d];
    Value start = mul(scalars.lookupOrDefault(offsets[d]), index(scale));
    Value position = add(start, mul(at.index[d], index(step)));
    element = add(element, mul(position, argument.strides[d]));
    bool isLane = at.lane == static_cast<int>(d) && at.width > 1;
    if (isLane) {
      result.stride = mul(argument.strides[d], index(step));
      APInt unit;
      result.isUnit =
          matchPattern(result.stride, m_ConstantInt(&unit)) && unit == 1;
    }
    if (!isChecked || isInside(view, offsets[d], scale, tileShape[d], step, d))
      continue;
    Value extent = argument.dims[d];
    if (view.getDefiningOp()) // its sizes may be negative
      extent = arith::MaxSIOp::create(b, loc, extent, index(0));
    if (isLane) {
      Value lanes = laneNumbers(b.getIndexType(), at.width);
      if (step != 1)
        lanes =
            arith::MulIOp::create(b, loc, lanes, splat(index(step), at.width));
      lanes = arith::AddIOp::create(b, loc, lanes, splat(position, at.width));
      result.mask = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                          lanes, splat(extent, at.width));
      continue;
    }
    Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                         position, extent);
    outer = outer ? arith::AndIOp::create(b, loc, outer, inside).getResult()
                  : inside;
  }
  if (outer) {
    Value spread = splat(outer, at.width);
    result.mask =
        result.mask
            ? arith::AndIOp::create(b, loc, result.mask, spread).getResult()
            : spread;
  }
  if (!result.stride)
    result.stride = index(1);
  result.pointer = address(argument.pointer, element, type.getElementType());
  if (Value there = laneMask(at))
    result.mask =
        result.mask
            ? arith::AndIOp::create(b, loc, result.mask, there).getResult()
            : there;
  // Far outside there may be no memory. A masked access of no lanes is legal
  // there but takes hundreds of cycles, so it goes to the view's beginning.
  if (outer)
    result.pointer =
        LLVM::SelectOp::create(b, loc, outer, result.pointer, argument.pointer);
  return result;
}

FailureOr<Value> TileEmitter::evalLoad(tile::LoadOp op, const Lanes &at) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Address address = viewAddress(op.getView(), op.getOffsets(), op.getSteps(),
                                op.getByElement(), type.getShape(), at,
                                op.getPad().has_value());
  Value pad;
  if (address.mask && op.getPad())
    pad = splat(constantOf(*op.getPad()), at.width);
  return loadLanes(address.pointer, address.stride, address.isUnit,
                   type.getElementType(), at.width, address.mask, pad);
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

/// The kernel argument whose memory a view or pointer leads to; null when it
/// cannot be told.
static Value memoryRoot(Value reference) {
  while (Operation *op = reference.getDefiningOp()) {
    if (!isa<tile::MakeViewOp, tile::BaseOp, tile::OffsetOp, tile::PtrCastOp,
             tile::AssumeOp, tile::SplatOp, tile::BroadcastOp, tile::ReshapeOp>(
            op))
      return {};
    reference = op->getOperand(0);
  }
  bool isArgument =
      isa<tile::KernelOp>(reference.getParentBlock()->getParentOp());
  return isArgument ? reference : Value();
}

/// Whether a load takes each element from where the store will put it.
static bool isSamePlace(tile::LoadOp load, tile::StoreOp store) {
  return load.getView() == store.getView() &&
         load.getType() == store.getValue().getType() &&
         load.getByElement() == store.getByElement() &&
         load.getSteps() == store.getSteps() &&
         llvm::equal(load.getOffsets(), store.getOffsets());
}

/// Whether computing the stored tile reads memory that the store changes
/// before. Accesses through different arguments are not ordered but by what
/// flows from one to the other (docs/spec.md, Memory).
bool TileEmitter::readsWhatIsStored(tile::StoreOp store) {
  Value to = memoryRoot(store.getView());
  // Tiles, and whether each of their elements becomes the stored element at
  // its own place.
  SmallVector<std::pair<Value, bool>> work = {{store.getValue(), true}};
  llvm::DenseSet<std::pair<Value, unsigned>> seen;
  while (!work.empty()) {
    auto [tile, isInPlace] = work.pop_back_val();
    Operation *op = tile.getDefiningOp();
    if (!seen.insert({tile, isInPlace}).second || !op ||
        buffers.contains(tile) || !readsMemory(tile))
      continue;
    if (auto load = dyn_cast<tile::LoadOp>(op)) {
      Value from = memoryRoot(load.getView());
      bool isOther = from && to && from != to;
      if (!isOther && !(isInPlace && isSamePlace(load, store)))
        return true;
      continue;
    }
    if (auto load = dyn_cast<tile::LoadPtrOp>(op)) {
      Value from = memoryRoot(load.getPtr());
      if (!from || !to || from == to)
        return true;
    }
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        work.push_back({operand, isInPlace && isElementwise(op)});
  }
  return false;
}

/// For each dimension of a stored tile how many of its places may lie inside
/// the view; null where all do, or it has one place.
TileEmitter::Values TileEmitter::endsInside(tile::StoreOp op) {
  auto shape = cast<RankedTensorType>(op.getValue().getType()).getShape();
  const ViewArgument &view = views[op.getView()];
  Values ends(shape.size());
  for (auto [d, size] : llvm::enumerate(shape)) {
    int64_t step = op.getSteps().empty() ? 1 : op.getSteps()[d];
    int64_t scale = op.getByElement() ? 1 : size;
    Value offset = op.getOffsets()[d];
    if (size == 1 || isInside(op.getView(), offset, scale, size, step, d))
      continue;
    Value start = mul(scalars.lookupOrDefault(offset), index(scale));
    Value left = arith::SubIOp::create(b, loc, view.dims[d], start);
    left = arith::MaxSIOp::create(b, loc, left, index(0));
    left = arith::CeilDivUIOp::create(b, loc, left, index(step));
    ends[d] = arith::MinUIOp::create(b, loc, left, index(size));
  }
  return ends;
}

LogicalResult TileEmitter::emitStore(tile::StoreOp op) {
  auto type = cast<RankedTensorType>(op.getValue().getType());
  std::optional<Buffer> held;
  if (readsWhatIsStored(op)) {
    held = allocate(type.getShape(), type.getElementType());
    if (failed(materializeInto(op.getValue(), *held)))
      return failure();
  }
  return forEachVector(
      type.getShape(), type.getElementType(),
      [&](const Lanes &at) -> LogicalResult {
        FailureOr<Value> value =
            held ? readBuffer(*held, at) : eval(op.getValue(), at);
        if (failed(value))
          return failure();
        Address address =
            viewAddress(op.getView(), op.getOffsets(), op.getSteps(),
                        op.getByElement(), type.getShape(), at, true);
        storeLanes(*value, address.pointer, address.stride, address.isUnit,
                   type.getElementType(), at.width, address.mask);
        return success();
      },
      endsInside(op));
}

LogicalResult TileEmitter::emitMakeView(tile::MakeViewOp op) {
  auto type = cast<tile::ViewType>(op.getType());
  ViewArgument view;
  view.pointer = LLVM::IntToPtrOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext()),
      scalars.lookup(op.getPtr()));
  auto next = [&](int64_t known, auto &given) -> Value {
    return ShapedType::isDynamic(known) ? scalars.lookup(*given++)
                                        : index(known);
  };
  auto size = op.getSizes().begin();
  for (int64_t dim : type.getShape())
    view.dims.push_back(next(dim, size));
  auto stride = op.getStrides().begin();
  for (int64_t known : type.getStrides())
    view.strides.push_back(next(known, stride));
  if (!type.hasExplicitStrides())
    completeStrides(view);
  views[op.getResult()] = view;
  return success();
}

//===----------------------------------------------------------------------===//
// Views as scalars
//===----------------------------------------------------------------------===//

/// The scalars that hold what is no tile: itself, or of a view its pointer, its
/// dims and its strides.
void TileEmitter::appendScalars(Value value, Values &parts) {
  if (!isa<tile::ViewType>(value.getType())) {
    parts.push_back(scalars.lookup(value));
    return;
  }
  const ViewArgument &view = views[value];
  parts.push_back(view.pointer);
  llvm::append_range(parts, view.dims);
  llvm::append_range(parts, view.strides);
}

/// Lets `name` stand for what the first of `parts` hold; returns how many. What
/// a view's type says of it stays known.
size_t TileEmitter::bindScalars(Value name, ValueRange parts) {
  auto type = dyn_cast<tile::ViewType>(name.getType());
  if (!type) {
    scalars.map(name, parts[0]);
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
    view.dims.push_back(ShapedType::isDynamic(size) ? part : index(size));
  SmallVector<int64_t> known(type.getStrides());
  if (!type.hasExplicitStrides())
    known = knownStrides(type.getShape());
  for (auto [stride, part] : llvm::zip(known, parts.slice(1 + rank, rank)))
    view.strides.push_back(ShapedType::isDynamic(stride) ? part
                                                         : index(stride));
  views[name] = view;
  return 1 + 2 * rank;
}

LogicalResult TileEmitter::selectView(arith::SelectOp op) {
  Values yes, no, chosen;
  appendScalars(op.getTrueValue(), yes);
  appendScalars(op.getFalseValue(), no);
  Value condition = scalars.lookup(op.getCondition());
  for (auto [left, right] : llvm::zip(yes, no))
    chosen.push_back(
        arith::SelectOp::create(b, op.getLoc(), condition, left, right));
  bindScalars(op.getResult(), chosen);
  return success();
}

} // namespace tilewright::cpu
