// The device "cuda": a GPU through the CUDA driver.
#include "runtime/cuda/Buffer.h"
#include "runtime/cuda/Event.h"
#include "runtime/cuda/Module.h"
#include "runtime/cuda/Stream.h"
#include "runtime/cuda/Targets.h"
#include "support/Format.h"
#include "tilewright/runtime/DeviceRegistry.h"

namespace tilewright::runtime::cuda {

StatusOr<std::shared_ptr<Buffer>>
CudaBuffer::allocate(std::shared_ptr<Context> context, size_t bytes) {
  TILEWRIGHT_ASSIGN_OR_RETURN(CUdeviceptr pointer,
                              context->memory().allocate(bytes));
  return std::shared_ptr<Buffer>(
      new CudaBuffer(std::move(context), pointer, bytes));
}

namespace {

class CudaDevice : public Device {
public:
  explicit CudaDevice(std::shared_ptr<Context> owner)
      : context(std::move(owner)) {
    const DeviceLimits &limits = context->facts().limits;
    capability = {limits.major, limits.minor};
    facts.name = context->name();
    facts.description = format("{}, compute capability {}.{}, {} "
                               "multiprocessors, {} GB, driver for CUDA {}",
                               {context->facts().model, limits.major,
                                limits.minor, limits.multiprocessors,
                                formatFixed(double(limits.memory) / 1e9, 1),
                                printDriverVersion(context->driver().version)});
    facts.targets = targetsOf(capability);
    facts.memory = limits.memory;
  }

  [[nodiscard]] const DeviceInfo &info() const override { return facts; }

  Status accepts(const KernelManifest &manifest) const override {
    bool isText = manifest.image.ends_with(".ptx");
    TILEWRIGHT_RETURN_IF_ERROR(
        acceptsTarget(capability, manifest.target,
                      isText ? ImageKind::ptx : ImageKind::cubin));
    return checkBlock(manifest, context->facts().limits);
  }

  StatusOr<std::shared_ptr<Buffer>> allocate(size_t bytes) override {
    return CudaBuffer::allocate(context, bytes);
  }
  StatusOr<std::shared_ptr<Buffer>>
  constant(std::span<const std::byte> contents,
           std::shared_ptr<const void>) override {
    TILEWRIGHT_ASSIGN_OR_RETURN(std::shared_ptr<Buffer> buffer,
                                allocate(contents.size()));
    if (!contents.empty())
      TILEWRIGHT_RETURN_IF_ERROR(context->memory().upload(
          buffer->address(), contents.data(), contents.size()));
    return buffer;
  }
  StatusOr<std::unique_ptr<Stream>> createStream() override {
    return CudaStream::create(context);
  }
  StatusOr<std::shared_ptr<Event>> createEvent() override {
    return CudaEvent::create(context);
  }
  StatusOr<std::shared_ptr<Module>>
  loadModule(std::span<const std::byte> image) override {
    return CudaModule::load(context, image);
  }

private:
  std::shared_ptr<Context> context;
  Capability capability;
  DeviceInfo facts;
};

StatusOr<std::shared_ptr<Device>> openCuda(unsigned ordinal,
                                           const DeviceOptions &options) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::shared_ptr<const Driver> driver,
                              Driver::load(options.cudaDriver));
  TILEWRIGHT_ASSIGN_OR_RETURN(std::shared_ptr<Context> context,
                              Context::open(std::move(driver), ordinal));
  auto device = std::make_shared<CudaDevice>(std::move(context));
  const DeviceInfo &info = device->info();
  if (info.targets.empty())
    return Status::unsupported(format(
        "{} is too old ({}): kernels need compute capability 8.0 or newer",
        {info.name, info.description}));
  return std::shared_ptr<Device>(std::move(device));
}

const DeviceRegistration registration("cuda", openCuda);

} // namespace

} // namespace tilewright::runtime::cuda
