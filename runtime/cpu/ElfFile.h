// A relocatable ELF object, parsed and checked, not yet loaded.
#ifndef TILEWRIGHT_RUNTIME_CPU_ELFFILE_H
#define TILEWRIGHT_RUNTIME_CPU_ELFFILE_H

#include "tilewright/support/Status.h"
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tilewright::runtime {

/// Machines whose objects can be loaded.
enum class ElfMachine { x86_64, aarch64 };

/// The machine that this library was built for.
[[nodiscard]] constexpr ElfMachine hostMachine() {
#if defined(__aarch64__)
  return ElfMachine::aarch64;
#else
  return ElfMachine::x86_64;
#endif
}

/// One section. Views point into the file's bytes.
struct ElfSection {
  std::string_view name;
  uint32_t type = 0;
  uint64_t flags = 0;
  uint64_t size = 0;
  uint64_t alignment = 1;
  uint32_t link = 0;
  uint32_t info = 0;
  /// Empty for sections without contents (.bss).
  std::span<const std::byte> data;
};

/// One symbol.
struct ElfSymbol {
  std::string_view name;
  /// As in the file: an index, or one of the reserved values.
  uint16_t section = 0;
  uint8_t type = 0;
  uint8_t binding = 0;
  /// Offset in its section.
  uint64_t value = 0;
};

/// One relocation of a section.
struct ElfRelocation {
  uint64_t offset = 0;
  uint32_t type = 0;
  /// Index into ElfFile::symbols; checked.
  uint32_t symbol = 0;
  int64_t addend = 0;
};

/// The parts of a relocatable object. Every index and range in it is checked
/// against the file, so that reading it cannot go wrong.
struct ElfFile {
  ElfMachine machine = ElfMachine::x86_64;
  std::vector<ElfSection> sections;
  std::vector<ElfSymbol> symbols;
  /// By section: what to relocate in it.
  std::vector<std::vector<ElfRelocation>> relocations;

  /// Parses a 64-bit little-endian relocatable object. The file's bytes must
  /// outlive the result. Errors: not such an object, truncated, corrupted.
  static StatusOr<ElfFile> parse(std::span<const std::byte> bytes);
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CPU_ELFFILE_H
