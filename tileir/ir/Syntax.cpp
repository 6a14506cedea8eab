// Custom pieces of the textual syntax.
#include "tileir/ir/Support.h"

#include "llvm/Support/Format.h"

using namespace mlir;

namespace tilewright::tile {

namespace support {

ParseResult parseNumber(OpAsmParser &parser, NumberLiteral &number) {
  bool negative = succeeded(parser.parseOptionalMinus());
  StringRef word;
  if (succeeded(parser.parseOptionalKeyword(&word, {"inf", "nan"}))) {
    number.isFloat = true;
    number.real = word == "inf" ? std::numeric_limits<double>::infinity()
                                : std::numeric_limits<double>::quiet_NaN();
  } else if (OptionalParseResult integer =
                 parser.parseOptionalInteger(number.integer);
             integer.has_value()) {
    if (failed(*integer))
      return failure();
    // One bit more, so that the sign change cannot overflow.
    number.integer = number.integer.zext(number.integer.getBitWidth() + 1);
    if (negative)
      number.integer.negate();
    return success();
  } else {
    number.isFloat = true;
    if (parser.parseFloat(number.real))
      return failure();
  }
  if (negative)
    number.real = -number.real;
  return success();
}

FailureOr<TypedAttr> makeNumber(OpAsmParser &parser, SMLoc loc,
                                const NumberLiteral &number, Type element) {
  if (auto type = dyn_cast<FloatType>(element)) {
    if (!number.isFloat) {
      parser.emitError(loc)
          << "expected a number with a decimal point for " << element;
      return failure();
    }
    APFloat value(number.real);
    bool lost = false;
    value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &lost);
    return cast<TypedAttr>(FloatAttr::get(type, value));
  }
  if (number.isFloat || !isa<IntegerType, IndexType>(element)) {
    parser.emitError(loc) << "this number cannot be a " << element;
    return failure();
  }
  unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  if (number.integer.getSignificantBits() > width + 1 ||
      (number.integer.isNegative() &&
       number.integer.getSignificantBits() > width)) {
    parser.emitError(loc) << "this number does not fit into " << element;
    return failure();
  }
  return cast<TypedAttr>(
      IntegerAttr::get(element, number.integer.sextOrTrunc(width)));
}

/// The shortest decimal text that reads back as `value`, with a point.
static std::string decimalText(double value) {
  std::string text;
  for (int digits = 6; digits <= 17; ++digits) {
    text.clear();
    llvm::raw_string_ostream(text) << llvm::format("%.*g", digits, value);
    if (std::strtod(text.c_str(), nullptr) == value)
      break;
  }
  if (text.find('.') == std::string::npos)
    text.insert(std::min(text.find('e'), text.size()), ".0");
  return text;
}

void printNumber(OpAsmPrinter &printer, TypedAttr number) {
  if (auto integer = dyn_cast<IntegerAttr>(number)) {
    bool isBool = integer.getType().isInteger(1);
    integer.getValue().print(printer.getStream(), /*isSigned=*/!isBool);
    return;
  }
  APFloat value = cast<FloatAttr>(number).getValue();
  if (value.isNaN()) {
    printer << "nan";
    return;
  }
  bool lost = false;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
  double real = value.convertToDouble();
  if (value.isInfinity())
    printer << (value.isNegative() ? "-inf" : "inf");
  else
    printer << decimalText(real);
}

} // namespace support

ParseResult
parseAddress(OpAsmParser &parser,
             SmallVectorImpl<OpAsmParser::UnresolvedOperand> &offsets,
             UnitAttr &byElement, DenseI64ArrayAttr &steps) {
  if (succeeded(parser.parseOptionalKeyword("at")))
    byElement = parser.getBuilder().getUnitAttr();
  if (parser.parseOperandList(offsets, OpAsmParser::Delimiter::Square))
    return failure();
  if (byElement && succeeded(parser.parseOptionalKeyword("step"))) {
    auto parsed = DenseI64ArrayAttr::parse(parser, {});
    if (!parsed)
      return failure();
    steps = cast<DenseI64ArrayAttr>(parsed);
  }
  if (!steps)
    steps = parser.getBuilder().getDenseI64ArrayAttr({});
  return success();
}

void printAddress(OpAsmPrinter &printer, Operation *, OperandRange offsets,
                  UnitAttr byElement, DenseI64ArrayAttr steps) {
  if (byElement)
    printer << " at ";
  printer << '[';
  printer.printOperands(offsets);
  printer << ']';
  if (steps && !steps.empty()) {
    printer << " step ";
    steps.print(printer);
  }
}

/// ` acquire device`; nothing for a weak access.
ParseResult parseOrder(OpAsmParser &parser, MemoryOrderAttr &order,
                       MemoryScopeAttr &scope) {
  MLIRContext *context = parser.getContext();
  order = MemoryOrderAttr::get(context, MemoryOrder::weak);
  StringRef word;
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword(
          &word,
          {"weak", "relaxed", "acquire", "release", "acq_rel", "seq_cst"})))
    return success();
  order = MemoryOrderAttr::get(context, *symbolizeMemoryOrder(word));
  if (order.getValue() == MemoryOrder::weak)
    return success();
  loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return failure();
  std::optional<MemoryScope> value = symbolizeMemoryScope(word);
  if (!value)
    return parser.emitError(loc)
           << "expected a scope: program, cluster, device or system";
  scope = MemoryScopeAttr::get(context, *value);
  return success();
}

void printOrder(OpAsmPrinter &printer, Operation *, MemoryOrderAttr order,
                MemoryScopeAttr scope) {
  if (!order || order.getValue() == MemoryOrder::weak)
    return;
  printer << ' ' << stringifyMemoryOrder(order.getValue());
  if (scope)
    printer << ' ' << stringifyMemoryScope(scope.getValue());
}

/// The types of mask and values follow from that of the pointers.
ParseResult parsePtrTypes(OpAsmParser &parser, Type &pointer, Type &mask,
                          const OptionalOperand &maskOperand, Type &value) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(pointer))
    return failure();
  if (!isPtrLike(pointer))
    return parser.emitError(loc)
           << "expected a pointer or a tile of pointers, found " << pointer;
  if (maskOperand)
    mask = withElementType(pointer, parser.getBuilder().getI1Type());
  value = support::accessedType(pointer);
  return success();
}

ParseResult parsePtrTypes(OpAsmParser &parser, Type &pointer, Type &mask,
                          const OptionalOperand &maskOperand, Type &other,
                          const OptionalOperand &otherOperand) {
  Type value;
  if (parsePtrTypes(parser, pointer, mask, maskOperand, value))
    return failure();
  if (otherOperand)
    other = value;
  return success();
}

void printPtrTypes(OpAsmPrinter &printer, Operation *, Type pointer, Type,
                   Value, Type) {
  printer << pointer;
}

void printPtrTypes(OpAsmPrinter &printer, Operation *, Type pointer, Type,
                   Value, Type, Value) {
  printer << pointer;
}

ParseResult parseSameTypes(OpAsmParser &, ArrayRef<Type> inputs,
                           SmallVectorImpl<Type> &results) {
  results.assign(inputs.begin(), inputs.end());
  return success();
}

void printSameTypes(OpAsmPrinter &, Operation *, TypeRange, TypeRange) {}

/// `SOURCE -> RESULT`, an optional operand having the source's shape.
static ParseResult parseArrow(OpAsmParser &parser, Type &source, Type &between,
                              const OptionalOperand &operand, Type element,
                              Type &result) {
  if (parser.parseType(source) || parser.parseArrow() ||
      parser.parseType(result))
    return failure();
  if (operand)
    between = withElementType(source, element);
  return success();
}

ParseResult parseHistogramTypes(OpAsmParser &parser, Type &source, Type &mask,
                                const OptionalOperand &maskOperand,
                                Type &result) {
  return parseArrow(parser, source, mask, maskOperand,
                    parser.getBuilder().getI1Type(), result);
}

void printHistogramTypes(OpAsmPrinter &printer, Operation *, Type source, Type,
                         Value, Type result) {
  printer << source << " -> " << result;
}

ParseResult parseConvertTypes(OpAsmParser &parser, Type &source, Type &random,
                              const OptionalOperand &randomOperand,
                              Type &result) {
  return parseArrow(parser, source, random, randomOperand,
                    parser.getBuilder().getI32Type(), result);
}

void printConvertTypes(OpAsmPrinter &printer, Operation *, Type source, Type,
                       Value, Type result) {
  printer << source << " -> " << result;
}

} // namespace tilewright::tile
