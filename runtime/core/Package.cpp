#include "runtime/core/Package.h"
#include "runtime/core/Hash.h"
#include <algorithm>

namespace tilewright::runtime {

namespace fs = std::filesystem;

static constexpr std::string_view weightsName = "weights.safetensors";

StatusOr<std::shared_ptr<const Package>>
Package::load(const fs::path &path, const PackageOptions &options) {
  std::error_code error;
  if (!fs::exists(path, error))
    return Status::notFound("package '" + path.string() + "' does not exist");
  fs::path manifestPath = path / "manifest.json";
  if (!fs::is_directory(path, error) || !fs::exists(manifestPath, error))
    return Status::invalidInput("'" + path.string() +
                                "' is not a Tilewright package: it is no "
                                "folder with a manifest.json");
  TILEWRIGHT_ASSIGN_OR_RETURN(std::string text, readFile(manifestPath));
  StatusOr<PackageManifest> manifest = parsePackageManifest(text);
  if (!manifest.ok())
    return manifest.status().prefixed(manifestPath.string());
  auto package = std::shared_ptr<Package>(new Package);
  package->folder = path;
  package->data = *std::move(manifest);
  Status status = package->loadFiles(options);
  if (status.ok())
    status = package->checkWeights();
  if (!status.ok())
    return status.prefixed("package '" + path.string() + "'");
  return std::shared_ptr<const Package>(std::move(package));
}

/// Files that the manifest does not list. Hidden ones are nobody's business.
static Status checkForeign(const fs::path &folder,
                           const PackageManifest &manifest) {
  std::error_code error;
  fs::recursive_directory_iterator walk(folder, error), end;
  for (; !error && walk != end; walk.increment(error)) {
    std::string name = walk->path().lexically_relative(folder).string();
    bool hidden = walk->path().filename().string().starts_with(".");
    if (walk->is_directory() || hidden || name == "manifest.json" ||
        manifest.files.contains(name))
      continue;
    return Status::invalidInput("file '" + name +
                                "' is not in its manifest.json");
  }
  if (error)
    return Status::ioError("cannot read the folder: " + error.message());
  return {};
}

Status Package::loadFiles(const PackageOptions &options) {
  TILEWRIGHT_RETURN_IF_ERROR(checkForeign(folder, data));
  for (const auto &[name, expected] : data.files) {
    StatusOr<std::shared_ptr<const MappedFile>> file =
        MappedFile::open(folder / name);
    if (!file.ok() && file.status().code() == StatusCode::notFound)
      return Status::invalidInput("file '" + name + "' is missing");
    if (!file.ok())
      return file.status();
    std::span<const std::byte> bytes = (*file)->bytes();
    if (bytes.size() != size_t(expected.bytes))
      return Status::invalidInput(
          "file '" + name + "' has " + std::to_string(bytes.size()) +
          " bytes, its manifest.json says " + std::to_string(expected.bytes));
    if (name != weightsName || options.verifyWeights) {
      std::string hash = hashText(bytes);
      if (hash != expected.hash)
        return Status::invalidInput(
            "file '" + name + "' was changed: its hash is " + hash +
            ", its manifest.json says " + expected.hash);
    }
    files[name] = *std::move(file);
  }
  for (const KernelManifest &kernel : data.kernels)
    if (!files.contains(kernel.image))
      return Status::invalidInput("the image '" + kernel.image +
                                  "' of kernel '" + kernel.name +
                                  "' is not among the files of its "
                                  "manifest.json");
  if (files.contains(weightsName)) {
    TILEWRIGHT_ASSIGN_OR_RETURN(weights,
                                SafetensorsFile::open(folder / weightsName));
  }
  return {};
}

Status Package::checkWeights() const {
  for (size_t i = 0; i < data.buffers.size(); ++i) {
    const BufferManifest &buffer = data.buffers[i];
    if (buffer.kind != BufferManifest::Kind::weight || buffer.alias)
      continue;
    std::string where = "weight '" + buffer.weight + "'";
    const SafetensorsEntry *entry =
        weights ? weights->find(buffer.weight) : nullptr;
    if (!entry)
      return Status::invalidInput(where + " is not in " +
                                  std::string(weightsName));
    std::string_view dtype = dtypeInfo(buffer.dtype).safetensors;
    if (entry->dtype != dtype)
      return Status::invalidInput(where + " has dtype " + entry->dtype +
                                  ", manifest.json expects " +
                                  std::string(dtype));
    std::optional<int64_t> bytes = buffer.bytes.constant();
    if (!bytes || *bytes < 0 || size_t(*bytes) != entry->data.size())
      return Status::invalidInput(
          where + " has " + std::to_string(entry->data.size()) +
          " bytes, manifest.json expects " + buffer.bytes.str());
  }
  return {};
}

/// The place of `target` in the device's list, best first; targets that are
/// not in it come last.
static size_t rankOf(const Device &device, const std::string &target) {
  const std::vector<std::string> &targets = device.info().targets;
  return size_t(std::find(targets.begin(), targets.end(), target) -
                targets.begin());
}

StatusOr<const KernelManifest *>
Package::findKernel(std::string_view name, const Device &device) const {
  const KernelManifest *best = nullptr;
  std::string refusals;
  for (const KernelManifest &kernel : data.kernels) {
    if (kernel.name != name)
      continue;
    Status accepted = device.accepts(kernel);
    if (accepted.ok()) {
      if (!best || rankOf(device, kernel.target) < rankOf(device, best->target))
        best = &kernel;
      continue;
    }
    refusals += "\n  " + kernel.target +
                (kernel.features.empty() ? "" : " (" + kernel.features + ")") +
                ": " + accepted.message();
  }
  if (best)
    return best;
  if (refusals.empty())
    return Status::notFound("no kernel is called '" + std::string(name) + "'");
  return Status::unsupported(
      "device '" + device.info().name + "' cannot run kernel '" +
      std::string(name) + "' of package '" + folder.string() + "'" + refusals);
}

StatusOr<std::span<const std::byte>>
Package::image(const KernelManifest &kernel) const {
  auto found = files.find(kernel.image);
  if (found == files.end())
    return Status::notFound("the package has no image '" + kernel.image + "'");
  return found->second->bytes();
}

StatusOr<std::span<const std::byte>> Package::weight(size_t buffer) const {
  if (buffer >= data.buffers.size() || !weights)
    return Status::notFound("buffer " + std::to_string(buffer) +
                            " is no weight");
  const SafetensorsEntry *entry = weights->find(data.buffers[buffer].weight);
  if (!entry)
    return Status::notFound("no weight '" + data.buffers[buffer].weight + "'");
  return entry->data;
}

std::shared_ptr<const MappedFile> Package::weightsMapping() const {
  return weights ? weights->mapping() : nullptr;
}

} // namespace tilewright::runtime
