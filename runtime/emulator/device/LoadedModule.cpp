#include "runtime/emulator/device/LoadedModule.h"
#include "runtime/emulator/program/AddressMap.h"
#include "runtime/emulator/program/Layout.h"
#include "runtime/emulator/ptx/Lexer.h"
#include "runtime/emulator/ptx/Parser.h"
#include "support/Format.h"
#include <bit>
#include <cstring>

namespace tilewright::emulator {

using ptx::errorAt;
using Kind = ptx::Initializer::Kind;

//===--- Initial values (PTX section 5.4.4) -------------------------------===//

namespace {
/// Writes the value of one variable.
class Initialization {
public:
  Initialization(const ptx::Module &module,
                 const std::vector<uint64_t> &addresses,
                 const ptx::Variable &variable, std::span<std::byte> memory)
      : module(module), addresses(addresses), variable(variable),
        memory(memory), bytes(std::max(1u, typeBits(variable.type) / 8)) {}

  Status run() {
    // The elements of a vector are one more dimension.
    std::vector<uint64_t> dims = variable.dims;
    if (variable.vectorWidth > 1)
      dims.push_back(variable.vectorWidth);
    return write(*variable.initializer, dims, 0);
  }

private:
  /// `initializer` initializes an array of `dims`, whose first element is
  /// element `index` of the variable. Missing elements are zero.
  Status write(const ptx::Initializer &initializer,
               std::span<const uint64_t> dims, uint64_t index) {
    if (initializer.kind != Kind::list)
      return writeElement(initializer, index);
    uint64_t inner = 1;
    for (uint64_t size : dims.empty() ? dims : dims.subspan(1))
      inner *= size;
    uint64_t limit = dims.empty() ? 1 : dims[0];
    bool flat = !initializer.elements.empty() &&
                initializer.elements[0].kind != Kind::list;
    // A list of values may run through several dimensions.
    uint64_t stride = flat ? 1 : inner;
    uint64_t most = flat ? limit * inner : limit;
    if (initializer.elements.size() > most)
      return errorAt(initializer.at,
                     format("expected at most {} elements, found {}",
                            {most, initializer.elements.size()}));
    for (size_t i = 0; i < initializer.elements.size(); ++i)
      TILEWRIGHT_RETURN_IF_ERROR(write(
          initializer.elements[i],
          dims.empty() || flat ? std::span<const uint64_t>() : dims.subspan(1),
          index + i * stride));
    return {};
  }

  Status writeElement(const ptx::Initializer &initializer, uint64_t index) {
    uint64_t value = initializer.value;
    if (initializer.kind == Kind::symbol) {
      TILEWRIGHT_ASSIGN_OR_RETURN(uint64_t base, addressOf(initializer));
      value += base;
      if (initializer.mask)
        value =
            (value & initializer.mask) >> std::countr_zero(initializer.mask);
    } else if (initializer.kind == Kind::real) {
      value = realBits(initializer);
    }
    uint64_t offset = index * bytes;
    if (offset + bytes > memory.size())
      return errorAt(initializer.at, "expected no element behind the end");
    std::memcpy(memory.data() + offset, &value, std::min<uint64_t>(bytes, 8));
    return {};
  }

  [[nodiscard]] uint64_t realBits(const ptx::Initializer &initializer) const {
    bool wantsDouble = bytes == 8;
    if (initializer.isDouble == wantsDouble)
      return initializer.value;
    if (wantsDouble)
      return std::bit_cast<uint64_t>(
          double(std::bit_cast<float>(uint32_t(initializer.value))));
    return std::bit_cast<uint32_t>(
        float(std::bit_cast<double>(initializer.value)));
  }

  StatusOr<uint64_t> addressOf(const ptx::Initializer &initializer) const {
    for (size_t i = 0; i < module.variables.size(); ++i)
      if (module.variables[i].name.text == initializer.symbol)
        return addresses[i];
    for (size_t i = 0; i < module.functions.size(); ++i)
      if (module.functions[i].name.text == initializer.symbol &&
          (module.functions[i].body || i + 1 == module.functions.size()))
        return functionWindow + i * functionStride;
    return errorAt(initializer.at,
                   format("unknown name '{}'", {initializer.symbol}));
  }

  const ptx::Module &module;
  const std::vector<uint64_t> &addresses;
  const ptx::Variable &variable;
  std::span<std::byte> memory;
  uint64_t bytes;
};
} // namespace

//===--- Loading ----------------------------------------------------------===//

Status LoadedModule::place(GlobalMemory &memory) {
  addresses.resize(module->variables.size());
  allocations.resize(module->variables.size());
  for (size_t i = 0; i < module->variables.size(); ++i) {
    const ptx::Variable &variable = module->variables[i];
    if (variable.space != Space::global && variable.space != Space::constant)
      continue;
    if (variable.linkage == ptx::Linkage::external)
      return errorAt(
          variable.name.at,
          format(
              "'{}' is declared .extern; expected its definition in this file",
              {variable.name.text}));
    TILEWRIGHT_ASSIGN_OR_RETURN(allocations[i],
                                memory.allocate(bytesOf(variable), false));
    allocations[i]->readOnly = variable.space == Space::constant;
    addresses[i] = allocations[i]->address;
  }
  return {};
}

Status LoadedModule::initialize() {
  for (size_t i = 0; i < module->variables.size(); ++i) {
    const ptx::Variable &variable = module->variables[i];
    if (!allocations[i] || !variable.initializer)
      continue;
    std::span<std::byte> bytes(allocations[i]->host, allocations[i]->bytes);
    TILEWRIGHT_RETURN_IF_ERROR(
        Initialization(*module, addresses, variable, bytes).run());
  }
  return {};
}

StatusOr<std::shared_ptr<LoadedModule>>
LoadedModule::load(GlobalMemory &memory, std::string_view text) {
  TILEWRIGHT_ASSIGN_OR_RETURN(ptx::Module parsed, ptx::parse(text));
  auto loaded = std::make_shared<LoadedModule>();
  loaded->module = std::make_shared<const ptx::Module>(std::move(parsed));
  TILEWRIGHT_RETURN_IF_ERROR(loaded->place(memory));
  TILEWRIGHT_RETURN_IF_ERROR(loaded->initialize());
  return loaded;
}

StatusOr<std::shared_ptr<const Program>>
LoadedModule::program(std::string_view entry) {
  std::lock_guard lock(mutex);
  if (auto found = programs.find(entry); found != programs.end())
    return found->second;
  TILEWRIGHT_ASSIGN_OR_RETURN(std::shared_ptr<const Program> made,
                              decode(module, entry, addresses));
  programs.emplace(entry, made);
  return made;
}

} // namespace tilewright::emulator
