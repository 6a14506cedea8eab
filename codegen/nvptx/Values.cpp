//===- Values.cpp - Values that emitters build ----------------------------===//
#include "codegen/nvptx/Values.h"

#include "codegen/numeric/ElementTypes.h"
#include "codegen/tilegpu/TileGpu.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::nvptx {

Type typeOf(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  // A token is nothing at run time: its uses are resolved when they are
  // emitted.
  if (isa<tilegpu::TokenType>(type))
    return IntegerType::get(type.getContext(), 1);
  if (!tile)
    return numeric::registerType(type);
  return VectorType::get({tilegpu::layoutOf(tile).items()},
                         numeric::registerType(tile.getElementType()));
}

Value index(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

Value integer(ImplicitLocOpBuilder &b, int64_t value, unsigned bits) {
  return arith::ConstantOp::create(
      b, b.getIntegerAttr(b.getIntegerType(bits), value));
}

Value zero(ImplicitLocOpBuilder &b, Type type) {
  return arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(type)));
}

Value splat(ImplicitLocOpBuilder &b, Value scalar, int64_t count) {
  return vector::BroadcastOp::create(
      b, VectorType::get({count}, scalar.getType()), scalar);
}

Value element(ImplicitLocOpBuilder &b, Value vector, int64_t at) {
  return vector::ExtractOp::create(b, vector, at);
}

Value vectorOf(ImplicitLocOpBuilder &b, ArrayRef<Value> elements) {
  auto type =
      VectorType::get({int64_t(elements.size())}, elements.front().getType());
  return vector::FromElementsOp::create(b, type, elements);
}

Value addedUp(ImplicitLocOpBuilder &b, Value accumulators) {
  auto type = cast<VectorType>(accumulators.getType());
  auto element = dyn_cast<FloatType>(type.getElementType());
  if (!element || element.getWidth() >= 32)
    return accumulators;
  return arith::ExtFOp::create(b, type.clone(b.getF32Type()), accumulators);
}

Value rounded(ImplicitLocOpBuilder &b, Value sums, Type type) {
  return sums.getType() == type ? sums : arith::TruncFOp::create(b, type, sums);
}

Value globalPointer(ImplicitLocOpBuilder &b, Value address) {
  constexpr unsigned globalSpace = 1;
  return LLVM::IntToPtrOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), globalSpace), address);
}

Value pick(ImplicitLocOpBuilder &b, Value vector, ArrayRef<int32_t> from) {
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
  return vector::ShuffleOp::create(b, vector, vector, positions);
}

Value joined(ImplicitLocOpBuilder &b, Value first, Value second) {
  int64_t count = cast<VectorType>(first.getType()).getNumElements() +
                  cast<VectorType>(second.getType()).getNumElements();
  return vector::ShuffleOp::create(b, first, second,
                                   llvm::to_vector(llvm::seq<int64_t>(count)));
}

Value concatenated(ImplicitLocOpBuilder &b, ArrayRef<Value> vectors) {
  auto length = [](Value vector) {
    return cast<VectorType>(vector.getType()).getNumElements();
  };
  if (llvm::all_of(vectors, [&](Value v) { return length(v) == 1; })) {
    // Not by shuffles: LLVM 22 joins a vector of one element and undef to a
    // scalar_to_vector, which it cannot select for NVPTX.
    SmallVector<Value> elements = llvm::map_to_vector(
        vectors, [&](Value vector) { return element(b, vector, 0); });
    return vectorOf(b, elements);
  }
  SmallVector<Value> level(vectors);
  while (level.size() > 1) {
    SmallVector<Value> next;
    for (size_t i = 0; i + 1 < level.size(); i += 2)
      next.push_back(joined(b, level[i], level[i + 1]));
    if (level.size() % 2)
      next.push_back(level.back());
    level = next;
  }
  return level.front();
}

//===--- Under a condition ------------------------------------------------===//

void emitWhen(ImplicitLocOpBuilder &b, Value condition,
              llvm::function_ref<void()> body) {
  if (!condition)
    return body();
  scf::IfOp::create(b, condition, [&](OpBuilder &, Location) {
    body();
    scf::YieldOp::create(b);
  });
}

Value emitWhen(ImplicitLocOpBuilder &b, Value condition, Value otherwise,
               llvm::function_ref<Value()> body) {
  if (!condition)
    return body();
  auto yield = [&](Value value) { scf::YieldOp::create(b, value); };
  return scf::IfOp::create(
             b, condition, [&](OpBuilder &, Location) { yield(body()); },
             [&](OpBuilder &, Location) { yield(otherwise); })
      .getResult(0);
}

} // namespace tilewright::nvptx
