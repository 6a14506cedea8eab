#include "runtime/emulator/program/AddressMap.h"
#include "runtime/emulator/program/Decoder.h"
#include "runtime/emulator/ptx/Lexer.h"
#include "support/Format.h"
#include <algorithm>

namespace tilewright::emulator {

using ptx::errorAt;

static std::string quoted(std::string_view text) {
  return format("'{}'", {text});
}

template <typename... Visitors> struct Overloaded : Visitors... {
  using Visitors::operator()...;
};

Status FunctionDecoder::decode() {
  out.name = source.name.text;
  out.isEntry = source.isEntry;
  Signature signature =
      ProgramBuilder::signatureOf(source.parameters, source.results);
  out.parameters = std::move(signature.parameters);
  out.results = std::move(signature.results);
  out.frameBytes = signature.frameBytes;
  // A kernel's parameters have a separate memory.
  out.parameterBytes = signature.localBytes;
  out.localBytes = source.isEntry ? 0 : signature.localBytes;
  TILEWRIGHT_RETURN_IF_ERROR(readBounds());
  TILEWRIGHT_RETURN_IF_ERROR(declareParameters());
  TILEWRIGHT_RETURN_IF_ERROR(declareBlock(*source.body, scopes.front()));
  scope = scopeOf.at(&*source.body);
  TILEWRIGHT_RETURN_IF_ERROR(decodeBlock(*source.body));
  // Running off the end returns.
  ptx::Instruction ret;
  ret.opcode = {"ret", source.body->at};
  return decodeInstruction(ret);
}

/// PTX section 11.4.
Status FunctionDecoder::readBounds() {
  auto dims = [](const ptx::Directive &directive) {
    std::array<uint32_t, 3> result = {1, 1, 1};
    for (size_t i = 0; i < std::min<size_t>(directive.values.size(), 3); ++i)
      result[i] = uint32_t(directive.values[i]);
    return result;
  };
  for (const ptx::Directive &directive : source.directives) {
    std::string_view name = directive.name.text;
    if (name == "reqntid")
      out.bounds.requiredBlock = dims(directive);
    else if (name == "maxntid")
      out.bounds.maximumBlock = dims(directive);
    else if (name == "reqnctapercluster")
      out.bounds.requiredCluster = dims(directive);
    else if (name == "maxnreg" && !directive.values.empty())
      out.bounds.maximumRegisters = uint32_t(directive.values[0]);
    else if (name != "minnctapersm" && name != "maxnctapersm" &&
             name != "explicitcluster" && name != "maxclusterrank" &&
             name != "noreturn" && name != "blocksareclusters")
      return errorAt(
          directive.name.at,
          format("expected a directive of a function, found '.{}'", {name}));
  }
  return {};
}

//===--- Names ------------------------------------------------------------===//

Status FunctionDecoder::declareParameters() {
  Scope &scope = scopes.emplace_back(&builder.moduleScope);
  auto declare = [&](const Parameter &parameter,
                     const ptx::Variable &variable) -> Status {
    Symbol symbol;
    symbol.type = parameter.type;
    if (parameter.reg.present()) {
      symbol.reg = parameter.reg;
      symbol.width = variable.vectorWidth;
      out.registers.push_back(
          {parameter.reg.offset(), parameter.type, variable.vectorWidth});
    } else {
      symbol.kind = Symbol::Kind::memory;
      symbol.space = source.isEntry ? AddressSpace::param : AddressSpace::local;
      symbol.address = parameter.offset;
    }
    // `_` in a declaration declares nothing.
    if (variable.name.text != "_" && !scope.add(variable.name.text, symbol))
      return errorAt(variable.name.at,
                     quoted(variable.name.text) + " is declared twice");
    return {};
  };
  for (size_t i = 0; i < source.parameters.size(); ++i)
    TILEWRIGHT_RETURN_IF_ERROR(
        declare(out.parameters[i], source.parameters[i]));
  for (size_t i = 0; i < source.results.size(); ++i)
    TILEWRIGHT_RETURN_IF_ERROR(declare(out.results[i], source.results[i]));
  return {};
}

/// Declares the names in `block` and in nested blocks, and counts instructions,
/// so that labels have an index before the code is decoded.
Status FunctionDecoder::declareBlock(const ptx::Block &block, Scope &outer) {
  Scope &inner = scopes.emplace_back(&outer);
  scopeOf[&block] = &inner;
  std::vector<const ptx::Targets *> lists;
  for (const ptx::Statement &statement : block.statements) {
    Status status = std::visit(
        Overloaded{[&](const ptx::Instruction &) -> Status {
                     ++codeSize;
                     return {};
                   },
                   [&](const ptx::Label &label) -> Status {
                     Symbol symbol;
                     symbol.kind = Symbol::Kind::label;
                     symbol.index = codeSize;
                     if (!inner.add(label.name.text, symbol))
                       return errorAt(label.name.at, quoted(label.name.text) +
                                                         " is declared twice");
                     return {};
                   },
                   [&](const ptx::Variable &variable) {
                     return declareVariable(variable, inner);
                   },
                   [&](const ptx::Targets &targets) -> Status {
                     lists.push_back(&targets);
                     return {};
                   },
                   [&](const ptx::Prototype &prototype) -> Status {
                     Symbol symbol;
                     symbol.kind = Symbol::Kind::prototype;
                     symbol.prototype = &prototype;
                     inner.add(prototype.name.text, symbol);
                     return {};
                   },
                   [&](const ptx::SourceLine &) -> Status { return {}; },
                   [&](const std::unique_ptr<ptx::Block> &nested) {
                     return declareBlock(*nested, inner);
                   }},
        statement);
    TILEWRIGHT_RETURN_IF_ERROR(status);
  }
  for (const ptx::Targets *targets : lists)
    TILEWRIGHT_RETURN_IF_ERROR(resolveTargets(*targets, inner));
  return {};
}

/// All labels of a block are known.
Status FunctionDecoder::resolveTargets(const ptx::Targets &targets,
                                       Scope &scope) {
  Symbol symbol;
  symbol.kind = Symbol::Kind::callTargets;
  if (targets.kind == ptx::Targets::Kind::branch) {
    symbol.kind = Symbol::Kind::branchTargets;
    symbol.index = uint32_t(builder.program->branchTargets.size());
    std::vector<uint32_t> &locations =
        builder.program->branchTargets.emplace_back();
    for (const ptx::Word &target : targets.targets) {
      std::optional<Symbol> label = scope.find(target.text);
      if (!label || label->kind != Symbol::Kind::label)
        return errorAt(target.at,
                       "expected a label, found " + quoted(target.text));
      locations.push_back(label->index);
    }
  } else {
    std::optional<Symbol> first = scope.find(targets.targets.front().text);
    if (!first || first->kind != Symbol::Kind::function)
      return errorAt(targets.targets.front().at,
                     "expected a function, found " +
                         quoted(targets.targets.front().text));
    symbol.index = first->index;
  }
  if (!scope.add(targets.name.text, symbol))
    return errorAt(targets.name.at,
                   quoted(targets.name.text) + " is declared twice");
  return {};
}

Status FunctionDecoder::declareVariable(const ptx::Variable &variable,
                                        Scope &scope) {
  if (variable.space == Space::reg)
    return declareRegister(variable, scope);
  Symbol symbol;
  symbol.kind = Symbol::Kind::memory;
  symbol.type = variable.type;
  if (variable.space == Space::shared) {
    symbol.space = AddressSpace::shared;
    symbol.address = builder.sharedOffset(variable).value_or(0);
  } else if (variable.space == Space::local || variable.space == Space::param) {
    uint64_t alignment = alignmentOf(variable);
    uint64_t offset = (out.localBytes + alignment - 1) / alignment * alignment;
    uint64_t end = offset + bytesOf(variable);
    // CUDA's limit is 512 KiB a thread.
    if (end > uint64_t{1} << 24)
      return errorAt(variable.name.at,
                     "expected at most 16 MiB of local memory a thread");
    symbol.space = AddressSpace::local;
    symbol.address = offset;
    out.localBytes = uint32_t(end);
  } else {
    return errorAt(variable.name.at,
                   format("expected .{} variables outside functions",
                          {spaceName(variable.space)}));
  }
  if (!scope.add(variable.name.text, symbol))
    return errorAt(variable.name.at,
                   quoted(variable.name.text) + " is declared twice");
  return {};
}

Status FunctionDecoder::declareRegister(const ptx::Variable &variable,
                                        Scope &scope) {
  if (!variable.dims.empty() || variable.initializer)
    return errorAt(variable.name.at,
                   "expected a register with neither dimensions nor a value");
  uint64_t bytes = uint64_t{registerBytes(variable.type)} *
                   variable.vectorWidth * variable.range.value_or(1);
  uint64_t end = out.frameBytes + (bytes + 63) / 64 * 64;
  if (end >= uint64_t{1} << Ref::offsetBits)
    return errorAt(variable.name.at, "expected at most 1 GiB of registers in a "
                                     "function");
  uint32_t offset = out.frameBytes;
  out.frameBytes = uint32_t(end);
  out.registers.push_back(
      {offset, variable.type,
       uint32_t(variable.vectorWidth * variable.range.value_or(1))});
  bool added;
  if (variable.range) {
    added = scope.addRange(variable.name.text, {*variable.range, variable.type,
                                                offset, variable.vectorWidth});
  } else {
    Symbol symbol;
    symbol.type = variable.type;
    symbol.width = variable.vectorWidth;
    symbol.reg = Ref::make(Ref::frame, offset);
    added = scope.add(variable.name.text, symbol);
  }
  if (!added)
    return errorAt(variable.name.at,
                   quoted(variable.name.text) + " is declared twice");
  return {};
}

//===--- Code -------------------------------------------------------------===//

Status FunctionDecoder::decodeBlock(const ptx::Block &block) {
  Scope *outer = scope;
  scope = scopeOf.at(&block);
  for (const ptx::Statement &statement : block.statements) {
    if (auto *instruction = std::get_if<ptx::Instruction>(&statement)) {
      TILEWRIGHT_RETURN_IF_ERROR(decodeInstruction(*instruction));
    } else if (auto *line = std::get_if<ptx::SourceLine>(&statement)) {
      out.lines.push_back({uint32_t(out.code.size()), *line});
    } else if (auto *nested =
                   std::get_if<std::unique_ptr<ptx::Block>>(&statement)) {
      TILEWRIGHT_RETURN_IF_ERROR(decodeBlock(**nested));
    }
  }
  scope = outer;
  return {};
}

} // namespace tilewright::emulator
