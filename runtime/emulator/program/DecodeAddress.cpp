#include "runtime/emulator/program/DecodeAddress.h"
#include "runtime/emulator/program/AddressMap.h"
#include "runtime/emulator/ptx/Lexer.h"
#include "support/Format.h"

namespace tilewright::emulator {

using ptx::errorAt;

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

/// Sets `address`, except for the offset that is written behind the base.
static StatusOr<Ref> decodeBase(const FunctionContext &function,
                                const ptx::Operand &base,
                                std::string_view space, Address &address) {
  address.space = spaceFromSlot(space, function.source.isEntry);
  if (base.kind == ptx::Operand::Kind::integer) {
    address.offset = base.value;
    return function.builder.constant(0, 8);
  }
  std::optional<Symbol> symbol = function.find(base);
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
  address.frameRelative = function.isFrameRelative(*symbol);
  return function.builder.constant(0, 8);
}

Status decodeAddress(OperandContext &operands, const ptx::Operand &operand,
                     std::string_view space) {
  Address address;
  TILEWRIGHT_ASSIGN_OR_RETURN(
      Ref base,
      decodeBase(operands.function, operand.elements[0], space, address));
  address.offset += operand.value;
  operands.refs.push_back(base);
  operands.addresses.push_back(address);
  return {};
}

} // namespace tilewright::emulator
