// Ordered work on a GPU.
#ifndef TILEWRIGHT_RUNTIME_CUDA_STREAM_H
#define TILEWRIGHT_RUNTIME_CUDA_STREAM_H

#include "runtime/cuda/Context.h"
#include "tilewright/runtime/Device.h"

namespace tilewright::runtime::cuda {

/// Launches and copies that were captured.
class CudaGraph : public Graph {
public:
  CudaGraph(std::shared_ptr<Context> context, CUgraphExec handle,
            std::vector<LaunchLog::Name> names)
      : context(std::move(context)), handle(handle), names(std::move(names)) {}
  ~CudaGraph() override;

  const std::shared_ptr<Context> context;
  const CUgraphExec handle;
  /// The latest kernels in it.
  const std::vector<LaunchLog::Name> names;
};

/// A stream of the driver that does not wait for the default stream.
///
/// Copies and the host. The driver copies pageable host memory through its own
/// pinned memory, and may first wait for the stream. On an idle stream there is
/// nothing to wait for. On a busy one, where enqueueing must not wait, the data
/// are copied in pieces through pinned memory of the stream, which host
/// functions fill or empty in stream order.
class CudaStream : public Stream {
public:
  static StatusOr<std::unique_ptr<Stream>>
  create(std::shared_ptr<Context> context);
  ~CudaStream() override;
  [[nodiscard]] const MemorySpace *space() const override {
    return &context->space();
  }

  Status copyToDevice(Buffer &target, size_t targetOffset, const void *source,
                      size_t bytes) override;
  Status copyToHost(void *target, const Buffer &source, size_t sourceOffset,
                    size_t bytes) override;
  Status copy(Buffer &target, size_t targetOffset, const Buffer &source,
              size_t sourceOffset, size_t bytes) override;
  Status launch(const Kernel &kernel, std::span<const uint64_t> words,
                const Grid &grid) override;
  Status hostCall(std::function<void()> function) override;
  Status record(Event &event) override;
  Status wait(Event &event) override;
  Status synchronize() override;
  Status beginCapture() override;
  StatusOr<std::shared_ptr<Graph>> endCapture() override;
  Status launch(const Graph &graph) override;

private:
  explicit CudaStream(std::shared_ptr<Context> context);
  /// Whether nothing is enqueued.
  StatusOr<bool> isIdle();
  /// An error while a graph is captured; `what` starts it.
  Status rejectCapture(const char *what) const;
  Status enqueueHost(std::function<void()> function, bool always);
  Status uploadStaged(CUdeviceptr target, const std::byte *source,
                      size_t bytes);
  Status downloadStaged(std::byte *target, CUdeviceptr source, size_t bytes);

  std::shared_ptr<Context> context;
  CUstream handle = nullptr;
  std::unique_ptr<HostWork> work;
  LaunchLog log;
  bool capturing = false;
};

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_STREAM_H
