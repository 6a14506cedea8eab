#include "runtime/emulator/program/ProgramBuilder.h"
#include "runtime/emulator/program/SpecialRegisters.h"
#include <algorithm>
#include <cstring>

namespace tilewright::emulator {

ProgramBuilder::ProgramBuilder(std::shared_ptr<const ptx::Module> source,
                               const FormTable &forms)
    : module(*source), forms(forms) {
  program->functionOf.assign(source->functions.size(), Program::absent);
  for (char c : source->target)
    if (c >= '0' && c <= '9' && capability < 1000)
      capability = capability * 10 + unsigned(c - '0');
  program->source = std::move(source);
}

Ref ProgramBuilder::constant(uint64_t value, unsigned bytes) {
  if (bytes < 8)
    value &= (uint64_t{1} << 8 * bytes) - 1;
  auto [slot, isNew] = constants.try_emplace({value, bytes});
  if (!isNew)
    return slot->second;
  std::vector<std::byte> &bank = program->constants;
  size_t offset = alignUp(bank.size(), 64);
  // A predicate has one bit a lane, in one word.
  bool isPredicate = bytes == 1;
  size_t lanes = isPredicate ? 1 : 32, stride = isPredicate ? 4 : bytes;
  uint64_t word = isPredicate && value ? ~uint64_t{0} : value;
  bank.resize(offset + lanes * stride);
  for (size_t lane = 0; lane < lanes; ++lane)
    std::memcpy(&bank[offset + lane * stride], &word,
                std::min<size_t>(stride, 8));
  return slot->second = Ref::make(Ref::constants, uint32_t(offset));
}

Ref ProgramBuilder::special(unsigned index) {
  std::vector<unsigned> &used = program->specialRegisters;
  auto found = std::find(used.begin(), used.end(), index);
  uint32_t slot = uint32_t(found - used.begin());
  if (found == used.end())
    used.push_back(index);
  return Ref::make(Ref::specialRegisters, slot * specialStride);
}

void ProgramBuilder::storeOperands(Instruction &out,
                                   std::span<const Ref> operands) {
  std::unique_ptr<Ref[]> &copy =
      program->operands.emplace_back(std::make_unique<Ref[]>(operands.size()));
  std::copy(operands.begin(), operands.end(), copy.get());
  out.operands = copy.get();
  out.operandCount = uint32_t(operands.size());
}

void ProgramBuilder::storeAddresses(Instruction &out,
                                    std::span<const Address> addresses) {
  if (addresses.empty())
    return;
  out.immediate = addresses[0].offset;
  out.space = uint8_t(addresses[0].space);
  out.shortAddress = addresses[0].isShort;
  out.frameRelative = addresses[0].frameRelative;
  if (addresses.size() == 1)
    return;
  std::unique_ptr<Address[]> &further = program->addresses.emplace_back(
      std::make_unique<Address[]>(addresses.size() - 1));
  std::copy(addresses.begin() + 1, addresses.end(), further.get());
  out.furtherAddresses = further.get();
}

uint32_t ProgramBuilder::functionIndex(uint32_t sourceIndex) {
  uint32_t &slot = program->functionOf[sourceIndex];
  if (slot == Program::absent) {
    slot = uint32_t(program->functions.size());
    program->functions.push_back(std::make_unique<Function>());
    pending.push_back(sourceIndex);
  }
  return slot;
}

/// A pointer to a function may come from an initializer or an instruction.
void ProgramBuilder::requireIndirectTargets() {
  if (std::exchange(indirectTargetsRequired, true))
    return;
  auto require = [&](std::string_view name) {
    std::optional<Symbol> symbol = moduleScope.find(name);
    if (symbol && symbol->kind == Symbol::Kind::function &&
        !module.functions[symbol->index].isEntry &&
        module.functions[symbol->index].body)
      functionIndex(symbol->index);
  };
  auto visit = [&](auto &self, const ptx::Initializer &initializer) -> void {
    require(initializer.symbol);
    for (const ptx::Initializer &element : initializer.elements)
      self(self, element);
  };
  for (const ptx::Variable &variable : module.variables)
    if (variable.initializer)
      visit(visit, *variable.initializer);
  for (std::string_view name : uses.names)
    require(name);
}

} // namespace tilewright::emulator
