#include "runtime/emulator/program/Uses.h"

namespace tilewright::emulator {

static void addOperand(Uses &uses, const ptx::Operand &operand) {
  uses.names.insert(operand.name);
  for (const ptx::Operand &element : operand.elements)
    addOperand(uses, element);
}

static void addBlock(Uses &uses, const ptx::Block &block) {
  for (const ptx::Statement &statement : block.statements) {
    if (auto *variable = std::get_if<ptx::Variable>(&statement)) {
      if (variable->space == Space::shared)
        uses.shared.push_back(variable);
    } else if (auto *inner =
                   std::get_if<std::unique_ptr<ptx::Block>>(&statement)) {
      addBlock(uses, **inner);
    } else if (auto *instruction = std::get_if<ptx::Instruction>(&statement)) {
      for (const ptx::Operand &operand : instruction->operands)
        addOperand(uses, operand);
    }
  }
}

Uses usesOf(const ptx::Module &module, const ptx::Function &kernel) {
  Uses uses;
  for (const ptx::Function &function : module.functions)
    if (function.body && (!function.isEntry || &function == &kernel))
      addBlock(uses, *function.body);
  for (const ptx::Variable &variable : module.variables)
    if (variable.space == Space::shared &&
        uses.names.contains(variable.name.text))
      uses.shared.push_back(&variable);
  return uses;
}

} // namespace tilewright::emulator
