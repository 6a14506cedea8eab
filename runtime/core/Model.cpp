#include "tilewright/runtime/Model.h"
#include "runtime/core/StepTree.h"
#include "support/Format.h"
#include <map>

namespace tilewright::runtime {

StatusOr<std::shared_ptr<const Model>>
Model::load(std::shared_ptr<Device> device, const std::filesystem::path &path,
            const PackageOptions &options) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto package, Package::load(path, options));
  return load(std::move(device), std::move(package));
}

namespace {
/// Loads each kernel once, and each image once.
class KernelLoader {
public:
  KernelLoader(Device &device, const Package &package)
      : device(device), package(package) {}
  /// The variants of the kernel `name`, best first.
  StatusOr<std::vector<std::shared_ptr<Kernel>>> load(const std::string &name);

private:
  StatusOr<std::shared_ptr<Kernel>> load(const KernelManifest &manifest);

  Device &device;
  const Package &package;
  std::map<std::string, std::shared_ptr<Module>> modules; // By image.
  std::map<std::string, std::vector<std::shared_ptr<Kernel>>> loaded;
};
} // namespace

StatusOr<std::shared_ptr<Kernel>>
KernelLoader::load(const KernelManifest &manifest) {
  std::shared_ptr<Module> &module = modules[manifest.image];
  if (!module) {
    TILEWRIGHT_ASSIGN_OR_RETURN(auto image, package.image(manifest));
    TILEWRIGHT_ASSIGN_OR_RETURN(module, device.loadModule(image));
  }
  return module->kernel(manifest);
}

StatusOr<std::vector<std::shared_ptr<Kernel>>>
KernelLoader::load(const std::string &name) {
  std::vector<std::shared_ptr<Kernel>> &variants = loaded[name];
  if (!variants.empty())
    return variants;
  TILEWRIGHT_ASSIGN_OR_RETURN(auto manifests,
                              package.findKernels(name, device));
  for (const KernelManifest *manifest : manifests) {
    StatusOr<std::shared_ptr<Kernel>> kernel = load(*manifest);
    if (!kernel.ok())
      return kernel.status().prefixed(
          format("kernel '{}' ({})",
                 {name, (package.path() / manifest->image).string()}));
    variants.push_back(*std::move(kernel));
  }
  return variants;
}

StatusOr<std::shared_ptr<const Model>>
Model::load(std::shared_ptr<Device> device,
            std::shared_ptr<const Package> package) {
  auto model = std::shared_ptr<Model>(new Model);
  KernelLoader loader(*device, *package);
  model->tree = std::make_shared<StepTree>(package->manifest());
  for (const StepNode &node : model->tree->nodes) {
    model->kernels.emplace_back();
    if (node.step->isLaunch()) {
      TILEWRIGHT_ASSIGN_OR_RETURN(model->kernels.back(),
                                  loader.load(node.step->kernel));
    }
  }
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
