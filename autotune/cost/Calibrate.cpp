//===- Calibrate.cpp - Clock and bandwidths, measured ---------------------===//
#include "autotune/cost/CpuMachine.h"
#include "support/Format.h"
#include "support/Threads.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

namespace tilewright::autotune {

using Clock = std::chrono::steady_clock;

static double nanosecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

/// Cycles a nanosecond, by a chain of integer multiplications, each of which
/// takes 3 cycles on all cores of CpuCores.inc.
static double measureClock() {
  double best = 0;
  for (int round = 0; round < 5; ++round) {
    constexpr int steps = 1 << 20;
    uint64_t x = 3;
    auto start = Clock::now();
    for (int i = 0; i < steps; ++i) {
      x *= 0x9e3779b97f4a7c15;
      // Keeps the dependence chain.
      asm volatile("" : "+r"(x));
    }
    best = std::max(best, 3.0 * steps / nanosecondsSince(start));
  }
  return best;
}

/// Reads `count` words some times; returns bytes a nanosecond, the best of
/// several rounds.
static double readSpeed(const uint64_t *words, size_t count, int rounds) {
  double best = 0;
  for (int round = 0; round < rounds; ++round) {
    uint64_t sums[8] = {};
    // A short measurement is repeated until it takes long enough to be timed.
    size_t repeats = std::max<size_t>(1, (size_t(1) << 21) / count);
    auto start = Clock::now();
    for (size_t repeat = 0; repeat < repeats; ++repeat)
      for (size_t i = 0; i + 8 <= count; i += 8)
        for (size_t lane = 0; lane < 8; ++lane)
          sums[lane] += words[i + lane];
    double time = nanosecondsSince(start);
    uint64_t sum = 0;
    for (uint64_t lane : sums)
      sum += lane;
    asm volatile("" : : "r"(sum));
    best = std::max(best, double(count * 8 * repeats) / time);
  }
  return best;
}

/// The same on several threads at once, each on its own part.
static StatusOr<double> readSpeedOf(unsigned threads, const uint64_t *words,
                                    size_t count) {
  std::atomic<int> waiting = int(threads);
  std::vector<double> speeds(threads, 0);
  size_t part = count / threads;
  auto work = [&](unsigned number) {
    waiting.fetch_sub(1);
    while (waiting.load() > 0)
      std::this_thread::yield();
    speeds[number] = readSpeed(words + number * part, part, 3);
  };
  std::vector<std::jthread> others;
  for (unsigned number = 1; number < threads; ++number) {
    StatusOr<std::jthread> started =
        startThread([&work, number] { work(number); });
    if (!started.ok()) {
      waiting = 0; // Those that run wait for no others.
      return tooFewThreads(number, threads, started.status());
    }
    others.push_back(*std::move(started));
  }
  work(0);
  others.clear();
  double sum = 0;
  for (double speed : speeds)
    sum += speed;
  return sum;
}

Status calibrate(CpuMachine &machine) {
  size_t bytes = size_t(std::max<int64_t>(machine.l3 * 3, 64 << 20));
  std::unique_ptr<uint64_t[]> words(new (std::nothrow) uint64_t[bytes / 8]());
  if (!words)
    return Status::resourceExhausted(
        format("no memory to measure with: expected {} bytes", {bytes}));
  double clock = measureClock();
  machine.measuredGigahertz = clock;
  machine.measuredL2Bytes =
      readSpeed(words.get(), size_t(machine.l2 / 2) / 8, 5) / clock;
  machine.measuredL3Bytes =
      readSpeed(words.get(),
                size_t(std::max(machine.l2 * 2, machine.l3 / 4)) / 8, 5) /
      clock;
  machine.measuredCoreMemory = readSpeed(words.get(), bytes / 8, 3);
  machine.measuredMemory = machine.measuredCoreMemory;
  if (machine.cores > 1) {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        machine.measuredMemory,
        readSpeedOf(machine.cores, words.get(), bytes / 8));
  }
  return {};
}

} // namespace tilewright::autotune
