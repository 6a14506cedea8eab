#include "verify/spatial/EventSweep.h"

#include <limits>

namespace tilewright::verify {

using namespace spatial;

void EventSweep::add(uint32_t line, int64_t shift, uint32_t tag) {
  const Instruction &instruction = *timetable.lines[line].instruction;
  for (int64_t run = 0; run < timetable.runs; ++run)
    add({line, static_cast<uint32_t>(run),
         run * timetable.schedule.interval + instruction.cycle + shift,
         instruction.step, tag});
}

void EventSweep::add(const Progression &progression) {
  const TimedLine &line = timetable.lines[progression.line];
  int64_t a = progression.start + line.first * progression.step;
  int64_t b = progression.start + (line.end - 1) * progression.step;
  if (line.first == line.end)
    return;
  strands.push_back({progression, std::min(a, b), std::max(a, b)});
  total += static_cast<uint64_t>(line.end - line.first);
}

void EventSweep::sort() {
  std::ranges::stable_sort(strands, {}, &Strand::least);
  isSorted = true;
}

/// As far as it goes with not more events than can be held at once, if each
/// strand had one for each key.
int64_t EventSweep::endOfSpan(int64_t from) const {
  if (total <= timetable.eventsAtOnce)
    return std::numeric_limits<int64_t>::max() / 2;
  auto fits = [&](int64_t width) {
    auto later = std::ranges::lower_bound(
        strands.begin() + static_cast<ptrdiff_t>(upcoming), strands.end(),
        from + width, {}, &Strand::least);
    auto count =
        active.size() + static_cast<size_t>(later - strands.begin()) - upcoming;
    return count * static_cast<uint64_t>(width) <= timetable.eventsAtOnce;
  };
  int64_t width = 1;
  while (width < static_cast<int64_t>(timetable.eventsAtOnce) &&
         fits(2 * width))
    width *= 2;
  return from + width;
}

bool EventSweep::isLast() const {
  return upcoming == strands.size() &&
         std::ranges::all_of(active, [&](size_t number) {
           return strands[number].greatest < until;
         });
}

bool EventSweep::next() {
  if (!isSorted)
    sort();
  std::erase_if(
      active, [&](size_t number) { return strands[number].greatest < until; });
  if (active.empty() && upcoming == strands.size())
    return false;
  // Over the gap, if there is one.
  from = active.empty() ? strands[upcoming].least : until;
  until = endOfSpan(from);
  for (; upcoming < strands.size() && strands[upcoming].least < until;
       ++upcoming)
    active.push_back(upcoming);
  return true;
}

} // namespace tilewright::verify
