#include "runtime/emulator/program/Symbols.h"
#include <algorithm>

namespace tilewright::emulator {

uint32_t registerBytes(Type type) {
  if (type == Type::pred)
    return 4;
  return 32 * std::max(2u, typeBits(type) / 8);
}

bool Scope::add(std::string_view name, const Symbol &symbol) {
  return symbols.emplace(name, symbol).second;
}

bool Scope::addRange(std::string_view prefix, const RegisterRange &range) {
  return ranges.emplace(prefix, range).second;
}

std::optional<Symbol> Scope::findHere(std::string_view name) const {
  if (auto found = symbols.find(name); found != symbols.end())
    return found->second;
  // A digit of the number may also be the last one of the prefix.
  uint64_t number = 0, power = 1;
  for (size_t end = name.size(); end > 1;) {
    char c = name[--end];
    if (c < '0' || c > '9' || name.size() - end > 9)
      return std::nullopt;
    number += uint64_t(c - '0') * power;
    power *= 10;
    bool leadingZero = c == '0' && end + 1 < name.size();
    auto found = ranges.find(name.substr(0, end));
    if (leadingZero || found == ranges.end() || number >= found->second.count)
      continue;
    const RegisterRange &range = found->second;
    Symbol symbol;
    symbol.type = range.type;
    symbol.width = range.width;
    symbol.reg = Ref::make(Ref::frame,
                           range.firstOffset + uint32_t(number) * range.width *
                                                   registerBytes(range.type));
    return symbol;
  }
  return std::nullopt;
}

std::optional<Symbol> Scope::find(std::string_view name) const {
  for (const Scope *scope = this; scope; scope = scope->outer)
    if (std::optional<Symbol> found = scope->findHere(name))
      return found;
  return std::nullopt;
}

} // namespace tilewright::emulator
