#include "runtime/cuda/Event.h"

namespace tilewright::runtime::cuda {

StatusOr<std::shared_ptr<Event>>
CudaEvent::create(std::shared_ptr<Context> context) {
  CurrentContext current(*context);
  TILEWRIGHT_RETURN_IF_ERROR(current.status());
  CUevent handle = nullptr;
  TILEWRIGHT_RETURN_IF_ERROR(context->check(
      context->driver().cuEventCreate(&handle, eventBlockingSync)));
  return std::shared_ptr<Event>(new CudaEvent(context, handle));
}

CudaEvent::~CudaEvent() {
  CurrentContext current(*context);
  static_cast<void>(context->driver().cuEventDestroy_v2(handle));
}

bool CudaEvent::reached() const {
  if (!recorded)
    return true;
  CurrentContext current(*context);
  return !current.status().ok() ||
         context->driver().cuEventQuery(handle).code != CUDA_ERROR_NOT_READY;
}

Status CudaEvent::synchronize() {
  if (!recorded)
    return {};
  CurrentContext current(*context);
  TILEWRIGHT_RETURN_IF_ERROR(current.status());
  return context->check(context->driver().cuEventSynchronize(handle));
}

StatusOr<std::chrono::nanoseconds> CudaEvent::since(const Event &start) const {
  const auto *first = dynamic_cast<const CudaEvent *>(&start);
  if (!first || first->context != context)
    return Status::invalidInput("the events belong to different devices");
  Status notReached = Status::invalidInput("an event was not reached");
  if (!recorded || !first->recorded)
    return notReached;
  CurrentContext current(*context);
  TILEWRIGHT_RETURN_IF_ERROR(current.status());
  float milliseconds = 0;
  Result elapsed = context->driver().cuEventElapsedTime(&milliseconds,
                                                        first->handle, handle);
  if (elapsed.code == CUDA_ERROR_NOT_READY)
    return notReached;
  TILEWRIGHT_RETURN_IF_ERROR(context->check(elapsed));
  return std::chrono::nanoseconds(int64_t(double(milliseconds) * 1e6));
}

Status CudaEvent::record(CUstream stream) {
  TILEWRIGHT_RETURN_IF_ERROR(
      context->check(context->driver().cuEventRecord(handle, stream)));
  recorded = true;
  return {};
}

Status CudaEvent::wait(CUstream stream) {
  return context->check(context->driver().cuStreamWaitEvent(stream, handle, 0));
}

} // namespace tilewright::runtime::cuda
