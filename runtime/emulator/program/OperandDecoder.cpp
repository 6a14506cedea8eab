// The operands of instructions: registers, constants, vectors, addresses.
#include "runtime/emulator/program/AddressMap.h"
#include "runtime/emulator/program/Decoder.h"
#include "runtime/emulator/program/SpecialRegisters.h"
#include "runtime/emulator/ptx/Lexer.h"
#include "support/Format.h"
#include <algorithm>
#include <bit>

namespace tilewright::emulator {

using ptx::errorAt;
using OperandKind = ptx::Operand::Kind;

/// The type of a spec: a slot's, or a type itself.
static Type typeOf(const OperandSpec &spec, const Match &match) {
  if (match.has(spec.type))
    return match.type(spec.type);
  return typeFromName(spec.type).value_or(Type::b32);
}

Status FunctionDecoder::decodeOperand(const ptx::Operand &operand,
                                      const OperandSpec &spec,
                                      const Match &match, Instruction &out,
                                      std::vector<Ref> &refs) {
  if (spec.kind == OperandSpec::Kind::address)
    return decodeAddress(operand, spec, match, out, refs);
  if (spec.kind == OperandSpec::Kind::label) {
    std::optional<Symbol> symbol = lookUp(operand);
    if (!symbol || symbol->kind != Symbol::Kind::label)
      return errorAt(operand.at, "expected a label of this function");
    out.target = symbol->index;
    return {};
  }
  if (spec.vector)
    return decodeVector(operand, spec, match, out, refs);
  return decodeValue(operand, spec, typeOf(spec, match), out, refs);
}

/// `{a, b}`, or a vector register; a scalar where the form has no length.
Status FunctionDecoder::decodeVector(const ptx::Operand &operand,
                                     const OperandSpec &spec,
                                     const Match &match, Instruction &out,
                                     std::vector<Ref> &refs) {
  Type type = typeOf(spec, match);
  unsigned length = spec.length;
  if (spec.anyLength) {
    bool isVector = operand.kind == OperandKind::vector;
    length = isVector ? unsigned(operand.elements.size()) : 1;
    if (length > 255)
      return errorAt(operand.at, "expected at most 255 registers");
    auto free =
        std::find(out.vectorLengths.begin(), out.vectorLengths.end(), 0);
    if (free != out.vectorLengths.end())
      *free = uint8_t(length);
    if (!isVector)
      return decodeValue(operand, spec, type, out, refs);
  } else if (!length) {
    std::string_view vec = match["vec"];
    length = vec.empty() ? 1 : unsigned(vec[1] - '0');
    out.width = uint8_t(length);
    if (length == 1 && operand.kind != OperandKind::vector)
      return decodeValue(operand, spec, type, out, refs);
  }
  std::optional<Symbol> symbol = lookUp(operand);
  if (symbol && symbol->kind == Symbol::Kind::reg && symbol->width == length &&
      length > 1 && !operand.component) {
    for (unsigned i = 0; i < length; ++i)
      refs.push_back(Ref::make(Ref::frame,
                               symbol->reg.offset() + i * registerBytes(type)));
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
    TILEWRIGHT_RETURN_IF_ERROR(decodeValue(element, spec, type, out, refs));
  return {};
}

Status FunctionDecoder::decodeValue(const ptx::Operand &operand,
                                    const OperandSpec &spec, Type type,
                                    Instruction &out, std::vector<Ref> &refs) {
  StatusOr<Ref> ref = Ref();
  switch (operand.kind) {
  case OperandKind::name:
    if (spec.immediate)
      return errorAt(operand.at,
                     format("expected a constant for '{}'", {spec.name}));
    ref = decodeName(operand, spec, type, out);
    break;
  case OperandKind::integer:
  case OperandKind::real:
    if (spec.isResult)
      return errorAt(operand.at, "expected a register for the result");
    ref = decodeConstant(operand, type);
    break;
  case OperandKind::sink:
    if (!spec.isResult)
      return errorAt(operand.at, "expected a value, found '_'");
    ref = Ref::sink();
    break;
  default:
    return errorAt(operand.at,
                   "expected a register" +
                       std::string(spec.isResult ? "" : " or a constant"));
  }
  if (!ref)
    return ref.status();
  if (operand.negated && operand.kind == OperandKind::name) {
    if (!spec.negatable)
      return errorAt(operand.at, "expected no negation here");
    out.negated |= uint32_t{1} << refs.size();
  }
  refs.push_back(*ref);
  if (spec.selector != SelectorKind::none || !operand.selector.empty()) {
    std::optional<uint32_t> value =
        selectorValue(spec.selector, operand.selector, spec.name == "b");
    if (!value)
      return errorAt(
          operand.at,
          format("expected {} behind '{}'",
                 {operand.selector.empty()
                      ? "a selector such as .b0"
                      : "no selector ." + std::string(operand.selector),
                  spec.name}));
    refs.push_back(builder.constant(*value, 4));
  }
  // What is not a register is as wide as the type.
  if (spec.wider && operand.kind != OperandKind::name) {
    uint8_t &bytes = spec.isResult ? out.resultBytes : out.sourceBytes;
    if (!bytes)
      bytes = uint8_t(std::max(2u, typeBits(type) / 8));
  }
  return {};
}

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

std::optional<Symbol>
FunctionDecoder::lookUp(const ptx::Operand &operand) const {
  if (operand.kind != OperandKind::name)
    return std::nullopt;
  return scope->find(operand.name);
}

StatusOr<Ref> FunctionDecoder::decodeName(const ptx::Operand &operand,
                                          const OperandSpec &spec, Type type,
                                          Instruction &out) {
  std::string name(operand.name);
  if (operand.component)
    name += std::string(".") + operand.component;
  auto disagree = [&](Type found) {
    return errorAt(operand.at,
                   format("expected {}{} for '{}', found {}, a .{}",
                          {typeInfo(type).bits == 1 ? "" : ".", typeName(type),
                           spec.name, name, typeName(found)}));
  };
  std::optional<Symbol> symbol = scope->find(operand.name);
  if (symbol && symbol->kind == Symbol::Kind::reg) {
    if (!agrees(type, symbol->type, spec.wider))
      return disagree(symbol->type);
    if (operand.value)
      return errorAt(operand.at, "expected no offset behind a register");
    unsigned index =
        operand.component
            ? unsigned(std::string_view("xyzw").find(operand.component))
            : 0;
    if (index >= symbol->width || (symbol->width > 1 && !operand.component))
      return errorAt(operand.at, "expected one element of the vector " + name);
    if (spec.wider && type != Type::pred) {
      uint8_t &bytes = spec.isResult ? out.resultBytes : out.sourceBytes;
      if (!bytes)
        bytes = uint8_t(std::max(2u, typeBits(symbol->type) / 8));
    }
    return Ref::make(Ref::frame, symbol->reg.offset() +
                                     index * registerBytes(symbol->type));
  }
  if (spec.isResult)
    return errorAt(operand.at,
                   "expected a register for the result, found " + name);
  if (std::optional<unsigned> special = findSpecial(name)) {
    Type found = specialRegisters()[*special].type;
    // The 16-bit forms of before PTX 2.0 read the lower half.
    if (!agrees(type, found, false) && typeBits(type) != 16)
      return disagree(found);
    if (name.starts_with("%clock") || name.starts_with("%globaltimer"))
      out.clock = name.ends_with("_hi") ? ClockPart::high : ClockPart::low;
    return builder.special(*special);
  }
  if (symbol && (symbol->kind == Symbol::Kind::memory ||
                 symbol->kind == Symbol::Kind::function)) {
    bool isFunction = symbol->kind == Symbol::Kind::function;
    if (isFunction)
      builder.requireIndirectTargets();
    uint64_t address = isFunction
                           ? functionWindow + symbol->index * functionStride
                           : symbol->address;
    if (typeBits(type) < 32)
      return errorAt(operand.at, "expected 32 or 64 bits for an address");
    out.frameRelative = !isFunction && isFrameRelative(*symbol);
    return builder.constant(address + operand.value, typeBits(type) / 8);
  }
  return errorAt(operand.at, "unknown name " + name);
}

StatusOr<Ref> FunctionDecoder::decodeConstant(const ptx::Operand &operand,
                                              Type type) {
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

//===--- Addresses --------------------------------------------------------===//

static AddressSpace spaceFromSlot(std::string_view slot, bool isEntry) {
  if (slot == "global")
    return AddressSpace::global;
  if (slot == "shared" || slot == "shared::cta")
    return AddressSpace::shared;
  if (slot == "shared::cluster")
    return AddressSpace::sharedCluster;
  if (slot == "local")
    return AddressSpace::local;
  if (slot == "const")
    return AddressSpace::constant;
  if (slot == "param")
    return isEntry ? AddressSpace::param : AddressSpace::local;
  if (slot == "param::entry")
    return AddressSpace::param;
  if (slot == "param::func")
    return AddressSpace::local;
  return AddressSpace::generic;
}

/// The address of a variable as an instruction on `space` takes it.
static std::optional<uint64_t> addressIn(AddressSpace space,
                                         const Symbol &symbol) {
  if (space == AddressSpace::generic) {
    uint64_t window = symbol.space == AddressSpace::shared  ? sharedWindow
                      : symbol.space == AddressSpace::local ? localWindow
                      : symbol.space == AddressSpace::param ? paramWindow
                                                            : 0;
    return window + symbol.address;
  }
  bool same = space == symbol.space || (space == AddressSpace::sharedCluster &&
                                        symbol.space == AddressSpace::shared);
  if (!same)
    return std::nullopt;
  return symbol.address;
}

/// The base of an address operand; sets `address` except for the offset written
/// there.
StatusOr<Ref> FunctionDecoder::decodeBase(const ptx::Operand &base,
                                          std::string_view space,
                                          Address &address) {
  address.space = spaceFromSlot(space, source.isEntry);
  if (base.kind == OperandKind::integer) {
    address.offset = base.value;
    return builder.constant(0, 8);
  }
  std::optional<Symbol> symbol = lookUp(base);
  if (symbol && symbol->kind == Symbol::Kind::reg) {
    unsigned bits = typeBits(symbol->type);
    if ((bits != 32 && bits != 64) || symbol->width != 1)
      return errorAt(base.at, "expected a register of 32 or 64 bits as an "
                              "address, found " +
                                  std::string(base.name));
    address.isShort = bits == 32;
    return symbol->reg;
  }
  if (!symbol || symbol->kind != Symbol::Kind::memory)
    return errorAt(base.at, "expected a register, a variable or a constant "
                            "as an address");
  // Parameters that a kernel passes on are in its local memory.
  if (space == "param" && symbol->space == AddressSpace::local)
    address.space = AddressSpace::local;
  std::optional<uint64_t> offset = addressIn(address.space, *symbol);
  if (!offset)
    return errorAt(base.at, format("{} is not in .{}", {base.name, space}));
  address.offset = *offset;
  address.frameRelative = isFrameRelative(*symbol);
  return builder.constant(0, 8);
}

Status FunctionDecoder::decodeAddress(const ptx::Operand &operand,
                                      const OperandSpec &spec,
                                      const Match &match, Instruction &out,
                                      std::vector<Ref> &refs) {
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
  Address address;
  TILEWRIGHT_ASSIGN_OR_RETURN(Ref base,
                              decodeBase(operand.elements[0], space, address));
  address.offset += operand.value;
  refs.push_back(base);
  addresses.push_back(address);
  if (!spec.coordinates)
    return {};
  OperandSpec coordinates;
  coordinates.name = spec.name;
  coordinates.type = spec.type;
  coordinates.vector = true;
  coordinates.length = unsigned(match["dim"][0] - '0');
  return decodeVector(operand.elements[1], coordinates, match, out, refs);
}

/// The first address is in the instruction itself.
void FunctionDecoder::setAddresses(Instruction &out) {
  if (addresses.empty())
    return;
  out.immediate = addresses[0].offset;
  out.space = uint8_t(addresses[0].space);
  out.shortAddress = addresses[0].isShort;
  out.frameRelative = addresses[0].frameRelative;
  if (addresses.size() == 1)
    return;
  Address *further = builder.allocateAddresses(addresses.size() - 1);
  std::copy(addresses.begin() + 1, addresses.end(), further);
  out.furtherAddresses = further;
}

//===--- Guards -----------------------------------------------------------===//

Status FunctionDecoder::decodeGuard(const ptx::Guard &guard, Instruction &out) {
  std::optional<Symbol> symbol = scope->find(guard.predicate.text);
  if (!symbol || symbol->kind != Symbol::Kind::reg ||
      symbol->type != Type::pred)
    return errorAt(guard.predicate.at, "expected a predicate, found " +
                                           std::string(guard.predicate.text));
  out.guard = symbol->reg;
  out.guardNegated = guard.negated;
  return {};
}

} // namespace tilewright::emulator
