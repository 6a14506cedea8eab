// What of a machine is in use, while a schedule is made.
#ifndef TILEWRIGHT_TEST_VERIFY_SPATIAL_RESERVATIONS_H
#define TILEWRIGHT_TEST_VERIFY_SPATIAL_RESERVATIONS_H

#include "spatial/program/Schedule.h"
#include <functional>
#include <set>
#include <tuple>

namespace tilewright::test {

/// Equal things in equal steps: `count` of them, `cycles` apart.
struct Repeat {
  int64_t count = 1, cycles = 1;
};

/// Reservations can be taken back to any earlier state.
class Reservations {
public:
  using Mark = size_t;
  [[nodiscard]] Mark mark() const { return undo.size(); }
  void rollBack(Mark mark);
  /// What is to be called when this moment is rolled back.
  void onRollBack(std::function<void()> action) {
    undo.push_back(std::move(action));
  }

  /// Takes a queue in cycles `cycle` .. + `duration` - 1, and so on in each
  /// repetition. False, with nothing taken, if it is in use.
  bool takeQueue(int64_t chip, spatial::Queue queue, int64_t cycle,
                 Repeat repeat = {}, int64_t duration = 1);
  /// Takes a stream from `from`, where a value is put in `cycle`, to `to`. The
  /// value is not cut off before, and cuts off none that is yet needed.
  bool takeStream(int64_t chip, spatial::Stream stream, int64_t from,
                  int64_t to, int64_t cycle, Repeat repeat = {});

private:
  /// Chip, queue, cycle.
  std::set<std::tuple<int64_t, spatial::Queue, int64_t>> queues;
  /// Chip, stream, diagonal; where it is put, and how far it is needed, counted
  /// downstream.
  using Passage =
      std::tuple<int64_t, spatial::Stream, int64_t, int64_t, int64_t>;
  std::set<Passage> passages;
  std::vector<std::function<void()>> undo;
};

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_VERIFY_SPATIAL_RESERVATIONS_H
