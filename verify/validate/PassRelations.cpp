#include "verify/validate/PassRelations.h"

#include "tilewright/mlir/Registry.h"
#include <algorithm>
#include <charconv>
#include <cmath>

namespace tilewright::verify {

/// "near=2^-21", as documentation writes it.
static Relation readRelation(std::string_view text) {
  constexpr std::string_view power = "near=2^";
  if (!text.starts_with(power))
    return *Relation::parse(text);
  int exponent = 0;
  std::from_chars(text.data() + power.size(), text.data() + text.size(),
                  exponent);
  return {Relation::Kind::near, std::ldexp(1.0, exponent)};
}

/// Null: it is none of a plug-in.
static const Registry::NamedPass *findAdded(std::string_view pass,
                                            const Plugins *plugins) {
  return plugins ? plugins->registry().findPass(pass) : nullptr;
}

bool declaresNone(std::string_view pass, const Plugins *plugins) {
  const Registry::NamedPass *added = findAdded(pass, plugins);
  return added && !added->relation;
}

Relation passRelation(std::string_view pass, const Plugins *plugins) {
  if (const Registry::NamedPass *added = findAdded(pass, plugins))
    return added->relation.value_or(Relation());
  static constexpr struct {
    std::string_view pass, relation;
  } table[] = {
#define PASS_RELATION(FLAG, RELATION, REASON) {FLAG, RELATION},
#include "verify/validate/PassRelations.inc"
#undef PASS_RELATION
  };
  for (const auto &[flag, relation] : table)
    if (flag == pass)
      return readRelation(relation);
  return {};
}

Relation combine(const Relation &first, const Relation &second) {
  using Kind = Relation::Kind;
  if (first.kind == Kind::exact)
    return second;
  if (second.kind == Kind::exact)
    return first;
  if (first.kind == Kind::near && second.kind == Kind::near)
    return {Kind::near, first.distance + second.distance};
  if (first.kind == Kind::reassociated && second.kind == Kind::reassociated)
    return first;
  return {Kind::bounded};
}

} // namespace tilewright::verify
