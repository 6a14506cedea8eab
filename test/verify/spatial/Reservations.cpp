#include "test/verify/spatial/Reservations.h"

#include <limits>

namespace tilewright::test {

using namespace spatial;

void Reservations::rollBack(Mark mark) {
  while (undo.size() > mark) {
    undo.back()();
    undo.pop_back();
  }
}

bool Reservations::takeQueue(int64_t chip, Queue queue, int64_t cycle,
                             Repeat repeat, int64_t duration) {
  Mark before = mark();
  for (int64_t i = 0; i < repeat.count; ++i)
    for (int64_t k = 0; k < duration; ++k) {
      std::tuple entry(chip, queue, cycle + i * repeat.cycles + k);
      if (std::get<2>(entry) < 0 || !queues.insert(entry).second) {
        rollBack(before);
        return false;
      }
      onRollBack([this, entry] { queues.erase(entry); });
    }
  return true;
}

bool Reservations::takeStream(int64_t chip, Stream stream, int64_t from,
                              int64_t to, int64_t cycle, Repeat repeat) {
  Mark before = mark();
  int64_t sign = stream.direction == Direction::east ? 1 : -1;
  int64_t begin = sign * from, end = sign * to;
  for (int64_t i = 0; i < repeat.count; ++i) {
    int64_t diagonal = cycle + i * repeat.cycles - begin;
    constexpr int64_t least = std::numeric_limits<int64_t>::min();
    for (auto at = passages.lower_bound(
             Passage(chip, stream, diagonal, least, least));
         at != passages.end(); ++at) {
      auto [atChip, atStream, atDiagonal, otherBegin, otherEnd] = *at;
      if (atChip != chip || atStream != stream || atDiagonal != diagonal)
        break;
      if (otherBegin == begin || (otherBegin < begin && begin < otherEnd) ||
          (begin < otherBegin && otherBegin < end)) {
        rollBack(before);
        return false;
      }
    }
    Passage passage(chip, stream, diagonal, begin, end);
    passages.insert(passage);
    onRollBack([this, passage] { passages.erase(passage); });
  }
  return true;
}

} // namespace tilewright::test
