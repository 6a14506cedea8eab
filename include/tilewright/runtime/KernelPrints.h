// The output of tile.print and printf in kernels.
#ifndef TILEWRIGHT_RUNTIME_KERNELPRINTS_H
#define TILEWRIGHT_RUNTIME_KERNELPRINTS_H

#include <functional>
#include <mutex>
#include <string_view>

namespace tilewright::runtime {

/// Receives a line that a kernel prints, without a newline: "program [1, 0]: x
/// = 2". Called while the kernel runs, from any thread. It must not use
/// functions of a device.
using PrintSink = std::function<void(std::string_view line)>;

/// The sink of one device; it receives one line at a time. Safe from many
/// threads.
class KernelPrints {
public:
  explicit KernelPrints(PrintSink taker = {}) : sink(std::move(taker)) {}
  /// False if lines are discarded.
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
