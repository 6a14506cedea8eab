// Where variables and parameters are in memory and in registers.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_LAYOUT_H
#define TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_LAYOUT_H

#include "runtime/emulator/program/Program.h"
#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"
#include <map>
#include <span>

namespace tilewright::emulator {

/// Bytes that a variable or a parameter takes in memory, and its alignment.
[[nodiscard]] TILEWRIGHT_PRIVATE_API uint64_t
bytesOf(const ptx::Variable &variable);
[[nodiscard]] uint64_t alignmentOf(const ptx::Variable &variable);

[[nodiscard]] inline uint64_t alignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// A function's parameters and results; caller and callee derive them from the
/// declaration alone.
struct Signature {
  std::vector<Parameter> parameters, results;
  /// Where the function's own registers and local variables start.
  uint32_t frameBytes = 0, localBytes = 0;
};
[[nodiscard]] Signature signatureOf(std::span<const ptx::Variable> parameters,
                                    std::span<const ptx::Variable> results);

/// The shared memory of a kernel.
struct SharedLayout {
  std::map<const ptx::Variable *, uint32_t> offsets;
  uint32_t bytes = 0;
  /// 0 for a variable that the kernel does not use.
  [[nodiscard]] uint32_t offsetOf(const ptx::Variable &variable) const;
};
/// Dynamic shared memory is one piece after all variables with a size. Errors:
/// "LINE:COLUMN: ...", of the first variable that has no space.
[[nodiscard]] StatusOr<SharedLayout>
layOutShared(std::span<const ptx::Variable *const> variables);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_LAYOUT_H
