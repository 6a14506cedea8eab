#include "runtime/emulator/program/Decoder.h"
#include "runtime/emulator/ptx/Lexer.h"
#include "support/Format.h"
#include <algorithm>

namespace tilewright::emulator {

using ptx::errorAt;
using OperandKind = ptx::Operand::Kind;

/// `add.rn.f32`, as written.
static std::string spelled(const ptx::Instruction &instruction) {
  std::string text(instruction.opcode.text);
  for (const ptx::Word &modifier : instruction.modifiers)
    text += "." + std::string(modifier.text);
  return text;
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

Status FunctionDecoder::decodeInstruction(const ptx::Instruction &source) {
  Instruction instruction;
  instruction.at = source.at();
  if (source.guard)
    TILEWRIGHT_RETURN_IF_ERROR(decodeGuard(*source.guard, instruction));
  TILEWRIGHT_RETURN_IF_ERROR(decodeByForm(source, instruction));
  out.code.push_back(instruction);
  return {};
}

static bool hasAddress(const CompiledForm &form) {
  return std::any_of(form.operands.begin(), form.operands.end(),
                     [](const OperandSpec &spec) {
                       return spec.kind == OperandSpec::Kind::address;
                     });
}

/// The first form whose modifiers and operands fit.
Status FunctionDecoder::decodeByForm(const ptx::Instruction &source,
                                     Instruction &instruction) {
  std::span<const CompiledForm> forms = builder.forms.of(source.opcode.text);
  if (forms.empty())
    return errorAt(source.at(),
                   format("unknown instruction '{}'", {source.opcode.text}));
  Status first;
  for (const CompiledForm &form : forms) {
    Fit fitted = fit(form, source.modifiers);
    if (!fitted.complete)
      continue;
    fitted.match.capability = builder.capability;
    Instruction candidate = instruction;
    Status status = decodeFitted(source, form, fitted.match, candidate);
    if (!status.ok()) {
      first = first.ok() ? status : first;
      continue;
    }
    bool isMove = source.opcode.text == "mov" || source.opcode.text == "cvta";
    if (candidate.clock != ClockPart::none && !isMove)
      return errorAt(source.at(), "expected a mov to read the clock");
    if (candidate.frameRelative && !isMove && !hasAddress(form))
      return errorAt(source.at(), "expected a mov to take the address of a "
                                  "local variable");
    candidate.form = form.form;
    candidate.execute = form.form->build(fitted.match, candidate);
    if (!candidate.execute)
      return errorAt(source.at(), format("'{}' is not supported{}",
                                         {spelled(source),
                                          fitted.match.reason.empty()
                                              ? ""
                                              : ": " + fitted.match.reason}));
    builder.program->communicates |= candidate.communicates;
    instruction = candidate;
    return {};
  }
  return first.ok() ? noForm(source, forms) : first;
}

Status FunctionDecoder::decodeFitted(const ptx::Instruction &source,
                                     const CompiledForm &form,
                                     const Match &match, Instruction &out) {
  if (source.opcode.text == "call")
    return decodeCall(source, out);
  if (source.opcode.text == "brx")
    return decodeIndexedBranch(source, out);
  std::vector<Ref> refs;
  addresses.clear();
  TILEWRIGHT_RETURN_IF_ERROR(decodeOperands(source, form, match, out, refs));
  setAddresses(out);
  Ref *operands = builder.allocateOperands(refs.size());
  std::copy(refs.begin(), refs.end(), operands);
  out.operands = operands;
  out.operandCount = uint32_t(refs.size());
  return {};
}

/// Reports the modifier at which the best form failed.
Status FunctionDecoder::noForm(const ptx::Instruction &source,
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

//===--- Operands ---------------------------------------------------------===//

Status FunctionDecoder::decodeOperands(const ptx::Instruction &source,
                                       const CompiledForm &form,
                                       const Match &match, Instruction &out,
                                       std::vector<Ref> &refs) {
  size_t next = 0;
  for (size_t i = 0; i < form.operands.size(); ++i) {
    const OperandSpec &spec = form.operands[i];
    if (spec.kind == OperandSpec::Kind::any)
      return {};
    bool hasPartner =
        i + 1 < form.operands.size() && form.operands[i + 1].paired;
    if (next == source.operands.size()) {
      if (!spec.optional)
        return errorAt(source.at(),
                       format("'{}': expected operands {}, found {}",
                              {spelled(source), form.form->operands,
                               source.operands.size()}));
      refs.push_back({});
      continue;
    }
    const ptx::Operand &operand = source.operands[next++];
    if (operand.kind == OperandKind::pair && hasPartner) {
      TILEWRIGHT_RETURN_IF_ERROR(
          decodeOperand(operand.elements[0], spec, match, out, refs));
      TILEWRIGHT_RETURN_IF_ERROR(decodeOperand(
          operand.elements[1], form.operands[++i], match, out, refs));
      out.resultCount = uint16_t(refs.size());
      continue;
    }
    TILEWRIGHT_RETURN_IF_ERROR(decodeOperand(operand, spec, match, out, refs));
    if (spec.isResult)
      out.resultCount = uint16_t(refs.size());
    if (!hasPartner)
      continue;
    if (!form.operands[++i].optional)
      return errorAt(
          operand.at,
          format("'{}': expected a pair of registers, with '|' between them",
                 {spelled(source)}));
    refs.push_back({});
  }
  if (next != source.operands.size())
    return errorAt(
        source.operands[next].at,
        format("'{}': expected operands {}, found {}",
               {spelled(source), form.form->operands, source.operands.size()}));
  return {};
}

} // namespace tilewright::emulator
