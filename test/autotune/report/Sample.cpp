#include "test/autotune/report/Sample.h"

#include "autotune/space/Space.h"
#include <cmath>
#include <cstdio>
#include <iterator>

namespace tilewright::autotune::test {

namespace {
struct Kernel {
  const char *label, *family, *arguments;
  std::vector<int64_t> shape;
  /// Operations and bytes of one launch.
  double flops, bytes;
};
} // namespace

static const Kernel kernels[] = {
    {"gemm 512x512x512 f32",
     "gemm f32",
     "512x512 512x512",
     {512, 512, 512},
     2.68e8,
     3.1e6},
    {"Conv_3 + Relu_4 (64x56x56, 3x3)",
     "conv f32",
     "1x64x56x56 64x64x3x3",
     {1, 64, 56, 56, 3, 3},
     2.3e8,
     1.8e6},
    {"softmax 4096x1024 f32",
     "softmax f32",
     "4096x1024",
     {4096, 1024},
     2.1e7,
     3.4e7},
    {"attention 8x512x64 <f16 & \"bias\">",
     "attention f16",
     "8x512x64 8x512x64 8x512x64",
     {8, 512, 64},
     5.4e8,
     4.2e6},
};

double normal(Random &random) {
  double sum = 0;
  for (int i = 0; i < 12; ++i)
    sum += random.unit();
  return sum - 6;
}

static std::string hexadecimal(Random &random) {
  char buffer[33];
  std::snprintf(buffer, sizeof buffer, "%016llx%016llx",
                static_cast<unsigned long long>(random.next()),
                static_cast<unsigned long long>(random.next()));
  return buffer;
}

static std::string clock(double seconds) {
  char buffer[40];
  int whole = int(seconds);
  std::snprintf(buffer, sizeof buffer, "2026-03-01T%02d:%02d:%02dZ",
                12 + whole / 3600, whole / 60 % 60, whole % 60);
  return buffer;
}

static const Space &space() {
  static const Space space({{"mc", {32, 64, 96, 128, 192, 256}, 2},
                            {"nc", {64, 128, 256, 512, 1024}, 1},
                            {"kc", {64, 128, 256, 512}, 1},
                            {"mr", {2, 4, 6, 8, 12}, 1},
                            {"nr", {8, 16, 24, 32}, 1},
                            {"pack", {0, 1}, 0},
                            {"unroll", {1, 2, 4, 8}, 0},
                            {"threads", {1, 2}, 1}});
  return space;
}

/// Nanoseconds at the peak, times the cost of each parameter's value.
static double timeOf(const Kernel &kernel, const Point &point) {
  double ideal = std::max(kernel.flops / 83, kernel.bytes / 18);
  auto value = [&](size_t parameter) {
    return double(space().value(point, parameter));
  };
  double factor = 1.15;
  factor *= 1 + 0.08 * std::pow(std::log2(value(0) / 128), 2);
  factor *= 1 + 0.05 * std::pow(std::log2(value(1) / 512), 2);
  factor *= 1 + 0.10 * std::pow(std::log2(value(2) / 256), 2);
  factor *= 1 + 0.35 * std::pow(std::log2(value(3) / 6), 2);
  factor *= 1 + 0.30 * std::pow(std::log2(value(4) / 16), 2);
  factor *= value(5) > 0 ? 1 : 1.25;
  factor *= 1 + 0.04 * std::abs(std::log2(value(6) / 4));
  return ideal * factor * (value(7) > 1 ? 1 : 1.8);
}

static void fail(TrialRecord &trial, Random &random) {
  static const std::pair<Verdict, const char *> ways[] = {
      {Verdict::rejected, "registers: block of 12 x 32 needs 53 of 32"},
      {Verdict::rejected, "registers: block of 8 x 24 needs 36 of 32"},
      {Verdict::rejected, "cache: panels of 2,097,152 B of 1,048,576 B"},
      {Verdict::rejected, "vector width: 24 is no multiple of 16"},
      {Verdict::timedOut, "no result after 2.0 s"},
      {Verdict::crashed, "signal 11 in the worker"},
      {Verdict::wrongResult, "c[3, 17] is 1.25, expected 1.5"},
      {Verdict::outOfMemory, "the worker asked for 9.1 GB of 4.0 GB"},
  };
  auto [verdict, reason] =
      ways[std::min(random.below(std::size(ways)), random.below(12))];
  trial.verdict = verdict;
  trial.reason = reason;
}

static void measure(TrialRecord &trial, const Kernel &kernel,
                    const Point &point, Random &random) {
  double time = timeOf(kernel, point) * (1 + 0.02 * normal(random));
  trial.samples = int64_t(20 + random.below(40));
  trial.median = time;
  trial.low = time * (1 - 0.004 - 0.01 * random.unit());
  trial.high = time * (1 + 0.004 + 0.01 * random.unit());
  trial.least = trial.low * 0.99;
  trial.deviation = time * 0.02;
  trial.measuring = time * 1e-9 * double(trial.samples) + 0.3;
}

/// Paired with the best so far, as the tuner does.
static void pairWith(TrialRecord &trial, const Kernel &kernel,
                     const Point &point, const Point &best) {
  trial.against = space().text(best);
  trial.ratio = timeOf(kernel, point) / timeOf(kernel, best);
  trial.ratioLow = trial.ratio * 0.98;
  trial.ratioHigh = trial.ratio * 1.02;
}

static TrialRecord trialOf(const Kernel &kernel, const TaskRecord &task,
                           const RunRecord &run, const Point &point,
                           Random &random) {
  TrialRecord trial;
  trial.task = task.task;
  trial.run = run.run;
  trial.schedule = space().text(point);
  trial.device = "cpu";
  trial.hardware = "a processor of 2 cores at 2.4 GHz";
  trial.compiler = run.compiler;
  trial.modelled = timeOf(kernel, point) * std::exp(0.25 * normal(random));
  char terms[200];
  std::snprintf(terms, sizeof terms,
                "{\"compute\": %.1f, \"dram\": %.1f, \"flops\": %.0f, "
                "\"bytes\": %.0f, \"peak_flops\": 8.3e10, "
                "\"peak_bytes\": 1.8e10}",
                kernel.flops / 83, kernel.bytes / 18, kernel.flops,
                kernel.bytes * (1 + random.unit()));
  trial.terms = terms;
  return trial;
}

Sample sample(uint64_t seed, size_t trialsOfTask) {
  // Runs of other seeds are of the same tasks.
  Random random(seed), same(0);
  Sample sample;
  sample.runs.push_back(
      {hexadecimal(random), "tilewright tune model.onnx --device cpu --seed 1",
       "0.1.0", "22.1.8-a3f1", "node-1", "2026-03-01T12:00:00Z", 1, "1/1"});
  double seconds = 0;
  int64_t sequence = 0;
  for (const Kernel &kernel : kernels) {
    TaskRecord task{hexadecimal(same), kernel.family, kernel.label,    "cpu",
                    kernel.shape,      "module {}",   kernel.arguments};
    sample.tasks.push_back(task);
    Point best = space().defaultPoint();
    for (size_t i = 0; i < trialsOfTask; ++i) {
      Point point = best;
      if (i > 0 && random.below(3) == 0)
        point = space().random(random);
      else if (i > 0)
        for (int step = 0; step < 2; ++step) {
          auto near = space().neighbours(point);
          point = near[random.below(near.size())];
        }
      TrialRecord trial = trialOf(kernel, task, sample.runs[0], point, random);
      trial.origin = i == 0 ? "default" : i < 20 ? "model" : "evolution";
      trial.sequence = sequence++;
      trial.started = clock(seconds);
      if (i > 0 && random.below(4) == 0)
        fail(trial, random);
      else
        measure(trial, kernel, point, random);
      if (i > 0)
        pairWith(trial, kernel, point, best);
      trial.seconds = trial.measuring + 0.1 + 0.2 * random.unit();
      seconds += trial.seconds;
      if (trial.verdict == Verdict::ok &&
          timeOf(kernel, point) < timeOf(kernel, best))
        best = point;
      sample.trials.push_back(trial);
    }
  }
  return sample;
}

} // namespace tilewright::autotune::test
