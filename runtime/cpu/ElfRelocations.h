// Applying relocations, for one machine each. For sources only.
#ifndef TILEWRIGHT_RUNTIME_CPU_ELFRELOCATIONS_H
#define TILEWRIGHT_RUNTIME_CPU_ELFRELOCATIONS_H

#include "runtime/cpu/ElfFile.h"
#include "tilewright/support/Status.h"
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace tilewright::runtime {

/// A location to relocate, in the letters of the psABI documents.
struct RelocationSite {
  /// The bytes from the location to the end of its section, writable.
  std::span<std::byte> bytes;
  /// Address of the location.
  uint64_t P = 0;
  /// Address of the symbol.
  uint64_t S = 0;
  int64_t A = 0;
  /// Address of a word with the value S.
  uint64_t got = 0;
  /// Address of code that jumps to S.
  uint64_t stub = 0;
};

/// Bytes of a stub on either machine, its 8-byte address included.
inline constexpr size_t stubSize = 16;

/// Writes code that jumps to `target` without changing argument registers.
void writeStub(ElfMachine machine, std::span<std::byte> bytes, uint64_t target);

/// Applies one relocation. Errors: unknown type, out of range, location not in
/// its section. Messages name the type.
Status relocateX86(uint32_t type, const RelocationSite &site);
Status relocateAArch64(uint32_t type, const RelocationSite &site);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CPU_ELFRELOCATIONS_H
