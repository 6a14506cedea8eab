// The reference interpreter's results of a kernel.
#ifndef TILEWRIGHT_AUTOTUNE_MEASURE_ORACLE_H
#define TILEWRIGHT_AUTOTUNE_MEASURE_ORACLE_H

#include "autotune/measure/Bench.h"
#include <filesystem>

namespace tilewright::autotune {

/// The tensors that a task writes, as far as the interpreter ran it.
struct Oracle {
  int64_t programs = 0, interpreted = 0;
  std::vector<runtime::HostTensor> expected;
  /// By tensor: the elements that the interpreted programs wrote.
  std::vector<std::vector<bool>> known;

  /// "output 1: element 17 is 3.5, expected 2.25", or none.
  [[nodiscard]] std::optional<std::string>
  difference(const std::vector<runtime::HostTensor> &found) const;
};

/// Interprets the default kernel of `task` on the inputs that a Bench with
/// this seed has. Where programs are independent, it takes them one by one in
/// random order, the first and the last before all others, and stops when
/// `seconds` are over; else it runs them all, however long that takes.
StatusOr<Oracle> runOracle(Task &task, uint64_t seed, double seconds);

Status writeOracle(const std::filesystem::path &path, const Oracle &oracle);
/// Reads the oracle of a task with these tensors.
StatusOr<Oracle> readOracle(const std::filesystem::path &path,
                            const std::vector<TaskTensor> &tensors);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_MEASURE_ORACLE_H
