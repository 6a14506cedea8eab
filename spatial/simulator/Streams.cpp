#include "spatial/simulator/Streams.h"

#include <bit>

namespace tilewright::spatial {

static size_t listOf(int64_t chip, Stream stream) {
  return static_cast<size_t>(chip) * 2 + static_cast<size_t>(stream.direction);
}

Streams::Streams(int64_t chips, int64_t positions)
    : window(std::bit_ceil(static_cast<size_t>(positions) + 1)),
      streams(static_cast<size_t>(chips) * 2) {}

bool Streams::put(int64_t chip, int64_t position, Stream stream, int64_t cycle,
                  NamedPlane plane) {
  std::vector<Diagonals> &list = streams[listOf(chip, stream)];
  if (list.size() <= stream.number)
    list.resize(stream.number + size_t(1));
  Diagonals &diagonals = list[stream.number];
  if (diagonals.empty())
    diagonals.resize(window);
  int64_t number = diagonalOf(stream, position, cycle);
  Diagonal &diagonal = diagonals[slot(number)];
  if (diagonal.number != number) { // The old one has left the chip.
    diagonal.number = number;
    diagonal.values.clear();
  }
  for (const Value &value : diagonal.values)
    if (value.position == position)
      return false;
  diagonal.values.push_back({position, std::move(plane)});
  return true;
}

const NamedPlane *Streams::seen(int64_t chip, int64_t position, Stream stream,
                                int64_t cycle) const {
  const std::vector<Diagonals> &list = streams[listOf(chip, stream)];
  if (list.size() <= stream.number || list[stream.number].empty())
    return nullptr;
  int64_t number = diagonalOf(stream, position, cycle);
  const Diagonal &diagonal = list[stream.number][slot(number)];
  if (diagonal.number != number)
    return nullptr;
  // The last one that was put on the way to this position.
  const Value *last = nullptr;
  for (const Value &value : diagonal.values)
    if (stream.direction == Direction::east
            ? value.position < position &&
                  (!last || value.position > last->position)
            : value.position > position &&
                  (!last || value.position < last->position))
      last = &value;
  return last ? &last->plane : nullptr;
}

} // namespace tilewright::spatial
