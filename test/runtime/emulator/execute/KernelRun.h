// Runs a few lines of PTX on words of memory.
#ifndef TILEWRIGHT_TEST_EMULATOR_EXECUTE_KERNELRUN_H
#define TILEWRIGHT_TEST_EMULATOR_EXECUTE_KERNELRUN_H

#include "runtime/emulator/machine/Observer.h"
#include "runtime/emulator/machine/TensorMap.h"
#include "runtime/emulator/machine/Warp.h"
#include <optional>
#include <string>
#include <vector>

namespace tilewright::emulator {

/// A kernel and its inputs. Its body finds the addresses of its input and its
/// output in %in and %out, those of its tensor maps in %map0 and %map1 (the
/// parameters map0 and map1), its thread's number in %t, and %p0.. %r0.. %d0..
/// and %h0.. to use (predicates, 32, 64 and 16 bits).
struct KernelRun {
  std::string body;
  std::vector<uint32_t> input = {};
  /// Words; each is 0xCDCDCDCD before.
  size_t outputWords = 32;
  uint32_t threads = 32;
  uint32_t blocks = 1;
  /// Blocks of a cluster.
  uint32_t cluster = 1;
  /// Their addresses count from the input's start; or the output's.
  std::optional<TensorMap> inputMap = {}, outputMap = {};
  LaunchOptions options = {};
  /// Observes the launch's execution, on one host thread.
  Observer *observer = nullptr;
  /// Counts it.
  bool counts = false;
};

struct Result {
  std::vector<uint32_t> output;
  /// What went wrong: the error of decoding, or the fault.
  std::string error;
  std::optional<FaultCode> fault;
  /// Instructions of warps; with KernelRun::counts the counters as JSON.
  uint64_t executed = 0;
  std::string counters = {};
};

/// The line of the PTX at which a kernel's body starts.
constexpr uint32_t firstBodyLine = 17;

[[nodiscard]] Result run(const KernelRun &kernel);

/// 0, 1, 2, ... from `first` on.
[[nodiscard]] std::vector<uint32_t> counting(size_t count, uint32_t first = 0);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_TEST_EMULATOR_EXECUTE_KERNELRUN_H
