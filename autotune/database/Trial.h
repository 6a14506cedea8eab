// What a tuning run learnt, as plain data: one record a trial.
#ifndef TILEWRIGHT_AUTOTUNE_DATABASE_TRIAL_H
#define TILEWRIGHT_AUTOTUNE_DATABASE_TRIAL_H

#include "tilewright/support/Export.h"
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::autotune {

/// What became of a schedule.
enum class Verdict {
  ok,
  /// It does not fit the target or is not supported; no code was made.
  rejected,
  wrongResult,
  crashed,
  timedOut,
  outOfMemory,
};

/// The metric of a cost. Costs of different metrics are never compared.
enum class Metric {
  /// Nanoseconds of one launch on the device.
  time,
  /// Modelled nanoseconds, with what the emulator counted.
  counters,
  /// Modelled nanoseconds, of a schedule that nothing ran.
  model,
};

/// "ok", "rejected", "wrong result", "crashed", "timed out", "out of memory".
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string_view
verdictName(Verdict verdict);
/// "time", "counters", "model".
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string_view metricName(Metric metric);
/// What has that name; none if nothing has.
[[nodiscard]] std::optional<Verdict> verdictNamed(std::string_view name);
[[nodiscard]] std::optional<Metric> metricNamed(std::string_view name);
/// All of them, in the order of the enumerations.
[[nodiscard]] const std::vector<Verdict> &allVerdicts();
[[nodiscard]] const std::vector<Metric> &allMetrics();

/// What is tuned: one kernel at fixed shapes. All that is needed to tune it
/// again is in here.
struct TaskRecord {
  /// Of kernel, shape and target: 32 hexadecimal digits. The key.
  std::string task;
  /// Of the kernel without its sizes: kernels of one family differ in sizes
  /// only.
  std::string family;
  /// For people: "gemm 512x512x512 f32", "Conv_3 + Relu_4".
  std::string label;
  /// "sm_90a", "cpu".
  std::string target;
  /// The sizes, in an order that is the same within a family.
  std::vector<int64_t> shape;
  /// The kernel: a module at graph or tile level.
  std::string code;
  /// The shapes of its arguments: "1x64x56x56 64x64x3x3".
  std::string arguments;

  friend bool operator==(const TaskRecord &, const TaskRecord &) = default;
};

/// One run of the tuner.
struct RunRecord {
  /// 32 hexadecimal digits, new for each run. The key.
  std::string run;
  /// The command line, for people.
  std::string command;
  /// Of Tilewright: the version, and the identity of the build's compiler.
  std::string version, compiler;
  /// The machine's name, and when it began, in UTC: "2026-03-01T12:00:00Z".
  std::string host, started;
  uint64_t seed = 0;
  /// Which part of how many the run did: "1/1", "2/3".
  std::string shard;

  friend bool operator==(const RunRecord &, const RunRecord &) = default;
};

/// One schedule, tried once.
struct TrialRecord {
  std::string task, run;
  /// The index in its run, from 0.
  int64_t sequence = 0;
  /// As text, and who proposed it: "default", "model", "random", "evolution",
  /// "neighbour", "transfer", "revalidation".
  std::string schedule, origin;
  /// "cpu", "emulator", "cuda:0"; its description ("AMD EPYC 9354, 2 threads");
  /// and its driver, where it has one.
  std::string device, hardware, driver;
  /// As RunRecord::compiler.
  std::string compiler;
  Metric metric = Metric::time;
  Verdict verdict = Verdict::ok;
  /// The reason in one line, where the verdict is not ok.
  std::string reason;
  /// Of the launches that were timed, in nanoseconds: how many, the median,
  /// its confidence interval of 95 %, the least, the standard deviation. With
  /// metrics other than time there is one.
  int64_t samples = 0;
  double median = 0, low = 0, high = 0, least = 0, deviation = 0;
  /// The time over that of `against` (a schedule), from launches in pairs, and
  /// its confidence interval of 99.8 %. 1 where there was nothing to compare
  /// with, and `against` is empty.
  double ratio = 1, ratioLow = 1, ratioHigh = 1;
  std::string against;
  /// The model's result: nanoseconds, and its terms as JSON: {"compute":
  /// 1200.0, ...}. For rooflines they may have, besides, "flops" and "bytes" of
  /// one launch, and "peak_flops" and "peak_bytes" a second.
  double modelled = 0;
  std::string terms;
  /// When it began, in UTC, and the seconds that it took in all and that its
  /// launches took.
  std::string started;
  double seconds = 0, measuring = 0;

  friend bool operator==(const TrialRecord &, const TrialRecord &) = default;
};

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_DATABASE_TRIAL_H
