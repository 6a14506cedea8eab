#include "verify/spatial/SlotHistory.h"

#include "support/Format.h"
#include <algorithm>
#include <limits>

namespace tilewright::verify {

using namespace spatial;

void SlotHistory::sort() {
  // What is put there later in the same cycle, by a placement, wins.
  std::ranges::stable_sort(entries, {}, [](const Entry &entry) {
    return std::tuple(entry.slot, entry.begun, entry.line == noLine);
  });
}

void SlotHistory::forgetBefore(int64_t cycle) {
  size_t kept = 0;
  for (size_t i = 0; i < entries.size(); ++i)
    if (i + 1 == entries.size() || entries[i + 1].slot != entries[i].slot ||
        entries[i + 1].begun >= cycle)
      entries[kept++] = entries[i];
  entries.resize(kept);
  // They do not know of later entries.
  windows.clear();
}

const SlotHistory::Entry *SlotHistory::find(int64_t slot, int64_t cycle) const {
  auto next = std::ranges::lower_bound(
      entries, std::pair(slot, cycle), {},
      [](const Entry &entry) { return std::pair(entry.slot, entry.begun); });
  if (next == entries.begin() || std::prev(next)->slot != slot)
    return nullptr;
  return &*std::prev(next);
}

std::optional<SlotHistory::Window>
SlotHistory::windowOf(const Question &question) const {
  Window window{std::numeric_limits<int64_t>::min(),
                std::numeric_limits<int64_t>::max()};
  PlaneName name = question.name;
  for (int64_t i = 0; i < question.count; ++i, ++name.index) {
    const Entry *entry = find(question.slot + i, question.cycle);
    if (!entry || entry->ready > question.cycle || entry->name != name)
      return std::nullopt;
    window.from = std::max({window.from, entry->ready, entry->begun + 1});
    const Entry *next = entry + 1;
    if (next != entries.data() + entries.size() && next->slot == entry->slot)
      window.until = std::min(window.until, next->begun);
  }
  return window;
}

void SlotHistory::demand(const Question &question, FindingList &findings) {
  if (question.count == 1) {
    if (!windowOf(question))
      report(question, findings);
    return;
  }
  // Tables and weights are asked for again and again: one window serves many.
  Key key(question.slot, question.count, question.name);
  auto known = windows.find(key);
  if (known != windows.end() && known->second.contains(question.cycle))
    return;
  if (std::optional<Window> window = windowOf(question))
    windows.insert_or_assign(key, *window);
  else
    report(question, findings);
}

std::string SlotHistory::describe(const Entry *entry, int64_t slot,
                                  int64_t cycle,
                                  std::string_view slotText) const {
  if (!entry)
    return format("{} {} was never written before", {slotText, slot});
  if (entry->ready > cycle)
    return format("{} {} is being written with {} and can be read from cycle "
                  "{} on",
                  {slotText, slot, timetable.print(entry->name), entry->ready});
  return format("{} {} holds {}",
                {slotText, slot, timetable.print(entry->name)});
}

void SlotHistory::report(const Question &question,
                         FindingList &findings) const {
  if (!findings.wants(question.cycle))
    return;
  // Of several slots, one that is undefined comes first, then the lowest.
  const Entry *wrong = nullptr;
  int64_t at = -1;
  bool undefined = false;
  for (int64_t i = 0; i < question.count && !undefined; ++i) {
    PlaneName name = question.name;
    name.index += i;
    const Entry *entry = find(question.slot + i, question.cycle);
    bool ready = entry && entry->ready <= question.cycle;
    if ((ready && entry->name == name) || (ready && at >= 0))
      continue;
    undefined = !ready;
    wrong = entry;
    at = i;
  }
  PlaneName name = question.name;
  name.index += at;
  std::string message =
      format("expected {}, but {}",
             {timetable.print(name),
              describe(wrong, question.slot + at - question.base,
                       question.cycle, question.slotText)});
  auto same = std::ranges::find_if(entries, [&](const Entry &entry) {
    return entry.name == name && entry.slot == question.slot + at &&
           entry.ready > question.cycle;
  });
  if (same != entries.end())
    message += format("; {} is there from cycle {} on",
                      {timetable.print(name), same->ready});
  findings.add(undefined ? FindingCode::undefinedRead
                         : FindingCode::wrongOperand,
               question.cycle, question.line,
               FindingPart::operands + question.operand, std::move(message));
}

} // namespace tilewright::verify
