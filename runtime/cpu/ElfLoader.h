// Loads relocatable ELF objects into this process.
#ifndef TILEWRIGHT_RUNTIME_CPU_ELFLOADER_H
#define TILEWRIGHT_RUNTIME_CPU_ELFLOADER_H

#include "runtime/cpu/ElfFile.h"
#include "tilewright/support/Status.h"
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tilewright::runtime {

/// Finds the address of a function outside of the object.
using SymbolResolver = std::function<std::optional<uint64_t>(std::string_view)>;

/// How to load an object.
struct ElfOptions {
  /// The machine to load for. Code for another one than the host's can be
  /// loaded and looked at, not called.
  ElfMachine machine = hostMachine();
  /// Addresses of external functions; without one, of hostSymbol().
  SymbolResolver resolver;
};

/// An object in memory, relocated: code executable, constants read-only, data
/// writable, nothing both writable and executable. Immutable, but for what its
/// code does.
class ElfImage {
public:
  /// Loads `object`, whose bytes are copied. Errors: malformed, another
  /// machine, unknown external symbols (all are listed), unknown or
  /// out-of-range relocations, thread-local or common data, static
  /// initializers, no memory.
  static StatusOr<std::shared_ptr<const ElfImage>>
  load(std::span<const std::byte> object, const ElfOptions &options = {});
  ~ElfImage();
  ElfImage(const ElfImage &) = delete;
  ElfImage &operator=(const ElfImage &) = delete;

  /// The address of a global function, if the object defines it.
  [[nodiscard]] std::optional<uint64_t> function(std::string_view name) const;
  /// The address of any global symbol that the object defines.
  [[nodiscard]] std::optional<uint64_t> symbol(std::string_view name) const;

private:
  friend class ElfLoader;
  ElfImage() = default;
  std::byte *memory = nullptr;
  size_t size = 0;
  std::map<std::string, uint64_t, std::less<>> functions;
  std::map<std::string, uint64_t, std::less<>> symbols;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CPU_ELFLOADER_H
