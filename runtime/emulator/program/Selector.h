// Parts of registers that video instructions work on: `r.b0`, `r.h32`.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_SELECTOR_H
#define TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_SELECTOR_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace tilewright::emulator {

/// The selector after a register (PTX section 9.7.18), and its value as an
/// operand of 32 bits.
enum class SelectorKind : uint8_t {
  none,
  /// Nothing: Part::whole.
  whole,
  /// Nothing, a byte or a half: a Part.
  part,
  /// The same, but not nothing.
  location,
  /// Halves or bytes that are written: bit i for the i-th; nothing is all.
  halfMask,
  byteMask,
  /// For each half or byte, its source in a and b, four bits each; nothing
  /// selects the operand's own.
  halves,
  bytes,
};

/// The value of SelectorKind::part.
enum class Part : uint32_t { whole, b0, b1, b2, b3, h0, h1 };

/// The kind called `name` in a form: "part", "index", ...
[[nodiscard]] std::optional<SelectorKind>
selectorKindFromName(std::string_view name);

/// The value of `text` (`b0`; empty: no selector), of operand b if `second`.
/// None: it is not one of the kind.
[[nodiscard]] std::optional<uint32_t>
selectorValue(SelectorKind kind, std::string_view text, bool second);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_SELECTOR_H
