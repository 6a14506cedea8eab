// Events of a GPU.
#ifndef TILEWRIGHT_RUNTIME_CUDA_EVENT_H
#define TILEWRIGHT_RUNTIME_CUDA_EVENT_H

#include "runtime/cuda/Context.h"
#include "tilewright/runtime/Device.h"

namespace tilewright::runtime::cuda {

/// An event of the driver, with time; half a microsecond is its resolution.
class CudaEvent : public Event {
public:
  static StatusOr<std::shared_ptr<Event>>
  create(std::shared_ptr<Context> context);
  ~CudaEvent() override;

  /// Also true once the device is lost: nothing more will happen.
  [[nodiscard]] bool reached() const override;
  Status synchronize() override;
  StatusOr<std::chrono::nanoseconds> since(const Event &start) const override;

  [[nodiscard]] const Context *owner() const { return context.get(); }
  /// Enqueues the event, and the wait for it.
  Status record(CUstream stream);
  Status wait(CUstream stream);

private:
  CudaEvent(std::shared_ptr<Context> context, CUevent handle)
      : context(std::move(context)), handle(handle) {}
  std::shared_ptr<Context> context;
  CUevent handle;
  /// Whether it was ever recorded.
  std::atomic<bool> recorded = false;
};

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_EVENT_H
