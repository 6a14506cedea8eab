#include "tilewright/runtime/Model.h"
#include "support/Format.h"
#include <map>

namespace tilewright::runtime {

StatusOr<std::shared_ptr<const Model>>
Model::load(std::shared_ptr<Device> device, const std::filesystem::path &path,
            const PackageOptions &options) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto package, Package::load(path, options));
  return load(std::move(device), std::move(package));
}

/// Loads each kernel once, and each image once.
static StatusOr<std::vector<std::shared_ptr<Kernel>>>
loadKernels(Device &device, const Package &package) {
  std::map<std::string, std::shared_ptr<Module>> modules; // By image.
  std::map<std::string, std::shared_ptr<Kernel>> loaded;  // By name.
  std::vector<std::shared_ptr<Kernel>> kernels;
  for (const StepManifest &step : package.manifest().steps) {
    std::shared_ptr<Kernel> &kernel = loaded[step.kernel];
    if (!kernel) {
      TILEWRIGHT_ASSIGN_OR_RETURN(const KernelManifest *manifest,
                                  package.findKernel(step.kernel, device));
      std::string where =
          format("kernel '{}' ({})",
                 {step.kernel, (package.path() / manifest->image).string()});
      std::shared_ptr<Module> &module = modules[manifest->image];
      if (!module) {
        TILEWRIGHT_ASSIGN_OR_RETURN(auto image, package.image(*manifest));
        auto loadedModule = device.loadModule(image);
        if (!loadedModule.ok())
          return loadedModule.status().prefixed(where);
        module = *loadedModule;
      }
      auto loadedKernel = module->kernel(*manifest);
      if (!loadedKernel.ok())
        return loadedKernel.status().prefixed(where);
      kernel = *loadedKernel;
    }
    kernels.push_back(kernel);
  }
  return kernels;
}

StatusOr<std::shared_ptr<const Model>>
Model::load(std::shared_ptr<Device> device,
            std::shared_ptr<const Package> package) {
  auto model = std::shared_ptr<Model>(new Model);
  TILEWRIGHT_ASSIGN_OR_RETURN(model->kernels, loadKernels(*device, *package));
  const std::vector<BufferManifest> &buffers = package->manifest().buffers;
  model->weights.resize(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].kind != BufferManifest::Kind::weight || buffers[i].alias)
      continue;
    TILEWRIGHT_ASSIGN_OR_RETURN(auto contents, package->weight(i));
    TILEWRIGHT_ASSIGN_OR_RETURN(
        model->weights[i],
        device->constant(contents, package->weightsMapping()));
  }
  model->deviceHandle = std::move(device);
  model->package = std::move(package);
  return std::shared_ptr<const Model>(std::move(model));
}

std::string Model::describeInputs() const {
  std::string text =
      joined(manifest().inputs, ", ", [](const InterfaceTensor &input) {
        return format("{}: {}",
                      {input.name, printTensorType(input.dtype, input.shape)});
      });
  return text.empty() ? "none" : text;
}

} // namespace tilewright::runtime
