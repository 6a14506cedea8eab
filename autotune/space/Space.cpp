#include "autotune/space/Space.h"

#include "support/Format.h"

#include <algorithm>
#include <limits>

namespace tilewright::autotune {

std::string Parameter::text(int64_t value) const {
  return nameOf ? std::string(nameOf(value)) : std::to_string(value);
}

uint64_t Space::size() const {
  constexpr uint64_t most = std::numeric_limits<int64_t>::max();
  uint64_t size = 1;
  for (const Parameter &parameter : all) {
    uint64_t count = parameter.values.size();
    if (count != 0 && size > most / count)
      return most;
    size *= count;
  }
  return size;
}

Point Space::at(uint64_t index) const {
  Point point(all.size());
  for (size_t parameter = all.size(); parameter-- > 0;) {
    point[parameter] = index % all[parameter].values.size();
    index /= all[parameter].values.size();
  }
  return point;
}

StatusOr<Space> Space::only(const std::vector<std::string> &names) const {
  if (names.empty())
    return *this;
  std::vector<Parameter> parameters = all;
  bool isAny = false;
  for (Parameter &parameter : parameters)
    if (std::ranges::find(names, parameter.name) == names.end())
      parameter = {parameter.name,
                   {parameter.values[parameter.defaultIndex]},
                   0,
                   parameter.nameOf};
    else
      isAny = true;
  if (!isAny)
    return Status::invalidInput(format("none of the parameters to search is "
                                       "one of this kernel's, which has '{}'",
                                       {text(defaultPoint())}));
  return Space(std::move(parameters));
}

Point Space::defaultPoint() const {
  Point point;
  for (const Parameter &parameter : all)
    point.push_back(parameter.defaultIndex);
  return point;
}

Point Space::random(Random &random) const {
  Point point;
  for (const Parameter &parameter : all)
    point.push_back(random.below(parameter.values.size()));
  return point;
}

std::vector<Point> Space::neighbours(const Point &point) const {
  std::vector<Point> found;
  for (size_t parameter = 0; parameter < all.size(); ++parameter) {
    Point next = point;
    if (point[parameter] > 0) {
      next[parameter] = point[parameter] - 1;
      found.push_back(next);
    }
    if (point[parameter] + 1 < all[parameter].values.size()) {
      next[parameter] = point[parameter] + 1;
      found.push_back(next);
    }
  }
  return found;
}

std::string Space::text(const Point &point) const {
  std::string text;
  for (size_t parameter = 0; parameter < all.size(); ++parameter)
    text += format("{}{}={}", {parameter ? " " : "", all[parameter].name,
                               all[parameter].text(value(point, parameter))});
  return text;
}

StatusOr<Point> Space::parse(std::string_view text) const {
  Point point = defaultPoint();
  while (true) {
    size_t first = text.find_first_not_of(' ');
    if (first == std::string_view::npos)
      return point;
    text.remove_prefix(first);
    std::string_view part = text.substr(0, text.find(' '));
    text.remove_prefix(part.size());
    size_t equals = std::min(part.find('='), part.size());
    std::string_view name = part.substr(0, equals);
    auto parameter = std::ranges::find(all, name, &Parameter::name);
    if (parameter == all.end())
      return Status::invalidInput(
          format("schedule: no parameter is called '{}'", {name}));
    std::string_view value = part.substr(std::min(equals + 1, part.size()));
    std::vector<std::string> texts;
    for (int64_t legal : parameter->values)
      texts.push_back(parameter->text(legal));
    auto found = std::ranges::find(texts, value);
    if (found == texts.end())
      return Status::invalidInput(
          format("schedule: '{}' expects one of {}, found '{}'",
                 {name, joined(texts), value}));
    point[size_t(parameter - all.begin())] = size_t(found - texts.begin());
  }
}

} // namespace tilewright::autotune
