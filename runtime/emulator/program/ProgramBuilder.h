// A program while its functions are decoded.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_PROGRAMBUILDER_H
#define TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_PROGRAMBUILDER_H

#include "runtime/emulator/program/Form.h"
#include "runtime/emulator/program/Layout.h"
#include "runtime/emulator/program/Symbols.h"
#include "runtime/emulator/program/Uses.h"
#include <deque>
#include <map>

namespace tilewright::emulator {

/// What the functions of one kernel share, and what they add to its program.
class ProgramBuilder {
public:
  ProgramBuilder(std::shared_ptr<const ptx::Module> module,
                 const FormTable &forms);

  /// Immediates: one value for all lanes.
  Ref constant(uint64_t value, unsigned bytes);
  Ref special(unsigned index);
  /// The instruction refers to a copy in the program; the first address is in
  /// the instruction itself.
  void storeOperands(Instruction &out, std::span<const Ref> operands);
  void storeAddresses(Instruction &out, std::span<const Address> addresses);
  /// The index of a source function in the program; requests its code.
  uint32_t functionIndex(uint32_t sourceIndex);
  /// All functions whose address the module uses may be called.
  void requireIndirectTargets();

  std::shared_ptr<Program> program = std::make_shared<Program>();
  const ptx::Module &module;
  const FormTable &forms;
  Scope moduleScope;
  Uses uses;
  SharedLayout shared;
  /// The number of the file's target.
  unsigned capability = 0;
  /// Source functions whose code is requested and not decoded yet.
  std::deque<uint32_t> pending;

private:
  std::map<std::pair<uint64_t, unsigned>, Ref> constants;
  bool indirectTargetsRequired = false;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_PROGRAMBUILDER_H
