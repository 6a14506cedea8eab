//===- Float8.cpp - Conversions of 8-bit floats by instruction ------------===//
//
// PTX converts two numbers at a time: of `cvt.rn.satfinite.e4m3x2.f32 d, a, b`
// the upper byte of d is a. LLVM has these instructions from later PTX versions
// on than ptxas (8.1 also for sm_90), so they are text here.
//
//===----------------------------------------------------------------------===//
#include "codegen/nvptx/Float8.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::nvptx {

namespace {
class Conversions : public numeric::Float8Conversions {
public:
  Value round(OpBuilder &b, Location loc, Value x, FloatType to) const override;
  Value decode(OpBuilder &b, Location loc, Value bits,
               FloatType from) const override;
};
} // namespace

static std::string pairName(FloatType type) {
  return isa<Float8E4M3FNType>(type) ? "e4m3x2" : "e5m2x2";
}

/// A vector of an even number of elements that begins with those of `value`.
static Value inPairs(OpBuilder &b, Location loc, Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type)
    return vector::BroadcastOp::create(
        b, loc, VectorType::get({2}, value.getType()), value);
  int64_t count = type.getNumElements();
  if (count % 2 == 0)
    return value;
  SmallVector<int64_t> positions = llvm::to_vector(llvm::seq<int64_t>(count));
  positions.push_back(count - 1);
  return vector::ShuffleOp::create(b, loc, value, value, positions);
}

/// What inPairs(shape) was made from, in `pairs`.
static Value fromPairs(OpBuilder &b, Location loc, Value pairs, Value shape) {
  auto type = dyn_cast<VectorType>(shape.getType());
  if (!type)
    return vector::ExtractOp::create(b, loc, pairs, 0);
  int64_t count = type.getNumElements();
  if (cast<VectorType>(pairs.getType()).getNumElements() == count)
    return pairs;
  return vector::ShuffleOp::create(b, loc, pairs, pairs,
                                   llvm::to_vector(llvm::seq<int64_t>(count)));
}

static Value instruction(OpBuilder &b, Location loc, Type result,
                         ValueRange operands, const std::string &text,
                         StringRef constraints) {
  return LLVM::InlineAsmOp::create(b, loc, result, operands, text, constraints,
                                   /*has_side_effects=*/false,
                                   /*is_align_stack=*/false,
                                   LLVM::TailCallKind::None,
                                   LLVM::AsmDialectAttr(), ArrayAttr())
      .getRes();
}

Value Conversions::round(OpBuilder &b, Location loc, Value x,
                         FloatType to) const {
  Value even = inPairs(b, loc, x);
  int64_t count = cast<VectorType>(even.getType()).getNumElements();
  SmallVector<Value> pairs;
  for (int64_t i = 0; i < count; i += 2) {
    Value low = vector::ExtractOp::create(b, loc, even, i);
    Value high = vector::ExtractOp::create(b, loc, even, i + 1);
    pairs.push_back(instruction(
        b, loc, b.getI16Type(), {high, low},
        "cvt.rn.satfinite." + pairName(to) + ".f32 $0, $1, $2;", "=h,f,f"));
  }
  Value joined = vector::FromElementsOp::create(
      b, loc, VectorType::get({count / 2}, b.getI16Type()), pairs);
  joined = vector::BitCastOp::create(
      b, loc, VectorType::get({count}, b.getI8Type()), joined);
  return fromPairs(b, loc, joined, x);
}

Value Conversions::decode(OpBuilder &b, Location loc, Value bits,
                          FloatType from) const {
  Value even = inPairs(b, loc, bits);
  int64_t count = cast<VectorType>(even.getType()).getNumElements();
  even = vector::BitCastOp::create(
      b, loc, VectorType::get({count / 2}, b.getI16Type()), even);
  SmallVector<Value> pairs;
  for (int64_t i = 0; i < count / 2; ++i)
    pairs.push_back(
        instruction(b, loc, b.getI32Type(),
                    vector::ExtractOp::create(b, loc, even, i).getResult(),
                    "cvt.rn.f16x2." + pairName(from) + " $0, $1;", "=r,h"));
  Value joined = vector::FromElementsOp::create(
      b, loc, VectorType::get({count / 2}, b.getI32Type()), pairs);
  joined = vector::BitCastOp::create(
      b, loc, VectorType::get({count}, b.getF16Type()), joined);
  return fromPairs(b, loc, joined, bits);
}

const numeric::Float8Conversions &float8Conversions() {
  static const Conversions conversions;
  return conversions;
}

} // namespace tilewright::nvptx
