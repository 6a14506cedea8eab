// Parts of the simulator by themselves: the calendar, lanes in a pool, streams.
#include "spatial/simulator/Calendar.h"
#include "spatial/simulator/Streams.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>

using namespace tilewright::spatial;

TEST_CASE("a calendar gives events by cycle, near and far") {
  std::mt19937 random(3);
  Calendar<int> calendar;
  std::multimap<int64_t, int> expected;
  std::vector<int> events;
  int64_t now = 0;
  size_t wrong = 0;
  for (int i = 0; i < 20000; ++i) {
    int64_t distance = random() % 4 ? random() % 40 : random() % 3000;
    calendar.add(now + distance, i);
    expected.emplace(now + distance, i);
    if (random() % 3)
      continue;
    int64_t next = expected.empty() ? noCycle : expected.begin()->first;
    wrong += calendar.next() != next;
    now = next;
    calendar.take(now, events);
    auto [begin, end] = expected.equal_range(now);
    std::vector<int> due;
    for (auto event = begin; event != end; ++event)
      due.push_back(event->second);
    std::ranges::sort(events);
    wrong += events != due;
    expected.erase(begin, end);
  }
  CHECK(wrong == 0);
  CHECK(Calendar<int>().next() == noCycle);
}

TEST_CASE("lanes are used again when nothing refers to them") {
  VectorPool pool(3);
  std::vector<VectorRef> held;
  std::map<const Lane *, int> addresses;
  for (Lane i = 0; i < 10000; ++i) {
    VectorRef vector(pool);
    std::ranges::fill(vector.lanes(), i);
    held.push_back(vector);
    held.push_back(std::move(vector));
    ++addresses[held.back().lanes().data()];
    if (held.size() > 20)
      held.erase(held.begin(), held.begin() + 2);
    CHECK(held.front().lanes()[2] == held[1].lanes()[0]);
  }
  CHECK(held.back().lanes().size() == 3);
  CHECK(addresses.size() <= 11);
}

TEST_CASE("what is on a stream is the last value put on its way") {
  std::mt19937 random(5);
  constexpr int64_t positions = 9;
  Streams streams(1, positions);
  // What each position sees in each cycle, by moving values one by one.
  using Seen = std::map<int64_t, NameId>;
  for (Direction direction : {Direction::east, Direction::west}) {
    Stream stream = {direction, 3};
    int64_t step = direction == Direction::east ? 1 : -1;
    Seen seen;
    size_t wrong = 0;
    for (int64_t cycle = 0; cycle < 3000; ++cycle) {
      std::map<int64_t, NameId> put;
      for (int n = random() % 3; n > 0; --n) {
        int64_t position = random() % positions;
        auto name = static_cast<NameId>(cycle * 10 + n);
        bool isFree = !put.contains(position);
        wrong +=
            streams.put(0, position, stream, cycle, {name, 0, {}}) != isFree;
        put.try_emplace(position, name);
      }
      for (int64_t p = 0; p < positions; ++p) {
        const NamedPlane *found = streams.seen(0, p, stream, cycle);
        auto expected = seen.find(p);
        wrong += found
                     ? expected == seen.end() || found->name != expected->second
                     : expected != seen.end();
      }
      Seen next;
      for (auto [position, name] : seen)
        next[position + step] = name;
      for (auto [position, name] : put)
        next[position + step] = name;
      std::erase_if(next, [](const auto &entry) {
        return entry.first < 0 || entry.first >= positions;
      });
      seen = std::move(next);
    }
    CHECK(wrong == 0);
  }
}
