// Single kernels: memory, loading and launches.
#include "runtime/capi/Handles.h"
#include "support/Format.h"
#include "tilewright/runtime/Launch.h"
#include <string>
#include <vector>

using namespace tilewright;
using namespace tilewright::runtime;

struct tw_buffer {
  std::shared_ptr<Device> device;
  std::shared_ptr<Buffer> buffer;
  std::unique_ptr<Stream> stream;
};

struct tw_kernel {
  std::shared_ptr<Device> device;
  std::shared_ptr<Kernel> kernel;
};

struct tw_launch {
  std::shared_ptr<Device> device;
  std::shared_ptr<Kernel> kernel;
  std::unique_ptr<Stream> stream;
  /// By index; without a value until it is set.
  std::vector<std::optional<LaunchArgument>> arguments;
  /// Owns the memory of views.
  std::vector<std::shared_ptr<Buffer>> buffers;
};

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

tw_status *tw_buffer_create(tw_device *device, size_t bytes,
                            tw_buffer **buffer) {
  if (buffer)
    *buffer = nullptr;
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(
        checkArguments({{"device", device}, {"buffer", buffer}}));
    auto made = std::make_unique<tw_buffer>();
    made->device = device->device;
    TILEWRIGHT_ASSIGN_OR_RETURN(made->buffer, device->device->allocate(bytes));
    TILEWRIGHT_ASSIGN_OR_RETURN(made->stream, device->device->createStream());
    *buffer = made.release();
    return {};
  });
}

void tw_buffer_free(tw_buffer *buffer) { delete buffer; }

tw_status *tw_buffer_write(tw_buffer *buffer, size_t offset, const void *data,
                           size_t bytes) {
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(
        checkArguments({{"buffer", buffer}, {"data", bytes ? data : buffer}}));
    TILEWRIGHT_RETURN_IF_ERROR(
        buffer->stream->copyToDevice(*buffer->buffer, offset, data, bytes));
    return buffer->stream->synchronize();
  });
}

tw_status *tw_buffer_read(tw_buffer *buffer, size_t offset, void *data,
                          size_t bytes) {
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(
        checkArguments({{"buffer", buffer}, {"data", bytes ? data : buffer}}));
    TILEWRIGHT_RETURN_IF_ERROR(
        buffer->stream->copyToHost(data, *buffer->buffer, offset, bytes));
    return buffer->stream->synchronize();
  });
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

tw_status *tw_kernel_load(tw_device *device, const char *manifest,
                          const void *code, size_t bytes, tw_kernel **kernel) {
  if (kernel)
    *kernel = nullptr;
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(checkArguments({{"device", device},
                                               {"manifest", manifest},
                                               {"code", code},
                                               {"kernel", kernel}}));
    TILEWRIGHT_ASSIGN_OR_RETURN(KernelManifest read,
                                parseKernelManifest(manifest));
    TILEWRIGHT_RETURN_IF_ERROR(device->device->accepts(read));
    TILEWRIGHT_ASSIGN_OR_RETURN(
        std::shared_ptr<Module> module,
        device->device->loadModule(
            {static_cast<const std::byte *>(code), bytes}));
    TILEWRIGHT_ASSIGN_OR_RETURN(auto loaded, module->kernel(read));
    *kernel = new tw_kernel{device->device, std::move(loaded)};
    return {};
  });
}

void tw_kernel_free(tw_kernel *kernel) { delete kernel; }

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

tw_status *tw_launch_create(const tw_kernel *kernel, tw_launch **launch) {
  if (launch)
    *launch = nullptr;
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(
        checkArguments({{"kernel", kernel}, {"launch", launch}}));
    auto made = std::make_unique<tw_launch>();
    made->device = kernel->device;
    made->kernel = kernel->kernel;
    size_t count = kernel->kernel->manifest().arguments.size();
    made->arguments.resize(count);
    made->buffers.resize(count);
    TILEWRIGHT_ASSIGN_OR_RETURN(made->stream, kernel->device->createStream());
    *launch = made.release();
    return {};
  });
}

void tw_launch_free(tw_launch *launch) { delete launch; }

static Status wrong(const tw_launch &launch, size_t index,
                    const std::string &what) {
  return Status::invalidInput(
      format("kernel '{}': argument {}: {}",
             {launch.kernel->manifest().name, index, what}));
}

static std::string describe(const KernelArgument &parameter) {
  std::string type(parameter.dtype ? dtypeName(*parameter.dtype) : "index");
  return (parameter.isView() ? "a view of " : "a number of ") + type;
}

/// The parameter `index`, if the kernel has it and it is what was found.
static StatusOr<const KernelArgument *> findParameter(const tw_launch &launch,
                                                      size_t index, bool isView,
                                                      const char *found) {
  const auto &parameters = launch.kernel->manifest().arguments;
  if (index >= parameters.size())
    return wrong(launch, index, format("there are {}", {parameters.size()}));
  if (parameters[index].isView() != isView)
    return wrong(
        launch, index,
        format("expected {}, found {}", {describe(parameters[index]), found}));
  return &parameters[index];
}

tw_status *tw_launch_set_view(tw_launch *launch, size_t index,
                              const tw_buffer *buffer, const char *dtype,
                              const int64_t *dims, const int64_t *strides,
                              size_t rank) {
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(checkArguments(
        {{"launch", launch},
         {"buffer", buffer},
         {"dtype", dtype},
         {"dims", rank ? static_cast<const void *>(dims) : launch}}));
    TILEWRIGHT_ASSIGN_OR_RETURN(const KernelArgument *parameter,
                                findParameter(*launch, index, true, "a view"));
    if (dtype != dtypeName(*parameter->dtype) || rank != parameter->rank)
      return wrong(
          *launch, index,
          format("expected {} of rank {}, found {} of rank {}",
                 {describe(*parameter), parameter->rank, dtype, rank}));
    launch->arguments[index] = LaunchArgument::view(
        *buffer->buffer, Shape(dims, dims + rank),
        strides ? Shape(strides, strides + rank) : Shape());
    launch->buffers[index] = buffer->buffer;
    return {};
  });
}

tw_status *tw_launch_set_integer(tw_launch *launch, size_t index,
                                 int64_t value) {
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(checkArguments({{"launch", launch}}));
    TILEWRIGHT_ASSIGN_OR_RETURN(
        const KernelArgument *parameter,
        findParameter(*launch, index, false, "an integer"));
    unsigned bits = 64;
    if (parameter->dtype) {
      const DTypeInfo &type = dtypeInfo(*parameter->dtype);
      if (type.kind == DTypeKind::floatingPoint)
        return wrong(
            *launch, index,
            format("expected {}, found an integer", {describe(*parameter)}));
      bits = type.bits;
    }
    // As signed or unsigned: manifests do not distinguish them.
    if (bits < 64 &&
        (value < -(int64_t{1} << (bits - 1)) || value >= int64_t{1} << bits))
      return wrong(*launch, index,
                   format("{} does not fit {}", {value, describe(*parameter)}));
    launch->arguments[index] = LaunchArgument::integer(value);
    return {};
  });
}

tw_status *tw_launch_set_float(tw_launch *launch, size_t index, double value) {
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(checkArguments({{"launch", launch}}));
    TILEWRIGHT_ASSIGN_OR_RETURN(
        const KernelArgument *parameter,
        findParameter(*launch, index, false, "a float"));
    if (parameter->dtype == DType::F32)
      launch->arguments[index] = LaunchArgument::f32(static_cast<float>(value));
    else if (parameter->dtype == DType::F64)
      launch->arguments[index] = LaunchArgument::f64(value);
    else
      return wrong(*launch, index,
                   format("expected {}, found a float, which is f32 or f64",
                          {describe(*parameter)}));
    return {};
  });
}

tw_status *tw_launch_run(tw_launch *launch) {
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(checkArguments({{"launch", launch}}));
    std::vector<LaunchArgument> words;
    for (const std::optional<LaunchArgument> &argument : launch->arguments) {
      if (!argument)
        return wrong(*launch, words.size(), "it is not set");
      words.push_back(*argument);
    }
    TILEWRIGHT_RETURN_IF_ERROR(
        runtime::launch(*launch->stream, *launch->kernel, words));
    return launch->stream->synchronize();
  });
}
