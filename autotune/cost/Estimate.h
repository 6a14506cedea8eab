// What a schedule is expected to cost, before anything is compiled.
#ifndef TILEWRIGHT_AUTOTUNE_COST_ESTIMATE_H
#define TILEWRIGHT_AUTOTUNE_COST_ESTIMATE_H

#include <optional>
#include <string>
#include <vector>

namespace tilewright::autotune {

/// One part of a modelled time.
struct CostTerm {
  /// One word, the same for all kernels of a target: "compute", "dram",
  /// "issue", "latency", ...
  std::string name;
  /// Nanoseconds of one launch.
  double nanoseconds = 0;
  /// The origin of the number, in one line: "2.1 GFLOP at 83 GFLOP/s".
  std::string reason;
};

/// Why a schedule is not tried.
struct Rejection {
  /// One or two words, to count by: "registers", "shared memory".
  std::string resource;
  /// The request and the limit: "block of 12 x 4 needs 53 vector registers of
  /// 32".
  std::string reason;
};

/// A kernel under a roofline: the least work of one launch, and what the
/// machine could do in a second.
struct Roofline {
  double operations = 0, bytes = 0;
  double peakOperations = 0, peakBytes = 0;
};

struct Estimate {
  std::optional<Rejection> rejection;
  /// Nanoseconds of one launch: how the terms combine is the model's matter
  /// (those that overlap are not added).
  double nanoseconds = 0;
  std::vector<CostTerm> terms;
  Roofline roofline = {};
};

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_COST_ESTIMATE_H
