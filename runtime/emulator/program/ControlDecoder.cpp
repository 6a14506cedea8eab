#include "runtime/emulator/program/AddressMap.h"
#include "runtime/emulator/program/Decoder.h"
#include "runtime/emulator/ptx/Lexer.h"
#include "support/Format.h"

namespace tilewright::emulator {

using ptx::errorAt;
using OperandKind = ptx::Operand::Kind;

/// `brx.idx index, list` (PTX section 9.7.12.4).
Status FunctionDecoder::decodeIndexedBranch(const ptx::Instruction &source,
                                            Instruction &out) {
  if (source.operands.size() != 2)
    return errorAt(source.at(), "expected an index and a .branchtargets list");
  OperandSpec spec;
  spec.name = "index";
  std::vector<Ref> refs;
  TILEWRIGHT_RETURN_IF_ERROR(
      decodeValue(source.operands[0], spec, Type::u32, out, refs));
  std::optional<Symbol> list = lookUp(source.operands[1]);
  if (!list || list->kind != Symbol::Kind::branchTargets)
    return errorAt(source.operands[1].at,
                   "expected the name of a .branchtargets list");
  out.target = list->index;
  Ref *operands = builder.allocateOperands(1);
  operands[0] = refs[0];
  out.operands = operands;
  out.operandCount = 1;
  return {};
}

/// The common signature of all functions that an indirect call may reach: from
/// a .callprototype, from the first of .calltargets, or from the first in a
/// table of functions (PTX section 9.7.12.5).
std::optional<Signature>
FunctionDecoder::indirectSignature(const ptx::Operand &operand) const {
  std::optional<Symbol> symbol = lookUp(operand);
  if (symbol && symbol->kind == Symbol::Kind::prototype)
    return ProgramBuilder::signatureOf(symbol->prototype->parameters,
                                       symbol->prototype->results);
  if (symbol && symbol->kind == Symbol::Kind::memory)
    symbol = firstFunctionOf(operand.name);
  if (!symbol || (symbol->kind != Symbol::Kind::callTargets &&
                  symbol->kind != Symbol::Kind::function))
    return std::nullopt;
  const ptx::Function &function = builder.module.functions[symbol->index];
  return ProgramBuilder::signatureOf(function.parameters, function.results);
}

/// The first function whose address initializes the variable `table`.
std::optional<Symbol>
FunctionDecoder::firstFunctionOf(std::string_view table) const {
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

/// `call (results), function, (arguments), prototype` (PTX section 9.7.12.5);
/// all but the function may be missing.
Status FunctionDecoder::decodeCall(const ptx::Instruction &source,
                                   Instruction &out) {
  const std::vector<ptx::Operand> &operands = source.operands;
  size_t next = 0;
  auto isList = [&](size_t i) {
    return i < operands.size() && (operands[i].kind == OperandKind::list ||
                                   operands[i].kind == OperandKind::integer);
  };
  const ptx::Operand *results = isList(next) ? &operands[next++] : nullptr;
  if (next == operands.size())
    return errorAt(source.at(), "expected a function to call");
  const ptx::Operand &callee = operands[next++];
  const ptx::Operand *arguments = isList(next) ? &operands[next++] : nullptr;

  Signature signature;
  std::optional<Symbol> symbol = lookUp(callee);
  if (symbol && symbol->kind == Symbol::Kind::function) {
    const ptx::Function &function = builder.module.functions[symbol->index];
    signature =
        ProgramBuilder::signatureOf(function.parameters, function.results);
    std::optional<uint32_t> driver;
    if (callee.name == "__assertfail")
      driver = Program::assertFail;
    else if (callee.name == "vprintf")
      driver = Program::print;
    if (!function.body && !driver)
      return errorAt(callee.at,
                     format("'{}' has no body in this file", {callee.name}));
    out.immediate = driver && !function.body
                        ? *driver
                        : builder.functionIndex(symbol->index);
  } else if (symbol && symbol->kind == Symbol::Kind::reg &&
             typeBits(symbol->type) == 64) {
    std::optional<Signature> found = next < operands.size()
                                         ? indirectSignature(operands[next])
                                         : std::nullopt;
    if (!found)
      return errorAt(source.at(),
                     "expected a .callprototype, .calltargets or a table of "
                     "functions behind the arguments of an indirect call");
    signature = *found;
    builder.requireIndirectTargets();
    Ref *pointer = builder.allocateOperands(1);
    *pointer = symbol->reg;
    out.operands = pointer;
    out.operandCount = 1;
  } else {
    return errorAt(callee.at, "expected a function, or a register of 64 bits "
                              "with the address of one");
  }
  CallSite site;
  TILEWRIGHT_RETURN_IF_ERROR(
      passArguments(arguments, signature.parameters, false, site));
  TILEWRIGHT_RETURN_IF_ERROR(
      passArguments(results, signature.results, true, site));
  out.target = uint32_t(builder.program->calls.size());
  builder.program->calls.push_back(std::move(site));
  return {};
}

/// Pairs the list of a call with the function's declaration.
Status FunctionDecoder::passArguments(const ptx::Operand *list,
                                      std::span<const Parameter> formals,
                                      bool results, CallSite &site) {
  static const std::vector<ptx::Operand> none;
  bool single = list && list->kind == OperandKind::integer;
  const std::vector<ptx::Operand> &actuals =
      list && !single ? list->elements : none;
  size_t count = single ? 1 : actuals.size();
  ptx::Location at = list ? list->at : source.name.at;
  if (count != formals.size())
    return errorAt(
        at, format("expected {} {}, found {}",
                   {formals.size(), results ? "results" : "arguments", count}));
  for (size_t i = 0; i < count; ++i) {
    const ptx::Operand &actual = single ? *list : actuals[i];
    const Parameter &formal = formals[i];
    std::optional<Symbol> symbol = lookUp(actual);
    bool isMemory = symbol && symbol->kind == Symbol::Kind::memory &&
                    symbol->space == AddressSpace::local;
    if (isMemory != !formal.reg.present())
      return errorAt(actual.at,
                     format("expected a .{} variable for '{}'",
                            {isMemory ? "reg" : "param", formal.name}));
    if (isMemory) {
      uint32_t own = uint32_t(symbol->address);
      auto &copies = results ? site.results : site.arguments;
      copies.push_back(results
                           ? ArgumentCopy{formal.offset, own, formal.bytes}
                           : ArgumentCopy{own, formal.offset, formal.bytes});
      continue;
    }
    OperandSpec spec;
    spec.name = formal.name;
    spec.isResult = results;
    Instruction ignored;
    std::vector<Ref> refs;
    TILEWRIGHT_RETURN_IF_ERROR(
        decodeValue(actual, spec, formal.type, ignored, refs));
    auto &copies = results ? site.registerResults : site.registerArguments;
    copies.push_back({refs[0], formal.reg, registerBytes(formal.type)});
  }
  return {};
}

} // namespace tilewright::emulator
