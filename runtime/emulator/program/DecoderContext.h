// What the parts of the decoder share.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_DECODERCONTEXT_H
#define TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_DECODERCONTEXT_H

#include "runtime/emulator/program/ProgramBuilder.h"

namespace tilewright::emulator {

/// One function while it is decoded.
struct FunctionContext {
  ProgramBuilder &builder;
  const ptx::Function &source;
  Function &out;
  /// The scope of the parameters, then one for each block.
  std::deque<Scope> scopes = {};
  std::map<const ptx::Block *, const Scope *> scopeOf = {};
  /// Of the block that is being decoded.
  const Scope *scope = nullptr;

  /// The meaning of an operand that is a name.
  [[nodiscard]] std::optional<Symbol> find(const ptx::Operand &operand) const {
    if (operand.kind != ptx::Operand::Kind::name)
      return std::nullopt;
    return scope->find(operand.name);
  }
  /// A kernel's local memory starts where its frame does.
  [[nodiscard]] bool isFrameRelative(const Symbol &symbol) const {
    return symbol.space == AddressSpace::local && !source.isEntry;
  }
};

/// The operands of one instruction while they are decoded.
struct OperandContext {
  FunctionContext &function;
  Instruction &out;
  /// In the order of the form.
  std::vector<Ref> refs = {};
  std::vector<Address> addresses = {};
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_DECODERCONTEXT_H
