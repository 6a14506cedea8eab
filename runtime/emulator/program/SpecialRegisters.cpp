#include "runtime/emulator/program/SpecialRegisters.h"

namespace tilewright::emulator {

std::span<const SpecialRegister> specialRegisters() {
  static constexpr SpecialRegister table[] = {
#define SPECIAL(NAME, TYPE, VALUE)                                             \
  {NAME, Type::TYPE,                                                           \
   []([[maybe_unused]] const WarpLocation &w,                                  \
      [[maybe_unused]] unsigned lane) { return uint64_t(VALUE); }},
#include "runtime/emulator/program/SpecialRegisters.inc"
#undef SPECIAL
  };
  return table;
}

std::optional<unsigned> findSpecial(std::string_view name) {
  std::span<const SpecialRegister> table = specialRegisters();
  for (unsigned i = 0; i < table.size(); ++i)
    if (table[i].name == name)
      return i;
  return std::nullopt;
}

} // namespace tilewright::emulator
