// Loaded code and its kernels.
#ifndef TILEWRIGHT_RUNTIME_CUDA_MODULE_H
#define TILEWRIGHT_RUNTIME_CUDA_MODULE_H

#include "runtime/cuda/Context.h"
#include "tilewright/runtime/Device.h"
#include <mutex>

namespace tilewright::runtime::cuda {

/// Checks a manifest's requirements for a block against the device: threads,
/// shared memory, cluster. One error, with both numbers.
Status checkBlock(const KernelManifest &manifest, const DeviceLimits &limits);

/// Checks a grid against the device and the kernel's cluster. All sizes are
/// positive.
Status checkGrid(const Grid &grid, const KernelManifest &manifest,
                 const DeviceLimits &limits);

/// A module of the driver, unloaded at the end.
class LoadedModule {
public:
  LoadedModule(std::shared_ptr<Context> context, CUmodule handle)
      : context(std::move(context)), handle(handle) {}
  LoadedModule(const LoadedModule &) = delete;
  LoadedModule &operator=(const LoadedModule &) = delete;
  ~LoadedModule();

  const std::shared_ptr<Context> context;
  const CUmodule handle;
  /// Guards the attributes of functions, which several kernels may share.
  std::mutex mutex;
};

/// An entry of a module with its manifest.
class CudaKernel : public Kernel {
public:
  /// Finds the entry and prepares it for its block. Errors: it is not there,
  /// takes other parameters, or the device cannot launch such a block.
  static StatusOr<std::shared_ptr<Kernel>>
  find(std::shared_ptr<LoadedModule> module, const KernelManifest &manifest);

  [[nodiscard]] const Context *context() const { return module->context.get(); }
  [[nodiscard]] const LaunchLog::Name &name() const { return label; }

  /// Enqueues a launch. `words` and `grid` were checked.
  Result launch(CUstream stream, std::span<const uint64_t> words,
                const Grid &grid) const;

private:
  CudaKernel(std::shared_ptr<LoadedModule> module, KernelManifest manifest);
  Status checkParameters() const;
  Status prepareShared() const;
  Status prepareCluster() const;

  std::shared_ptr<LoadedModule> module;
  LaunchLog::Name label;
  CUfunction function = nullptr;
};

class CudaModule : public Module {
public:
  /// Loads PTX or a cubin.
  static StatusOr<std::shared_ptr<Module>>
  load(std::shared_ptr<Context> context, std::span<const std::byte> image);

  StatusOr<std::shared_ptr<Kernel>>
  kernel(const KernelManifest &manifest) override {
    return CudaKernel::find(module, manifest);
  }

private:
  explicit CudaModule(std::shared_ptr<LoadedModule> module)
      : module(std::move(module)) {}
  std::shared_ptr<LoadedModule> module;
};

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_MODULE_H
