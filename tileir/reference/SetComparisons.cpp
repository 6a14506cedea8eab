// Tests of numbers that are one of a set: comparisons and classes of floats.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "tileir/reference/SetTable.h"
#include <cmath>

using namespace mlir;

namespace tilewright::reference {

/// 0 or 1, or both.
static Permitted truth(bool canHold, bool canFail) {
  return canHold && canFail ? Permitted::any() : Permitted::value(canHold);
}

/// The outcomes of a comparison for which a predicate holds.
enum Outcome : unsigned { kEqual = 1, kGreater = 2, kLess = 4, kUnordered = 8 };

static unsigned outcomesOf(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  switch (predicate) {
  case P::AlwaysFalse:
    return 0;
  case P::OEQ:
    return kEqual;
  case P::OGT:
    return kGreater;
  case P::OGE:
    return kGreater | kEqual;
  case P::OLT:
    return kLess;
  case P::OLE:
    return kLess | kEqual;
  case P::ONE:
    return kLess | kGreater;
  case P::ORD:
    return kLess | kEqual | kGreater;
  case P::UEQ:
    return kUnordered | kEqual;
  case P::UGT:
    return kUnordered | kGreater;
  case P::UGE:
    return kUnordered | kGreater | kEqual;
  case P::ULT:
    return kUnordered | kLess;
  case P::ULE:
    return kUnordered | kLess | kEqual;
  case P::UNE:
    return kUnordered | kLess | kGreater;
  case P::UNO:
    return kUnordered;
  case P::AlwaysTrue:
    return kUnordered | kLess | kEqual | kGreater;
  }
  llvm_unreachable("all predicates are listed");
}

/// The outcomes that numbers of two sets may have.
static unsigned outcomesOf(const Permitted &a, const Permitted &b) {
  unsigned outcomes = a.mayBeNaN || b.mayBeNaN ? kUnordered : 0;
  if (!a.hasNumbers() || !b.hasNumbers())
    return outcomes;
  outcomes |= a.least < b.greatest ? kLess : 0;
  outcomes |= a.greatest > b.least ? kGreater : 0;
  const bool overlap = a.least <= b.greatest && b.least <= a.greatest;
  return outcomes | (overlap ? kEqual : 0);
}

static Permitted compareFloats(const SetCall &call) {
  const unsigned holds =
      outcomesOf(cast<arith::CmpFOp>(call.op).getPredicate());
  const unsigned found = outcomesOf(call.x[0], call.x[1]);
  return truth((found & holds) != 0, (found & ~holds) != 0);
}

static Permitted compareInts(const SetCall &call) {
  using P = arith::CmpIPredicate;
  const P predicate = cast<arith::CmpIOp>(call.op).getPredicate();
  const Permitted &a = call.x[0], &b = call.x[1];
  if (a.isAny || b.isAny)
    return Permitted::any();
  const bool isSigned = predicate <= P::sge;
  if (!isSigned && (a.least < 0 || b.least < 0))
    return Permitted::any();
  const unsigned found = outcomesOf(a, b);
  auto holdsFor = [&](unsigned outcomes) {
    return truth((found & outcomes) != 0, (found & ~outcomes) != 0);
  };
  switch (predicate) {
  case P::eq:
    return holdsFor(kEqual);
  case P::ne:
    return holdsFor(kLess | kGreater);
  case P::slt:
  case P::ult:
    return holdsFor(kLess);
  case P::sle:
  case P::ule:
    return holdsFor(kLess | kEqual);
  case P::sgt:
  case P::ugt:
    return holdsFor(kGreater);
  case P::sge:
  case P::uge:
    return holdsFor(kGreater | kEqual);
  }
  llvm_unreachable("all predicates are listed");
}

static Permitted classify(const SetCall &call) {
  const Permitted &x = call.x[0];
  if (x.isAny)
    return Permitted::any();
  const bool numbers = x.hasNumbers();
  const bool infinite =
      numbers && (std::isinf(x.least) || std::isinf(x.greatest));
  const bool finite = numbers && !(x.least == x.greatest && infinite);
  if (isa<math::IsNaNOp>(call.op))
    return truth(x.mayBeNaN, numbers);
  if (isa<math::IsInfOp>(call.op))
    return truth(infinite, finite || x.mayBeNaN);
  return truth(finite, infinite || x.mayBeNaN);
}

void addComparisonSets(SetTable &table) {
  table["arith.cmpf"] = compareFloats;
  table["arith.cmpi"] = compareInts;
  for (const char *name : {"math.isfinite", "math.isinf", "math.isnan"})
    table[name] = classify;
}

} // namespace tilewright::reference
