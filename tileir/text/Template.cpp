#include "tileir/text/Template.h"

#include <algorithm>
#include <charconv>
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
    int64_t value = 0;
    const char *last = digits.data() + digits.size();
    auto [end, error] = std::from_chars(digits.data(), last, value);
    if (digits.empty() || error != std::errc() || end != last)
      return wrong(line, "tunable '" + tunable.name +
                             "' expects integers, found '" + digits + "'");
    if (std::ranges::find(tunable.values, value) != tunable.values.end())
      return wrong(line, "tunable '" + tunable.name + "' has the value " +
                             digits + " twice");
    tunable.values.push_back(value);
    if (comma == std::string_view::npos)
      break;
    rest.remove_prefix(comma + 1);
  }
  return tunable;
}

StatusOr<Template> Template::parse(std::string text) {
  Template result;
  std::istringstream lines(text);
  size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    constexpr std::string_view mark = "// tunable ";
    std::string start = trimmed(line);
    if (!start.starts_with(mark))
      continue;
    TILEWRIGHT_ASSIGN_OR_RETURN(
        Tunable tunable, parseDeclaration(start.substr(mark.size()), number));
    for (const Tunable &other : result.declared)
      if (other.name == tunable.name)
        return wrong(number,
                     "tunable '" + tunable.name + "' is declared twice");
    result.declared.push_back(std::move(tunable));
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
  std::string text = pieces.front();
  for (size_t i = 0; i < between.size(); ++i) {
    const Tunable &tunable = declared[between[i]];
    auto given = values.find(tunable.name);
    text += std::to_string(given == values.end() ? tunable.values.front()
                                                 : given->second) +
            pieces[i + 1];
  }
  return text;
}

} // namespace tilewright::tile
