// Where device memory comes from.
#ifndef TILEWRIGHT_RUNTIME_CUDA_MEMORYPOOL_H
#define TILEWRIGHT_RUNTIME_CUDA_MEMORYPOOL_H

#include "runtime/cuda/DriverTypes.h"
#include "tilewright/support/Status.h"
#include <memory>

namespace tilewright::runtime::cuda {

class Context;

/// The memory of a context: from our own pool, which keeps freed memory for the
/// next allocation: the driver merges and splits it by page tables, and
/// releases it before an allocation fails. Where a GPU has no pools, the driver
/// allocates each time. Safe from many threads.
class MemoryPool {
public:
  /// `context` is current here and in the destructor, and outlives this.
  static StatusOr<std::unique_ptr<MemoryPool>> create(Context &context);
  MemoryPool(const MemoryPool &) = delete;
  MemoryPool &operator=(const MemoryPool &) = delete;
  ~MemoryPool();

  /// Uninitialized memory, ready for every stream.
  StatusOr<CUdeviceptr> allocate(size_t bytes);
  /// Nothing may use the memory any more.
  void free(CUdeviceptr address);
  /// Copies to device memory and waits.
  Status upload(CUdeviceptr target, const void *source, size_t bytes);

private:
  explicit MemoryPool(Context &context) : context(context) {}
  Status createPool();

  Context &context;
  /// Null where the GPU has no pools.
  CUmemoryPool pool = nullptr;
  /// Allocations and frees are ordered on this stream.
  CUstream stream = nullptr;
};

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_MEMORYPOOL_H
