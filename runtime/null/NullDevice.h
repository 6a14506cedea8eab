// A device that records its calls and does nothing.
#ifndef TILEWRIGHT_RUNTIME_NULL_NULLDEVICE_H
#define TILEWRIGHT_RUNTIME_NULL_NULLDEVICE_H

#include "tilewright/runtime/Device.h"
#include <memory>
#include <string>
#include <vector>

namespace tilewright::runtime {

/// A device without memory and without code: addresses are made up, copies
/// move nothing, launches run nothing, and every kernel is accepted. Host calls
/// and events do happen, since programs wait for them. It shows what a
/// program would do on a device, and what a new device must implement.
class NullDevice : public Device {
public:
  /// The calls to all streams of this device, in order: "launch gemm [4, 2, 1]
  /// 7 words", "copy to device 64 bytes". Safe from many threads.
  [[nodiscard]] virtual std::vector<std::string> calls() const = 0;

  static std::shared_ptr<NullDevice> create();
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_NULL_NULLDEVICE_H
