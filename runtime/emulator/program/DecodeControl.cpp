#include "runtime/emulator/program/DecodeControl.h"
#include "runtime/emulator/program/DecodeValue.h"
#include "runtime/emulator/ptx/Lexer.h"
#include "support/Format.h"

namespace tilewright::emulator {

using ptx::errorAt;
using OperandKind = ptx::Operand::Kind;

//===--- Branches ---------------------------------------------------------===//

Status decodeIndexedBranch(FunctionContext &function,
                           const ptx::Instruction &source, Instruction &out) {
  if (source.operands.size() != 2)
    return errorAt(source.at(), "expected an index and a .branchtargets list");
  OperandSpec spec;
  spec.name = "index";
  OperandContext operands{function, out};
  TILEWRIGHT_RETURN_IF_ERROR(
      decodeValue(operands, source.operands[0], spec, Type::u32));
  std::optional<Symbol> list = function.find(source.operands[1]);
  if (!list || list->kind != Symbol::Kind::branchTargets)
    return errorAt(source.operands[1].at,
                   "expected the name of a .branchtargets list");
  out.target = list->index;
  function.builder.storeOperands(out, operands.refs);
  return {};
}

//===--- What is called ---------------------------------------------------===//

/// The first function whose address initializes the variable `table`.
static std::optional<Symbol> firstFunctionOf(const ProgramBuilder &builder,
                                             std::string_view table) {
  for (const ptx::Variable &variable : builder.module.variables) {
    if (variable.name.text != table || !variable.initializer)
      continue;
    const ptx::Initializer *first = &*variable.initializer;
    while (first->kind == ptx::Initializer::Kind::list &&
           !first->elements.empty())
      first = &first->elements.front();
    std::optional<Symbol> symbol = builder.moduleScope.find(first->symbol);
    if (symbol && symbol->kind == Symbol::Kind::function)
      return symbol;
  }
  return std::nullopt;
}

/// The common signature of all functions that an indirect call may reach: from
/// a .callprototype, from the first of .calltargets, or from the first in a
/// table of functions (PTX section 9.7.12.5).
static StatusOr<Signature> indirectSignature(const FunctionContext &function,
                                             const ptx::Instruction &source,
                                             const ptx::Operand *list) {
  std::optional<Symbol> symbol = list ? function.find(*list) : std::nullopt;
  if (symbol && symbol->kind == Symbol::Kind::prototype)
    return signatureOf(symbol->prototype->parameters,
                       symbol->prototype->results);
  if (symbol && symbol->kind == Symbol::Kind::memory)
    symbol = firstFunctionOf(function.builder, list->name);
  if (!symbol || (symbol->kind != Symbol::Kind::callTargets &&
                  symbol->kind != Symbol::Kind::function))
    return errorAt(source.at(),
                   "expected a .callprototype, .calltargets or a table of "
                   "functions behind the arguments of an indirect call");
  const ptx::Function &target =
      function.builder.module.functions[symbol->index];
  return signatureOf(target.parameters, target.results);
}

/// The driver's functions, which PTX only declares.
static std::optional<uint32_t> driverFunction(std::string_view name) {
  if (name == "__assertfail")
    return Program::assertFail;
  if (name == "vprintf")
    return Program::print;
  return std::nullopt;
}

static StatusOr<Signature> decodeDirectCallee(FunctionContext &function,
                                              const ptx::Operand &callee,
                                              uint32_t sourceIndex,
                                              Instruction &out) {
  const ptx::Function &target = function.builder.module.functions[sourceIndex];
  TILEWRIGHT_ASSIGN_OR_RETURN(Signature signature,
                              signatureOf(target.parameters, target.results));
  std::optional<uint32_t> driver = driverFunction(callee.name);
  if (target.body)
    out.immediate = function.builder.functionIndex(sourceIndex);
  else if (driver)
    out.immediate = *driver;
  else
    return errorAt(callee.at,
                   format("'{}' has no body in this file", {callee.name}));
  return signature;
}

static StatusOr<Signature> decodeIndirectCallee(FunctionContext &function,
                                                const ptx::Instruction &source,
                                                const ptx::Operand *prototype,
                                                Ref pointer, Instruction &out) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Signature signature,
                              indirectSignature(function, source, prototype));
  function.builder.requireIndirectTargets();
  function.builder.storeOperands(out, {&pointer, 1});
  return signature;
}

//===--- Arguments --------------------------------------------------------===//

/// Pairs an argument, or a result, with the one of the function's declaration.
static Status passArgument(FunctionContext &function,
                           const ptx::Operand &actual, const Parameter &formal,
                           bool isResult, CallSite &site) {
  std::optional<Symbol> symbol = function.find(actual);
  bool isMemory = symbol && symbol->kind == Symbol::Kind::memory &&
                  symbol->space == AddressSpace::local;
  if (isMemory != !formal.reg.present())
    return errorAt(actual.at,
                   format("expected a .{} variable for '{}'",
                          {isMemory ? "reg" : "param", formal.name}));
  if (isMemory && symbol->bytes != formal.bytes)
    return errorAt(actual.at,
                   format("expected a variable of {} bytes for '{}', found one "
                          "of {}",
                          {formal.bytes, formal.name, symbol->bytes}));
  if (isMemory) {
    uint32_t own = uint32_t(symbol->address);
    auto &copies = isResult ? site.results : site.arguments;
    copies.push_back(isResult ? ArgumentCopy{formal.offset, own, formal.bytes}
                              : ArgumentCopy{own, formal.offset, formal.bytes});
    return {};
  }
  OperandSpec spec;
  spec.name = formal.name;
  spec.isResult = isResult;
  Instruction ignored;
  OperandContext operands{function, ignored};
  TILEWRIGHT_RETURN_IF_ERROR(decodeValue(operands, actual, spec, formal.type));
  auto &copies = isResult ? site.registerResults : site.registerArguments;
  copies.push_back({operands.refs[0], formal.reg, registerBytes(formal.type)});
  return {};
}

/// `list` is null where a call has none; one constant in parentheses is no list
/// for the parser.
static Status passArguments(FunctionContext &function, const ptx::Operand *list,
                            std::span<const Parameter> formals, bool areResults,
                            CallSite &site) {
  std::span<const ptx::Operand> actuals;
  if (list && list->kind == OperandKind::integer)
    actuals = {list, 1};
  else if (list)
    actuals = list->elements;
  if (actuals.size() != formals.size())
    return errorAt(list ? list->at : function.source.name.at,
                   format("expected {} {}, found {}",
                          {formals.size(), areResults ? "results" : "arguments",
                           actuals.size()}));
  for (size_t i = 0; i < actuals.size(); ++i)
    TILEWRIGHT_RETURN_IF_ERROR(
        passArgument(function, actuals[i], formals[i], areResults, site));
  return {};
}

//===--- Calls ------------------------------------------------------------===//

namespace {
/// The operands of a call; null where one is missing.
struct CallOperands {
  const ptx::Operand *results = nullptr, *callee = nullptr,
                     *arguments = nullptr, *prototype = nullptr;
};
} // namespace

static CallOperands split(std::span<const ptx::Operand> operands) {
  auto take = [&](bool onlyList) -> const ptx::Operand * {
    if (operands.empty() ||
        (onlyList && operands.front().kind != OperandKind::list &&
         operands.front().kind != OperandKind::integer))
      return nullptr;
    const ptx::Operand *taken = &operands.front();
    operands = operands.subspan(1);
    return taken;
  };
  CallOperands call;
  call.results = take(true);
  call.callee = take(false);
  call.arguments = take(true);
  call.prototype = take(false);
  return call;
}

static StatusOr<Signature> decodeCallee(FunctionContext &function,
                                        const ptx::Instruction &source,
                                        const CallOperands &call,
                                        Instruction &out) {
  const ptx::Operand &callee = *call.callee;
  std::optional<Symbol> symbol = function.find(callee);
  if (symbol && symbol->kind == Symbol::Kind::function)
    return decodeDirectCallee(function, callee, symbol->index, out);
  if (symbol && symbol->kind == Symbol::Kind::reg &&
      typeBits(symbol->type) == 64)
    return decodeIndirectCallee(function, source, call.prototype, symbol->reg,
                                out);
  return errorAt(callee.at, "expected a function, or a register of 64 bits "
                            "with the address of one");
}

Status decodeCall(FunctionContext &function, const ptx::Instruction &source,
                  Instruction &out) {
  CallOperands call = split(source.operands);
  if (!call.callee)
    return errorAt(source.at(), "expected a function to call");
  TILEWRIGHT_ASSIGN_OR_RETURN(Signature signature,
                              decodeCallee(function, source, call, out));
  CallSite site;
  TILEWRIGHT_RETURN_IF_ERROR(passArguments(function, call.arguments,
                                           signature.parameters, false, site));
  TILEWRIGHT_RETURN_IF_ERROR(
      passArguments(function, call.results, signature.results, true, site));
  // A direct call has no operands.
  if (out.operandCount) {
    site.parameters = std::move(signature.parameters);
    site.resultParameters = std::move(signature.results);
  }
  out.target = uint32_t(function.builder.program->calls.size());
  function.builder.program->calls.push_back(std::move(site));
  return {};
}

} // namespace tilewright::emulator
