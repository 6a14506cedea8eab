#include "spatial/transforms/IntegerOperations.h"

using namespace mlir;

namespace tilewright::spatial {

VectorScalar wrapped(AluBuilder &alu, const VectorScalar &x, unsigned width,
                     DType result) {
  const VectorScalar by = AluBuilder::integerNumber(32 - width);
  return alu(AluOp::shr, DType::I32, {alu.integer(AluOp::shl, {x, by}), by},
             result);
}

VectorScalar zeroExtended(AluBuilder &alu, const VectorScalar &x,
                          unsigned width) {
  if (!isNarrow(width))
    return x;
  return alu.integer(
      AluOp::logicalAnd,
      {x, AluBuilder::integerNumber(llvm::maskTrailingOnes<uint32_t>(width))});
}

VectorScalar inUnsignedOrder(AluBuilder &alu, const VectorScalar &x,
                             unsigned width) {
  if (width < 32)
    return zeroExtended(alu, x, width);
  return alu.integer(AluOp::logicalXor,
                     {x, AluBuilder::integerNumber(INT32_MIN)});
}

VectorScalar logicalShift(AluBuilder &alu, const VectorScalar &x,
                          const VectorScalar &by) {
  // The copies of the sign bit that shr puts there.
  const VectorScalar copies = alu.integer(
      AluOp::shl,
      {alu.integer(AluOp::shr, {AluBuilder::integerNumber(INT32_MIN), by}),
       AluBuilder::integerNumber(1)});
  return alu.integer(AluOp::logicalAnd,
                     {alu.integer(AluOp::shr, {x, by}),
                      alu.integer(AluOp::logicalNot, {copies})});
}

VectorScalar unsignedQuotient(AluBuilder &alu, const VectorScalar &a,
                              const VectorScalar &b) {
  // Half of the dividend is not negative: twice its quotient is the right one,
  // or one too small. One of 2^31 or more goes into the dividend once at most.
  const VectorScalar one = AluBuilder::integerNumber(1),
                     zero = AluBuilder::integerNumber(0);
  auto isAtLeast = [&](const VectorScalar &x, const VectorScalar &y) {
    return alu(AluOp::ge, DType::I32,
               {inUnsignedOrder(alu, x, 32), inUnsignedOrder(alu, y, 32)},
               DType::Bool);
  };
  const VectorScalar half =
      alu.integer(AluOp::divide, {logicalShift(alu, a, one), b});
  const VectorScalar twice = alu.integer(AluOp::shl, {half, one});
  const VectorScalar rest =
      alu.integer(AluOp::sub, {a, alu.integer(AluOp::mul, {twice, b})});
  const VectorScalar quotient =
      alu.integer(AluOp::add, {twice, isAtLeast(rest, b)});
  return alu.integer(AluOp::select,
                     {alu(AluOp::lt, DType::I32, {b, zero}, DType::Bool),
                      isAtLeast(a, b), quotient});
}

VectorScalar restOf(AluBuilder &alu, const VectorScalar &a,
                    const VectorScalar &b, const VectorScalar &quotient) {
  return alu.integer(AluOp::sub, {a, alu.integer(AluOp::mul, {quotient, b})});
}

VectorScalar roundedQuotient(AluBuilder &alu, ArrayRef<VectorScalar> in,
                             bool isUp) {
  const VectorScalar zero = AluBuilder::integerNumber(0);
  const VectorScalar quotient = alu.integer(AluOp::divide, in);
  const VectorScalar rest = restOf(alu, in[0], in[1], quotient);
  // Rounded towards zero, it is too large if the rest's sign is not that of the
  // divisor; too small if it is.
  const VectorScalar mixed = alu.integer(AluOp::logicalXor, {rest, in[1]});
  const VectorScalar sign =
      alu(isUp ? AluOp::ge : AluOp::lt, DType::I32, {mixed, zero}, DType::Bool);
  const VectorScalar isOff =
      alu(AluOp::logicalAnd, DType::I32,
          {sign, alu(AluOp::ne, DType::I32, {rest, zero}, DType::Bool)},
          DType::Bool);
  return alu.integer(isUp ? AluOp::add : AluOp::sub, {quotient, isOff});
}

} // namespace tilewright::spatial
