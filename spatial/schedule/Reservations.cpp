#include "spatial/schedule/Reservations.h"

#include <algorithm>

namespace tilewright::spatial {

bool CycleSet::isFree(const Cycles &cycles) const {
  for (int64_t i = 0; i < cycles.count; ++i)
    for (int64_t cycle = cycles.at(i); cycle < cycles.at(i) + cycles.width;
         ++cycle)
      if (cycle < 0 ||
          (cycle < static_cast<int64_t>(used.size()) && used[cycle]))
        return false;
  return true;
}

void CycleSet::add(const Cycles &cycles) {
  const int64_t end = cycles.at(cycles.count - 1) + cycles.width;
  if (end > static_cast<int64_t>(used.size()))
    used.resize(std::max<size_t>(end, used.size() * 2));
  for (int64_t i = 0; i < cycles.count; ++i)
    for (int64_t k = 0; k < cycles.width; ++k)
      used[cycles.at(i) + k] = true;
}

StreamSet::StreamSet(const Machine &machine)
    : positions(static_cast<int64_t>(machine.units.size())),
      words((positions + 63) / 64), counts(machine.streams) {
  for (size_t direction = 0; direction < 2; ++direction)
    used[direction].resize(counts[direction]);
}

int64_t StreamSet::diagonal(const Flow &flow, Direction direction,
                            int64_t i) const {
  const int64_t cycle = flow.cycles.at(i);
  return direction == Direction::east ? cycle - flow.from + positions
                                      : cycle + flow.from;
}

/// The bits of positions first to last in word `word`.
static uint64_t maskOf(int64_t first, int64_t last, int64_t word) {
  first = std::max<int64_t>(first - word * 64, 0);
  last = std::min<int64_t>(last - word * 64, 63);
  if (first > last)
    return 0;
  const uint64_t upTo =
      last == 63 ? ~uint64_t(0) : (uint64_t(1) << (last + 1)) - 1;
  return upTo & ~((uint64_t(1) << first) - 1);
}

bool StreamSet::isFree(const Flow &flow, Direction direction,
                       int64_t number) const {
  const auto &bits = used[static_cast<size_t>(direction)][number];
  const int64_t first = std::min(flow.from, flow.to),
                last = std::max(flow.from, flow.to);
  for (int64_t i = 0; i < flow.cycles.count; ++i) {
    const int64_t at = diagonal(flow, direction, i) * words;
    if (at + words > static_cast<int64_t>(bits.size()))
      continue;
    for (int64_t word = 0; word < words; ++word)
      if (bits[at + word] & maskOf(first, last, word))
        return false;
  }
  return true;
}

std::optional<Stream> StreamSet::find(const Flow &flow,
                                      const std::vector<Stream> &taken) const {
  const Direction direction = flow.direction();
  for (int64_t number = 0; number < counts[static_cast<size_t>(direction)];
       ++number) {
    const Stream stream{direction, static_cast<uint16_t>(number)};
    if (std::find(taken.begin(), taken.end(), stream) == taken.end() &&
        isFree(flow, direction, number))
      return stream;
  }
  return std::nullopt;
}

void StreamSet::add(const Flow &flow, const Stream &stream) {
  auto &bits = used[static_cast<size_t>(stream.direction)][stream.number];
  const int64_t first = std::min(flow.from, flow.to),
                last = std::max(flow.from, flow.to);
  for (int64_t i = 0; i < flow.cycles.count; ++i) {
    const int64_t at = diagonal(flow, stream.direction, i) * words;
    if (at + words > static_cast<int64_t>(bits.size()))
      bits.resize(std::max<size_t>(at + words, bits.size() * 2));
    for (int64_t word = 0; word < words; ++word)
      bits[at + word] |= maskOf(first, last, word);
  }
}

} // namespace tilewright::spatial
