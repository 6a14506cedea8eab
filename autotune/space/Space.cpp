#include "autotune/space/Space.h"

#include "support/Format.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace tilewright::autotune {

uint64_t Space::size() const {
  constexpr uint64_t most = std::numeric_limits<int64_t>::max();
  uint64_t size = 1;
  for (const Knob &knob : all) {
    uint64_t count = knob.values.size();
    if (count != 0 && size > most / count)
      return most;
    size *= count;
  }
  return size;
}

Point Space::at(uint64_t index) const {
  Point point(all.size());
  for (size_t knob = all.size(); knob-- > 0;) {
    point[knob] = index % all[knob].values.size();
    index /= all[knob].values.size();
  }
  return point;
}

StatusOr<Space> Space::only(const std::vector<std::string> &names) const {
  if (names.empty())
    return *this;
  std::vector<Knob> knobs = all;
  bool isAny = false;
  for (Knob &knob : knobs)
    if (std::ranges::find(names, knob.name) == names.end())
      knob = {knob.name, {knob.values[knob.initial]}, 0};
    else
      isAny = true;
  if (!isAny)
    return Status::invalidInput(format(
        "none of the choices to search is one of this kernel's, which has '{}'",
        {text(initial())}));
  return Space(std::move(knobs));
}

Point Space::initial() const {
  Point point;
  for (const Knob &knob : all)
    point.push_back(knob.initial);
  return point;
}

Point Space::random(Random &random) const {
  Point point;
  for (const Knob &knob : all)
    point.push_back(random.below(knob.values.size()));
  return point;
}

std::vector<Point> Space::neighbours(const Point &point) const {
  std::vector<Point> found;
  for (size_t knob = 0; knob < all.size(); ++knob) {
    Point next = point;
    if (point[knob] > 0) {
      next[knob] = point[knob] - 1;
      found.push_back(next);
    }
    if (point[knob] + 1 < all[knob].values.size()) {
      next[knob] = point[knob] + 1;
      found.push_back(next);
    }
  }
  return found;
}

std::string Space::text(const Point &point) const {
  std::string text;
  for (size_t knob = 0; knob < all.size(); ++knob)
    text += format("{}{}={}",
                   {knob ? " " : "", all[knob].name, value(point, knob)});
  return text;
}

StatusOr<Point> Space::parse(std::string_view text) const {
  Point point = initial();
  while (true) {
    size_t first = text.find_first_not_of(' ');
    if (first == std::string_view::npos)
      return point;
    text.remove_prefix(first);
    std::string_view part = text.substr(0, text.find(' '));
    text.remove_prefix(part.size());
    size_t equals = std::min(part.find('='), part.size());
    std::string_view name = part.substr(0, equals);
    auto knob = std::ranges::find(all, name, &Knob::name);
    if (knob == all.end())
      return Status::invalidInput(
          format("schedule: no choice is called '{}'", {name}));
    std::string_view digits = part.substr(std::min(equals + 1, part.size()));
    int64_t value = 0;
    auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
    auto found = std::ranges::find(knob->values, value);
    if (digits.empty() || error != std::errc() ||
        end != digits.data() + digits.size() || found == knob->values.end())
      return Status::invalidInput(
          format("schedule: '{}' expects one of {}, found '{}'",
                 {name, joined(knob->values), digits}));
    point[size_t(knob - all.begin())] = size_t(found - knob->values.begin());
  }
}

} // namespace tilewright::autotune
