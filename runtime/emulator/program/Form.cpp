#include "runtime/emulator/program/Form.h"
#include <algorithm>
#include <cassert>

namespace tilewright::emulator {

std::string_view Match::operator[](std::string_view name) const {
  for (unsigned i = 0; i < count; ++i)
    if (slots[i].name == name)
      return slots[i].value;
  return {};
}

Type Match::type(std::string_view name) const {
  std::optional<Type> type = typeFromName((*this)[name]);
  assert(type && "the form's slot holds types");
  return type.value_or(Type::b32);
}

void Match::add(std::string_view name, std::string_view value) {
  assert(count < slots.size() && "a form with too many slots");
  slots[count++] = {name, value};
}

//===--- Reading the texts of forms ---------------------------------------===//

/// The first `separator` outside brackets; else the end.
static size_t findOutside(std::string_view text, char separator) {
  bool inside = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == separator && !inside)
      return i;
    inside = text[i] == '[' || (inside && text[i] != ']');
  }
  return text.size();
}

/// The parts of `text` between `separator`, without blanks around them.
static std::vector<std::string_view> split(std::string_view text,
                                           char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    size_t end = findOutside(text, separator);
    std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (!part.empty() && part.front() == ' ')
      part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ')
      part.remove_suffix(1);
    if (!part.empty())
      parts.push_back(part);
  }
  return parts;
}

/// Removes `prefix` from the front of `text`, if it is there.
static bool consume(std::string_view &text, std::string_view prefix) {
  if (!text.starts_with(prefix))
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

static ModifierSpec readModifier(std::string_view text) {
  ModifierSpec spec;
  size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    text.remove_prefix(1);
    if (text.ends_with('?')) {
      spec.optional = true;
      text.remove_suffix(1);
    }
    spec.slot = text;
    spec.choices = {text};
    return spec;
  }
  spec.slot = text.substr(0, equals);
  if (spec.slot.ends_with('?')) {
    spec.optional = true;
    spec.slot.remove_suffix(1);
  }
  spec.choices = split(text.substr(equals + 1), '|');
  return spec;
}

/// `a]`, `a:dst]`, `a, {c}:s32]`.
static OperandSpec readAddress(std::string_view text) {
  OperandSpec spec;
  spec.kind = OperandSpec::Kind::address;
  text.remove_suffix(1);
  std::string_view base = text.substr(0, text.find(','));
  spec.coordinates = base.size() < text.size();
  if (spec.coordinates)
    spec.type = text.substr(text.rfind(':') + 1);
  size_t colon = base.find(':');
  spec.name = base.substr(0, colon);
  if (colon != std::string_view::npos)
    spec.space = base.substr(colon + 1);
  return spec;
}

static OperandSpec readOperand(std::string_view text) {
  OperandSpec spec;
  if (text.ends_with('?')) {
    spec.optional = true;
    text.remove_suffix(1);
  }
  if (text == "label") {
    spec.kind = OperandSpec::Kind::label;
    return spec;
  }
  if (text == "*") {
    spec.kind = OperandSpec::Kind::any;
    return spec;
  }
  if (consume(text, "["))
    return readAddress(text);
  spec.negatable = consume(text, "!");
  spec.immediate = consume(text, "#");
  spec.vector = consume(text, "{");
  size_t end = text.find_first_of(":~");
  assert(end != std::string_view::npos && "an operand needs a type");
  spec.name = text.substr(0, end);
  spec.wider = text[end] == '~';
  spec.type = text.substr(end + 1);
  spec.isResult = spec.name.starts_with('d');
  if (size_t dot = spec.name.find('.'); dot != std::string_view::npos) {
    std::optional<SelectorKind> kind =
        selectorKindFromName(spec.name.substr(dot + 1));
    assert(kind && "a form with an unknown kind of selector");
    spec.selector = kind.value_or(SelectorKind::none);
    spec.name = spec.name.substr(0, dot);
  }
  if (spec.vector) {
    spec.name.remove_suffix(1);
    size_t times = spec.name.find('*');
    if (times != std::string_view::npos) {
      spec.anyLength = times + 1 == spec.name.size();
      for (char c : spec.name.substr(times + 1))
        spec.length = spec.length * 10 + unsigned(c - '0');
      spec.name = spec.name.substr(0, times);
    }
  }
  return spec;
}

static CompiledForm compile(const Form &form) {
  CompiledForm compiled;
  compiled.form = &form;
  for (std::string_view part : split(form.modifiers, ' '))
    compiled.modifiers.push_back(readModifier(part));
  for (std::string_view group : split(form.operands, ',')) {
    bool paired = false;
    for (std::string_view part : split(group, '|')) {
      compiled.operands.push_back(readOperand(part));
      compiled.operands.back().paired = paired;
      paired = true;
    }
  }
  return compiled;
}

FormTable::FormTable(std::span<const std::span<const Form>> tables) {
  for (std::span<const Form> table : tables)
    for (const Form &form : table)
      forms[form.opcode].push_back(compile(form));
}

std::span<const CompiledForm> FormTable::of(std::string_view opcode) const {
  auto found = forms.find(opcode);
  if (found == forms.end())
    return {};
  return found->second;
}

/// Order, scope, state space and the operation of an atomic come in any order,
/// as ptxas reads them.
static bool floats(const ModifierSpec &spec) {
  return spec.slot == "order" || spec.slot == "scope" || spec.slot == "ss" ||
         spec.slot == "op";
}

/// Takes the next modifier if `spec` has it.
static bool take(const ModifierSpec &spec, std::span<const ptx::Word> modifiers,
                 Fit &result) {
  if (result.fitted == modifiers.size() || result.match.has(spec.slot))
    return false;
  std::string_view text = modifiers[result.fitted].text;
  auto fits = [&](std::string_view choice) {
    return choice.ends_with('*')
               ? text.starts_with(choice.substr(0, choice.size() - 1))
               : text == choice;
  };
  if (std::none_of(spec.choices.begin(), spec.choices.end(), fits))
    return false;
  result.match.add(spec.slot, text);
  ++result.fitted;
  return true;
}

Fit fit(const CompiledForm &form, std::span<const ptx::Word> modifiers) {
  Fit result;
  const std::vector<ModifierSpec> &specs = form.modifiers;
  for (size_t i = 0; i < specs.size();) {
    // Specs in either order, or one alone.
    size_t end = i + 1;
    while (floats(specs[i]) && end < specs.size() && floats(specs[end]))
      ++end;
    for (bool taken = true; taken;) {
      taken = false;
      for (size_t j = i; j < end; ++j)
        taken |= take(specs[j], modifiers, result);
    }
    for (; i < end; ++i)
      if (!specs[i].optional && !result.match.has(specs[i].slot)) {
        result.missing = &specs[i];
        return result;
      }
  }
  result.complete = result.fitted == modifiers.size();
  return result;
}

} // namespace tilewright::emulator
