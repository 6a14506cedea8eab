#include "tileir/authoring/construction/Literals.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tileir/authoring/construction/Handles.h"
#include "llvm/Support/Format.h"

using namespace mlir;

namespace tilewright::authoring {

using detail::Literal;
using detail::Operand;

static std::string textOf(const Literal &literal) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (literal.kind == Literal::real)
    stream << llvm::format("%g", literal.number);
  else if (literal.kind == Literal::unsignedInteger)
    stream << uint64_t(literal.integer);
  else
    stream << literal.integer;
  return text;
}

/// Whether an integer is one of `bits` bits.
static bool fits(const Literal &literal, unsigned bits, bool isSigned) {
  bool isNegative =
      literal.kind == Literal::signedInteger && literal.integer < 0;
  if (isSigned)
    return literal.kind == Literal::unsignedInteger
               ? llvm::isUIntN(bits - 1, uint64_t(literal.integer))
               : llvm::isIntN(bits, literal.integer);
  return !isNegative && llvm::isUIntN(bits, uint64_t(literal.integer));
}

/// An element type in the words of the kernel's source, and its numbers: "an
/// I8: expected -128 to 127".
static std::string rangeText(Type type, bool isSigned) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (auto real = dyn_cast<FloatType>(type)) {
    std::string name;
    llvm::raw_string_ostream(name) << type;
    SmallString<16> most;
    llvm::APFloat::getLargest(real.getFloatSemantics()).toString(most, 6);
    stream << "an " << StringRef(name).upper() << ": expected ";
    if (isa<Float8E8M0FNUType>(type))
      stream << "a power of two from 2^-127 to 2^127";
    else
      stream << "at most " << most << " in size";
    return text;
  }
  if (type.isInteger(1))
    return "a Bool: expected true or false";
  unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  if (type.isIndex())
    stream << "an Index";
  else
    stream << (isSigned ? "an I" : "a U") << bits;
  stream << ": expected ";
  if (isSigned)
    llvm::APInt::getSignedMinValue(bits).print(stream, true);
  else
    stream << 0;
  stream << " to ";
  if (isSigned)
    llvm::APInt::getSignedMaxValue(bits).print(stream, true);
  else
    llvm::APInt::getMaxValue(bits).print(stream, false);
  return text;
}

TypedAttr numberOf(KernelBuilder &c, const Literal &literal, Type type,
                   bool isSigned, const std::source_location &where) {
  auto outOfRange = [&] {
    c.error(where, "literal_range",
            "the number " + textOf(literal) + " is not " +
                rangeText(type, isSigned));
    return TypedAttr();
  };
  if (auto real = dyn_cast<FloatType>(type)) {
    llvm::APFloat number(literal.kind == Literal::unsignedInteger
                             ? static_cast<double>(uint64_t(literal.integer))
                             : literal.number);
    const llvm::fltSemantics &semantics = real.getFloatSemantics();
    if ((number.isNaN() && !llvm::APFloat::semanticsHasNaN(semantics)) ||
        (number.isInfinity() && !llvm::APFloat::semanticsHasInf(semantics)))
      return outOfRange();
    bool isFinite = number.isFinite(), loses = false;
    number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &loses);
    // This type has neither zero nor negative numbers.
    if (isa<Float8E8M0FNUType>(type) && literal.number <= 0)
      return outOfRange();
    if (isFinite != number.isFinite())
      return outOfRange();
    return FloatAttr::get(real, number);
  }
  unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  if (!fits(literal, bits, isSigned && bits > 1))
    return outOfRange();
  return c.builder.getIntegerAttr(
      type, llvm::APInt(bits, uint64_t(literal.integer), isSigned,
                        /*implicitTrunc=*/true));
}

Value constantOf(KernelBuilder &c, const Literal &literal, Type type,
                 bool isSigned, const std::source_location &where) {
  auto tile = dyn_cast<RankedTensorType>(type);
  TypedAttr number =
      numberOf(c, literal, getElementTypeOrSelf(type), isSigned, where);
  if (!number || c.hasFailed())
    return {};
  if (tile)
    number = DenseElementsAttr::get(tile, Attribute(number));
  return arith::ConstantOp::create(c.builder, c.locationOf(where), number);
}

Value scalarOf(KernelBuilder &c, const Operand &operand, Type type,
               bool isSigned) {
  if (operand.literal.kind != Literal::none)
    return constantOf(c, operand.literal, type, isSigned, operand.where);
  return valueOf(c, operand.handle, operand.where);
}

Value indexOf(KernelBuilder &c, const Operand &operand) {
  return scalarOf(c, operand, c.builder.getIndexType(), true);
}

} // namespace tilewright::authoring
