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
