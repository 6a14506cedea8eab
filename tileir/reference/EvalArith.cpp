// Arithmetic of the arith dialect on integers and floats.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tileir/reference/ProgramInstance.h"
#include "tileir/reference/Rounding.h"
#include "tileir/reference/SetOps.h"

using namespace mlir;
using llvm::APFloat;
using llvm::APInt;

namespace tilewright::reference {

//===--- Integers ---------------------------------------------------------===//

using IntFn = APInt (*)(const APInt &, const APInt &);
using IntPredicate = bool (*)(const APInt &, const APInt &);

/// An integer op defined for all operands.
static EvalElement total(IntFn fn) {
  return [fn](Operation *, ArrayRef<Element> x, Type type) {
    return Element::ofInteger(type, fn(x[0].integer(), x[1].integer()));
  };
}

/// A division: poison by zero; the least integer by -1 wraps, like additions.
static EvalElement division(IntFn fn) {
  return [fn](Operation *op, ArrayRef<Element> x, Type type) {
    APInt a = x[0].integer(), b = x[1].integer();
    if (b.isZero())
      return Element::poison(type, op);
    return Element::ofInteger(type, fn(a, b));
  };
}

/// A shift: poison if its amount is at least the width.
static EvalElement shift(IntFn fn) {
  return [fn](Operation *op, ArrayRef<Element> x, Type type) {
    if (x[1].integer().uge(x[0].integer().getBitWidth()))
      return Element::poison(type, op);
    return Element::ofInteger(type, fn(x[0].integer(), x[1].integer()));
  };
}

/// An op with an `exact` flag: poison if there is a rest in spite of it.
template <typename Op>
static EvalElement exact(EvalElement rounded, IntPredicate hasRest) {
  return
      [=](Operation *op, ArrayRef<Element> x, Type type) -> FailureOr<Element> {
        FailureOr<Element> result = rounded(op, x, type);
        if (failed(result) || result->isPoison() || !cast<Op>(op).getIsExact())
          return result;
        if (hasRest(x[0].integer(), x[1].integer()))
          return Element::poison(type, op);
        return result;
      };
}

/// True if a shift to the right drops a bit that is set.
static bool dropsBits(const APInt &a, const APInt &b) {
  return b.ugt(a.countr_zero());
}

/// An op with overflow flags: poison if a flag's assumption is violated.
template <typename Op> static EvalElement flagged(IntFn fn, IntFn wide) {
  return [=](Operation *op, ArrayRef<Element> x, Type type) {
    APInt a = x[0].integer(), b = x[1].integer();
    unsigned width = a.getBitWidth();
    if (std::is_same_v<Op, arith::ShLIOp> && b.uge(width))
      return Element::poison(type, op);
    APInt result = fn(a, b);
    auto flags = cast<Op>(op).getOverflowFlags();
    unsigned twice = 2 * width + 1;
    bool isShift = std::is_same_v<Op, arith::ShLIOp>;
    APInt signedWide =
        wide(a.sext(twice), isShift ? b.zext(twice) : b.sext(twice));
    APInt unsignedWide = wide(a.zext(twice), b.zext(twice));
    bool nsw = bitEnumContainsAny(flags, arith::IntegerOverflowFlags::nsw);
    bool nuw = bitEnumContainsAny(flags, arith::IntegerOverflowFlags::nuw);
    if ((nsw && signedWide != result.sext(twice)) ||
        (nuw && unsignedWide != result.zext(twice)))
      return Element::poison(type, op);
    return Element::ofInteger(type, result);
  };
}

static APInt add(const APInt &a, const APInt &b) { return a + b; }
static APInt subtract(const APInt &a, const APInt &b) { return a - b; }
static APInt multiply(const APInt &a, const APInt &b) { return a * b; }
static APInt shiftLeft(const APInt &a, const APInt &b) { return a.shl(b); }

/// Rounded in the given direction, with the bits that the exact quotient needs.
template <APInt::Rounding rounding>
static APInt signedQuotient(const APInt &a, const APInt &b) {
  unsigned width = a.getBitWidth();
  return llvm::APIntOps::RoundingSDiv(a.sext(width + 1), b.sext(width + 1),
                                      rounding)
      .trunc(width);
}

static APInt signedRemainder(const APInt &a, const APInt &b) {
  return a - signedQuotient<APInt::Rounding::TOWARD_ZERO>(a, b) * b;
}

static void addDivisions(OpTable &table) {
  using R = APInt::Rounding;
  table.addElementwise<arith::DivSIOp>(exact<arith::DivSIOp>(
      division(signedQuotient<R::TOWARD_ZERO>),
      [](auto &a, auto &b) { return !signedRemainder(a, b).isZero(); }));
  table.addElementwise<arith::DivUIOp>(exact<arith::DivUIOp>(
      division([](auto &a, auto &b) { return a.udiv(b); }),
      [](auto &a, auto &b) { return !a.urem(b).isZero(); }));
  table.addElementwise<arith::RemSIOp>(division(signedRemainder));
  table.addElementwise<arith::RemUIOp>(
      division([](auto &a, auto &b) { return a.urem(b); }));
  table.addElementwise<arith::CeilDivSIOp>(division(signedQuotient<R::UP>));
  table.addElementwise<arith::FloorDivSIOp>(division(signedQuotient<R::DOWN>));
  table.addElementwise<arith::CeilDivUIOp>(division([](auto &a, auto &b) {
    return llvm::APIntOps::RoundingUDiv(a, b, APInt::Rounding::UP);
  }));
}

static bool compare(arith::CmpIPredicate predicate, const APInt &a,
                    const APInt &b) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return a.slt(b);
  case arith::CmpIPredicate::sle:
    return a.sle(b);
  case arith::CmpIPredicate::sgt:
    return a.sgt(b);
  case arith::CmpIPredicate::sge:
    return a.sge(b);
  case arith::CmpIPredicate::ult:
    return a.ult(b);
  case arith::CmpIPredicate::ule:
    return a.ule(b);
  case arith::CmpIPredicate::ugt:
    return a.ugt(b);
  case arith::CmpIPredicate::uge:
    return a.uge(b);
  }
  llvm_unreachable("all predicates are listed");
}

/// Two results: the sum or product's low half, and its carry or high half.
static void addExtended(OpTable &table) {
  table.addElementwise<arith::AddUIExtendedOp>(
      total(add), [](Operation *, ArrayRef<Element> x, Type type) {
        bool carry = false;
        (void)x[0].integer().uadd_ov(x[1].integer(), carry);
        return Element::ofInt(type, carry);
      });
  table.addElementwise<arith::MulSIExtendedOp>(
      total(multiply), total([](const APInt &a, const APInt &b) {
        return llvm::APIntOps::mulhs(a, b);
      }));
  table.addElementwise<arith::MulUIExtendedOp>(
      total(multiply), total([](const APInt &a, const APInt &b) {
        return llvm::APIntOps::mulhu(a, b);
      }));
}

static void addIntegers(OpTable &table) {
  table.addElementwise<arith::AddIOp>(flagged<arith::AddIOp>(add, add));
  table.addElementwise<arith::SubIOp>(
      flagged<arith::SubIOp>(subtract, subtract));
  table.addElementwise<arith::MulIOp>(
      flagged<arith::MulIOp>(multiply, multiply));
  table.addElementwise<arith::ShLIOp>(
      flagged<arith::ShLIOp>(shiftLeft, shiftLeft));
  table.addElementwise<arith::ShRSIOp>(exact<arith::ShRSIOp>(
      shift([](auto &a, auto &b) { return a.ashr(b); }), dropsBits));
  table.addElementwise<arith::ShRUIOp>(exact<arith::ShRUIOp>(
      shift([](auto &a, auto &b) { return a.lshr(b); }), dropsBits));
  table.addElementwise<arith::AndIOp>(
      total([](auto &a, auto &b) { return a & b; }));
  table.addElementwise<arith::OrIOp>(
      total([](auto &a, auto &b) { return a | b; }));
  table.addElementwise<arith::XOrIOp>(
      total([](auto &a, auto &b) { return a ^ b; }));
  table.addElementwise<arith::MaxSIOp>(
      total([](auto &a, auto &b) { return a.sgt(b) ? a : b; }));
  table.addElementwise<arith::MaxUIOp>(
      total([](auto &a, auto &b) { return a.ugt(b) ? a : b; }));
  table.addElementwise<arith::MinSIOp>(
      total([](auto &a, auto &b) { return a.slt(b) ? a : b; }));
  table.addElementwise<arith::MinUIOp>(
      total([](auto &a, auto &b) { return a.ult(b) ? a : b; }));
  table.addElementwise<arith::CmpIOp>([](Operation *op, ArrayRef<Element> x,
                                         Type type) {
    auto predicate = cast<arith::CmpIOp>(op).getPredicate();
    return Element::ofInt(type,
                          compare(predicate, x[0].integer(), x[1].integer()));
  });
  addDivisions(table);
  addExtended(table);
}

//===--- Floats -----------------------------------------------------------===//

/// A float op with one exact result, rounded to nearest even.
using FloatFn = APFloat (*)(APFloat, const APFloat &);

static EvalElement floating(FloatFn fn) {
  return [fn](Operation *, ArrayRef<Element> x, Type type) {
    return computeFloat(type, x,
                        [&](ArrayRef<APFloat> n) { return fn(n[0], n[1]); });
  };
}

static constexpr auto kNearest = APFloat::rmNearestTiesToEven;

static bool compare(arith::CmpFPredicate predicate, const APFloat &a,
                    const APFloat &b) {
  using P = arith::CmpFPredicate;
  APFloat::cmpResult result = a.compare(b);
  bool unordered = result == APFloat::cmpUnordered;
  bool less = result == APFloat::cmpLessThan;
  bool equal = result == APFloat::cmpEqual;
  bool greater = result == APFloat::cmpGreaterThan;
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::OEQ:
    return equal;
  case P::OGT:
    return greater;
  case P::OGE:
    return greater || equal;
  case P::OLT:
    return less;
  case P::OLE:
    return less || equal;
  case P::ONE:
    return less || greater;
  case P::ORD:
    return !unordered;
  case P::UEQ:
    return unordered || equal;
  case P::UGT:
    return unordered || greater;
  case P::UGE:
    return !less;
  case P::ULT:
    return unordered || less;
  case P::ULE:
    return !greater;
  case P::UNE:
    return !equal;
  case P::UNO:
    return unordered;
  case P::AlwaysTrue:
    return true;
  }
  llvm_unreachable("all predicates are listed");
}

static void addFloats(OpTable &table) {
  table.addElementwise<arith::AddFOp>(floating([](APFloat a, auto &b) {
    a.add(b, kNearest);
    return a;
  }));
  table.addElementwise<arith::SubFOp>(floating([](APFloat a, auto &b) {
    a.subtract(b, kNearest);
    return a;
  }));
  table.addElementwise<arith::MulFOp>(floating([](APFloat a, auto &b) {
    a.multiply(b, kNearest);
    return a;
  }));
  table.addElementwise<arith::DivFOp>(floating([](APFloat a, auto &b) {
    a.divide(b, kNearest);
    return a;
  }));
  table.addElementwise<arith::RemFOp>(floating([](APFloat a, auto &b) {
    a.mod(b);
    return a;
  }));
  // maximum and minimum spread NaN, maxnum and minnum prefer the number. They
  // do so for a signaling NaN, too, as NaN has no kinds here: llvm::maxnum
  // would not.
  table.addElementwise<arith::MaximumFOp>(
      floating([](APFloat a, auto &b) { return llvm::maximum(a, b); }));
  table.addElementwise<arith::MinimumFOp>(
      floating([](APFloat a, auto &b) { return llvm::minimum(a, b); }));
  table.addElementwise<arith::MaxNumFOp>(
      floating([](APFloat a, auto &b) { return llvm::maximumnum(a, b); }));
  table.addElementwise<arith::MinNumFOp>(
      floating([](APFloat a, auto &b) { return llvm::minimumnum(a, b); }));
  table.addElementwise<arith::NegFOp>([](Operation *, ArrayRef<Element> x,
                                         Type type) {
    return computeFloat(type, x,
                        [](ArrayRef<APFloat> n) { return llvm::neg(n[0]); });
  });
  table.addElementwise<arith::CmpFOp>([](Operation *op, ArrayRef<Element> x,
                                         Type type) {
    auto predicate = cast<arith::CmpFOp>(op).getPredicate();
    return Element::ofInt(type, compare(predicate, x[0].real(), x[1].real()));
  });
}

//===--- constant, select -------------------------------------------------===//

Element attributeElement(Type type, Attribute attribute) {
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return Element::ofFloat(type, number.getValue());
  return Element::ofInteger(type, cast<IntegerAttr>(attribute).getValue());
}

static LogicalResult evalConstant(arith::ConstantOp op,
                                  ProgramInstance &program) {
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense && !isa<IntegerAttr, FloatAttr>(op.getValue()))
    return errorAt(op) << "the interpreter reads integer, float and dense "
                          "constants, found "
                       << op.getValue();
  if (!dense)
    return program.set(
        op, TileValue::scalar(attributeElement(op.getType(), op.getValue())));
  TileValue result{op.getType(), {}};
  for (Attribute attribute : dense.getValues<Attribute>())
    result.elements.push_back(
        attributeElement(dense.getElementType(), attribute));
  return program.set(op, std::move(result));
}

static Element choose(const Element &chooser, const Element &whenTrue,
                      const Element &whenFalse) {
  const Element &chosen = chooser.isTrue() ? whenTrue : whenFalse;
  if (!chooser.hasSpread())
    return chosen;
  return uniteElements(chosen, chooser.isTrue() ? whenFalse : whenTrue);
}

/// Only the chosen side counts: poison in the other one is dropped.
static LogicalResult evalSelect(arith::SelectOp op, ProgramInstance &program) {
  const TileValue &condition = program.tile(op.getCondition());
  if (!isa<RankedTensorType>(op.getType()) &&
      !std::holds_alternative<TileValue>(program.get(op.getTrueValue()))) {
    FailureOr<int64_t> chosen = program.scalar(op, op.getCondition());
    if (failed(chosen))
      return failure();
    return program.set(
        op, program.get(*chosen ? op.getTrueValue() : op.getFalseValue()));
  }
  const TileValue &whenTrue = program.tile(op.getTrueValue());
  const TileValue &whenFalse = program.tile(op.getFalseValue());
  TileValue result{op.getType(), {}};
  for (size_t i = 0; i < whenTrue.elements.size(); ++i) {
    const Element &chooser =
        condition.elements[condition.elements.size() == 1 ? 0 : i];
    if (chooser.isPoison())
      result.elements.push_back(
          Element::poison(whenTrue.elementType(), chooser.poisonOrigin()));
    else
      result.elements.push_back(
          choose(chooser, whenTrue.elements[i], whenFalse.elements[i]));
  }
  return program.set(op, std::move(result));
}

void addArithOps(OpTable &table) {
  addIntegers(table);
  addFloats(table);
  table.add<arith::ConstantOp>(evalConstant);
  table.add<arith::SelectOp>(evalSelect);
}

} // namespace tilewright::reference
