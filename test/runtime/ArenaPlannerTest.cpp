#include "runtime/core/ArenaPlanner.h"
#include <catch2/catch.hpp>
#include <random>

using namespace tilewright::runtime;

/// Whether two requests that live at the same time share a byte.
static bool overlap(const ArenaRequest &a, size_t atA, const ArenaRequest &b,
                    size_t atB) {
  bool inTime = a.first <= b.last && b.first <= a.last;
  bool inSpace = atA < atB + b.bytes && atB < atA + a.bytes;
  return inTime && inSpace && a.bytes && b.bytes;
}

TEST_CASE("what lives at the same time does not overlap") {
  for (unsigned seed = 0; seed < 400; ++seed) {
    std::mt19937 random(seed);
    std::vector<ArenaRequest> requests(random() % 60);
    for (ArenaRequest &request : requests) {
      request.bytes = random() % 5 == 0 ? random() % 3 : random() % 5000;
      request.first = random() % 30;
      request.last = request.first + random() % 8;
    }
    ArenaPlan plan = planArena(requests);
    INFO("seed " << seed);
    REQUIRE(plan.offsets.size() == requests.size());
    CHECK(plan.bytes >= plan.liveBytes);
    for (size_t i = 0; i < requests.size(); ++i) {
      CHECK(plan.offsets[i] % 64 == 0);
      CHECK(plan.offsets[i] + requests[i].bytes <= plan.bytes);
      for (size_t j = 0; j < i; ++j)
        REQUIRE_FALSE(overlap(requests[i], plan.offsets[i], requests[j],
                              plan.offsets[j]));
    }
    CHECK(planArena(requests).offsets == plan.offsets);
  }
}

TEST_CASE("a chain needs two buffers, not one for each step") {
  std::vector<ArenaRequest> chain;
  for (size_t i = 0; i < 50; ++i)
    chain.push_back({1000, i, i + 1});
  ArenaPlan plan = planArena(chain);
  CHECK(plan.bytes == 2 * 1024);
  CHECK(plan.liveBytes == 2 * 1024);
}

TEST_CASE("the tightest gap is taken") {
  // The first two leave gaps of 128 and 64 bytes at step 1.
  std::vector<ArenaRequest> requests = {
      {1024, 0, 1}, {512, 0, 0}, {512, 0, 0}, {256, 0, 1}, {64, 1, 1}};
  ArenaPlan plan = planArena(requests);
  CHECK(plan.bytes == plan.liveBytes);
}

TEST_CASE("nothing needs nothing") {
  CHECK(planArena({}).bytes == 0);
  std::vector<ArenaRequest> zero = {{0, 0, 5}, {0, 0, 5}};
  CHECK(planArena(zero).bytes == 0);
}
