#include "runtime/emulator/program/DecodeOperand.h"
#include "runtime/emulator/program/DecodeAddress.h"
#include "runtime/emulator/program/DecodeValue.h"
#include "runtime/emulator/ptx/Lexer.h"
#include "support/Format.h"
#include <algorithm>

namespace tilewright::emulator {

using ptx::errorAt;
using OperandKind = ptx::Operand::Kind;

/// The type of a spec: a slot's, or a type itself.
static Type typeOf(const OperandSpec &spec, const Match &match) {
  if (match.has(spec.type))
    return match.type(spec.type);
  return typeFromName(spec.type).value_or(Type::b32);
}

//===--- Vectors ----------------------------------------------------------===//

/// `{a, b}`, or a vector register, of `length` elements.
static Status decodeElements(OperandContext &operands,
                             const ptx::Operand &operand,
                             const OperandSpec &spec, Type type,
                             unsigned length) {
  std::optional<Symbol> symbol = operands.function.find(operand);
  if (symbol && symbol->kind == Symbol::Kind::reg && symbol->width == length &&
      length > 1 && !operand.component) {
    for (unsigned i = 0; i < length; ++i)
      operands.refs.push_back(Ref::make(
          Ref::frame, symbol->reg.offset() + i * registerBytes(type)));
    return {};
  }
  if (operand.kind != OperandKind::vector || operand.elements.size() != length)
    return errorAt(operand.at,
                   format("expected a vector of {}{}",
                          {length, operand.kind == OperandKind::vector
                                       ? format(", found one of {}",
                                                {operand.elements.size()})
                                       : " elements in braces"}));
  for (const ptx::Operand &element : operand.elements)
    TILEWRIGHT_RETURN_IF_ERROR(decodeValue(operands, element, spec, type));
  return {};
}

/// As long as it is written; a scalar is a vector of length 1.
static Status decodeAnyLength(OperandContext &operands,
                              const ptx::Operand &operand,
                              const OperandSpec &spec, Type type) {
  bool isVector = operand.kind == OperandKind::vector;
  size_t length = isVector ? operand.elements.size() : 1;
  if (length > 255)
    return errorAt(operand.at, "expected at most 255 registers");
  auto &lengths = operands.out.vectorLengths;
  auto free = std::find(lengths.begin(), lengths.end(), 0);
  if (free != lengths.end())
    *free = uint8_t(length);
  return isVector
             ? decodeElements(operands, operand, spec, type, unsigned(length))
             : decodeValue(operands, operand, spec, type);
}

static Status decodeVector(OperandContext &operands,
                           const ptx::Operand &operand, const OperandSpec &spec,
                           const Match &match) {
  Type type = typeOf(spec, match);
  if (spec.anyLength)
    return decodeAnyLength(operands, operand, spec, type);
  if (spec.length)
    return decodeElements(operands, operand, spec, type, spec.length);
  // From the instruction's .v2 or .v4; a scalar without one.
  std::string_view vec = match["vec"];
  unsigned length = vec.empty() ? 1 : unsigned(vec[1] - '0');
  operands.out.width = uint8_t(length);
  if (length == 1 && operand.kind != OperandKind::vector)
    return decodeValue(operands, operand, spec, type);
  return decodeElements(operands, operand, spec, type, length);
}

//===--- Addresses and labels ---------------------------------------------===//

/// `[a]`, or `[map, {x, y}]` with coordinates.
static Status decodeBrackets(OperandContext &operands,
                             const ptx::Operand &operand,
                             const OperandSpec &spec, const Match &match) {
  size_t parts = spec.coordinates ? 2 : 1;
  if (operand.kind != OperandKind::address || operand.elements.size() != parts)
    return errorAt(operand.at, spec.coordinates
                                   ? "expected a tensor map and coordinates, "
                                     "such as [%rd1, {%r1, %r2}]"
                                   : "expected an address such as [%rd1+8]");
  std::string_view space = match[spec.space];
  // A space by its name; "ss" is none.
  if (space.empty())
    space = spec.space;
  TILEWRIGHT_RETURN_IF_ERROR(decodeAddress(operands, operand, space));
  if (!spec.coordinates)
    return {};
  OperandSpec coordinates;
  coordinates.name = spec.name;
  coordinates.type = spec.type;
  return decodeElements(operands, operand.elements[1], coordinates,
                        typeOf(coordinates, match),
                        unsigned(match["dim"][0] - '0'));
}

static Status decodeLabel(OperandContext &operands,
                          const ptx::Operand &operand) {
  std::optional<Symbol> symbol = operands.function.find(operand);
  if (!symbol || symbol->kind != Symbol::Kind::label)
    return errorAt(operand.at, "expected a label of this function");
  operands.out.target = symbol->index;
  return {};
}

Status decodeOperand(OperandContext &operands, const ptx::Operand &operand,
                     const OperandSpec &spec, const Match &match) {
  if (spec.kind == OperandSpec::Kind::address)
    return decodeBrackets(operands, operand, spec, match);
  if (spec.kind == OperandSpec::Kind::label)
    return decodeLabel(operands, operand);
  if (spec.vector)
    return decodeVector(operands, operand, spec, match);
  return decodeValue(operands, operand, spec, typeOf(spec, match));
}

} // namespace tilewright::emulator
