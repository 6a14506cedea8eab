#include "autotune/measure/Statistics.h"

#include "autotune/space/Random.h"
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

using namespace tilewright::autotune;

/// A skewed noise as timings have it: mostly near 1, sometimes far above.
static double noise(Random &random, double spread) {
  double value = 1 + spread * random.unit();
  return random.below(20) == 0 ? value * (1 + random.unit()) : value;
}

TEST_CASE("the interval of a median is between the order statistics that the "
          "binomial distribution says") {
  std::vector<double> values;
  for (int i = 20; i >= 1; --i)
    values.push_back(i);
  Interval interval = medianInterval(values, 0.95);
  CHECK(interval.median == 10.5);
  // Tables of nonparametric intervals: for n = 20 and 95 %, the 6th and 15th.
  CHECK(interval.low == 6);
  CHECK(interval.high == 15);
}

TEST_CASE("too few values are an interval of all of them") {
  std::vector<double> values = {3, 1, 2};
  Interval interval = medianInterval(values, 0.95);
  CHECK(interval.median == 2);
  CHECK(interval.low == 1);
  CHECK(interval.high == 3);
}

TEST_CASE("an interval of 95 % holds the median in 95 % of samples or more") {
  Random random(11);
  // Of 1 + unit().
  constexpr double truth = 1.5;
  int held = 0, rounds = 4000;
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> values;
    for (int i = 0; i < 30; ++i)
      values.push_back(1 + random.unit());
    Interval interval = medianInterval(values, 0.95);
    held += interval.low <= truth && truth <= interval.high;
  }
  CHECK(held >= 0.945 * rounds);
  CHECK(held <= 0.99 * rounds);
}

TEST_CASE("times are summarized") {
  std::vector<double> values = {4, 1, 3, 2};
  TimeStatistics summary = summarize(values);
  CHECK(summary.samples == 4);
  CHECK(summary.least == 1);
  CHECK(summary.interval.median == 2.5);
  CHECK(summary.deviation == Approx(std::sqrt(5.0 / 3)));
  CHECK(summarize({}).samples == 0);
}

/// What is said of two kernels of which one takes `factor` times as long.
static Standing compare(Random &random, double factor, double spread) {
  std::vector<double> ratios;
  for (size_t look : looks) {
    while (ratios.size() < look)
      ratios.push_back(factor * noise(random, spread) / noise(random, spread));
    std::vector<double> sorted = ratios;
    Interval interval;
    Standing standing = pairStanding(sorted, interval);
    if (standing != Standing::open)
      return standing;
  }
  return Standing::open;
}

TEST_CASE("equal kernels are hardly ever told apart") {
  Random random(1);
  int wrong = 0, rounds = 5000;
  for (int i = 0; i < rounds; ++i) {
    Standing standing = compare(random, 1, 0.2);
    wrong += standing == Standing::faster || standing == Standing::slower;
  }
  // The bound is 1 %; the probability of more than 1.5 % is below 1e-3.
  CHECK(wrong <= 0.015 * rounds);
}

TEST_CASE("a difference of a fifth is found under noise of a tenth") {
  Random random(2);
  int found = 0;
  for (int i = 0; i < 500; ++i) {
    found += compare(random, 0.8, 0.1) == Standing::faster;
    found += compare(random, 1.25, 0.1) == Standing::slower;
  }
  CHECK(found == 1000);
}

TEST_CASE("kernels within a percent are equal") {
  Random random(3);
  int equal = 0;
  for (int i = 0; i < 200; ++i)
    equal += compare(random, 1.0, 0.005) == Standing::equal;
  CHECK(equal >= 190);
}

TEST_CASE("a handful of pairs settles nothing") {
  std::vector<double> ratios = {0.5, 0.5, 0.5, 0.5};
  Interval interval;
  CHECK(pairStanding(ratios, interval) == Standing::open);
}
