#include "runtime/cuda/Context.h"
#include "support/Format.h"

namespace tilewright::runtime::cuda {

Context::Context(std::shared_ptr<const Driver> driver, unsigned ordinal)
    : library(std::move(driver)),
      memorySpace{.device = format("cuda:{}", {ordinal})},
      contextLoss(*library, memorySpace.device) {}

StatusOr<std::shared_ptr<Context>>
Context::open(std::shared_ptr<const Driver> driver, unsigned ordinal) {
  std::shared_ptr<Context> context(new Context(std::move(driver), ordinal));
  const Driver &cuda = context->driver();
  TILEWRIGHT_ASSIGN_OR_RETURN(context->deviceFacts, readFacts(cuda, ordinal));
  TILEWRIGHT_RETURN_IF_ERROR(cuda.status(cuda.cuDevicePrimaryCtxRetain(
      &context->handle, context->deviceFacts.handle)));
  CurrentContext current(*context);
  TILEWRIGHT_RETURN_IF_ERROR(current.status());
  TILEWRIGHT_ASSIGN_OR_RETURN(context->pool, MemoryPool::create(*context));
  return context;
}

Context::~Context() {
  if (!handle)
    return;
  const Driver &cuda = driver();
  {
    CurrentContext current(*this);
    for (const auto &work : adopted)
      static_cast<void>(cuda.cuMemFreeHost(work->staging));
    pool.reset();
  }
  static_cast<void>(cuda.cuDevicePrimaryCtxRelease_v2(deviceFacts.handle));
}

void Context::adopt(std::unique_ptr<HostWork> work) {
  std::lock_guard lock(mutex);
  adopted.push_back(std::move(work));
}

CurrentContext::CurrentContext(Context &context) : context(context) {
  Result push = context.driver().cuCtxPushCurrent_v2(context.handle);
  pushed = push.ok();
  state = context.lost();
  if (state.ok())
    state = context.check(push);
}

CurrentContext::~CurrentContext() {
  CUcontext ignored = nullptr;
  if (pushed)
    static_cast<void>(context.driver().cuCtxPopCurrent_v2(&ignored));
}

} // namespace tilewright::runtime::cuda
