#include "autotune/measure/Measurement.h"

#include <algorithm>
#include <chrono>
#include <iterator>

namespace tilewright::autotune {

using Clock = std::chrono::steady_clock;

namespace {
/// One measurement.
class Measurement {
public:
  Measurement(Bench &bench, const BenchKernel &kernel,
              const BenchKernel *against)
      : bench(bench), kernel(kernel), against(against) {}
  StatusOr<Measured> run(double mostSeconds);

private:
  Status warmUp();
  Status timePair(bool isReversed);
  bool isSettled();
  bool isPairSettled();

  Bench &bench;
  const BenchKernel &kernel;
  const BenchKernel *against;
  Bench::Before before = Bench::Before::anything;
  /// Nanoseconds; pairs have one index.
  std::vector<double> times, otherTimes, ratios;
  Measured result;
};
} // namespace

Status Measurement::warmUp() {
  constexpr int warmUps = 2;
  constexpr double shortTime = 2e6;
  double least = shortTime;
  for (int i = 0; i < warmUps; ++i)
    for (const BenchKernel *each : {&kernel, against})
      if (each) {
        TILEWRIGHT_ASSIGN_OR_RETURN(double time, bench.time(*each, before));
        least = std::min(least, time);
      }
  // What the other kernel of a pair left behind, threads that sleep above all,
  // would count in launches of microseconds.
  if (against && least < shortTime)
    before = Bench::Before::sameKernel;
  return Status();
}

/// Takes one pair, the candidate first or last: slow drift (clocks, other work)
/// then affects both equally.
Status Measurement::timePair(bool isReversed) {
  double other = 0;
  if (against && isReversed) {
    TILEWRIGHT_ASSIGN_OR_RETURN(other, bench.time(*against, before));
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(double own, bench.time(kernel, before));
  if (against && !isReversed) {
    TILEWRIGHT_ASSIGN_OR_RETURN(other, bench.time(*against, before));
  }
  times.push_back(own);
  if (against) {
    otherTimes.push_back(other);
    ratios.push_back(own / other);
  }
  return Status();
}

bool Measurement::isPairSettled() {
  const size_t count = times.size();
  constexpr size_t earlyLook = 4;
  constexpr double farSlower = 1.3;
  if (count == earlyLook &&
      std::ranges::min(times) > farSlower * std::ranges::max(otherTimes)) {
    result.standing = Standing::slower;
    return true;
  }
  if (std::ranges::find(looks, count) == std::end(looks))
    return false;
  std::vector<double> sorted = ratios;
  result.standing = pairStanding(sorted, result.ratio);
  return result.standing != Standing::open || count == *std::rbegin(looks);
}

bool Measurement::isSettled() {
  if (against)
    return isPairSettled();
  const size_t count = times.size();
  if (count < 20 || count % 10 != 0)
    return false;
  std::vector<double> sorted = times;
  Interval interval = medianInterval(sorted, 0.95);
  return interval.high - interval.low < 0.02 * interval.median;
}

/// What is not settled may be 1.
static Interval intervalOfPairs(std::span<double> ratios, Standing standing) {
  Interval interval = medianInterval(ratios, lookConfidence);
  if (standing == Standing::open) {
    interval.low = std::min(interval.low, 1.0);
    interval.high = std::max(interval.high, 1.0);
  }
  return interval;
}

StatusOr<Measured> Measurement::run(double mostSeconds) {
  Clock::time_point start = Clock::now();
  auto seconds = [&] {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  TILEWRIGHT_RETURN_IF_ERROR(warmUp());
  // Slow kernels take more than their time, up to the first look: fewer pairs
  // say nothing.
  const size_t fewest = against ? looks[0] : 1;
  do
    TILEWRIGHT_RETURN_IF_ERROR(timePair(times.size() % 2 == 1));
  while (!isSettled() && (times.size() < fewest || seconds() < mostSeconds));
  if (against)
    result.ratio = intervalOfPairs(ratios, result.standing);
  result.time = summarize(times);
  result.seconds = seconds();
  return result;
}

StatusOr<Measured> measure(Bench &bench, const BenchKernel &kernel,
                           const BenchKernel *against, double seconds) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Measured first,
                              Measurement(bench, kernel, against).run(seconds));
  if (first.standing != Standing::faster)
    return first;
  TILEWRIGHT_ASSIGN_OR_RETURN(Measured second,
                              Measurement(bench, kernel, against).run(seconds));
  second.seconds += first.seconds;
  return second;
}

} // namespace tilewright::autotune
