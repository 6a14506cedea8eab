//===- Shuffles.cpp - Values from lane to lane ----------------------------===//
#include "codegen/nvptx/Shuffles.h"

#include "codegen/nvptx/Values.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::nvptx {

/// Calls `shuffle` with the 32-bit words of a scalar and puts the results
/// together.
static Value byWords(ImplicitLocOpBuilder &b, Value scalar,
                     llvm::function_ref<Value(Value)> shuffle) {
  Type type = scalar.getType();
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  if (type.isIndex()) {
    Value wide = arith::IndexCastOp::create(b, i64, scalar);
    return arith::IndexCastOp::create(b, type, byWords(b, wide, shuffle));
  }
  if (isa<FloatType>(type)) {
    Type bits = b.getIntegerType(type.getIntOrFloatBitWidth());
    Value cast = arith::BitcastOp::create(b, bits, scalar);
    return arith::BitcastOp::create(b, type, byWords(b, cast, shuffle));
  }
  unsigned width = type.getIntOrFloatBitWidth();
  if (width == 32)
    return shuffle(scalar);
  if (width < 32) {
    Value wide = arith::ExtUIOp::create(b, i32, scalar);
    return arith::TruncIOp::create(b, type, shuffle(wide));
  }
  Value by32 = arith::ConstantOp::create(b, b.getI64IntegerAttr(32));
  Value low = arith::TruncIOp::create(b, i32, scalar);
  Value high =
      arith::TruncIOp::create(b, i32, arith::ShRUIOp::create(b, scalar, by32));
  low = arith::ExtUIOp::create(b, i64, shuffle(low));
  high = arith::ExtUIOp::create(b, i64, shuffle(high));
  return arith::OrIOp::create(b, low, arith::ShLIOp::create(b, high, by32));
}

/// All lanes are active; 31 is the last lane that is read.
static Value shuffleWord(ImplicitLocOpBuilder &b, Value word, Value lane,
                         NVVM::ShflKind kind) {
  auto constant = [&](int64_t value) {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
  };
  return NVVM::ShflOp::create(b, b.getI32Type(), constant(-1), word, lane,
                              constant(31), kind, UnitAttr());
}

/// The same of each element of a vector.
static Value shuffleAll(ImplicitLocOpBuilder &b, Value value, Value lane,
                        NVVM::ShflKind kind) {
  auto shuffle = [&](Value scalar) {
    return byWords(b, scalar, [&](Value word) {
      return shuffleWord(b, word, lane, kind);
    });
  };
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type)
    return shuffle(value);
  SmallVector<Value> elements;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    elements.push_back(shuffle(vector::ExtractOp::create(b, value, i)));
  return vector::FromElementsOp::create(b, type, elements);
}

Value shuffleXor(ImplicitLocOpBuilder &b, Value vector, unsigned mask) {
  return shuffleAll(b, vector, integer(b, mask), NVVM::ShflKind::bfly);
}

Value shuffleFrom(ImplicitLocOpBuilder &b, Value value, Value lane) {
  return shuffleAll(b, value, lane, NVVM::ShflKind::idx);
}

} // namespace tilewright::nvptx
