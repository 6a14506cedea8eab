// What the code of a kernel uses.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_USES_H
#define TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_USES_H

#include "runtime/emulator/ptx/Ast.h"
#include <set>

namespace tilewright::emulator {

/// Of a kernel and of the functions that it might call.
struct Uses {
  /// All that operands name.
  std::set<std::string_view> names;
  /// Shared variables: those in functions, then those of the module.
  std::vector<const ptx::Variable *> shared;
};
[[nodiscard]] Uses usesOf(const ptx::Module &module,
                          const ptx::Function &kernel);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_USES_H
