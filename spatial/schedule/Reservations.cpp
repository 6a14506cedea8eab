#include "spatial/schedule/Reservations.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace tilewright::spatial {

bool overlap(const Cycles &a, const Cycles &b) {
  if (a.end() <= b.first || b.end() <= a.first)
    return false;
  // Between cycles of one lie those of the other.
  const int64_t step = std::max(a.step, b.step);
  const int64_t apart = ((b.first - a.first) % step + step) % step;
  return apart < a.width || step - apart < b.width;
}

bool clash(const Flow &a, const Flow &b) {
  if (a.direction() != b.direction() || a.lastSeen() < b.firstSeen() ||
      b.lastSeen() < a.firstSeen())
    return false;
  // The cycles in which both would be at the position where b is put.
  const int64_t way =
      a.direction() == Direction::east ? b.from - a.from : a.from - b.from;
  return overlap(a.cycles.later(way), b.cycles);
}

/// The bits first to last of word `word`.
static uint64_t maskOf(int64_t first, int64_t last, int64_t word) {
  first = std::max<int64_t>(first - word * 64, 0);
  last = std::min<int64_t>(last - word * 64, 63);
  if (first > last)
    return 0;
  const uint64_t upTo =
      last == 63 ? ~uint64_t(0) : (uint64_t(1) << (last + 1)) - 1;
  return upTo & ~((uint64_t(1) << first) - 1);
}

int64_t CycleSet::delayToFree(const Cycles &cycles) const {
  if (cycles.first < 0)
    return -cycles.first;
  const auto size = static_cast<int64_t>(used.size()) * 64;
  if (cycles.width >= cycles.step || cycles.count == 1) {
    // All cycles up to the end: behind the last one that is used.
    const int64_t last = std::min(cycles.end(), size) - 1;
    for (int64_t word = last / 64; word >= cycles.first / 64 && last >= 0;
         --word)
      if (const uint64_t bits = used[word] & maskOf(cycles.first, last, word))
        return word * 64 + 64 - std::countl_zero(bits) - cycles.first;
    return 0;
  }
  for (int64_t i = 0; i < cycles.count && cycles.at(i) < size; ++i)
    for (int64_t cycle = cycles.at(i);
         cycle < std::min(cycles.at(i) + cycles.width, size); ++cycle)
      if (used[cycle / 64] >> (cycle % 64) & 1)
        return 1;
  return 0;
}

void CycleSet::add(const Cycles &cycles) {
  const auto needed = static_cast<size_t>(cycles.end() / 64 + 1);
  if (needed > used.size())
    used.resize(std::max(needed, used.size() * 2));
  for (int64_t i = 0; i < cycles.count; ++i)
    for (int64_t cycle = cycles.at(i); cycle < cycles.at(i) + cycles.width;
         ++cycle)
      used[cycle / 64] |= uint64_t(1) << (cycle % 64);
}

int64_t CycleSet::usedIn(int64_t first, int64_t end) const {
  first = std::max<int64_t>(first, 0);
  end = std::min(end, static_cast<int64_t>(used.size()) * 64);
  int64_t count = 0;
  for (int64_t word = first / 64; word * 64 < end; ++word)
    count += std::popcount(used[word] & maskOf(first, end - 1, word));
  return count;
}

StreamSet::StreamSet(const Machine &machine)
    : positions(static_cast<int64_t>(machine.units.size())),
      words((positions + 63) / 64), counts(machine.streams) {
  clear();
}

void StreamSet::clear() {
  for (size_t direction = 0; direction < 2; ++direction)
    used[direction] = std::vector<std::vector<Page>>(counts[direction]);
}

int64_t StreamSet::diagonal(const Flow &flow, Direction direction,
                            int64_t i) const {
  const int64_t cycle = flow.cycles.at(i);
  return direction == Direction::east ? cycle - flow.from + positions
                                      : cycle + flow.from;
}

bool StreamSet::isFree(const Flow &flow, Direction direction,
                       int64_t number) const {
  const std::vector<Page> &pages = used[static_cast<size_t>(direction)][number];
  const int64_t first = flow.firstSeen(), last = flow.lastSeen();
  for (int64_t i = 0; i < flow.cycles.count; ++i) {
    const int64_t at = diagonal(flow, direction, i);
    const int64_t page = at / diagonalsOfPage;
    if (page >= static_cast<int64_t>(pages.size()))
      break;
    if (pages[page].empty())
      continue;
    const uint64_t *bits = &pages[page][at % diagonalsOfPage * words];
    for (int64_t word = first / 64; word <= last / 64; ++word)
      if (bits[word] & maskOf(first, last, word))
        return false;
  }
  return true;
}

std::optional<Stream> StreamSet::find(const Flow &flow, int64_t first) const {
  const Direction direction = flow.direction();
  for (int64_t number = first; number < counts[static_cast<size_t>(direction)];
       ++number)
    if (isFree(flow, direction, number))
      return Stream{direction, static_cast<uint16_t>(number)};
  return std::nullopt;
}

void StreamSet::add(const Flow &flow, const Stream &stream) {
  std::vector<Page> &pages =
      used[static_cast<size_t>(stream.direction)][stream.number];
  const int64_t first = flow.firstSeen(), last = flow.lastSeen();
  for (int64_t i = 0; i < flow.cycles.count; ++i) {
    const int64_t at = diagonal(flow, stream.direction, i);
    const auto page = static_cast<size_t>(at / diagonalsOfPage);
    if (page >= pages.size())
      pages.resize(page + 1);
    if (pages[page].empty())
      pages[page].resize(diagonalsOfPage * words);
    uint64_t *bits = &pages[page][at % diagonalsOfPage * words];
    for (int64_t word = first / 64; word <= last / 64; ++word)
      bits[word] |= maskOf(first, last, word);
  }
}

} // namespace tilewright::spatial
