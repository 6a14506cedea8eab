#include "runtime/emulator/ptx/Types.h"
#include <unordered_map>

namespace tilewright::emulator {

static constexpr TypeInfo types[] = {
#define TYPE(ENUMERATOR, SPELLING, BITS, CLASS)                                \
  {SPELLING, BITS, TypeClass::CLASS},
#include "runtime/emulator/ptx/Types.inc"
#undef TYPE
};

const TypeInfo &typeInfo(Type type) { return types[size_t(type)]; }

std::optional<Type> typeFromName(std::string_view name) {
  static const auto *byName = [] {
    auto *map = new std::unordered_map<std::string_view, Type>;
    for (size_t i = 0; i < std::size(types); ++i)
      map->emplace(types[i].name, Type(i));
    return map;
  }();
  auto found = byName->find(name);
  if (found == byName->end())
    return std::nullopt;
  return found->second;
}

std::string_view spaceName(Space space) {
  static constexpr std::string_view names[] = {"reg",   "const", "global",
                                               "local", "param", "shared"};
  return names[size_t(space)];
}

} // namespace tilewright::emulator
