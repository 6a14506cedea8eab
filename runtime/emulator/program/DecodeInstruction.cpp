#include "runtime/emulator/program/DecodeInstruction.h"
#include "runtime/emulator/program/DecodeControl.h"
#include "runtime/emulator/program/DecodeOperand.h"
#include "runtime/emulator/ptx/Lexer.h"
#include "support/Format.h"
#include <algorithm>

namespace tilewright::emulator {

using ptx::errorAt;

/// `add.rn.f32`, as written.
static std::string spelled(const ptx::Instruction &instruction) {
  std::string text(instruction.opcode.text);
  for (const ptx::Word &modifier : instruction.modifiers)
    text += "." + std::string(modifier.text);
  return text;
}

//===--- Operands ---------------------------------------------------------===//

static Status wrongCount(const ptx::Instruction &source,
                         const CompiledForm &form, ptx::Location at) {
  return errorAt(at, format("'{}': expected operands {}, found {}",
                            {spelled(source), form.form->operands,
                             source.operands.size()}));
}

/// Pairs the operands with those of the form.
static Status decodeOperands(OperandContext &operands,
                             const ptx::Instruction &source,
                             const CompiledForm &form, const Match &match) {
  Instruction &out = operands.out;
  size_t next = 0;
  for (size_t i = 0; i < form.operands.size(); ++i) {
    const OperandSpec &spec = form.operands[i];
    if (spec.kind == OperandSpec::Kind::any)
      return {};
    bool hasPartner =
        i + 1 < form.operands.size() && form.operands[i + 1].paired;
    if (next == source.operands.size()) {
      if (!spec.optional)
        return wrongCount(source, form, source.at());
      operands.refs.push_back({});
      continue;
    }
    const ptx::Operand &operand = source.operands[next++];
    if (operand.kind == ptx::Operand::Kind::pair && hasPartner) {
      TILEWRIGHT_RETURN_IF_ERROR(
          decodeOperand(operands, operand.elements[0], spec, match));
      TILEWRIGHT_RETURN_IF_ERROR(decodeOperand(operands, operand.elements[1],
                                               form.operands[++i], match));
      out.resultCount = uint16_t(operands.refs.size());
      continue;
    }
    TILEWRIGHT_RETURN_IF_ERROR(decodeOperand(operands, operand, spec, match));
    if (spec.isResult)
      out.resultCount = uint16_t(operands.refs.size());
    if (!hasPartner)
      continue;
    if (!form.operands[++i].optional)
      return errorAt(
          operand.at,
          format("'{}': expected a pair of registers, with '|' between them",
                 {spelled(source)}));
    operands.refs.push_back({});
  }
  return next == source.operands.size()
             ? Status()
             : wrongCount(source, form, source.operands[next].at);
}

static Status decodeGuard(const FunctionContext &function,
                          const ptx::Guard &guard, Instruction &out) {
  std::optional<Symbol> symbol = function.scope->find(guard.predicate.text);
  if (!symbol || symbol->kind != Symbol::Kind::reg ||
      symbol->type != Type::pred)
    return errorAt(guard.predicate.at, "expected a predicate, found " +
                                           std::string(guard.predicate.text));
  out.guard = symbol->reg;
  out.guardNegated = guard.negated;
  return {};
}

//===--- Forms ------------------------------------------------------------===//

static Status decodeFitted(FunctionContext &function,
                           const ptx::Instruction &source,
                           const CompiledForm &form, const Match &match,
                           Instruction &out) {
  if (source.opcode.text == "call")
    return decodeCall(function, source, out);
  if (source.opcode.text == "brx")
    return decodeIndexedBranch(function, source, out);
  OperandContext operands{function, out};
  operands.refs.reserve(source.operands.size());
  TILEWRIGHT_RETURN_IF_ERROR(decodeOperands(operands, source, form, match));
  function.builder.storeAddresses(out, operands.addresses);
  function.builder.storeOperands(out, operands.refs);
  return {};
}

static bool hasAddress(const CompiledForm &form) {
  return std::any_of(form.operands.begin(), form.operands.end(),
                     [](const OperandSpec &spec) {
                       return spec.kind == OperandSpec::Kind::address;
                     });
}

/// Whether other warps may notice when the instruction runs.
static bool isShared(const Instruction &instruction) {
  static constexpr std::string_view opcodes[] = {
      "ld",       "ldu",  "st",       "atom",     "red",
      "cp",       "wmma", "ldmatrix", "stmatrix", "wgmma",
      "mbarrier", "bar",  "barrier",  "fence",    "membar"};
  const auto space = AddressSpace(instruction.space);
  return space != AddressSpace::local && space != AddressSpace::constant &&
         space != AddressSpace::param &&
         std::find(std::begin(opcodes), std::end(opcodes),
                   instruction.form->opcode) != std::end(opcodes);
}

/// Picks the function that runs the instruction, whose operands fit the form.
static Status setExecute(const ptx::Instruction &source,
                         const CompiledForm &form, const Match &match,
                         Instruction &out) {
  bool isMove = source.opcode.text == "mov" || source.opcode.text == "cvta";
  if (out.clock != ClockPart::none && !isMove)
    return errorAt(source.at(), "expected a mov to read the clock");
  if (out.frameRelative && !isMove && !hasAddress(form))
    return errorAt(source.at(), "expected a mov to take the address of a "
                                "local variable");
  out.form = form.form;
  out.execute = form.form->build(match, out);
  out.isShared = isShared(out);
  if (out.execute)
    return {};
  std::string reason = match.reason.empty() ? "" : ": " + match.reason;
  return errorAt(source.at(),
                 format("'{}' is not supported{}", {spelled(source), reason}));
}

static std::string list(std::span<const std::string_view> choices) {
  std::string text;
  for (size_t i = 0; i < choices.size(); ++i)
    text += (i == 0                    ? "."
             : i + 1 == choices.size() ? " or ."
                                       : ", .") +
            std::string(choices[i]);
  return text;
}

/// Reports the modifier at which the best form failed.
static Status noForm(const ptx::Instruction &source,
                     std::span<const CompiledForm> forms) {
  Fit best;
  std::vector<std::string_view> expected;
  for (const CompiledForm &form : forms) {
    Fit fitted = fit(form, source.modifiers);
    if (fitted.fitted > best.fitted || expected.empty()) {
      expected.clear();
      best = fitted;
    }
    if (fitted.fitted == best.fitted && fitted.missing)
      for (std::string_view choice : fitted.missing->choices)
        if (std::find(expected.begin(), expected.end(), choice) ==
            expected.end())
          expected.push_back(choice);
  }
  bool atEnd = best.fitted == source.modifiers.size();
  ptx::Location at = atEnd ? source.at() : source.modifiers[best.fitted].at;
  std::string found =
      atEnd ? "its operands"
            : format("'.{}'", {source.modifiers[best.fitted].text});
  if (expected.empty())
    return errorAt(at, format("'{}': expected no more modifiers, found {}",
                              {spelled(source), found}));
  return errorAt(at, format("'{}': expected {}, found {}",
                            {spelled(source), list(expected), found}));
}

/// The first form whose modifiers and operands fit.
static Status decodeByForm(FunctionContext &function,
                           const ptx::Instruction &source,
                           Instruction &instruction) {
  std::span<const CompiledForm> forms =
      function.builder.forms.of(source.opcode.text);
  if (forms.empty())
    return errorAt(source.at(),
                   format("unknown instruction '{}'", {source.opcode.text}));
  Status first;
  for (const CompiledForm &form : forms) {
    Fit fitted = fit(form, source.modifiers);
    if (!fitted.complete)
      continue;
    fitted.match.capability = function.builder.capability;
    Instruction candidate = instruction;
    Status status =
        decodeFitted(function, source, form, fitted.match, candidate);
    if (!status.ok()) {
      first = first.ok() ? status : first;
      continue;
    }
    TILEWRIGHT_RETURN_IF_ERROR(
        setExecute(source, form, fitted.match, candidate));
    function.builder.program->communicates |= candidate.communicates;
    instruction = candidate;
    return {};
  }
  return first.ok() ? noForm(source, forms) : first;
}

Status decodeInstruction(FunctionContext &function,
                         const ptx::Instruction &source) {
  Instruction instruction;
  instruction.at = source.at();
  if (source.guard)
    TILEWRIGHT_RETURN_IF_ERROR(
        decodeGuard(function, *source.guard, instruction));
  TILEWRIGHT_RETURN_IF_ERROR(decodeByForm(function, source, instruction));
  function.out.code.push_back(instruction);
  return {};
}

} // namespace tilewright::emulator
