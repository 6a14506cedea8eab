//===- NeutralElement.cpp - What a combiner leaves as it is ---------------===//
#include "tileir/ir/NeutralElement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tileir/ir/OpTable.h"

using namespace mlir;

namespace tilewright::tile {

namespace {
using MakeNeutral = TypedAttr (*)(Type);
} // namespace

template <APInt (*value)(unsigned width)>
static TypedAttr integerOf(Type type) {
  const unsigned width = type.isIndex() ? IndexType::kInternalStorageBitWidth
                                        : type.getIntOrFloatBitWidth();
  return IntegerAttr::get(type, value(width));
}

/// The number that is never greater (or, with `isGreatest`, never less) than
/// another one.
static TypedAttr extremeOf(Type type, bool isGreatest) {
  const auto &semantics = cast<FloatType>(type).getFloatSemantics();
  const bool isNegative = !isGreatest;
  if (APFloat::semanticsHasInf(semantics))
    return FloatAttr::get(type, APFloat::getInf(semantics, isNegative));
  if (isNegative && !APFloat::semanticsHasSignedRepr(semantics))
    return FloatAttr::get(type, APFloat::getSmallest(semantics));
  return FloatAttr::get(type, APFloat::getLargest(semantics, isNegative));
}

static tile::OpTable<MakeNeutral> makeNeutralElements() {
  tile::OpTable<MakeNeutral> table;
  // +0 would change a sum of negative zeros.
  table.add<arith::AddFOp>([](Type type) -> TypedAttr {
    const auto &semantics = cast<FloatType>(type).getFloatSemantics();
    if (!APFloat::semanticsHasZero(semantics))
      return {};
    return FloatAttr::get(type, APFloat::getZero(semantics, true));
  });
  table.add<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(
      [](Type type) -> TypedAttr {
        return Builder(type.getContext()).getZeroAttr(type);
      });
  table.add<arith::MulFOp, arith::MulIOp>([](Type type) -> TypedAttr {
    return Builder(type.getContext()).getOneAttr(type);
  });
  // These two return the other side of a NaN, and NaN for two.
  table.add<arith::MaxNumFOp, arith::MinNumFOp>([](Type type) -> TypedAttr {
    const auto &semantics = cast<FloatType>(type).getFloatSemantics();
    if (!APFloat::semanticsHasNaN(semantics))
      return {};
    return FloatAttr::get(type, APFloat::getNaN(semantics));
  });
  table.add<arith::MaximumFOp>(
      [](Type type) { return extremeOf(type, false); });
  table.add<arith::MinimumFOp>([](Type type) { return extremeOf(type, true); });
  table.add<arith::AndIOp, arith::MinUIOp>(integerOf<APInt::getAllOnes>);
  table.add<arith::MaxSIOp>(integerOf<APInt::getSignedMinValue>);
  table.add<arith::MinSIOp>(integerOf<APInt::getSignedMaxValue>);
  return table;
}

TypedAttr neutralElement(Operation *combiner) {
  static const tile::OpTable<MakeNeutral> table = makeNeutralElements();
  const MakeNeutral *make = table.find(combiner);
  return make ? (*make)(combiner->getResult(0).getType()) : TypedAttr();
}

} // namespace tilewright::tile
