// Device memory.
#ifndef TILEWRIGHT_RUNTIME_CUDA_BUFFER_H
#define TILEWRIGHT_RUNTIME_CUDA_BUFFER_H

#include "runtime/cuda/Context.h"
#include "tilewright/runtime/Device.h"

namespace tilewright::runtime::cuda {

/// Memory of a GPU. The host cannot access it.
class CudaBuffer : public Buffer {
public:
  static StatusOr<std::shared_ptr<Buffer>>
  allocate(std::shared_ptr<Context> context, size_t bytes);
  ~CudaBuffer() override { context->memory().free(pointer); }

  [[nodiscard]] uint64_t address() const override { return pointer; }
  [[nodiscard]] size_t size() const override { return bytes; }
  [[nodiscard]] const MemorySpace *space() const override {
    return &context->space();
  }
  [[nodiscard]] const Context *owner() const { return context.get(); }

private:
  CudaBuffer(std::shared_ptr<Context> context, CUdeviceptr pointer,
             size_t bytes)
      : context(std::move(context)), pointer(pointer), bytes(bytes) {}
  std::shared_ptr<Context> context;
  CUdeviceptr pointer;
  size_t bytes;
};

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_BUFFER_H
