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
                                  int64_t cycle) const {
  std::string text = format("{} {}", {kind, slot});
  if (rowsOfBuffer)
    text = format("{} {} of buffer {}",
                  {kind, slot % rowsOfBuffer, slot / rowsOfBuffer});
  if (!entry)
    return text + " was never written before";
  if (entry->ready > cycle)
    return format("{} is being written with {} and can be read from cycle {} "
                  "on",
                  {text, timetable.print(entry->name), entry->ready});
  return format("{} holds {}", {text, timetable.print(entry->name)});
}

void SlotHistory::report(const Question &question,
                         FindingList &findings) const {
  if (!findings.wants(question.cycle))
    return;
  // The first slot that is wrong.
  PlaneName name = question.name;
  int64_t slot = question.slot;
  const Entry *entry = find(slot, question.cycle);
  auto isReady = [&] { return entry && entry->ready <= question.cycle; };
  while (isReady() && entry->name == name) {
    ++name.index;
    entry = find(++slot, question.cycle);
  }
  std::string message =
      format("expected {}, but {}",
             {timetable.print(name), describe(entry, slot, question.cycle)});
  auto same = std::ranges::find_if(entries, [&](const Entry &other) {
    return other.name == name && other.slot == slot &&
           other.ready > question.cycle;
  });
  if (same != entries.end())
    message += format("; {} is there from cycle {} on",
                      {timetable.print(name), same->ready});
  findings.add(isReady() ? FindingCode::wrongOperand
                         : FindingCode::undefinedRead,
               question.cycle, question.line,
               FindingPart::operands + question.operand, std::move(message));
}

} // namespace tilewright::verify
