// Memory of the fake driver.
#include "test/fake_driver/Objects.h"
#include <cstdlib>
#include <cstring>

namespace tilewright::runtime::cuda {

/// Whether a range is in one of the allocations.
static bool isInside(const std::map<uintptr_t, size_t> &memory,
                     uintptr_t address, size_t bytes) {
  std::lock_guard lock(state().mutex);
  auto after = memory.upper_bound(address);
  if (after == memory.begin())
    return false;
  auto [start, size] = *std::prev(after);
  return address - start <= size && bytes <= size - (address - start);
}

bool isDeviceRange(CUdeviceptr address, size_t bytes) {
  return isInside(state().memory, uintptr_t(address), bytes);
}

/// New memory with garbage in it.
static CUresult allocate(std::map<uintptr_t, size_t> &memory, void **place,
                         size_t bytes, bool counts) {
  std::lock_guard lock(state().mutex);
  if (bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (counts && bytes > state().machine.memory - state().used)
    return CUDA_ERROR_OUT_OF_MEMORY;
  if (::posix_memalign(place, 512, bytes) != 0)
    return CUDA_ERROR_OUT_OF_MEMORY;
  std::memset(*place, 0xa5, bytes);
  memory[reinterpret_cast<uintptr_t>(*place)] = bytes;
  if (counts)
    state().used += bytes;
  return 0;
}

static CUresult release(std::map<uintptr_t, size_t> &memory, void *place,
                        bool counts, const char *function) {
  {
    std::lock_guard lock(state().mutex);
    auto found = memory.find(reinterpret_cast<uintptr_t>(place));
    if (found != memory.end()) {
      if (counts)
        state().used -= found->second;
      memory.erase(found);
      std::free(place);
      return 0;
    }
  }
  problem(std::string(function) + ": this memory was not allocated");
  return CUDA_ERROR_INVALID_VALUE;
}

/// Checks a copy between host and device.
static CUresult checkCopy(const char *function, CUdeviceptr device,
                          const void *host, size_t bytes, CUstream stream) {
  if (!isLive(state().streams, stream, function))
    return CUDA_ERROR_INVALID_HANDLE;
  if (isDeviceRange(device, bytes) &&
      !isDeviceRange(reinterpret_cast<uintptr_t>(host), 1))
    return 0;
  problem(std::string(function) + ": not a range of device memory, or not "
                                  "host memory");
  return CUDA_ERROR_INVALID_VALUE;
}

/// Copies from pinned memory in the stream's order; from pageable memory after
/// waiting for the stream.
static CUresult copyHost(const char *function, void *target, const void *source,
                         const void *host, size_t bytes, CUstream stream) {
  Work copy = [=] { std::memcpy(target, source, bytes); };
  if (isInside(state().pinned, reinterpret_cast<uintptr_t>(host), bytes))
    return submit(stream, std::move(copy));
  if (CUresult rejected = rejectCapture(stream)) {
    problem(std::string(function) + ": pageable memory in a capture");
    return rejected;
  }
  stream->drain();
  if (stream->context->sticky == 0)
    copy();
  return stream->context->sticky;
}

} // namespace tilewright::runtime::cuda

using namespace tilewright::runtime::cuda;

extern "C" {

CUresult cuMemGetInfo_v2(size_t *available, size_t *total) {
  if (CUresult answer = enter("cuMemGetInfo_v2", Needs::context))
    return answer;
  std::lock_guard lock(state().mutex);
  *total = state().machine.memory;
  *available = *total - state().used;
  return 0;
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties) {
  if (CUresult answer = enter("cuMemPoolCreate", Needs::context))
    return answer;
  if (properties->allocType != allocationPinned ||
      properties->location.type != locationDevice || properties->handleTypes)
    return CUDA_ERROR_INVALID_VALUE;
  if (!state().machine.pools)
    return CUDA_ERROR_NOT_SUPPORTED;
  *pool = new CUmemPoolHandle_st{currentContext()};
  std::lock_guard lock(state().mutex);
  state().pools.insert(*pool);
  return 0;
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute,
                               void *value) {
  if (CUresult answer = enter("cuMemPoolSetAttribute", Needs::context))
    return answer;
  if (!isLive(state().pools, pool, "cuMemPoolSetAttribute"))
    return CUDA_ERROR_INVALID_HANDLE;
  return attribute == poolReleaseThreshold && value ? 0
                                                    : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  CUresult answer = enter("cuMemPoolDestroy", Needs::context);
  if (!isLive(state().pools, pool, "cuMemPoolDestroy"))
    return CUDA_ERROR_INVALID_HANDLE;
  std::lock_guard lock(state().mutex);
  state().pools.erase(pool);
  delete pool;
  return answer;
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t bytes,
                                 CUmemoryPool pool, CUstream stream) {
  if (CUresult answer = enter("cuMemAllocFromPoolAsync", Needs::context))
    return answer;
  if (!isLive(state().pools, pool, "cuMemAllocFromPoolAsync") ||
      !isLive(state().streams, stream, "cuMemAllocFromPoolAsync"))
    return CUDA_ERROR_INVALID_HANDLE;
  void *place = nullptr;
  stream->drain(); // What was freed on it before is free.
  CUresult answer = allocate(state().memory, &place, bytes, true);
  *address = reinterpret_cast<uintptr_t>(place);
  return answer;
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  CUresult answer = enter("cuMemFreeAsync", Needs::context);
  if (!isLive(state().streams, stream, "cuMemFreeAsync"))
    return CUDA_ERROR_INVALID_HANDLE;
  stream->drain();
  CUresult freed =
      release(state().memory, reinterpret_cast<void *>(uintptr_t(address)),
              true, "cuMemFreeAsync");
  return answer ? answer : freed;
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  if (CUresult answer = enter("cuMemAlloc_v2", Needs::context))
    return answer;
  void *place = nullptr;
  CUresult answer = allocate(state().memory, &place, bytes, true);
  *address = reinterpret_cast<uintptr_t>(place);
  return answer;
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  CUresult answer = enter("cuMemFree_v2", Needs::context);
  CUresult freed =
      release(state().memory, reinterpret_cast<void *>(uintptr_t(address)),
              true, "cuMemFree_v2");
  return answer ? answer : freed;
}

CUresult cuMemAllocHost_v2(void **place, size_t bytes) {
  if (CUresult answer = enter("cuMemAllocHost_v2", Needs::context))
    return answer;
  return allocate(state().pinned, place, bytes, false);
}

CUresult cuMemFreeHost(void *place) {
  CUresult answer = enter("cuMemFreeHost", Needs::context);
  CUresult freed = release(state().pinned, place, false, "cuMemFreeHost");
  return answer ? answer : freed;
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr target, const void *source,
                              size_t bytes, CUstream stream) {
  const char *name = "cuMemcpyHtoDAsync_v2";
  if (CUresult answer = enter(name, Needs::context))
    return answer;
  if (CUresult wrong = checkCopy(name, target, source, bytes, stream))
    return wrong;
  return copyHost(name, reinterpret_cast<void *>(uintptr_t(target)), source,
                  source, bytes, stream);
}

CUresult cuMemcpyDtoHAsync_v2(void *target, CUdeviceptr source, size_t bytes,
                              CUstream stream) {
  const char *name = "cuMemcpyDtoHAsync_v2";
  if (CUresult answer = enter(name, Needs::context))
    return answer;
  if (CUresult wrong = checkCopy(name, source, target, bytes, stream))
    return wrong;
  return copyHost(name, target, reinterpret_cast<void *>(uintptr_t(source)),
                  target, bytes, stream);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr target, CUdeviceptr source,
                              size_t bytes, CUstream stream) {
  const char *name = "cuMemcpyDtoDAsync_v2";
  if (CUresult answer = enter(name, Needs::context))
    return answer;
  if (!isLive(state().streams, stream, name))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!isDeviceRange(target, bytes) || !isDeviceRange(source, bytes)) {
    problem(std::string(name) + ": not a range of device memory");
    return CUDA_ERROR_INVALID_VALUE;
  }
  return submit(stream, [=] {
    std::memmove(reinterpret_cast<void *>(uintptr_t(target)),
                 reinterpret_cast<void *>(uintptr_t(source)), bytes);
  });
}
}
