// Kernels and runs for the tests of the tuner.
#ifndef TILEWRIGHT_TEST_AUTOTUNE_SESSION_KERNELS_H
#define TILEWRIGHT_TEST_AUTOTUNE_SESSION_KERNELS_H

#include "autotune/session/Session.h"

namespace tilewright::autotune::test {

/// y = x, or what goes wrong: MODE 1 hangs, 2 crashes, 4 computes something
/// else; HELD makes it hold more memory than a machine has.
extern const char *const faultyKernel;

/// c[M, N] = a[M, K] * b[K, N] as a graph.
std::string gemm(int64_t m, int64_t n, int64_t k);

/// The kernel as the only task of a workload.
Workload workloadOf(const std::string &code, const std::string &target = "cpu");

/// A folder that goes away with the object.
struct Folder {
  Folder();
  ~Folder();
  std::filesystem::path path;
};

/// Few and short trials, one measuring thread, and this program as worker.
TuneOptions quickOptions(const Folder &folder);

Database openDatabase(const Folder &folder, const std::string &name = "t.db");

/// The trials of a database without confirmations, in the order of the run.
std::vector<TrialRecord> trialsIn(const Database &database);

} // namespace tilewright::autotune::test

#endif // TILEWRIGHT_TEST_AUTOTUNE_SESSION_KERNELS_H
