#include "autotune/search/Surrogate.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace tilewright::autotune;

// Costs whose error against the model is a product of one factor for each
// value: what the surrogate can learn exactly, but for the ridge.
static double factor(const Point &point) {
  static constexpr double first[] = {1, 1.5, 2.5, 0.7};
  static constexpr double second[] = {1, 0.5, 3};
  return first[point[0]] * second[point[1]];
}

TEST_CASE("effects of single values are learnt, and add up") {
  Space space({{"a", {1, 2, 3, 4}, 0}, {"b", {1, 2, 3}, 0}});
  Surrogate surrogate(space);
  Random random(5);
  for (int i = 0; i < 200; ++i) {
    Point point = space.random(random);
    // One combination is never seen.
    if (point == Point{2, 2})
      continue;
    double modelled = 100 * (1 + random.unit());
    surrogate.add(point, modelled, modelled * factor(point));
  }
  surrogate.fit();
  for (uint64_t i = 0; i < space.size(); ++i)
    CHECK(surrogate.predict(space.at(i), 10) ==
          Approx(10 * factor(space.at(i))).epsilon(0.08));
}

TEST_CASE("without measurements the model stands") {
  Space space({{"a", {1, 2}, 0}});
  Surrogate surrogate(space);
  surrogate.fit();
  CHECK(surrogate.predict({1}, 42) == Approx(42));
}
