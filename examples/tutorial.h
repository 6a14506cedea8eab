// What the tutorials on kernels share: a device by its name, tensors on it, and
// errors.
#ifndef TILEWRIGHT_EXAMPLES_TUTORIAL_H
#define TILEWRIGHT_EXAMPLES_TUTORIAL_H

#include "tilewright/authoring.h"
#include "tilewright/compiler/Executable.h"
#include "tilewright/runtime/DeviceRegistry.h"

#include <cmath>
#include <cstdio>

namespace tutorial {

using namespace tilewright;
using namespace tilewright::authoring;

/// A device and the order of work on it.
struct DeviceSetup {
  std::shared_ptr<runtime::Device> device;
  std::unique_ptr<runtime::Stream> stream;

  template <class T>
  StatusOr<DeviceTensor> tensor(const runtime::Shape &shape,
                                const std::vector<T> &elements) const {
    return DeviceTensor::copyOf(*device, *stream, shape, elements);
  }
  StatusOr<DeviceTensor> tensor(runtime::DType dtype,
                                const runtime::Shape &shape) const {
    return DeviceTensor::allocate(*device, dtype, shape);
  }
};

inline StatusOr<DeviceSetup> open(const char *name) {
  DeviceSetup setup;
  TILEWRIGHT_ASSIGN_OR_RETURN(setup.device, runtime::openDevice(name));
  TILEWRIGHT_ASSIGN_OR_RETURN(setup.stream, setup.device->createStream());
  return setup;
}

/// Numbers in [-1, 1) that look random, the same everywhere.
inline std::vector<float> noise(size_t count, uint32_t seed) {
  std::vector<float> numbers(count);
  for (float &number : numbers) {
    seed = seed * 1664525 + 1013904223;
    number = static_cast<float>(seed >> 8) / (1 << 23) - 1;
  }
  return numbers;
}

/// The largest difference of two results.
inline double difference(const std::vector<float> &a,
                         const std::vector<float> &b) {
  double most = a.size() == b.size() ? 0 : INFINITY;
  for (size_t i = 0; i < a.size() && i < b.size(); ++i)
    most = std::max(most, std::fabs(double(a[i]) - double(b[i])));
  return most;
}

/// Runs a tutorial on the command line's device (cpu, interpreter, emulator,
/// cuda:0).
inline int run(int argc, char **argv, Status (*main)(const DeviceSetup &)) {
  const char *name = argc > 1 ? argv[1] : "cpu";
  StatusOr<DeviceSetup> setup = open(name);
  Status status = setup.ok() ? main(*setup) : setup.status();
  if (!status.ok())
    std::fprintf(stderr, "error: %s\n", status.message().c_str());
  return status.ok() ? 0 : 1;
}

} // namespace tutorial

#endif // TILEWRIGHT_EXAMPLES_TUTORIAL_H
