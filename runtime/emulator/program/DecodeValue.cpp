#include "runtime/emulator/program/DecodeValue.h"
#include "runtime/emulator/program/AddressMap.h"
#include "runtime/emulator/program/SpecialRegisters.h"
#include "runtime/emulator/ptx/Lexer.h"
#include "support/Format.h"
#include <algorithm>
#include <bit>

namespace tilewright::emulator {

using ptx::errorAt;
using OperandKind = ptx::Operand::Kind;

//===--- Names ------------------------------------------------------------===//

/// PTX section 9.4: which registers an instruction's type takes.
static bool agrees(Type wanted, Type found, bool wider) {
  const TypeInfo &want = typeInfo(wanted), &have = typeInfo(found);
  if (wanted == Type::pred || found == Type::pred)
    return wanted == found;
  if (want.bits != have.bits) {
    // 8-bit values live in wider registers.
    bool narrow = want.bits < 16 && have.bits >= 16;
    if (have.bits < want.bits || (!wider && !narrow))
      return false;
    if (wider && !narrow && have.typeClass == TypeClass::floatingPoint)
      return false;
    return true;
  }
  auto isInteger = [](const TypeInfo &type) {
    return type.typeClass == TypeClass::signedInteger ||
           type.typeClass == TypeClass::unsignedInteger;
  };
  bool untyped = want.typeClass == TypeClass::untyped ||
                 have.typeClass == TypeClass::untyped;
  return untyped || wanted == found || (isInteger(want) && isInteger(have)) ||
         // f32 registers hold what tf32 instructions take.
         (wanted == Type::tf32 && found == Type::f32);
}

/// `%r1`, `%tid.x`, as written.
static std::string spelled(const ptx::Operand &operand) {
  std::string name(operand.name);
  if (operand.component)
    name += std::string(".") + operand.component;
  return name;
}

static Status disagree(const ptx::Operand &operand, const OperandSpec &spec,
                       Type wanted, Type found) {
  return errorAt(operand.at,
                 format("expected {}{} for '{}', found {}, a .{}",
                        {typeBits(wanted) == 1 ? "" : ".", typeName(wanted),
                         spec.name, spelled(operand), typeName(found)}));
}

/// Notes the width of the first `~` result or source.
static void noteWidth(Instruction &out, const OperandSpec &spec, Type type) {
  uint8_t &bytes = spec.isResult ? out.resultBytes : out.sourceBytes;
  if (!bytes)
    bytes = uint8_t(std::max(2u, typeBits(type) / 8));
}

static StatusOr<Ref> decodeRegister(const ptx::Operand &operand,
                                    const OperandSpec &spec, Type type,
                                    const Symbol &symbol, Instruction &out) {
  if (!agrees(type, symbol.type, spec.wider))
    return disagree(operand, spec, type, symbol.type);
  if (operand.value)
    return errorAt(operand.at, "expected no offset behind a register");
  unsigned index =
      operand.component
          ? unsigned(std::string_view("xyzw").find(operand.component))
          : 0;
  if (index >= symbol.width || (symbol.width > 1 && !operand.component))
    return errorAt(operand.at,
                   "expected one element of the vector " + spelled(operand));
  if (spec.wider && type != Type::pred)
    noteWidth(out, spec, symbol.type);
  return Ref::make(Ref::frame,
                   symbol.reg.offset() + index * registerBytes(symbol.type));
}

static StatusOr<Ref> decodeSpecial(OperandContext &operands,
                                   const ptx::Operand &operand,
                                   const OperandSpec &spec, Type type,
                                   unsigned index) {
  const SpecialRegister &special = specialRegisters()[index];
  // The 16-bit forms of before PTX 2.0 read the lower half.
  if (!agrees(type, special.type, false) && typeBits(type) != 16)
    return disagree(operand, spec, type, special.type);
  if (special.name.starts_with("%clock") ||
      special.name.starts_with("%globaltimer"))
    operands.out.clock =
        special.name.ends_with("_hi") ? ClockPart::high : ClockPart::low;
  return operands.function.builder.special(index);
}

/// The address of a variable, in its state space, or of a function.
static StatusOr<Ref> decodeAddressOf(OperandContext &operands,
                                     const ptx::Operand &operand, Type type,
                                     const Symbol &symbol) {
  FunctionContext &function = operands.function;
  bool isFunction = symbol.kind == Symbol::Kind::function;
  if (isFunction)
    function.builder.requireIndirectTargets();
  uint64_t address = isFunction ? functionWindow + symbol.index * functionStride
                                : symbol.address;
  if (typeBits(type) < 32)
    return errorAt(operand.at, "expected 32 or 64 bits for an address");
  operands.out.frameRelative = !isFunction && function.isFrameRelative(symbol);
  return function.builder.constant(address + operand.value, typeBits(type) / 8);
}

static StatusOr<Ref> decodeName(OperandContext &operands,
                                const ptx::Operand &operand,
                                const OperandSpec &spec, Type type) {
  std::optional<Symbol> symbol = operands.function.find(operand);
  if (symbol && symbol->kind == Symbol::Kind::reg)
    return decodeRegister(operand, spec, type, *symbol, operands.out);
  std::string name = spelled(operand);
  if (spec.isResult)
    return errorAt(operand.at,
                   "expected a register for the result, found " + name);
  if (std::optional<unsigned> index = findSpecial(name))
    return decodeSpecial(operands, operand, spec, type, *index);
  if (symbol && (symbol->kind == Symbol::Kind::memory ||
                 symbol->kind == Symbol::Kind::function))
    return decodeAddressOf(operands, operand, type, *symbol);
  return errorAt(operand.at, "unknown name " + name);
}

//===--- Constants --------------------------------------------------------===//

static StatusOr<Ref> decodeConstant(ProgramBuilder &builder,
                                    const ptx::Operand &operand, Type type) {
  const TypeInfo &info = typeInfo(type);
  unsigned bytes = type == Type::pred ? 1 : std::max(2u, info.bits / 8);
  if (operand.kind == OperandKind::integer) {
    if (type == Type::f32 || type == Type::f64)
      return errorAt(operand.at, "expected a real such as 0f3F800000 for ." +
                                     std::string(info.name));
    return builder.constant(operand.value, bytes);
  }
  uint64_t value = operand.value;
  bool wantsDouble = info.bits == 64;
  if (info.bits < 32 || info.typeClass == TypeClass::unsignedInteger ||
      info.typeClass == TypeClass::signedInteger)
    return errorAt(
        operand.at,
        format("expected an integer for .{}, found a real", {info.name}));
  if (operand.isDouble && !wantsDouble)
    value = std::bit_cast<uint32_t>(float(std::bit_cast<double>(value)));
  else if (!operand.isDouble && wantsDouble)
    value =
        std::bit_cast<uint64_t>(double(std::bit_cast<float>(uint32_t(value))));
  return builder.constant(value, bytes);
}

//===--- Values -----------------------------------------------------------===//

static StatusOr<Ref> decodeRef(OperandContext &operands,
                               const ptx::Operand &operand,
                               const OperandSpec &spec, Type type) {
  switch (operand.kind) {
  case OperandKind::name:
    if (spec.immediate)
      return errorAt(operand.at,
                     format("expected a constant for '{}'", {spec.name}));
    return decodeName(operands, operand, spec, type);
  case OperandKind::integer:
  case OperandKind::real:
    if (spec.isResult)
      return errorAt(operand.at, "expected a register for the result");
    return decodeConstant(operands.function.builder, operand, type);
  case OperandKind::sink:
    if (!spec.isResult)
      return errorAt(operand.at, "expected a value, found '_'");
    return Ref::sink();
  default:
    return errorAt(operand.at,
                   "expected a register" +
                       std::string(spec.isResult ? "" : " or a constant"));
  }
}

/// A separate operand behind the register.
static Status decodeSelector(OperandContext &operands,
                             const ptx::Operand &operand,
                             const OperandSpec &spec) {
  std::optional<uint32_t> value =
      selectorValue(spec.selector, operand.selector, spec.name == "b");
  if (!value)
    return errorAt(operand.at, format("expected {} behind '{}'",
                                      {operand.selector.empty()
                                           ? "a selector such as .b0"
                                           : "no selector ." +
                                                 std::string(operand.selector),
                                       spec.name}));
  operands.refs.push_back(operands.function.builder.constant(*value, 4));
  return {};
}

Status decodeValue(OperandContext &operands, const ptx::Operand &operand,
                   const OperandSpec &spec, Type type) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Ref ref,
                              decodeRef(operands, operand, spec, type));
  if (operand.negated && operand.kind == OperandKind::name) {
    if (!spec.negatable)
      return errorAt(operand.at, "expected no negation here");
    operands.out.negated |= uint32_t{1} << operands.refs.size();
  }
  operands.refs.push_back(ref);
  if (spec.selector != SelectorKind::none || !operand.selector.empty())
    TILEWRIGHT_RETURN_IF_ERROR(decodeSelector(operands, operand, spec));
  // What is not a register is as wide as the type.
  if (spec.wider && operand.kind != OperandKind::name)
    noteWidth(operands.out, spec, type);
  return {};
}

} // namespace tilewright::emulator
