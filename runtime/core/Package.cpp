#include "tilewright/runtime/Package.h"
#include "runtime/core/Hash.h"
#include "support/Format.h"
#include <algorithm>

namespace tilewright::runtime {

namespace fs = std::filesystem;

static constexpr std::string_view weightsName = "weights.safetensors";

StatusOr<std::shared_ptr<const Package>>
Package::load(const fs::path &path, const PackageOptions &options) {
  std::error_code error;
  if (!fs::exists(path, error))
    return Status::notFound(
        format("package '{}' does not exist", {path.string()}));
  fs::path manifestPath = path / "manifest.json";
  if (!fs::is_directory(path, error) || !fs::exists(manifestPath, error))
    return Status::invalidInput(format("'{}' is not a Tilewright package: it "
                                       "is no folder with a manifest.json",
                                       {path.string()}));
  TILEWRIGHT_ASSIGN_OR_RETURN(std::string text, readFile(manifestPath));
  StatusOr<PackageManifest> manifest = parsePackageManifest(text);
  if (!manifest.ok())
    return manifest.status().prefixed(manifestPath.string());
  auto package = std::shared_ptr<Package>(new Package);
  package->folder = path;
  package->data = *std::move(manifest);
  Status status = package->openFiles();
  if (status.ok())
    status = package->checkFiles(options);
  if (!status.ok())
    return status.prefixed(format("package '{}'", {path.string()}));
  return std::shared_ptr<const Package>(std::move(package));
}

StatusOr<std::shared_ptr<const Package>>
Package::fromMemory(const PackageFiles &files, const PackageOptions &options,
                    std::string_view name) {
  auto package = std::shared_ptr<Package>(new Package);
  package->folder = name;
  const std::string where = format("package '{}'", {name});
  auto text = files.find("manifest.json");
  if (text == files.end())
    return Status::invalidInput(
        format("{}: the file 'manifest.json' is missing", {where}));
  const std::span<const std::byte> bytes = text->second.bytes;
  StatusOr<PackageManifest> manifest = parsePackageManifest(
      {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
  if (!manifest.ok())
    return manifest.status().prefixed(where + ": manifest.json");
  package->data = *std::move(manifest);
  for (const auto &[path, file] : files) {
    if (path == "manifest.json")
      continue;
    if (!package->data.files.contains(path))
      return Status::invalidInput(
          format("{}: file '{}' is not in its manifest.json", {where, path}));
    package->files[path] =
        MappedFile::inMemory(file.bytes, file.owner, package->folder / path);
  }
  if (Status status = package->checkFiles(options); !status.ok())
    return status.prefixed(where);
  return std::shared_ptr<const Package>(std::move(package));
}

/// Files that the manifest does not list. Hidden ones are nobody's business,
/// and the evidence has the manifest's hash.
static Status checkForeign(const fs::path &folder,
                           const PackageManifest &manifest) {
  std::error_code error;
  fs::recursive_directory_iterator walk(folder, error), end;
  for (; !error && walk != end; walk.increment(error)) {
    std::string name = walk->path().lexically_relative(folder).string();
    bool hidden = walk->path().filename().string().starts_with(".");
    // A link that leads nowhere is a file, which cannot be read.
    std::error_code nowhere;
    if (walk->is_directory(nowhere) || hidden || name == "manifest.json" ||
        name == "evidence.json" || manifest.files.contains(name))
      continue;
    return Status::invalidInput(
        format("file '{}' is not in its manifest.json", {name}));
  }
  if (error)
    return Status::ioError("cannot read the folder: " + error.message());
  return {};
}

Status Package::openFiles() {
  TILEWRIGHT_RETURN_IF_ERROR(checkForeign(folder, data));
  for (const auto &[name, expected] : data.files) {
    StatusOr<std::shared_ptr<const MappedFile>> file =
        MappedFile::open(folder / name);
    if (!file.ok() && file.status().code() == StatusCode::notFound)
      continue;
    if (!file.ok())
      return file.status();
    files[name] = *std::move(file);
  }
  return {};
}

Status Package::checkFile(const std::string &name, const FileManifest &expected,
                          const PackageOptions &options) const {
  auto file = files.find(name);
  if (file == files.end())
    return Status::invalidInput(format("file '{}' is missing", {name}));
  std::span<const std::byte> bytes = file->second->bytes();
  if (bytes.size() != size_t(expected.bytes))
    return Status::invalidInput(
        format("file '{}' has {} bytes, its manifest.json says {}",
               {name, bytes.size(), expected.bytes}));
  if (name == weightsName && !options.verifyWeights)
    return {};
  std::string hash = hashText(bytes);
  if (hash != expected.hash)
    return Status::invalidInput(format(
        "file '{}' was changed: its hash is {}, its manifest.json says {}",
        {name, hash, expected.hash}));
  return {};
}

Status Package::checkFiles(const PackageOptions &options) {
  for (const auto &[name, expected] : data.files)
    TILEWRIGHT_RETURN_IF_ERROR(checkFile(name, expected, options));
  for (const KernelManifest &kernel : data.kernels)
    if (!files.contains(kernel.image))
      return Status::invalidInput(format("the image '{}' of kernel '{}' is not "
                                         "among the files of its manifest.json",
                                         {kernel.image, kernel.name}));
  if (auto file = files.find(weightsName); file != files.end()) {
    TILEWRIGHT_ASSIGN_OR_RETURN(weights, SafetensorsFile::read(file->second));
  }
  return checkWeights();
}

Status Package::checkWeights() const {
  for (size_t i = 0; i < data.buffers.size(); ++i) {
    const BufferManifest &buffer = data.buffers[i];
    if (buffer.kind != BufferManifest::Kind::weight || buffer.alias)
      continue;
    std::string where = format("weight '{}'", {buffer.weight});
    const SafetensorsEntry *entry =
        weights ? weights->find(buffer.weight) : nullptr;
    if (!entry)
      return Status::invalidInput(
          format("{} is not in {}", {where, weightsName}));
    std::string_view dtype = dtypeInfo(buffer.dtype).safetensors;
    if (entry->dtype != dtype)
      return Status::invalidInput(
          format("{} has dtype {}, manifest.json expects {}",
                 {where, entry->dtype, dtype}));
    std::optional<int64_t> bytes = buffer.bytes.constant();
    if (!bytes || *bytes < 0 || size_t(*bytes) != entry->data.size())
      return Status::invalidInput(
          format("{} has {} bytes, manifest.json expects {}",
                 {where, entry->data.size(), buffer.bytes.str()}));
  }
  return {};
}

/// The index of `target` in the device's list, best first; targets that are
/// not in it come last.
static size_t rankOf(const Device &device, const std::string &target) {
  const std::vector<std::string> &targets = device.info().targets;
  return size_t(std::find(targets.begin(), targets.end(), target) -
                targets.begin());
}

StatusOr<std::vector<const KernelManifest *>>
Package::findKernels(std::string_view name, const Device &device) const {
  std::vector<const KernelManifest *> best;
  std::string rejections;
  for (const KernelManifest &kernel : data.kernels) {
    if (kernel.name != name)
      continue;
    Status accepted = device.accepts(kernel);
    if (!accepted.ok()) {
      rejections += format(
          "\n  {}{}: {}",
          {kernel.target,
           kernel.features.empty() ? "" : format(" ({})", {kernel.features}),
           accepted.message()});
      continue;
    }
    if (!best.empty() &&
        rankOf(device, kernel.target) < rankOf(device, best.front()->target))
      best.clear();
    if (best.empty() || (kernel.target == best.front()->target &&
                         kernel.features == best.front()->features))
      best.push_back(&kernel);
  }
  if (!best.empty())
    return best;
  if (rejections.empty())
    return Status::notFound(format("no kernel is called '{}'", {name}));
  return Status::unsupported(
      format("device '{}' cannot run kernel '{}' of package '{}'{}",
             {device.info().name, name, folder.string(), rejections}));
}

StatusOr<std::span<const std::byte>>
Package::image(const KernelManifest &kernel) const {
  auto found = files.find(kernel.image);
  if (found == files.end())
    return Status::notFound(
        format("the package has no image '{}'", {kernel.image}));
  return found->second->bytes();
}

StatusOr<std::span<const std::byte>> Package::weight(size_t buffer) const {
  if (buffer >= data.buffers.size() || !weights)
    return Status::notFound(format("buffer {} is no weight", {buffer}));
  const SafetensorsEntry *entry = weights->find(data.buffers[buffer].weight);
  if (!entry)
    return Status::notFound(
        format("no weight '{}'", {data.buffers[buffer].weight}));
  return entry->data;
}

std::shared_ptr<const MappedFile> Package::weightsMapping() const {
  return weights ? weights->mapping() : nullptr;
}

} // namespace tilewright::runtime
