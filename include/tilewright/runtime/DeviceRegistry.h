// Devices by name.
#ifndef TILEWRIGHT_RUNTIME_DEVICEREGISTRY_H
#define TILEWRIGHT_RUNTIME_DEVICEREGISTRY_H

#include "tilewright/runtime/Device.h"
#include "tilewright/runtime/KernelPrints.h"
#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::runtime {

/// How to open a device. Each kind of device uses the options that apply to it.
struct DeviceOptions {
  /// Threads of the cpu device, including the caller's; 0 means one for each
  /// hardware thread.
  unsigned threads = 0;
  /// The driver library of cuda devices: a path, or a name that the system's
  /// loader finds.
  std::string cudaDriver = "libcuda.so.1";
  /// Receives the lines that kernels print (tile.print; printf in PTX), one
  /// call at a time for each device. If empty, the lines are discarded. Not
  /// used by cuda devices: their driver writes to standard output.
  PrintSink prints = {};
  /// Of the emulator: asynchronous copies that threads wait for by groups land
  /// when these wait, else when they start. Both are correct.
  bool copiesLandLate = false;
  /// Of the emulator: a seed by which the warps of a block change after random
  /// numbers of instructions; without one, each runs for long. All are correct.
  std::optional<uint64_t> interleave = {};
};

/// Creates the device with the given ordinal (the 1 in "cuda:1").
using DeviceFactory = std::function<StatusOr<std::shared_ptr<Device>>(
    unsigned ordinal, const DeviceOptions &options)>;

/// The kinds of devices that can be opened. Safe from many threads. The builtin
/// registry also has the emulator: its library, which is in the folder of the
/// runtime's, is loaded when the device is first opened.
class TILEWRIGHT_API DeviceRegistry {
public:
  /// Adds or replaces a kind.
  void add(std::string kind, DeviceFactory factory);
  /// The names of the kinds, sorted.
  [[nodiscard]] std::vector<std::string> kinds() const;
  /// Opens a new device: "cpu", "cuda:0". The error for an unknown name lists
  /// the known ones.
  StatusOr<std::shared_ptr<Device>> open(std::string_view name,
                                         const DeviceOptions &options = {});
  /// The devices of this library and of other libraries in the process.
  static DeviceRegistry &builtin();

private:
  DeviceFactory find(std::string_view kind) const;

  mutable std::mutex mutex;
  std::map<std::string, DeviceFactory, std::less<>> factories;
};

/// A static object of this type adds a kind of device to the builtin registry.
struct DeviceRegistration {
  DeviceRegistration(std::string kind, DeviceFactory factory) {
    DeviceRegistry::builtin().add(std::move(kind), std::move(factory));
  }
};

/// Opens a device of the builtin registry.
inline StatusOr<std::shared_ptr<Device>>
openDevice(std::string_view name, const DeviceOptions &options = {}) {
  return DeviceRegistry::builtin().open(name, options);
}

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_DEVICEREGISTRY_H
