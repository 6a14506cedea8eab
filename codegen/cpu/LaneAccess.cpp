//===- LaneAccess.cpp - Loads and stores of lanes -------------------------===//
#include "codegen/cpu/LaneAccess.h"

#include "codegen/cpu/Arithmetic.h"
#include "codegen/numeric/ElementTypes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::cpu {

Value address(ImplicitLocOpBuilder &b, Value base, Value element, Type type) {
  return LLVM::GEPOp::create(b, base.getType(), numeric::storedType(type), base,
                             ArrayRef<LLVM::GEPArg>{toI64(b, element)});
}

static Value shuffle(ImplicitLocOpBuilder &b, Value x, Value y, int64_t width,
                     function_ref<int64_t(int64_t)> from) {
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < width; ++i)
    order.push_back(from(i));
  return vector::ShuffleOp::create(b, x, y, order);
}

/// Every second element, from two loads of neighbours: the second one ends at
/// the last element, so that none behind it is read. A gather takes several
/// times as long. `mask` and `pad` may be null.
static Value loadEverySecond(ImplicitLocOpBuilder &b, Value pointer,
                             VectorType type, Value mask, Value pad,
                             unsigned align) {
  const int64_t width = type.getNumElements(), half = width / 2;
  Value next = LLVM::GEPOp::create(
      b, pointer.getType(), type.getElementType(), pointer,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(width - 1)});
  Value low, high;
  if (mask) {
    // Only where there is a lane's element.
    Value none = arith::ConstantOp::create(b, b.getZeroAttr(mask.getType()));
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
    Value lowMask = shuffle(b, mask, none, width, [&](int64_t i) {
      return i % 2 == 0 ? i / 2 : width;
    });
    Value highMask = shuffle(b, mask, none, width, [&](int64_t i) {
      return i % 2 == 1 ? half + i / 2 : width;
    });
    low = LLVM::MaskedLoadOp::create(b, type, pointer, lowMask, zero, align);
    high = LLVM::MaskedLoadOp::create(b, type, next, highMask, zero, align);
  } else {
    low = LLVM::LoadOp::create(b, type, pointer, align);
    high = LLVM::LoadOp::create(b, type, next, align);
  }
  Value loaded = shuffle(b, low, high, width, [&](int64_t i) {
    return i < half ? 2 * i : width + 2 * (i - half) + 1;
  });
  return mask && pad ? arith::SelectOp::create(b, mask, loaded, pad) : loaded;
}

Value loadLanes(ImplicitLocOpBuilder &b, Value pointer, Value stride,
                bool isUnit, Type element, int64_t width, Value mask,
                Value pad) {
  Type stored = numeric::storedType(element);
  unsigned align = stored.getIntOrFloatBitWidth() / 8;
  auto vectorType = VectorType::get({width}, stored);
  auto fromStored = [&](Value value) {
    return numeric::fromMemory(b, b.getLoc(), value, element);
  };
  if (!mask && (width == 1 || isUnit))
    return fromStored(LLVM::LoadOp::create(
        b, width == 1 ? stored : Type(vectorType), pointer, align));
  APInt step;
  if (!isUnit && width % 2 == 0 && matchPattern(stride, m_ConstantInt(&step)) &&
      step == 2)
    return fromStored(loadEverySecond(
        b, pointer, vectorType, mask,
        pad ? numeric::toMemory(b, b.getLoc(), pad) : Value(), align));
  // A single masked element is a vector of one.
  auto one = VectorType::get({width}, b.getI1Type());
  if (!mask)
    mask = arith::ConstantOp::create(b, DenseElementsAttr::get(one, true));
  else if (width == 1)
    mask = vector::BroadcastOp::create(b, one, mask);
  Value passthru;
  if (pad) {
    passthru = numeric::toMemory(b, b.getLoc(), pad);
    if (width == 1)
      passthru = vector::BroadcastOp::create(b, vectorType, passthru);
  } else {
    passthru = arith::ConstantOp::create(b, b.getZeroAttr(vectorType));
  }
  Value loaded;
  if (isUnit || width == 1) {
    loaded = LLVM::MaskedLoadOp::create(b, vectorType, pointer, mask, passthru,
                                        align);
  } else {
    Value numbers = laneNumbers(b, b.getI64Type(), width);
    Value offsets =
        arith::MulIOp::create(b, numbers, splat(b, toI64(b, stride), width));
    auto pointers = VectorType::get({width}, pointer.getType());
    Value at = LLVM::GEPOp::create(b, pointers, stored, pointer,
                                   ArrayRef<LLVM::GEPArg>{offsets});
    loaded =
        LLVM::masked_gather::create(b, vectorType, at, mask, passthru, align);
  }
  if (width == 1)
    loaded = vector::ExtractOp::create(b, loaded, ArrayRef<int64_t>{0});
  return fromStored(loaded);
}

void storeLanes(ImplicitLocOpBuilder &b, Value value, Value pointer,
                Value stride, bool isUnit, Type element, int64_t width,
                Value mask) {
  Type stored = numeric::storedType(element);
  unsigned align = stored.getIntOrFloatBitWidth() / 8;
  value = numeric::toMemory(b, b.getLoc(), value);
  if (!mask && (isUnit || width == 1)) {
    LLVM::StoreOp::create(b, value, pointer, align);
    return;
  }
  auto maskType = VectorType::get({width}, b.getI1Type());
  if (!mask)
    mask = arith::ConstantOp::create(b, DenseElementsAttr::get(maskType, true));
  if (width == 1) {
    if (!isa<VectorType>(mask.getType()))
      mask = vector::BroadcastOp::create(b, maskType, mask);
    value = vector::BroadcastOp::create(b, VectorType::get({1}, stored), value);
  }
  if (isUnit || width == 1) {
    LLVM::MaskedStoreOp::create(b, value, pointer, mask, align);
    return;
  }
  Value offsets =
      arith::MulIOp::create(b, laneNumbers(b, b.getI64Type(), width),
                            splat(b, toI64(b, stride), width));
  auto pointers = VectorType::get({width}, pointer.getType());
  Value at = LLVM::GEPOp::create(b, pointers, stored, pointer,
                                 ArrayRef<LLVM::GEPArg>{offsets});
  LLVM::masked_scatter::create(b, value, at, mask, align);
}

} // namespace tilewright::cpu
