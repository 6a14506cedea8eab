#include "runtime/emulator/program/Decode.h"
#include "runtime/emulator/program/DecodeFunction.h"
#include "runtime/emulator/program/ProgramBuilder.h"
#include "runtime/emulator/ptx/Lexer.h"
#include "support/Format.h"

namespace tilewright::emulator {

using ptx::errorAt;

//===--- Names ------------------------------------------------------------===//

static Status declareVariable(ProgramBuilder &builder,
                              const ptx::Variable &variable,
                              uint64_t globalAddress) {
  Symbol symbol;
  symbol.kind = Symbol::Kind::memory;
  symbol.type = variable.type;
  symbol.address = globalAddress;
  if (variable.space == Space::shared) {
    symbol.space = AddressSpace::shared;
    symbol.address = builder.shared.offsetOf(variable);
  } else if (variable.space == Space::global) {
    symbol.space = AddressSpace::global;
  } else if (variable.space == Space::constant) {
    symbol.space = AddressSpace::constant;
  } else {
    return errorAt(variable.name.at,
                   "expected .global, .const or .shared outside functions, "
                   "found ." +
                       std::string(spaceName(variable.space)));
  }
  if (!builder.moduleScope.add(variable.name.text, symbol))
    return errorAt(variable.name.at,
                   format("'{}' is declared twice", {variable.name.text}));
  return {};
}

/// A declaration and its definition have one name; the definition counts.
static void declareFunctions(ProgramBuilder &builder) {
  const std::vector<ptx::Function> &functions = builder.module.functions;
  for (size_t i = 0; i < functions.size(); ++i) {
    Symbol symbol;
    symbol.kind = Symbol::Kind::function;
    symbol.index = uint32_t(i);
    for (size_t j = i + 1; j < functions.size(); ++j)
      if (functions[j].name.text == functions[i].name.text && functions[j].body)
        symbol.index = uint32_t(j);
    builder.moduleScope.add(functions[i].name.text, symbol);
  }
}

//===--- The kernel -------------------------------------------------------===//

/// All functions that are requested, the kernel first.
static Status decodeFunctions(ProgramBuilder &builder) {
  Program &program = *builder.program;
  while (!builder.pending.empty()) {
    uint32_t index = builder.pending.front();
    builder.pending.pop_front();
    const ptx::Function &source = builder.module.functions[index];
    if (!source.body)
      return errorAt(
          source.name.at,
          format("'{}' is declared, but its body is not in this file",
                 {source.name.text}));
    Function &function = *program.functions[program.functionOf[index]];
    TILEWRIGHT_RETURN_IF_ERROR(decodeFunction(builder, source, function));
  }
  return {};
}

static Status build(ProgramBuilder &builder, const ptx::Function &kernel,
                    std::span<const uint64_t> addresses) {
  const ptx::Module &module = builder.module;
  builder.uses = usesOf(module, kernel);
  TILEWRIGHT_ASSIGN_OR_RETURN(builder.shared,
                              layOutShared(builder.uses.shared));
  builder.program->sharedBytes = builder.shared.bytes;
  for (size_t i = 0; i < module.variables.size(); ++i)
    TILEWRIGHT_RETURN_IF_ERROR(
        declareVariable(builder, module.variables[i], addresses[i]));
  declareFunctions(builder);
  builder.functionIndex(uint32_t(&kernel - module.functions.data()));
  return decodeFunctions(builder);
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
    ProgramBuilder builder(std::move(module), forms);
    TILEWRIGHT_RETURN_IF_ERROR(build(builder, function, addresses));
    return std::shared_ptr<const Program>(std::move(builder.program));
  }
  return Status::notFound(
      format("expected a kernel (.entry) '{}' in the PTX, which has {}",
             {kernel, names.empty() ? "none" : names}));
}

} // namespace tilewright::emulator
