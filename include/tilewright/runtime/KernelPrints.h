// What kernels print.
#ifndef TILEWRIGHT_RUNTIME_KERNELPRINTS_H
#define TILEWRIGHT_RUNTIME_KERNELPRINTS_H

#include <functional>
#include <mutex>
#include <string_view>

namespace tilewright::runtime {

/// Takes a line that a kernel prints, without its end: "program [1, 0]: x = 2".
/// It is called while the kernel runs, from any thread. It must use no function
/// of a device.
using PrintSink = std::function<void(std::string_view line)>;

/// The sink of one device, which gets one line at a time. Safe from many
/// threads.
class KernelPrints {
public:
  explicit KernelPrints(PrintSink taker = {}) : sink(std::move(taker)) {}
  /// False where lines go nowhere.
  [[nodiscard]] bool wanted() const { return bool(sink); }
  void line(std::string_view text) {
    if (!sink)
      return;
    std::lock_guard lock(mutex);
    sink(text);
  }

private:
  const PrintSink sink;
  std::mutex mutex;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_KERNELPRINTS_H
