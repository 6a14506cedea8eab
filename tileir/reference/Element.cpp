#include "tileir/reference/Element.h"

#include "mlir/IR/BuiltinTypes.h"
#include "tileir/reference/Rounding.h"
#include "llvm/ADT/SmallString.h"

using namespace mlir;
using llvm::APFloat;
using llvm::APInt;

namespace tilewright::reference {

unsigned widthOf(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

Element Element::ofInteger(Type type, APInt value) {
  assert(value.getBitWidth() == widthOf(type));
  return Element(type, std::move(value));
}

Element Element::ofInt(Type type, int64_t value) {
  return Element(type, APInt(widthOf(type), value, /*isSigned=*/true,
                             /*implicitTrunc=*/true));
}

Element Element::ofFloat(Type type, APFloat value) {
  return Element(type, std::move(value));
}

Element Element::ofDouble(Type type, double value) {
  return Element(type, roundFloat(APFloat(value),
                                  cast<FloatType>(type).getFloatSemantics()));
}

Element Element::ofPointer(Type type, Pointer value) {
  return Element(type, value);
}

Element Element::zero(Type type) {
  if (!type.isIntOrIndexOrFloat())
    return Element(type, Pointer());
  return fromBits(type, APInt::getZero(widthOf(type)));
}

Element Element::poison(Type type, Operation *origin) {
  return Element(type, Poison{origin});
}

Element Element::fromBits(Type type, const APInt &bits) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return Element(type, APFloat(floatType.getFloatSemantics(), bits));
  return Element(type, bits);
}

double Element::toDouble() const { return asDouble(real()); }

APInt Element::toBits() const {
  if (auto *number = std::get_if<APFloat>(&value))
    return number->bitcastToAPInt();
  return integer();
}

/// A float or a signed integer as double; that of an integer of 64 bits may be
/// rounded, as may be the ends of a set of them.
static double numberOf(const Element &element) {
  if (isa<FloatType>(element.getType()))
    return element.toDouble();
  if (element.getType().isInteger(1))
    return element.isTrue();
  return static_cast<double>(element.toInt());
}

Element Element::among(const Permitted &set) const {
  return withSpread(Spread::of(set, set.isAny ? 0 : numberOf(*this)));
}

Permitted Element::permitted() const {
  if (isPoison() || std::holds_alternative<Pointer>(value) || spread.isAny())
    return spread ? Permitted::any() : Permitted();
  return spread.around(numberOf(*this));
}

bool Element::permits(const Element &found) const {
  if (spread && (spread.isAny() || found.isPoison()))
    return spread.isAny();
  if (spread)
    return permitted().contains(numberOf(found));
  if (isPoison() || found.isPoison())
    return isPoison();
  if (std::holds_alternative<APFloat>(value) && real().isNaN())
    return found.real().isNaN();
  return toBits() == found.toBits();
}

std::string Element::text() const {
  if (isPoison())
    return "poison";
  if (std::holds_alternative<Pointer>(value))
    return "pointer";
  llvm::SmallString<32> text;
  if (auto *number = std::get_if<APFloat>(&value))
    number->toString(text);
  else
    integer().toString(text, 10, /*Signed=*/!type.isInteger(1));
  return text.str().str();
}

} // namespace tilewright::reference
