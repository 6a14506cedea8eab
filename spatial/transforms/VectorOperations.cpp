//===- VectorOperations.cpp - Ops of a body on the vector unit ------------===//
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "spatial/transforms/IntegerOperations.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tilewright::spatial {

using Scalars = ArrayRef<VectorScalar>;
static constexpr DType f32 = DType::F32, i32 = DType::I32;

//===--- Arithmetic -------------------------------------------------------===//

/// Ops that are one operation on f32 or i32, with the operands as they are.
static std::optional<std::pair<AluOp, DType>> directOperation(Operation *op) {
  using Entry = std::pair<AluOp, DType>;
  return llvm::StringSwitch<std::optional<Entry>>(op->getName().getStringRef())
      .Case("arith.addf", Entry(AluOp::add, f32))
      .Case("arith.subf", Entry(AluOp::sub, f32))
      .Case("arith.mulf", Entry(AluOp::mul, f32))
      .Case("arith.divf", Entry(AluOp::divide, f32))
      .Case("arith.maximumf", Entry(AluOp::max, f32))
      .Case("arith.minimumf", Entry(AluOp::min, f32))
      .Case("arith.truncf", Entry(AluOp::move, f32))
      .Case("arith.maxsi", Entry(AluOp::max, i32))
      .Case("arith.minsi", Entry(AluOp::min, i32))
      .Case("arith.andi", Entry(AluOp::logicalAnd, i32))
      .Case("arith.ori", Entry(AluOp::logicalOr, i32))
      .Case("arith.xori", Entry(AluOp::logicalXor, i32))
      .Case("arith.shrsi", Entry(AluOp::shr, i32))
      .Case("math.absf", Entry(AluOp::abs, f32))
      .Case("math.sqrt", Entry(AluOp::sqrt, f32))
      .Case("math.rsqrt", Entry(AluOp::rsqrt, f32))
      .Case("math.exp", Entry(AluOp::exp, f32))
      .Case("math.log", Entry(AluOp::log, f32))
      .Case("math.tanh", Entry(AluOp::tanh, f32))
      .Case("math.erf", Entry(AluOp::erf, f32))
      .Case("math.sin", Entry(AluOp::sin, f32))
      .Case("math.cos", Entry(AluOp::cos, f32))
      .Case("math.powf", Entry(AluOp::pow, f32))
      .Case("math.fma", Entry(AluOp::fma, f32))
      .Case("math.floor", Entry(AluOp::floor, f32))
      .Case("math.ceil", Entry(AluOp::ceil, f32))
      .Case("math.trunc", Entry(AluOp::trunc, f32))
      .Case("math.roundeven", Entry(AluOp::round, f32))
      .Default(std::nullopt);
}

/// Ops on integers whose result may need more bits than it has.
static std::optional<AluOp> wrappingOperation(Operation *op) {
  return llvm::StringSwitch<std::optional<AluOp>>(op->getName().getStringRef())
      .Case("arith.addi", AluOp::add)
      .Case("arith.subi", AluOp::sub)
      .Case("arith.muli", AluOp::mul)
      .Case("arith.divsi", AluOp::divide)
      .Case("arith.shli", AluOp::shl)
      .Case("math.absi", AluOp::abs)
      .Default(std::nullopt);
}

static std::optional<VectorScalar>
wrappingInteger(AluBuilder &alu, Operation *inner, Scalars in, DType result) {
  std::optional<AluOp> operation = wrappingOperation(inner);
  if (!operation)
    return std::nullopt;
  const unsigned width = widthOf(inner->getResult(0).getType());
  if (isNarrow(width))
    return wrapped(alu, alu.integer(*operation, in), width, result);
  if (width > 1)
    return alu(*operation, i32, in, result);
  // On bits, a sum is xor and a product is and.
  if (*operation == AluOp::add || *operation == AluOp::sub)
    return alu(AluOp::logicalXor, i32, in, result);
  if (*operation == AluOp::mul)
    return alu(AluOp::logicalAnd, i32, in, result);
  return std::nullopt;
}

static std::optional<VectorScalar> divisionOf(AluBuilder &alu, Operation *inner,
                                              Scalars in, DType result) {
  if (isa<arith::RemSIOp>(inner))
    return restOf(alu, in[0], in[1], alu.integer(AluOp::divide, in));
  if (isa<arith::FloorDivSIOp>(inner))
    return roundedQuotient(alu, in, false);
  if (isa<arith::CeilDivSIOp>(inner))
    return roundedQuotient(alu, in, true);
  if (!isa<arith::DivUIOp, arith::RemUIOp>(inner))
    return std::nullopt;
  const unsigned width = widthOf(inner->getResult(0).getType());
  const VectorScalar a = zeroExtended(alu, in[0], width),
                     b = zeroExtended(alu, in[1], width);
  VectorScalar found = isNarrow(width) ? alu.integer(AluOp::divide, {a, b})
                                       : unsignedQuotient(alu, a, b);
  if (isa<arith::RemUIOp>(inner))
    found = restOf(alu, a, b, found);
  return isNarrow(width) ? wrapped(alu, found, width, result) : found;
}

/// Operations on unsigned integers and bits.
static std::optional<VectorScalar>
unsignedOperation(AluBuilder &alu, Operation *inner, Scalars in, DType result) {
  if (!isa<arith::MaxUIOp, arith::MinUIOp, arith::ShRUIOp>(inner))
    return std::nullopt;
  const unsigned width = widthOf(inner->getResult(0).getType());
  if (isa<arith::ShRUIOp>(inner)) {
    if (!isNarrow(width))
      return logicalShift(alu, in[0], in[1]);
    const VectorScalar x = zeroExtended(alu, in[0], width);
    return wrapped(alu, alu.integer(AluOp::shr, {x, in[1]}), width, result);
  }
  const AluOp comparison = isa<arith::MaxUIOp>(inner) ? AluOp::gt : AluOp::lt;
  const VectorScalar isFirst = alu(
      comparison, i32,
      {inUnsignedOrder(alu, in[0], width), inUnsignedOrder(alu, in[1], width)},
      DType::Bool);
  return alu(AluOp::select, i32, {isFirst, in[0], in[1]}, result);
}

/// The minimum or maximum of which a NaN is not one, if there is a number.
static std::optional<VectorScalar> numberOf(AluBuilder &alu, Operation *inner,
                                            Scalars in, DType result) {
  if (!isa<arith::MaxNumFOp, arith::MinNumFOp>(inner))
    return std::nullopt;
  auto isNaN = [&](const VectorScalar &x) {
    return alu(AluOp::ne, f32, {x, x}, DType::Bool);
  };
  const VectorScalar both = alu(
      isa<arith::MaxNumFOp>(inner) ? AluOp::max : AluOp::min, f32, in, result);
  const VectorScalar first =
      alu(AluOp::select, f32, {isNaN(in[1]), in[0], both}, result);
  return alu(AluOp::select, f32, {isNaN(in[0]), in[1], first}, result);
}

//===--- Comparisons ------------------------------------------------------===//

static VectorScalar negation(AluBuilder &alu, const VectorScalar &truth) {
  return alu(AluOp::logicalNot, i32, {truth}, DType::Bool);
}

static std::optional<VectorScalar> compareReals(AluBuilder &alu,
                                                arith::CmpFOp op, Scalars in) {
  using P = arith::CmpFPredicate;
  auto compare = [&](AluOp comparison) {
    return alu(comparison, f32, in, DType::Bool);
  };
  auto either = [&](const VectorScalar &a, const VectorScalar &b) {
    return alu(AluOp::logicalOr, i32, {a, b}, DType::Bool);
  };
  auto isNaN = [&] {
    return either(alu(AluOp::ne, f32, {in[0], in[0]}, DType::Bool),
                  alu(AluOp::ne, f32, {in[1], in[1]}, DType::Bool));
  };
  auto differ = [&] { return either(compare(AluOp::lt), compare(AluOp::gt)); };
  // With NaN, all operations but `ne` are false.
  switch (op.getPredicate()) {
  case P::OEQ:
    return compare(AluOp::eq);
  case P::UNE:
    return compare(AluOp::ne);
  case P::OLT:
    return compare(AluOp::lt);
  case P::OLE:
    return compare(AluOp::le);
  case P::OGT:
    return compare(AluOp::gt);
  case P::OGE:
    return compare(AluOp::ge);
  case P::ULT:
    return negation(alu, compare(AluOp::ge));
  case P::ULE:
    return negation(alu, compare(AluOp::gt));
  case P::UGT:
    return negation(alu, compare(AluOp::le));
  case P::UGE:
    return negation(alu, compare(AluOp::lt));
  case P::ONE:
    return differ();
  case P::UEQ:
    return negation(alu, differ());
  case P::UNO:
    return isNaN();
  case P::ORD:
    return negation(alu, isNaN());
  default:
    return std::nullopt;
  }
}

static std::optional<VectorScalar>
compareIntegers(AluBuilder &alu, arith::CmpIOp op, Scalars in) {
  using P = arith::CmpIPredicate;
  const unsigned width = widthOf(op.getLhs().getType());
  const P predicate = op.getPredicate();
  const bool isUnsigned = predicate == P::ult || predicate == P::ule ||
                          predicate == P::ugt || predicate == P::uge;
  AluOp comparison = AluOp::eq;
  switch (predicate) {
  case P::eq:
    break;
  case P::ne:
    comparison = AluOp::ne;
    break;
  case P::slt:
  case P::ult:
    comparison = AluOp::lt;
    break;
  case P::sle:
  case P::ule:
    comparison = AluOp::le;
    break;
  case P::sgt:
  case P::ugt:
    comparison = AluOp::gt;
    break;
  case P::sge:
  case P::uge:
    comparison = AluOp::ge;
    break;
  }
  if (!isUnsigned) {
    // The signed value of a true bit is -1.
    if (width == 1 && predicate != P::eq && predicate != P::ne)
      return alu(comparison, i32, {in[1], in[0]}, DType::Bool);
    return alu(comparison, i32, in, DType::Bool);
  }
  return alu(
      comparison, i32,
      {inUnsignedOrder(alu, in[0], width), inUnsignedOrder(alu, in[1], width)},
      DType::Bool);
}

//===--- Conversions ------------------------------------------------------===//

/// A real number as an unsigned integer.
static VectorScalar unsignedOf(AluBuilder &alu, const VectorScalar &x,
                               unsigned width, DType result) {
  const VectorScalar whole = alu(AluOp::convert, f32, {x}, i32);
  if (isNarrow(width))
    return wrapped(alu, whole, width, result);
  if (width != 32)
    return whole;
  const VectorScalar most = AluBuilder::number(0x1p31, f32);
  const VectorScalar above =
      alu(AluOp::convert, f32, {alu(AluOp::sub, f32, {x, most}, f32)}, i32);
  return alu.integer(
      AluOp::select,
      {alu(AluOp::ge, f32, {x, most}, DType::Bool),
       alu.integer(AluOp::logicalXor,
                   {above, AluBuilder::integerNumber(INT32_MIN)}),
       whole});
}

/// An unsigned integer as a real number.
static VectorScalar realOf(AluBuilder &alu, const VectorScalar &x,
                           unsigned width, DType result) {
  const VectorScalar number =
      alu(AluOp::convert, i32, {zeroExtended(alu, x, width)},
          width == 32 ? f32 : result);
  if (width != 32)
    return number;
  const VectorScalar above =
      alu(AluOp::add, f32, {number, AluBuilder::number(0x1p32, f32)}, f32);
  return alu(
      AluOp::select, f32,
      {alu(AluOp::lt, i32, {x, AluBuilder::integerNumber(0)}, DType::Bool),
       above, number},
      result);
}

static std::optional<VectorScalar>
conversionOf(AluBuilder &alu, Operation *inner, Scalars in, DType result) {
  // Widening is what operands do.
  if (isa<arith::ExtFOp>(inner))
    return in[0];
  if (!isa<arith::ExtSIOp, arith::ExtUIOp, arith::IndexCastOp,
           arith::IndexCastUIOp, arith::TruncIOp, arith::FPToSIOp,
           arith::FPToUIOp, arith::SIToFPOp, arith::UIToFPOp>(inner))
    return std::nullopt;
  const unsigned from = widthOf(inner->getOperand(0).getType()),
                 to = widthOf(inner->getResult(0).getType());
  const VectorScalar zero = AluBuilder::integerNumber(0);
  auto signedOf = [&] {
    return from == 1 ? alu.integer(AluOp::sub, {zero, in[0]}) : in[0];
  };
  if (isa<arith::ExtUIOp, arith::IndexCastUIOp>(inner) && from < to) {
    const VectorScalar wide = zeroExtended(alu, in[0], from);
    return from == 1 ? alu(AluOp::move, i32, {wide}, result) : wide;
  }
  if (isa<arith::ExtSIOp, arith::IndexCastOp>(inner) && from < to)
    return signedOf();
  if (isa<arith::SIToFPOp>(inner))
    return alu(AluOp::convert, i32, {signedOf()}, result);
  if (isa<arith::UIToFPOp>(inner))
    return realOf(alu, in[0], from, result);
  if (isa<arith::FPToUIOp>(inner))
    return unsignedOf(alu, in[0], to, result);
  if (isa<arith::FPToSIOp>(inner)) {
    const VectorScalar whole = alu(AluOp::convert, f32, {in[0]}, i32);
    return isNarrow(to) ? wrapped(alu, whole, to, result) : whole;
  }
  // To fewer bits.
  if (to >= 32)
    return in[0];
  if (to > 1)
    return wrapped(alu, in[0], to, result);
  return alu(
      AluOp::ne, i32,
      {alu.integer(AluOp::logicalAnd, {in[0], AluBuilder::integerNumber(1)}),
       zero},
      DType::Bool);
}

std::optional<VectorScalar> lowerOperation(AluBuilder &alu, Operation *inner,
                                           Scalars in) {
  const std::optional<DType> result = scalarType(inner->getResult(0).getType());
  if (!result)
    return std::nullopt;
  if (auto direct = directOperation(inner))
    return alu(direct->first, direct->second, in, *result);
  if (isa<arith::SelectOp>(inner))
    return alu(AluOp::select, isFloat(*result) ? f32 : i32, in, *result);
  if (isa<arith::NegFOp>(inner))
    return alu(AluOp::mul, f32, {in[0], AluBuilder::number(-1, f32)}, *result);
  if (auto compare = dyn_cast<arith::CmpFOp>(inner))
    return compareReals(alu, compare, in);
  if (auto compare = dyn_cast<arith::CmpIOp>(inner))
    return compareIntegers(alu, compare, in);
  for (auto lower :
       {wrappingInteger, divisionOf, unsignedOperation, numberOf, conversionOf})
    if (std::optional<VectorScalar> found = lower(alu, inner, in, *result))
      return found;
  return lowerMathFunction(alu, inner, in);
}

} // namespace tilewright::spatial
