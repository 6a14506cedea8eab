// What the kernels of this folder are run and checked with: devices, tensors
// on them, and the expected numbers.
#ifndef TILEWRIGHT_EXAMPLES_KERNELS_CHECK_H
#define TILEWRIGHT_EXAMPLES_KERNELS_CHECK_H

#include "tilewright/authoring.h"
#include "tilewright/compiler/Executable.h"
#include "tilewright/runtime/DeviceRegistry.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>

namespace known {

using namespace tilewright;
using namespace tilewright::authoring;
using Doubles = std::vector<double>;
/// Shapes of matrices.
using Pairs = std::vector<std::pair<int64_t, int64_t>>;
/// Sizes m, n, k of a product of matrices.
using Triples = std::vector<std::array<int64_t, 3>>;

/// How far f16 may be from a number that was exact, or nearly, in f32.
inline constexpr double halfRounding = 1.01 * 0x1p-11;

/// A device, a stream, and for the emulator its target. Loaded kernels are
/// kept: a kernel is compiled once for all its shapes.
class Checker {
public:
  /// "interpreter", "cpu", "cuda:0", or a target for the emulator: "sm_90a".
  static StatusOr<Checker> open(const std::string &name);

  /// Small numbers that look random but are the same everywhere, and exact in
  /// f16: up to 2, in steps of 1/64. So sums of up to 1,024 of their products
  /// are exact in f32, in any order, and are compared exactly.
  static Doubles noise(int64_t count, uint32_t seed);

  template <class T>
  DeviceTensor tensor(const runtime::Shape &shape, const Doubles &numbers) {
    std::vector<T> elements;
    for (double number : numbers)
      elements.push_back(static_cast<T>(number));
    return made(DeviceTensor::copyOf(*device, *stream, shape, elements));
  }
  template <class T> DeviceTensor zeros(const runtime::Shape &shape) {
    return tensor<T>(shape, Doubles(static_cast<size_t>(count(shape))));
  }
  DeviceTensor tensor(runtime::DType dtype, const runtime::Shape &shape,
                      const std::vector<uint8_t> &bytes) {
    return made(DeviceTensor::copyOf(*device, *stream, dtype, shape, bytes));
  }
  static int64_t count(const runtime::Shape &shape);

  /// Launches a kernel, compiled with these tunables, and waits.
  template <class... A>
  void run(const Kernel &kernel, const Bindings &bindings, const A &...a) {
    const Executable *loaded = executable(kernel, bindings);
    if (loaded)
      note(loaded->launch(*stream, a...));
    note(stream->synchronize());
  }

  /// Compares a result; `tolerance` is relative to 1 and to what is expected.
  template <class T>
  void expect(const DeviceTensor &result, const Doubles &expected,
              double tolerance = 0) {
    StatusOr<std::vector<T>> found = result.read<T>(*stream);
    if (!found.ok())
      return note(found.status());
    Doubles numbers;
    for (T number : *found)
      numbers.push_back(static_cast<double>(number));
    compare(numbers, expected, tolerance);
  }

  /// Begins the next shape of a kernel.
  void shape(const char *kernel, const std::string &text);
  /// The number of comparisons and of those that failed.
  int comparisons = 0, failures = 0;
  std::map<std::string, int> shapes;

private:
  DeviceTensor made(StatusOr<DeviceTensor> tensor);
  void note(const Status &status);
  void compare(const Doubles &found, const Doubles &expected, double tolerance);
  const Executable *executable(const Kernel &kernel, const Bindings &bindings);

  std::string name, where;
  std::shared_ptr<runtime::Device> device;
  std::unique_ptr<runtime::Stream> stream;
  LoadOptions options;
  std::map<std::pair<std::string, Bindings>, Executable> loaded;
};

// The kernels, in groups.
void checkElementwise(Checker &check);
void checkRows(Checker &check);
void checkMatmul(Checker &check);
void checkFusedMatmul(Checker &check);
void checkGroupedMatmul(Checker &check);
void checkAttention(Checker &check);
void checkConvolution(Checker &check);
void checkScans(Checker &check);

/// C = A B on the host, with sizes m, n, k.
Doubles product(const Doubles &a, const Doubles &b, int64_t m, int64_t n,
                int64_t k);

} // namespace known

#endif // TILEWRIGHT_EXAMPLES_KERNELS_CHECK_H
