// Names of PTX text and their meanings, scope by scope.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_SYMBOLS_H
#define TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_SYMBOLS_H

#include "runtime/emulator/program/Program.h"
#include <unordered_map>

namespace tilewright::emulator {

/// The meaning of a name.
struct Symbol {
  enum class Kind : uint8_t {
    reg,
    /// A variable: an address in `space`.
    memory,
    /// `index` is the function's index in the source.
    function,
    /// `index` is an index in the code.
    label,
    /// `index` is an index in Program::branchTargets.
    branchTargets,
    /// `index` is the first function's index in the source.
    callTargets,
    prototype,
  };
  Kind kind = Kind::reg;
  Type type = Type::b32;
  AddressSpace space = AddressSpace::generic;
  uint32_t index = 0;
  /// Of a register.
  Ref reg;
  /// Of a vector register (.v2, .v4); else 1.
  unsigned width = 1;
  /// Of a variable; its bytes are known in local memory only.
  uint64_t address = 0, bytes = 0;
  const ptx::Prototype *prototype = nullptr;
};

/// `%r<10>`: registers that follow one another.
struct RegisterRange {
  uint64_t count = 0;
  Type type = Type::b32;
  uint32_t firstOffset = 0;
  unsigned width = 1;
};

/// Bytes of a register of `type` in a frame.
[[nodiscard]] uint32_t registerBytes(Type type);

/// Names declared in one block; those of enclosing blocks are visible too.
class Scope {
public:
  explicit Scope(const Scope *outer = nullptr) : outer(outer) {}
  /// False: this scope has the name already.
  bool add(std::string_view name, const Symbol &symbol);
  bool addRange(std::string_view prefix, const RegisterRange &range);
  /// The innermost declaration of `name`.
  [[nodiscard]] std::optional<Symbol> find(std::string_view name) const;

private:
  [[nodiscard]] std::optional<Symbol> findHere(std::string_view name) const;
  const Scope *outer;
  std::unordered_map<std::string_view, Symbol> symbols;
  std::unordered_map<std::string_view, RegisterRange> ranges;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_SYMBOLS_H
