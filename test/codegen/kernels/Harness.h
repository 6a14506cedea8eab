//===- Harness.h - A kernel on two machines ---------------------*- C++ -*-===//
//
// Runs the text of a kernel on the reference interpreter and, compiled, on a
// device, with the same inputs, and compares all memory afterwards.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TEST_CODEGEN_KERNELS_HARNESS_H
#define TILEWRIGHT_TEST_CODEGEN_KERNELS_HARNESS_H

#include "tilewright/mlir/Compile.h"
#include "tilewright/runtime/Device.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tilewright::kerneltest {

/// How far floats may be apart: `ulps` of their type, or `absolute`. Without
/// a tolerance the sign of a zero counts, too. All NaNs are equal.
struct Tolerance {
  int64_t ulps = 0;
  double absolute = 0;
};

/// One argument of a kernel. The memory of views and pointers is filled with
/// numbers from a seed: all of it is compared afterwards.
struct Input {
  /// A view's dims; empty: those of its type. A pointer's number of elements.
  std::vector<int64_t> dims = {};
  /// A view's strides in elements, where its type has `?`.
  std::vector<int64_t> strides = {};
  /// Range of the random numbers.
  double low = -4, high = 4;
  /// Values instead of random ones, repeated to the length of the array.
  std::vector<double> values = {};
  /// Likewise, as bit patterns.
  std::vector<uint64_t> bits = {};
  /// Any bit patterns instead of numbers of the range.
  bool anyBits = false;
  /// An index or integer argument.
  int64_t scalar = 0;
  /// Of this array's results; the greater of this and the comparison's counts.
  Tolerance tolerance = {};
};

/// What a comparison found. `error` is empty when both ran and agree.
struct Result {
  std::string error = {};
  /// The largest distance of two floats in units of the last place, and
  /// where: "view 1, element 5: expected 1, found 2".
  int64_t worst = 0;
  std::string worstLocation = {};
};

/// The context that kernels are parsed in, without threads.
mlir::MLIRContext &kernelContext();

/// A kernel, and the interpreter's results for its inputs, the reference for
/// all others.
class Comparison {
public:
  /// Parses the text and runs its kernel `k`; missing inputs are Input().
  Comparison(const std::string &text, std::vector<Input> inputs, uint64_t seed);
  ~Comparison();
  Comparison(const Comparison &) = delete;
  Comparison &operator=(const Comparison &) = delete;

  /// Why the text is no kernel, or what its program does wrong; empty if it is
  /// right.
  [[nodiscard]] const std::string &error() const { return failed; }
  /// Null where the text is no kernel.
  [[nodiscard]] tile::KernelOp kernel() const;

  /// Runs an image of the kernel on a device: "cpu", "emulator".
  Result run(const KernelImage &image, const std::string &device,
             Tolerance tolerance = {}) const;
  Result run(const KernelImage &image, runtime::Device &device,
             Tolerance tolerance = {}) const;
  /// Runs the kernel at the scheduled level on the interpreter. Asynchronous
  /// copies land at their start, or late, when they are waited for.
  Result run(tile::KernelOp scheduled, Tolerance tolerance = {},
             bool copiesLandLate = false) const;

private:
  struct Data;
  std::unique_ptr<Data> data;
  std::string failed;
};

/// Runs the kernel `k` of `text` on the interpreter and the CPU device,
/// compiled with `schedule`; missing inputs are Input().
Result compareRuns(const std::string &text, std::vector<Input> inputs = {},
                   Tolerance tolerance = {}, uint64_t seed = 1,
                   const schedule::CpuSchedule &schedule = {});

/// Runs the kernel `k` of `text` on the interpreter twice, as it is and at the
/// scheduled level of a GPU with `schedule`, as `edit` leaves it.
Result compareScheduled(
    const std::string &text, const schedule::GpuSchedule &schedule,
    std::vector<Input> inputs = {}, uint64_t seed = 1,
    llvm::function_ref<void(tile::KernelOp)> edit = [](tile::KernelOp) {});

/// The kernel `k` of `text` as PTX.
StatusOr<KernelImage> compileForGpu(const std::string &text,
                                    const target::GpuTarget &target,
                                    const schedule::GpuSchedule &schedule);

/// Runs the kernel `k` of `text` on the interpreter and `image`, its PTX, on
/// the emulator.
Result compareOnEmulator(const std::string &text, const KernelImage &image,
                         std::vector<Input> inputs = {},
                         Tolerance tolerance = {}, uint64_t seed = 1);

/// The error of compiling the kernel `k` of `text` for the CPU; empty if none.
std::string rejection(const std::string &text,
                      const schedule::CpuSchedule &schedule = {});

/// Bytes of scratch memory of the kernel `k` of `text`; -1 if it is rejected.
int64_t scratchOf(const std::string &text);

} // namespace tilewright::kerneltest

#endif // TILEWRIGHT_TEST_CODEGEN_KERNELS_HARNESS_H
