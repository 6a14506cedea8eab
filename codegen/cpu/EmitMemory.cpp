//===- EmitMemory.cpp - Views, buffers and pointers -----------------------===//
#include "codegen/cpu/TileEmitter.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::cpu {

/// i1 and i4 take a byte in memory.
Type TileEmitter::storageType(Type element) {
  if (element.isInteger() && element.getIntOrFloatBitWidth() < 8)
    return IntegerType::get(element.getContext(), 8);
  if (element.isIndex() || isa<tile::PtrType>(element))
    return IntegerType::get(element.getContext(), 64);
  return element;
}

Value TileEmitter::address(Value base, Value element, Type type) {
  return LLVM::GEPOp::create(b, loc, base.getType(), storageType(type), base,
                             ArrayRef<LLVM::GEPArg>{toI64(element)});
}

/// Integers of less than a byte as the bytes that hold them: i1 is 0 or 1,
/// others keep their sign.
Value TileEmitter::extendToStorage(Value value, int64_t width) {
  Type element = getElementTypeOrSelf(value.getType());
  Type stored = storageType(element);
  if (stored == element)
    return value;
  if (element.isInteger(1))
    return arith::ExtUIOp::create(b, loc, vectorOf(stored, width), value);
  return arith::ExtSIOp::create(b, loc, vectorOf(stored, width), value);
}

/// Loads `width` elements `stride` apart; lanes where `mask` is false give
/// `pad` and touch no memory.
Value TileEmitter::loadLanes(Value pointer, Value stride, bool isUnit,
                             Type element, int64_t width, Value mask,
                             Value pad) {
  Type stored = storageType(element);
  unsigned align = stored.getIntOrFloatBitWidth() / 8;
  auto vectorType = VectorType::get({width}, stored);
  Type wanted = vectorOf(element, width);
  auto toStored = [&](Value value) -> Value {
    if (!value || value.getType() == vectorOf(stored, width))
      return value;
    if (element.isIndex())
      return arith::IndexCastOp::create(b, loc, vectorOf(stored, width), value);
    return extendToStorage(value, width);
  };
  auto fromStored = [&](Value value) -> Value {
    if (value.getType() == wanted)
      return value;
    if (element.isIndex())
      return arith::IndexCastOp::create(b, loc, wanted, value);
    return arith::TruncIOp::create(b, loc, wanted, value);
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
    passthru = toStored(pad);
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
  Type stored = storageType(element);
  unsigned align = stored.getIntOrFloatBitWidth() / 8;
  if (element.isIndex())
    value = arith::IndexCastOp::create(b, loc, vectorOf(stored, width), value);
  else
    value = extendToStorage(value, width);
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
// Buffers
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> denseStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t d = static_cast<int64_t>(shape.size()) - 2; d >= 0; --d)
    strides[d] = strides[d + 1] * shape[d + 1];
  return strides;
}

Value TileEmitter::readBuffer(const Buffer &buffer, const Lanes &at) {
  SmallVector<int64_t> strides = denseStrides(buffer.shape);
  Value element = index(0);
  for (auto [position, stride] : llvm::zip(at.index, strides))
    element = add(element, mul(position, index(stride)));
  int64_t stride = at.lane < 0 ? 1 : strides[at.lane];
  return loadLanes(address(buffer.pointer, element, buffer.element),
                   index(stride), stride == 1, buffer.element, at.width, {},
                   {});
}

void TileEmitter::writeBuffer(const Buffer &buffer, const Lanes &at,
                              Value value) {
  SmallVector<int64_t> strides = denseStrides(buffer.shape);
  Value element = index(0);
  for (auto [position, stride] : llvm::zip(at.index, strides))
    element = add(element, mul(position, index(stride)));
  int64_t stride = at.lane < 0 ? 1 : strides[at.lane];
  storeLanes(value, address(buffer.pointer, element, buffer.element),
             index(stride), stride == 1, buffer.element, at.width, {});
}

Buffer TileEmitter::allocate(ArrayRef<int64_t> shape, Type element) {
  int64_t bytes = storageType(element).getIntOrFloatBitWidth() / 8;
  for (int64_t size : shape)
    bytes *= size;
  int64_t offset = scratchBytes;
  scratchBytes = llvm::alignTo(scratchBytes + bytes, 64);
  Value pointer =
      LLVM::GEPOp::create(b, loc, scratch.getType(), b.getI8Type(), scratch,
                          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
  return {pointer, SmallVector<int64_t>(shape), element};
}

/// The buffer that holds `tile`, computed now if there is none.
FailureOr<Buffer> TileEmitter::bufferOf(Value tile) {
  if (auto known = buffers.find(tile); known != buffers.end())
    return known->second;
  auto type = cast<RankedTensorType>(tile.getType());
  if (auto reshape = tile.getDefiningOp<tile::ReshapeOp>()) {
    // The same elements in the same order: another shape of one buffer.
    FailureOr<Buffer> source = bufferOf(reshape.getSource());
    if (failed(source))
      return failure();
    Buffer alias = *source;
    sharedBuffers.insert(alias.pointer);
    alias.shape.assign(type.getShape().begin(), type.getShape().end());
    if (needsBuffer(tile))
      buffers[tile] = alias;
    return alias;
  }
  Buffer buffer = allocate(type.getShape(), type.getElementType());
  if (failed(materializeInto(tile, buffer)))
    return failure();
  // Computed at its definition, so that it holds for all readers.
  if (needsBuffer(tile))
    buffers[tile] = buffer;
  return buffer;
}

LogicalResult TileEmitter::materializeInto(Value tile, const Buffer &buffer) {
  return forEachVector(buffer.shape, buffer.element,
                       [&](const Lanes &at) -> LogicalResult {
                         FailureOr<Value> value = eval(tile, at);
                         if (failed(value))
                           return failure();
                         writeBuffer(buffer, at, *value);
                         return success();
                       });
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
  return result;
}

FailureOr<Value> TileEmitter::evalLoad(tile::LoadOp op, const Lanes &at) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Address address = viewAddress(op.getView(), op.getOffsets(), op.getSteps(),
                                op.getByElement(), type.getShape(), at,
                                op.getPad().has_value());
  Value pad;
  if (address.mask)
    pad = splat(arith::ConstantOp::create(b, loc, *op.getPad()), at.width);
  return loadLanes(address.pointer, address.stride, address.isUnit,
                   type.getElementType(), at.width, address.mask, pad);
}

LogicalResult TileEmitter::emitStore(tile::StoreOp op) {
  auto type = cast<RankedTensorType>(op.getValue().getType());
  return forEachVector(
      type.getShape(), type.getElementType(),
      [&](const Lanes &at) -> LogicalResult {
        FailureOr<Value> value = eval(op.getValue(), at);
        if (failed(value))
          return failure();
        Address address =
            viewAddress(op.getView(), op.getOffsets(), op.getSteps(),
                        op.getByElement(), type.getShape(), at, true);
        storeLanes(*value, address.pointer, address.stride, address.isUnit,
                   type.getElementType(), at.width, address.mask);
        return success();
      });
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

FailureOr<Value> TileEmitter::evalLoadPtr(tile::LoadPtrOp op, const Lanes &at) {
  Type element = getElementTypeOrSelf(op.getResult().getType());
  FailureOr<Value> pointers = eval(op.getPtr(), at);
  if (failed(pointers))
    return failure();
  Value mask, other;
  for (auto [operand, result] :
       {std::pair(op.getMask(), &mask), std::pair(op.getOther(), &other)}) {
    if (!operand)
      continue;
    FailureOr<Value> value = eval(operand, at);
    if (failed(value))
      return failure();
    *result = *value;
  }
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type stored = storageType(element);
  if (at.width == 1) {
    Value single = LLVM::IntToPtrOp::create(b, loc, pointer, *pointers);
    return loadLanes(single, index(1), true, element, 1, mask, other);
  }
  auto vectorType = VectorType::get({at.width}, stored);
  Value where = LLVM::IntToPtrOp::create(
      b, loc, VectorType::get({at.width}, pointer), *pointers);
  if (!mask)
    mask = arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(VectorType::get({at.width}, b.getI1Type()),
                               true));
  Value passthru = arith::ConstantOp::create(b, loc, b.getZeroAttr(vectorType));
  if (other)
    passthru = extendToStorage(other, at.width);
  Value loaded =
      LLVM::masked_gather::create(b, loc, vectorType, where, mask, passthru,
                                  stored.getIntOrFloatBitWidth() / 8);
  if (element != stored)
    loaded =
        arith::TruncIOp::create(b, loc, vectorOf(element, at.width), loaded);
  return loaded;
}

LogicalResult TileEmitter::emitStorePtr(tile::StorePtrOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getValue().getType());
  if (!type)
    return op.emitError("a store through one scalar pointer is not lowered "
                        "for the cpu target; use a tile of one element");
  Type element = type.getElementType();
  // Element by element: pointers of one tile may be equal.
  return forEachVector(
      type.getShape(), b.getI64Type(), [&](const Lanes &at) -> LogicalResult {
        FailureOr<Value> value = eval(op.getValue(), at);
        FailureOr<Value> pointers = eval(op.getPtr(), at);
        if (failed(value) || failed(pointers))
          return failure();
        Value mask;
        if (op.getMask()) {
          FailureOr<Value> lanes = eval(op.getMask(), at);
          if (failed(lanes))
            return failure();
          mask = *lanes;
        }
        Type pointer = LLVM::LLVMPointerType::get(b.getContext());
        for (int64_t lane = 0; lane < at.width; ++lane) {
          auto pick = [&](Value from) -> Value {
            if (!from || at.width == 1)
              return from;
            return vector::ExtractOp::create(b, loc, from,
                                             ArrayRef<int64_t>{lane});
          };
          Value where =
              LLVM::IntToPtrOp::create(b, loc, pointer, pick(*pointers));
          storeLanes(pick(*value), where, index(1), true, element, 1,
                     pick(mask));
        }
        return success();
      });
}

} // namespace tilewright::cpu
