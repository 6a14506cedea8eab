#include "runtime/emulator/program/Declarations.h"
#include "runtime/emulator/ptx/Lexer.h"
#include "support/Format.h"

namespace tilewright::emulator {

using ptx::errorAt;

static Status declaredTwice(const ptx::Word &name) {
  return errorAt(name.at, format("'{}' is declared twice", {name.text}));
}

static Status declare(Scope &scope, const ptx::Word &name,
                      const Symbol &symbol) {
  return scope.add(name.text, symbol) ? Status() : declaredTwice(name);
}

//===--- Parameters -------------------------------------------------------===//

static Status declareParameter(FunctionContext &function, Scope &scope,
                               const Parameter &parameter,
                               const ptx::Variable &variable) {
  Symbol symbol;
  symbol.type = parameter.type;
  if (parameter.reg.present()) {
    symbol.reg = parameter.reg;
    symbol.width = variable.vectorWidth;
    function.out.registers.push_back(
        {parameter.reg.offset(), parameter.type, variable.vectorWidth});
  } else {
    symbol.kind = Symbol::Kind::memory;
    symbol.space =
        function.source.isEntry ? AddressSpace::param : AddressSpace::local;
    symbol.address = parameter.offset;
    symbol.bytes = parameter.bytes;
  }
  // `_` in a declaration declares nothing.
  return variable.name.text == "_" ? Status()
                                   : declare(scope, variable.name, symbol);
}

static Status declareParameters(FunctionContext &function, Scope &scope) {
  const ptx::Function &source = function.source;
  for (size_t i = 0; i < source.parameters.size(); ++i)
    TILEWRIGHT_RETURN_IF_ERROR(declareParameter(
        function, scope, function.out.parameters[i], source.parameters[i]));
  for (size_t i = 0; i < source.results.size(); ++i)
    TILEWRIGHT_RETURN_IF_ERROR(declareParameter(
        function, scope, function.out.results[i], source.results[i]));
  return {};
}

//===--- Registers and variables ------------------------------------------===//

static Status declareRegister(FunctionContext &function, Scope &scope,
                              const ptx::Variable &variable) {
  if (!variable.dims.empty() || variable.initializer)
    return errorAt(variable.name.at,
                   "expected a register with neither dimensions nor a value");
  uint64_t count = variable.vectorWidth * variable.range.value_or(1);
  uint32_t offset = function.out.frameBytes;
  TILEWRIGHT_ASSIGN_OR_RETURN(function.out.frameBytes,
                              registersBehind(offset, variable, count));
  function.out.registers.push_back({offset, variable.type, uint32_t(count)});
  if (variable.range) {
    RegisterRange range{*variable.range, variable.type, offset,
                        variable.vectorWidth};
    return scope.addRange(variable.name.text, range)
               ? Status()
               : declaredTwice(variable.name);
  }
  Symbol symbol;
  symbol.type = variable.type;
  symbol.width = variable.vectorWidth;
  symbol.reg = Ref::make(Ref::frame, offset);
  return declare(scope, variable.name, symbol);
}

static Status declareVariable(FunctionContext &function, Scope &scope,
                              const ptx::Variable &variable) {
  if (variable.space == Space::reg)
    return declareRegister(function, scope, variable);
  Symbol symbol;
  symbol.kind = Symbol::Kind::memory;
  symbol.type = variable.type;
  if (variable.space == Space::shared) {
    symbol.space = AddressSpace::shared;
    symbol.address = function.builder.shared.offsetOf(variable);
  } else if (variable.space == Space::local || variable.space == Space::param) {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        uint64_t offset, placeBehind(function.out.localBytes, variable,
                                     maxLocalBytes, "local memory a thread"));
    symbol.space = AddressSpace::local;
    symbol.address = offset;
    symbol.bytes = bytesOf(variable);
    function.out.localBytes = uint32_t(offset + symbol.bytes);
  } else {
    return errorAt(variable.name.at,
                   format("expected .{} variables outside functions",
                          {spaceName(variable.space)}));
  }
  return declare(scope, variable.name, symbol);
}

//===--- Labels and lists of targets --------------------------------------===//

static Status declareLabel(Scope &scope, const ptx::Label &label,
                           uint32_t index) {
  Symbol symbol;
  symbol.kind = Symbol::Kind::label;
  symbol.index = index;
  return declare(scope, label.name, symbol);
}

static void declarePrototype(Scope &scope, const ptx::Prototype &prototype) {
  Symbol symbol;
  symbol.kind = Symbol::Kind::prototype;
  symbol.prototype = &prototype;
  scope.add(prototype.name.text, symbol);
}

static Status declareBranchTargets(Program &program, Scope &scope,
                                   const ptx::Targets &targets) {
  Symbol symbol;
  symbol.kind = Symbol::Kind::branchTargets;
  symbol.index = uint32_t(program.branchTargets.size());
  std::vector<uint32_t> &locations = program.branchTargets.emplace_back();
  for (const ptx::Word &target : targets.targets) {
    std::optional<Symbol> label = scope.find(target.text);
    if (!label || label->kind != Symbol::Kind::label)
      return errorAt(target.at,
                     format("expected a label, found '{}'", {target.text}));
    locations.push_back(label->index);
  }
  return declare(scope, targets.name, symbol);
}

static Status declareCallTargets(Scope &scope, const ptx::Targets &targets) {
  const ptx::Word &first = targets.targets.front();
  std::optional<Symbol> function = scope.find(first.text);
  if (!function || function->kind != Symbol::Kind::function)
    return errorAt(first.at,
                   format("expected a function, found '{}'", {first.text}));
  Symbol symbol;
  symbol.kind = Symbol::Kind::callTargets;
  symbol.index = function->index;
  return declare(scope, targets.name, symbol);
}

//===--- Blocks -----------------------------------------------------------===//

/// Declares the names in `block` and in nested blocks. `codeSize` counts the
/// instructions: the index of a label.
static Status declareBlock(FunctionContext &function, const ptx::Block &block,
                           const Scope &outer, uint32_t &codeSize) {
  Scope &scope = function.scopes.emplace_back(&outer);
  function.scopeOf[&block] = &scope;
  std::vector<const ptx::Targets *> lists;
  for (const ptx::Statement &statement : block.statements) {
    Status status;
    if (std::holds_alternative<ptx::Instruction>(statement))
      ++codeSize;
    else if (auto *label = std::get_if<ptx::Label>(&statement))
      status = declareLabel(scope, *label, codeSize);
    else if (auto *variable = std::get_if<ptx::Variable>(&statement))
      status = declareVariable(function, scope, *variable);
    else if (auto *targets = std::get_if<ptx::Targets>(&statement))
      lists.push_back(targets);
    else if (auto *prototype = std::get_if<ptx::Prototype>(&statement))
      declarePrototype(scope, *prototype);
    else if (auto *inner = std::get_if<std::unique_ptr<ptx::Block>>(&statement))
      status = declareBlock(function, **inner, scope, codeSize);
    TILEWRIGHT_RETURN_IF_ERROR(status);
  }
  // Now all labels of the block are known.
  for (const ptx::Targets *targets : lists)
    TILEWRIGHT_RETURN_IF_ERROR(
        targets->kind == ptx::Targets::Kind::branch
            ? declareBranchTargets(*function.builder.program, scope, *targets)
            : declareCallTargets(scope, *targets));
  return {};
}

Status declareNames(FunctionContext &function) {
  Scope &parameters =
      function.scopes.emplace_back(&function.builder.moduleScope);
  TILEWRIGHT_RETURN_IF_ERROR(declareParameters(function, parameters));
  uint32_t codeSize = 0;
  return declareBlock(function, *function.source.body, parameters, codeSize);
}

} // namespace tilewright::emulator
