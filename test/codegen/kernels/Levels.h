//===- Levels.h - A kernel behind each pass ---------------------*- C++ -*-===//
#ifndef TILEWRIGHT_TEST_CODEGEN_KERNELS_LEVELS_H
#define TILEWRIGHT_TEST_CODEGEN_KERNELS_LEVELS_H

#include "Harness.h"

#include <set>

namespace tilewright::kerneltest {

/// What was found.
struct Levels {
  /// The first pass behind which the kernel computes something else, and what;
  /// empty if there is none.
  std::string error = {};
  /// The forms of the kernel that ran.
  int runs = 0;
  /// The names of their ops.
  std::set<std::string> ops = {};
};

/// Runs the kernel on the device "interpreter" behind each pass of the pipeline
/// for `target`, "cpu" or a GPU, with a schedule as users write it (empty: the
/// default). Forms with shared memory and no barriers yet are left out. The
/// last form runs once more with programs and threads in another order, and
/// copies that land late, where `shuffles`.
Levels compareLevels(const Comparison &comparison, const std::string &target,
                     const std::string &schedule, Tolerance tolerance = {},
                     bool shuffles = false);

} // namespace tilewright::kerneltest

#endif // TILEWRIGHT_TEST_CODEGEN_KERNELS_LEVELS_H
