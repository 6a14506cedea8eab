#include "tileir/text/Template.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>

namespace tilewright::tile {

static Status wrong(size_t line, const std::string &what) {
  return Status::invalidInput(std::to_string(line) + ": " + what);
}

static std::string trimmed(std::string_view text) {
  size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos)
    return "";
  size_t last = text.find_last_not_of(" \t\r");
  return std::string(text.substr(first, last - first + 1));
}

/// One number of a text, all of it.
static std::optional<int64_t> parseNumber(std::string_view digits) {
  int64_t value = 0;
  const char *last = digits.data() + digits.size();
  auto [end, error] = std::from_chars(digits.data(), last, value);
  return error == std::errc() && end == last ? std::optional(value)
                                             : std::nullopt;
}

/// Reads what follows the word `tunable`.
static StatusOr<Tunable> parseDeclaration(std::string_view text, size_t line) {
  size_t equals = text.find('=');
  Tunable tunable{trimmed(text.substr(0, equals)), {}};
  if (equals == std::string_view::npos || tunable.name.empty() ||
      tunable.name.find_first_of(" \t{}$") != std::string::npos)
    return wrong(line, "expected 'tunable NAME = 1, 2, ...'");
  std::string_view rest = text.substr(equals + 1);
  while (true) {
    size_t comma = rest.find(',');
    std::string digits = trimmed(rest.substr(0, comma));
    std::optional<int64_t> value = parseNumber(digits);
    if (!value)
      return wrong(line, "tunable '" + tunable.name +
                             "' expects integers, found '" + digits + "'");
    if (std::ranges::find(tunable.values, *value) != tunable.values.end())
      return wrong(line, "tunable '" + tunable.name + "' has the value " +
                             digits + " twice");
    tunable.values.push_back(*value);
    if (comma == std::string_view::npos)
      break;
    rest.remove_prefix(comma + 1);
  }
  return tunable;
}

//===--- Variants ---------------------------------------------------------===//

/// Reads what follows the word `variant`.
StatusOr<Template::Variant> Template::parseVariant(std::string_view text,
                                                   size_t line) const {
  std::map<std::string, int64_t> given;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    const size_t equals = std::min(word.find('='), word.size());
    const std::string name = word.substr(0, equals);
    auto tunable = std::ranges::find(declared, name, &Tunable::name);
    std::optional<int64_t> value = parseNumber(
        std::string_view(word).substr(std::min(equals + 1, word.size())));
    if (tunable == declared.end() || !value ||
        std::ranges::find(tunable->values, *value) == tunable->values.end() ||
        !given.emplace(name, *value).second)
      return wrong(line, "expected 'variant NAME=VALUE ..' with a value of "
                         "each tunable, found '" +
                             word + "'");
  }
  for (const Tunable &tunable : declared)
    if (!given.contains(tunable.name))
      return wrong(line, "the variant gives '" + tunable.name + "' no value");
  return Variant{valuesOf(given), line, 0};
}

Status Template::addVariant(std::string_view text, size_t line) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Variant variant, parseVariant(text, line));
  if (findVariant(variant.values))
    return wrong(line, "the variant is there twice");
  if (!variants.empty())
    variants.back().end = line - 1;
  variants.push_back(std::move(variant));
  return {};
}

/// One value a tunable, the default where missing.
std::vector<int64_t>
Template::valuesOf(const std::map<std::string, int64_t> &given) const {
  std::vector<int64_t> values;
  for (const Tunable &tunable : declared) {
    auto found = given.find(tunable.name);
    values.push_back(found == given.end() ? tunable.values.front()
                                          : found->second);
  }
  return values;
}

const Template::Variant *
Template::findVariant(const std::vector<int64_t> &values) const {
  auto found = std::ranges::find(variants, values, &Variant::values);
  return found == variants.end() ? nullptr : &*found;
}

bool Template::hasVariant(const std::map<std::string, int64_t> &values) const {
  return variants.empty() || findVariant(valuesOf(values));
}

/// The common lines, and those of `kept`; the other lines are empty.
std::string Template::keepLines(const std::string &text,
                                const Variant *kept) const {
  std::string result;
  std::istringstream lines(text);
  const size_t first = variants.front().begin;
  size_t number = 0;
  for (std::string line; std::getline(lines, line); ++number) {
    if (number < first || (kept && number >= kept->begin && number < kept->end))
      result += line;
    result += '\n';
  }
  return result;
}

//===--- The text ---------------------------------------------------------===//

StatusOr<Template> Template::parse(std::string text) {
  Template result;
  std::istringstream lines(text);
  size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    constexpr std::string_view mark = "// tunable ", variant = "// variant ";
    std::string start = trimmed(line);
    if (start.starts_with(variant)) {
      TILEWRIGHT_RETURN_IF_ERROR(
          result.addVariant(start.substr(variant.size()), number));
      continue;
    }
    if (!start.starts_with(mark))
      continue;
    if (!result.variants.empty())
      return wrong(number, "expected tunables before the first variant");
    TILEWRIGHT_ASSIGN_OR_RETURN(
        Tunable tunable, parseDeclaration(start.substr(mark.size()), number));
    for (const Tunable &other : result.declared)
      if (other.name == tunable.name)
        return wrong(number,
                     "tunable '" + tunable.name + "' is declared twice");
    result.declared.push_back(std::move(tunable));
  }
  if (!result.variants.empty()) {
    result.variants.back().end = number;
    if (!result.hasVariant({}))
      return wrong(result.variants.front().begin,
                   "there is no variant of the defaults, the first value of "
                   "each tunable");
  }
  size_t from = 0;
  for (size_t at; (at = text.find("${", from)) != std::string::npos;) {
    size_t end = std::min(text.find('}', at), text.size());
    std::string name = text.substr(at + 2, end - at - 2);
    auto tunable = std::ranges::find(result.declared, name, &Tunable::name);
    if (tunable == result.declared.end())
      return wrong(
          size_t(std::count(text.begin(), text.begin() + long(at), '\n')) + 1,
          "${" + name +
              "} is not declared; expected a line '// "
              "tunable " +
              name + " = ...'");
    result.pieces.push_back(text.substr(from, at - from));
    result.between.push_back(size_t(tunable - result.declared.begin()));
    from = std::min(end + 1, text.size());
  }
  result.pieces.push_back(text.substr(from));
  return result;
}

std::string
Template::expand(const std::map<std::string, int64_t> &values) const {
  const std::vector<int64_t> chosen = valuesOf(values);
  std::string text = pieces.front();
  for (size_t i = 0; i < between.size(); ++i)
    text += std::to_string(chosen[between[i]]) + pieces[i + 1];
  if (!variants.empty())
    return keepLines(text, findVariant(chosen));
  return text;
}

} // namespace tilewright::tile
