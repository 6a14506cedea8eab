#include "runtime/emulator/program/DecodeFunction.h"
#include "runtime/emulator/program/Declarations.h"
#include "runtime/emulator/program/DecodeInstruction.h"
#include "runtime/emulator/ptx/Lexer.h"
#include "support/Format.h"
#include <algorithm>

namespace tilewright::emulator {

static std::array<uint32_t, 3> dimsOf(const ptx::Directive &directive) {
  std::array<uint32_t, 3> dims = {1, 1, 1};
  for (size_t i = 0; i < std::min<size_t>(directive.values.size(), 3); ++i)
    dims[i] = uint32_t(directive.values[i]);
  return dims;
}

/// PTX section 11.4.
static Status readBounds(const ptx::Function &source, LaunchBounds &bounds) {
  for (const ptx::Directive &directive : source.directives) {
    std::string_view name = directive.name.text;
    if (name == "reqntid")
      bounds.requiredBlock = dimsOf(directive);
    else if (name == "maxntid")
      bounds.maximumBlock = dimsOf(directive);
    else if (name == "reqnctapercluster")
      bounds.requiredCluster = dimsOf(directive);
    else if (name == "maxnreg" && !directive.values.empty())
      bounds.maximumRegisters = uint32_t(directive.values[0]);
    else if (name != "minnctapersm" && name != "maxnctapersm" &&
             name != "explicitcluster" && name != "maxclusterrank" &&
             name != "noreturn" && name != "blocksareclusters")
      return ptx::errorAt(
          directive.name.at,
          format("expected a directive of a function, found '.{}'", {name}));
  }
  return {};
}

static Status setSignature(const ptx::Function &source, Function &out) {
  for (const ptx::Variable &parameter : source.parameters)
    if (source.isEntry && parameter.space != Space::param)
      return ptx::errorAt(parameter.name.at,
                          "expected parameters of a kernel in .param");
  TILEWRIGHT_ASSIGN_OR_RETURN(Signature signature,
                              signatureOf(source.parameters, source.results));
  out.parameters = std::move(signature.parameters);
  out.results = std::move(signature.results);
  out.frameBytes = signature.frameBytes;
  // A kernel's parameters have a separate memory.
  out.parameterBytes = signature.localBytes;
  out.localBytes = source.isEntry ? 0 : signature.localBytes;
  return {};
}

/// Constants have offsets of Ref::offsetBits.
constexpr size_t maxConstantBytes = size_t{1} << (Ref::offsetBits - 1);

static Status decodeBlock(FunctionContext &function, const ptx::Block &block) {
  const Scope *outer = function.scope;
  function.scope = function.scopeOf.at(&block);
  for (const ptx::Statement &statement : block.statements) {
    if (auto *instruction = std::get_if<ptx::Instruction>(&statement)) {
      TILEWRIGHT_RETURN_IF_ERROR(decodeInstruction(function, *instruction));
      if (function.builder.program->constants.size() > maxConstantBytes)
        return ptx::errorAt(
            instruction->at(),
            "expected at most 512 MiB of constants, 256 bytes for each of 64 "
            "bits");
    } else if (auto *line = std::get_if<ptx::SourceLine>(&statement)) {
      function.out.lines.push_back({uint32_t(function.out.code.size()), *line});
    } else if (auto *nested =
                   std::get_if<std::unique_ptr<ptx::Block>>(&statement)) {
      TILEWRIGHT_RETURN_IF_ERROR(decodeBlock(function, **nested));
    }
  }
  function.scope = outer;
  return {};
}

Status decodeFunction(ProgramBuilder &builder, const ptx::Function &source,
                      Function &out) {
  out.name = source.name.text;
  out.isEntry = source.isEntry;
  TILEWRIGHT_RETURN_IF_ERROR(setSignature(source, out));
  TILEWRIGHT_RETURN_IF_ERROR(readBounds(source, out.bounds));
  FunctionContext function{builder, source, out};
  TILEWRIGHT_RETURN_IF_ERROR(declareNames(function));
  TILEWRIGHT_RETURN_IF_ERROR(decodeBlock(function, *source.body));
  // Running off the end returns.
  ptx::Instruction ret;
  ret.opcode = {"ret", source.body->at};
  return decodeInstruction(function, ret);
}

} // namespace tilewright::emulator
