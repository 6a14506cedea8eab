// Elementwise operations and conversions.
#include "tileir/authoring/construction/Elementwise.h"
#include "tileir/authoring/construction/Handles.h"
#include "tileir/authoring/construction/Literals.h"
#include "tileir/authoring/construction/Types.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::authoring::detail {

//===--- Operands of one shape --------------------------------------------===//

/// Widens `shape` to fit `other` too.
static bool widen(KernelBuilder &c, StringRef name,
                  const std::source_location &where,
                  std::optional<SmallVector<int64_t>> &shape,
                  ArrayRef<int64_t> other) {
  if (!shape) {
    shape.emplace(other);
    return true;
  }
  const SmallVector<int64_t> before = *shape;
  for (auto [dim, size] : llvm::enumerate(other)) {
    int64_t &known = (*shape)[dim];
    if (known != size && known != 1 && size != 1) {
      c.error(where, "broadcast",
              name + ": shapes differ: " + shapeText(before) + " and " +
                  shapeText(other) + ": dimension " + Twine(dim) + " is " +
                  Twine(known) + " and " + Twine(size) +
                  ", expected equal sizes or 1");
      return false;
    }
    known = std::max(known, size);
  }
  return true;
}

/// A value as a tile of `type`, or as it is where `type` is a scalar.
static Value widened(KernelBuilder &c, const std::source_location &where,
                     Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (!isa<RankedTensorType>(value.getType()))
    return c.createOrFold<tile::SplatOp>(where, type, value);
  return c.createOrFold<tile::BroadcastOp>(where, type, value);
}

std::optional<Elementwise>
Elementwise::of(StringRef name, ArrayRef<const Operand *> operands,
                ArrayRef<ElementTraits> operandTraits) {
  KernelBuilder *c = KernelBuilder::current();
  if (!c || c->hasFailed())
    return std::nullopt;
  SmallVector<Value> given;
  std::optional<SmallVector<int64_t>> shape;
  for (const Operand *operand : operands) {
    bool isNumber = operand->literal.kind != Literal::none;
    Value value =
        isNumber ? Value() : valueOf(*c, operand->handle, operand->where);
    if (!isNumber && !value)
      return std::nullopt;
    given.push_back(value);
    if (auto tile = dyn_cast_or_null<RankedTensorType>(value ? value.getType()
                                                             : Type()))
      if (!widen(*c, name, operand->where, shape, tile.getShape()))
        return std::nullopt;
  }
  Elementwise result{*c, operands.front()->where, {}};
  // Two that are small may meet in one that is too large.
  if (shape && !tileType(*c, *shape, c->builder.getI1Type(), result.where))
    return std::nullopt;
  for (auto [operand, value, elementTraits] :
       llvm::zip(operands, given, operandTraits)) {
    Type type = typeOf(*c, elementTraits.type);
    if (shape)
      type = RankedTensorType::get(*shape, type);
    value = value ? widened(*c, operand->where, value, type)
                  : constantOf(*c, operand->literal, type,
                               elementTraits.isSigned, operand->where);
    if (!value)
      return std::nullopt;
    result.values.push_back(value);
  }
  return result;
}

//===--- Tables -----------------------------------------------------------===//

template <class Op> static Value make(Elementwise &e) {
  if (e.c.hasFailed())
    return {};
  return e.c.builder.createOrFold<Op>(e.c.locationOf(e.where),
                                      ValueRange(e.values));
}
using Maker = Value (*)(Elementwise &);
/// An operation by how its operands are read; null where it has no meaning.
struct Row {
  const char *name;
  Maker onFloats, onSigned, onUnsigned;
};

static const Row &rowOf(Binary op) {
  static const Row rows[] = {
      {"operator+", make<arith::AddFOp>, make<arith::AddIOp>,
       make<arith::AddIOp>},
      {"operator-", make<arith::SubFOp>, make<arith::SubIOp>,
       make<arith::SubIOp>},
      {"operator*", make<arith::MulFOp>, make<arith::MulIOp>,
       make<arith::MulIOp>},
      {"operator/", make<arith::DivFOp>, make<arith::DivSIOp>,
       make<arith::DivUIOp>},
      {"operator%", make<arith::RemFOp>, make<arith::RemSIOp>,
       make<arith::RemUIOp>},
      {"min", make<arith::MinimumFOp>, make<arith::MinSIOp>,
       make<arith::MinUIOp>},
      {"max", make<arith::MaximumFOp>, make<arith::MaxSIOp>,
       make<arith::MaxUIOp>},
      {"operator&", nullptr, make<arith::AndIOp>, make<arith::AndIOp>},
      {"operator|", nullptr, make<arith::OrIOp>, make<arith::OrIOp>},
      {"operator^", nullptr, make<arith::XOrIOp>, make<arith::XOrIOp>},
      {"operator<<", nullptr, make<arith::ShLIOp>, make<arith::ShLIOp>},
      {"operator>>", nullptr, make<arith::ShRSIOp>, make<arith::ShRUIOp>},
      {"pow", make<math::PowFOp>, nullptr, nullptr},
      {"atan2", make<math::Atan2Op>, nullptr, nullptr},
      {"copysign", make<math::CopySignOp>, nullptr, nullptr},
      {"ceilDiv", nullptr, make<arith::CeilDivSIOp>, make<arith::CeilDivUIOp>},
      {"floorDiv", nullptr, make<arith::FloorDivSIOp>, make<arith::DivUIOp>},
  };
  return rows[static_cast<size_t>(op)];
}

static const Row &rowOf(Unary op) {
  static const Row rows[] = {
      {"operator-", make<arith::NegFOp>, nullptr, nullptr},
      {"operator~", nullptr, nullptr, nullptr},
      {"abs", make<math::AbsFOp>, make<math::AbsIOp>, nullptr},
      {"exp", make<math::ExpOp>, nullptr, nullptr},
      {"exp2", make<math::Exp2Op>, nullptr, nullptr},
      {"expm1", make<math::ExpM1Op>, nullptr, nullptr},
      {"log", make<math::LogOp>, nullptr, nullptr},
      {"log2", make<math::Log2Op>, nullptr, nullptr},
      {"log10", make<math::Log10Op>, nullptr, nullptr},
      {"log1p", make<math::Log1pOp>, nullptr, nullptr},
      {"sqrt", make<math::SqrtOp>, nullptr, nullptr},
      {"rsqrt", make<math::RsqrtOp>, nullptr, nullptr},
      {"cbrt", make<math::CbrtOp>, nullptr, nullptr},
      {"sin", make<math::SinOp>, nullptr, nullptr},
      {"cos", make<math::CosOp>, nullptr, nullptr},
      {"tan", make<math::TanOp>, nullptr, nullptr},
      {"asin", make<math::AsinOp>, nullptr, nullptr},
      {"acos", make<math::AcosOp>, nullptr, nullptr},
      {"atan", make<math::AtanOp>, nullptr, nullptr},
      {"sinh", make<math::SinhOp>, nullptr, nullptr},
      {"cosh", make<math::CoshOp>, nullptr, nullptr},
      {"tanh", make<math::TanhOp>, nullptr, nullptr},
      {"asinh", make<math::AsinhOp>, nullptr, nullptr},
      {"acosh", make<math::AcoshOp>, nullptr, nullptr},
      {"atanh", make<math::AtanhOp>, nullptr, nullptr},
      {"erf", make<math::ErfOp>, nullptr, nullptr},
      {"erfc", make<math::ErfcOp>, nullptr, nullptr},
      {"floor", make<math::FloorOp>, nullptr, nullptr},
      {"ceil", make<math::CeilOp>, nullptr, nullptr},
      {"round", make<math::RoundEvenOp>, nullptr, nullptr},
      {"trunc", make<math::TruncOp>, nullptr, nullptr},
  };
  return rows[static_cast<size_t>(op)];
}

static Handle resultOf(const Row &row, Elementwise &e,
                       ElementTraits elementTraits) {
  Maker maker = elementTraits.isFloat    ? row.onFloats
                : elementTraits.isSigned ? row.onSigned
                                         : row.onUnsigned;
  return handleOf(e.c, maker(e));
}

static Handle apply(const Row &row, ArrayRef<const Operand *> operands,
                    ElementTraits elementTraits) {
  SmallVector<ElementTraits> operandTraits(operands.size(), elementTraits);
  std::optional<Elementwise> e =
      Elementwise::of(row.name, operands, operandTraits);
  return e ? resultOf(row, *e, elementTraits) : Handle();
}

//===--- Operations -------------------------------------------------------===//

Handle unary(Unary op, const Operand &x, ElementTraits elementTraits) {
  // Integers have no negation or inversion op.
  bool isInteger = !elementTraits.isFloat;
  if (op == Unary::negate && isInteger)
    return binary(Binary::sub, {{}, Literal(0), x.where}, x, elementTraits);
  if (op == Unary::invert) {
    bool isBool = elementTraits.type.dtype == runtime::DType::Bool;
    ElementTraits bits = {elementTraits.type, false, true};
    return binary(Binary::bitXor, x,
                  {{}, isBool ? Literal(true) : Literal(-1), x.where}, bits);
  }
  return apply(rowOf(op), {&x}, elementTraits);
}

/// An error for a constant on the right that makes the operation undefined: an
/// integer divided by 0, or shifted by its width or more.
static bool isDefined(Binary op, Elementwise &e, const Operand &b) {
  APInt number;
  if (!matchPattern(e.values[1], m_ConstantInt(&number)))
    return true;
  const char *name = rowOf(op).name;
  bool divides = op == Binary::div || op == Binary::rem ||
                 op == Binary::ceilDiv || op == Binary::floorDiv;
  if (divides && number.isZero())
    e.c.error(b.where, "division_by_zero",
              name + Twine(": an integer is divided by the number 0; expected "
                           "another divisor"));
  unsigned bits = number.getBitWidth();
  bool shifts = op == Binary::shiftLeft || op == Binary::shiftRight;
  if (shifts && number.uge(bits))
    e.c.error(b.where, "shift_range",
              name + Twine(": an integer of ") + Twine(bits) +
                  " bits is shifted by " + Twine(number.getSExtValue()) +
                  "; expected 0 to " + Twine(bits - 1));
  return !e.c.hasFailed();
}

Handle binary(Binary op, const Operand &a, const Operand &b,
              ElementTraits elementTraits) {
  std::optional<Elementwise> e =
      Elementwise::of(rowOf(op).name, {&a, &b}, {elementTraits, elementTraits});
  return e && isDefined(op, *e, b) ? resultOf(rowOf(op), *e, elementTraits)
                                   : Handle();
}

Handle classify(FloatClass what, const Operand &x) {
  KernelBuilder *c = KernelBuilder::current();
  Value value = c ? valueOf(*c, x.handle, x.where) : Value();
  if (!value)
    return {};
  switch (what) {
  case FloatClass::nan:
    return handleOf(*c, c->createOrFold<math::IsNaNOp>(x.where, value));
  case FloatClass::infinite:
    return handleOf(*c, c->createOrFold<math::IsInfOp>(x.where, value));
  case FloatClass::finite:
    return handleOf(*c, c->createOrFold<math::IsFiniteOp>(x.where, value));
  }
  return {};
}

Handle sigmoid(const Operand &x, ElementTraits elementTraits) {
  // Narrow floats round once, at the end.
  bool isNarrow =
      elementTraits.type != F32::type && elementTraits.type != F64::type;
  ElementTraits wide = isNarrow ? traitsOf<F32> : elementTraits;
  auto at = [&](Handle handle) { return Operand{handle, {}, x.where}; };
  auto number = [&](int n) { return Operand{{}, Literal(n), x.where}; };
  Handle given = isNarrow ? cast(x, elementTraits, wide, {}, false) : x.handle;
  // e = exp(-|x|) is at most 1: neither it nor the quotient overflows, and
  // small results stay accurate.
  Handle e = unary(
      Unary::exp,
      at(unary(Unary::negate, at(unary(Unary::abs, at(given), wide)), wide)),
      wide);
  Handle isNegative = compare(Comparison::lt, at(given), number(0), wide);
  Handle result =
      binary(Binary::div, at(select(at(isNegative), at(e), number(1), wide)),
             at(binary(Binary::add, at(e), number(1), wide)), wide);
  return isNarrow ? cast(at(result), wide, elementTraits, {}, false) : result;
}

Handle fma(const Operand &a, const Operand &b, const Operand &c,
           ElementTraits elementTraits) {
  return apply({"fma", make<math::FmaOp>, nullptr, nullptr}, {&a, &b, &c},
               elementTraits);
}

Handle compare(Comparison op, const Operand &a, const Operand &b,
               ElementTraits elementTraits) {
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  struct Predicates {
    const char *name;
    F onFloats;
    I onSigned, onUnsigned;
  };
  static const Predicates rows[] = {
      {"operator<", F::OLT, I::slt, I::ult},
      {"operator<=", F::OLE, I::sle, I::ule},
      {"operator>", F::OGT, I::sgt, I::ugt},
      {"operator>=", F::OGE, I::sge, I::uge},
      {"operator==", F::OEQ, I::eq, I::eq},
      {"operator!=", F::UNE, I::ne, I::ne},
  };
  const Predicates &row = rows[static_cast<size_t>(op)];
  std::optional<Elementwise> e =
      Elementwise::of(row.name, {&a, &b}, {elementTraits, elementTraits});
  if (!e)
    return {};
  Value x = e->values[0], y = e->values[1];
  if (elementTraits.isFloat)
    return handleOf(
        e->c, e->c.createOrFold<arith::CmpFOp>(e->where, row.onFloats, x, y));
  return handleOf(
      e->c, e->c.createOrFold<arith::CmpIOp>(
                e->where,
                elementTraits.isSigned ? row.onSigned : row.onUnsigned, x, y));
}

Handle select(const Operand &condition, const Operand &a, const Operand &b,
              ElementTraits elementTraits) {
  std::optional<Elementwise> e =
      Elementwise::of("where", {&condition, &a, &b},
                      {traitsOf<Bool>, elementTraits, elementTraits});
  if (!e)
    return {};
  return handleOf(
      e->c, e->c.createOrFold<arith::SelectOp>(e->where, e->values[0],
                                               e->values[1], e->values[2]));
}

//===--- Conversion -------------------------------------------------------===//

static tile::Rounding roundingOf(Rounding rounding) {
  switch (rounding) {
  case Rounding::nearestEven:
    return tile::Rounding::nearest_even;
  case Rounding::nearestAway:
    return tile::Rounding::nearest_away;
  case Rounding::towardZero:
    return tile::Rounding::toward_zero;
  case Rounding::down:
    return tile::Rounding::down;
  case Rounding::up:
    return tile::Rounding::up;
  }
  return tile::Rounding::nearest_even;
}

Handle cast(const Operand &x, ElementTraits from, ElementTraits to,
            std::optional<Rounding> rounding, bool saturate) {
  if (to.type.dtype == runtime::DType::Bool && from.type != to.type)
    return compare(Comparison::ne, x, {{}, Literal(0), x.where}, from);
  KernelBuilder *c = KernelBuilder::current();
  Value value = c ? valueOf(*c, x.handle, x.where) : Value();
  if (!value)
    return {};
  Type type = tile::withElementType(value.getType(), typeOf(*c, to.type));
  // A Bool is 0 or 1.
  bool fromUnsigned = !from.isFloat && !from.isSigned &&
                      from.type.dtype != runtime::DType::Bool;
  if (type == value.getType() && !(saturate && from.isSigned != to.isSigned))
    return x.handle;
  Rounding given =
      rounding.value_or(from.isFloat && !to.isFloat ? Rounding::towardZero
                                                    : Rounding::nearestEven);
  auto op = c->create<tile::ConvertOp>(
      x.where, type, value, Value(), roundingOf(given), saturate,
      /*approx=*/false, fromUnsigned,
      /*toUnsigned=*/!to.isFloat && !to.isSigned);
  return op ? handleOf(*c, op.getResult()) : Handle();
}

Handle bitcast(const Operand &x, ElementType to) {
  KernelBuilder *c = KernelBuilder::current();
  Value value = c ? valueOf(*c, x.handle, x.where) : Value();
  if (!value)
    return {};
  Type from = getElementTypeOrSelf(value.getType()), type = typeOf(*c, to);
  if (from.isIndex() || type.isIndex() ||
      from.getIntOrFloatBitWidth() != type.getIntOrFloatBitWidth()) {
    std::string text;
    llvm::raw_string_ostream(text)
        << "bitcast: expected two types of the same width, found " << from
        << " and " << type;
    c->error(x.where, "bitcast_width", text);
    return {};
  }
  return handleOf(
      *c, c->createOrFold<arith::BitcastOp>(
              x.where, tile::withElementType(value.getType(), type), value));
}

} // namespace tilewright::authoring::detail
