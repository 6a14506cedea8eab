#include "runtime/emulator/program/AddressMap.h"
#include "runtime/emulator/program/Decoder.h"
#include "runtime/emulator/program/SpecialRegisters.h"
#include "runtime/emulator/ptx/Lexer.h"
#include "support/Format.h"
#include <algorithm>
#include <cstring>

namespace tilewright::emulator {

using ptx::errorAt;

uint64_t bytesOf(const ptx::Variable &variable) {
  uint64_t bytes = uint64_t{typeBits(variable.type)} / 8 * variable.vectorWidth;
  for (uint64_t size : variable.dims)
    bytes *= size;
  return bytes;
}

uint64_t alignmentOf(const ptx::Variable &variable) {
  uint64_t natural = typeBits(variable.type) / 8 * variable.vectorWidth;
  return std::max<uint64_t>({variable.alignment, natural, 1});
}

static uint64_t alignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

ProgramBuilder::ProgramBuilder(std::shared_ptr<const ptx::Module> source,
                               std::span<const uint64_t> addresses,
                               const FormTable &forms)
    : module(*source), forms(forms), addresses(addresses) {
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

Ref *ProgramBuilder::allocateOperands(size_t count) {
  return program->operands.emplace_back(std::make_unique<Ref[]>(count)).get();
}

Address *ProgramBuilder::allocateAddresses(size_t count) {
  return program->addresses.emplace_back(std::make_unique<Address[]>(count))
      .get();
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

//===--- Shared memory ----------------------------------------------------===//

static bool isDynamicShared(const ptx::Variable &variable) {
  return variable.space == Space::shared &&
         (variable.isUnsized() || variable.linkage == ptx::Linkage::external);
}

/// Calls `visit` with each variable and each name in `block`.
template <typename VisitVariable, typename VisitName>
static void walk(const ptx::Block &block, const VisitVariable &visitVariable,
                 const VisitName &visitName) {
  auto walkOperand = [&](auto &self, const ptx::Operand &operand) -> void {
    visitName(operand.name);
    for (const ptx::Operand &element : operand.elements)
      self(self, element);
  };
  for (const ptx::Statement &statement : block.statements) {
    if (auto *variable = std::get_if<ptx::Variable>(&statement))
      visitVariable(*variable);
    else if (auto *inner = std::get_if<std::unique_ptr<ptx::Block>>(&statement))
      walk(**inner, visitVariable, visitName);
    else if (auto *instruction = std::get_if<ptx::Instruction>(&statement))
      for (const ptx::Operand &operand : instruction->operands)
        walkOperand(walkOperand, operand);
  }
}

/// The shared memory of the kernel, and of functions that it might call.
Status ProgramBuilder::collectShared(const ptx::Function &kernel) {
  Status status;
  for (const ptx::Function &function : module.functions)
    if (function.body && (!function.isEntry || &function == &kernel))
      walk(
          *function.body,
          [&](const ptx::Variable &variable) {
            if (isDynamicShared(variable))
              dynamicShared.push_back(&variable);
            else if (variable.space == Space::shared && status.ok())
              status = placeShared(variable);
          },
          [&](std::string_view name) { names.insert(name); });
  for (const ptx::Variable &variable : module.variables) {
    if (!names.contains(variable.name.text))
      continue;
    if (isDynamicShared(variable))
      dynamicShared.push_back(&variable);
    else if (variable.space == Space::shared && status.ok())
      status = placeShared(variable);
  }
  placeDynamicShared();
  return status;
}

Status ProgramBuilder::placeShared(const ptx::Variable &variable) {
  uint64_t offset = alignUp(program->sharedBytes, alignmentOf(variable));
  uint64_t end = offset + bytesOf(variable);
  if (end > sharedOffsetMask)
    return errorAt(variable.name.at,
                   "expected at most 16 MiB of shared memory");
  sharedOffsets[&variable] = uint32_t(offset);
  program->sharedBytes = uint32_t(end);
  return {};
}

/// Dynamic shared memory is one piece after all variables with a size.
void ProgramBuilder::placeDynamicShared() {
  uint64_t alignment = 1;
  for (const ptx::Variable *variable : dynamicShared)
    alignment = std::max<uint64_t>({alignment, alignmentOf(*variable), 16});
  program->sharedBytes = uint32_t(alignUp(program->sharedBytes, alignment));
  for (const ptx::Variable *variable : dynamicShared)
    sharedOffsets[variable] = program->sharedBytes;
}

std::optional<uint32_t>
ProgramBuilder::sharedOffset(const ptx::Variable &variable) const {
  auto found = sharedOffsets.find(&variable);
  if (found == sharedOffsets.end())
    return std::nullopt;
  return found->second;
}

//===--- Names ------------------------------------------------------------===//

/// PTX section 7.1: parameters in the order they are declared.
Signature ProgramBuilder::signatureOf(std::span<const ptx::Variable> parameters,
                                      std::span<const ptx::Variable> results) {
  Signature signature;
  signature.frameBytes = sinkBytes;
  auto slot = [&](const ptx::Variable &variable) {
    Parameter parameter;
    parameter.name = variable.name.text;
    parameter.type = variable.type;
    parameter.bytes = uint32_t(bytesOf(variable));
    parameter.alignment = uint32_t(alignmentOf(variable));
    if (variable.space == Space::reg) {
      parameter.reg = Ref::make(Ref::frame, signature.frameBytes);
      signature.frameBytes += uint32_t(
          alignUp(registerBytes(variable.type) * variable.vectorWidth, 64));
      return parameter;
    }
    parameter.offset =
        uint32_t(alignUp(signature.localBytes, parameter.alignment));
    signature.localBytes = parameter.offset + parameter.bytes;
    return parameter;
  };
  for (const ptx::Variable &variable : parameters)
    signature.parameters.push_back(slot(variable));
  for (const ptx::Variable &variable : results)
    signature.results.push_back(slot(variable));
  return signature;
}

/// All names of the file. Shared variables get their indices in this kernel.
Status ProgramBuilder::declareModule() {
  for (size_t i = 0; i < module.variables.size(); ++i) {
    const ptx::Variable &variable = module.variables[i];
    Symbol symbol;
    symbol.kind = Symbol::Kind::memory;
    symbol.type = variable.type;
    if (variable.space == Space::shared) {
      symbol.space = AddressSpace::shared;
      symbol.address = sharedOffset(variable).value_or(0);
    } else if (variable.space == Space::global ||
               variable.space == Space::constant) {
      symbol.space = variable.space == Space::global ? AddressSpace::global
                                                     : AddressSpace::constant;
      symbol.address = addresses[i];
    } else {
      return errorAt(variable.name.at,
                     "expected .global, .const or .shared outside functions, "
                     "found ." +
                         std::string(spaceName(variable.space)));
    }
    if (!moduleScope.add(variable.name.text, symbol))
      return errorAt(variable.name.at,
                     format("'{}' is declared twice", {variable.name.text}));
  }
  for (size_t i = 0; i < module.functions.size(); ++i) {
    // A declaration and its definition have one name; the definition counts.
    const ptx::Function &function = module.functions[i];
    Symbol symbol;
    symbol.kind = Symbol::Kind::function;
    symbol.index = uint32_t(i);
    for (size_t j = i + 1; j < module.functions.size(); ++j)
      if (module.functions[j].name.text == function.name.text &&
          module.functions[j].body)
        symbol.index = uint32_t(j);
    moduleScope.add(function.name.text, symbol);
  }
  return {};
}

//===--- The kernel -------------------------------------------------------===//

Status ProgramBuilder::build(const ptx::Function &kernel) {
  TILEWRIGHT_RETURN_IF_ERROR(collectShared(kernel));
  TILEWRIGHT_RETURN_IF_ERROR(declareModule());
  functionIndex(uint32_t(&kernel - module.functions.data()));
  while (!pending.empty()) {
    const ptx::Function &source = module.functions[pending.front()];
    Function &function =
        *program->functions[program->functionOf[pending.front()]];
    pending.pop_front();
    if (!source.body)
      return errorAt(
          source.name.at,
          format("'{}' is declared, but its body is not in this file",
                 {source.name.text}));
    TILEWRIGHT_RETURN_IF_ERROR(
        FunctionDecoder(*this, source, function).decode());
  }
  return {};
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
  for (std::string_view name : names)
    require(name);
}

StatusOr<std::shared_ptr<const Program>>
decode(std::shared_ptr<const ptx::Module> module, std::string_view kernel,
       std::span<const uint64_t> addresses, const FormTable &forms) {
  std::string names;
  for (const ptx::Function &function : module->functions) {
    if (!function.isEntry || !function.body)
      continue;
    if (function.name.text != kernel) {
      names +=
          format("{}'{}'", {names.empty() ? "" : ", ", function.name.text});
      continue;
    }
    ProgramBuilder builder(std::move(module), addresses, forms);
    TILEWRIGHT_RETURN_IF_ERROR(builder.build(function));
    return std::shared_ptr<const Program>(std::move(builder.program));
  }
  return Status::notFound(
      format("expected a kernel (.entry) '{}' in the PTX, which has {}",
             {kernel, names.empty() ? "none" : names}));
}

} // namespace tilewright::emulator
