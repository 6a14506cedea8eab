#include "runtime/cuda/MemoryPool.h"
#include "runtime/cuda/Context.h"
#include "support/Format.h"
#include <algorithm>

namespace tilewright::runtime::cuda {

StatusOr<std::unique_ptr<MemoryPool>> MemoryPool::create(Context &context) {
  std::unique_ptr<MemoryPool> memory(new MemoryPool(context));
  const Driver &cuda = context.driver();
  TILEWRIGHT_RETURN_IF_ERROR(
      cuda.status(cuda.cuStreamCreate(&memory->stream, streamNonBlocking)));
  if (context.facts().limits.pools)
    TILEWRIGHT_RETURN_IF_ERROR(memory->createPool());
  return memory;
}

Status MemoryPool::createPool() {
  const Driver &cuda = context.driver();
  CUmemPoolProps properties;
  properties.allocType = allocationPinned;
  properties.location.type = locationDevice;
  properties.location.id = context.facts().handle;
  TILEWRIGHT_RETURN_IF_ERROR(
      cuda.status(cuda.cuMemPoolCreate(&pool, &properties)));
  uint64_t all = UINT64_MAX;
  return cuda.status(
      cuda.cuMemPoolSetAttribute(pool, poolReleaseThreshold, &all));
}

MemoryPool::~MemoryPool() {
  const Driver &cuda = context.driver();
  if (stream)
    static_cast<void>(cuda.cuStreamSynchronize(stream));
  if (pool)
    static_cast<void>(cuda.cuMemPoolDestroy(pool));
  if (stream)
    static_cast<void>(cuda.cuStreamDestroy_v2(stream));
}

StatusOr<CUdeviceptr> MemoryPool::allocate(size_t bytes) {
  const size_t most = context.facts().limits.memory;
  std::string head = format("no memory for a buffer of {} bytes on {}: ",
                            {bytes, context.name()});
  if (bytes > most)
    return Status::resourceExhausted(format("{}it has {} bytes", {head, most}));
  CurrentContext current(context);
  TILEWRIGHT_RETURN_IF_ERROR(current.status());
  const Driver &cuda = context.driver();
  CUdeviceptr address = 0;
  size_t size = std::max<size_t>(bytes, 1);
  Result allocated =
      pool ? cuda.cuMemAllocFromPoolAsync(&address, size, pool, stream)
           : cuda.cuMemAlloc_v2(&address, size);
  size_t available = 0, total = 0;
  if (allocated.code == CUDA_ERROR_OUT_OF_MEMORY &&
      cuda.cuMemGetInfo_v2(&available, &total).ok())
    return Status::resourceExhausted(
        cuda.status(allocated)
            .prefixed(
                format("{}{} of {} bytes are free", {head, available, total}))
            .message());
  TILEWRIGHT_RETURN_IF_ERROR(context.check(allocated));
  if (!pool)
    return address;
  Status ready = context.check(cuda.cuStreamSynchronize(stream));
  if (ready.ok())
    return address;
  free(address);
  return ready;
}

void MemoryPool::free(CUdeviceptr address) {
  CurrentContext current(context);
  const Driver &cuda = context.driver();
  if (pool)
    static_cast<void>(cuda.cuMemFreeAsync(address, stream));
  else
    static_cast<void>(cuda.cuMemFree_v2(address));
}

Status MemoryPool::upload(CUdeviceptr target, const void *source,
                          size_t bytes) {
  CurrentContext current(context);
  TILEWRIGHT_RETURN_IF_ERROR(current.status());
  const Driver &cuda = context.driver();
  TILEWRIGHT_RETURN_IF_ERROR(
      context.check(cuda.cuMemcpyHtoDAsync_v2(target, source, bytes, stream)));
  return context.check(cuda.cuStreamSynchronize(stream));
}

} // namespace tilewright::runtime::cuda
