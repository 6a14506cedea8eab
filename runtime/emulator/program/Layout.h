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

/// What local memory, and parameters, may take. CUDA's limits are 512 KiB and
/// 32,764 bytes.
constexpr uint64_t maxLocalBytes = uint64_t{16} << 20;

/// The offset of `variable` behind `used` bytes of a memory of at most `limit`.
/// Error: "LINE:COLUMN: ...", with the name of the memory, `of`.
[[nodiscard]] StatusOr<uint64_t> placeBehind(uint64_t used,
                                             const ptx::Variable &variable,
                                             uint64_t limit,
                                             std::string_view of);

/// Where `count` registers of the variable's type end in a frame, behind `used`
/// bytes of others. Error: "LINE:COLUMN: ...".
[[nodiscard]] StatusOr<uint32_t>
registersBehind(uint32_t used, const ptx::Variable &variable, uint64_t count);

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
/// Errors: "LINE:COLUMN: ...", of the first parameter that has no space.
[[nodiscard]] StatusOr<Signature>
signatureOf(std::span<const ptx::Variable> parameters,
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
