#include "runtime/core/PackageWriter.h"
#include "runtime/abi/Json.h"
#include "runtime/core/Hash.h"
#include "support/Format.h"
#include "tilewright/runtime/MappedFile.h"
#include <algorithm>
#include <fcntl.h>
#include <random>
#include <stdio.h>

namespace tilewright::runtime {

namespace fs = std::filesystem;

static Status fileError(std::string_view verb, const fs::path &path,
                        const std::error_code &error) {
  return Status::ioError(
      format("cannot {} '{}': {}", {verb, path.string(), error.message()}));
}

/// Whether the manifest says that this is a package of `kind`.
static bool isPackage(const Json &manifest, std::string_view kind) {
  if (!manifest.is_object())
    return false;
  if (kind.empty())
    return manifest.contains("tilewright_package");
  return manifest.contains("format") && manifest["format"] == kind;
}

/// Whether `target` may be replaced: an empty folder, or a package.
static Status mayReplace(const fs::path &target, std::string_view kind) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(target, error)))
    return {};
  if (fs::is_directory(fs::symlink_status(target, error))) {
    if (fs::is_empty(target, error) && !error)
      return {};
    StatusOr<std::string> text = readFile(target / "manifest.json");
    if (text.ok()) {
      StatusOr<Json> json = parseJson(*text);
      if (json.ok() && isPackage(*json, kind))
        return {};
    }
  }
  return Status::invalidInput(
      format("'{}' exists and is not a {} package; remove it or choose "
             "another name",
             {target.string(), kind.empty() ? "Tilewright" : kind}));
}

StatusOr<PackageWriter> PackageWriter::create(const fs::path &target,
                                              std::string_view kind) {
  PackageWriter writer;
  writer.kind = kind;
  writer.target = target.lexically_normal();
  if (!writer.target.has_filename()) // "X.twp/"
    writer.target = writer.target.parent_path();
  if (writer.target.empty() || writer.target.filename() == "." ||
      writer.target.filename() == "..")
    return Status::invalidInput(
        format("'{}' cannot name a package", {target.string()}));
  TILEWRIGHT_RETURN_IF_ERROR(mayReplace(writer.target, kind));
  fs::path parent = writer.target.parent_path();
  std::string name = writer.target.filename().string();
  std::random_device random;
  for (int attempt = 0; attempt < 100; ++attempt) {
    fs::path folder = parent / format(".{}.writing-{}", {name, random()});
    std::error_code error;
    if (fs::create_directory(folder, error)) {
      writer.staging = folder;
      return writer;
    }
    if (error)
      return fileError("create", folder, error);
  }
  return Status::ioError(
      format("cannot create a folder beside '{}'", {writer.target.string()}));
}

PackageWriter::PackageWriter(PackageWriter &&other) noexcept
    : memory(std::move(other.memory)), target(std::move(other.target)),
      staging(std::exchange(other.staging, {})), kind(std::move(other.kind)) {}

PackageWriter::~PackageWriter() {
  std::error_code ignored;
  if (!staging.empty())
    fs::remove_all(staging, ignored);
}

Status PackageWriter::addFile(std::string_view path,
                              std::span<const std::byte> bytes) {
  if (staging.empty()) {
    keep(path, std::string(reinterpret_cast<const char *>(bytes.data()),
                           bytes.size()));
    return {};
  }
  fs::path file = staging / path;
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error)
    return fileError("create", file.parent_path(), error);
  return writeFile(file, bytes);
}

Status PackageWriter::addFile(std::string_view path, std::string_view bytes) {
  return addFile(path, std::as_bytes(std::span(bytes.data(), bytes.size())));
}

/// Moves `staging` to `target`. What was there is in `staging` afterwards, or
/// `staging` is gone.
static Status moveIntoPlace(const fs::path &staging, const fs::path &target) {
  std::error_code error;
  fs::rename(staging, target, error); // Replaces an empty folder as well.
  if (!error)
    return {};
#ifdef RENAME_EXCHANGE
  if (::renameat2(AT_FDCWD, staging.c_str(), AT_FDCWD, target.c_str(),
                  RENAME_EXCHANGE) == 0)
    return {};
#endif
  // The file system cannot exchange: for a moment there is no package.
  fs::path old = staging;
  old += ".old";
  fs::rename(target, old, error);
  if (error)
    return fileError("replace", target, error);
  fs::rename(staging, target, error);
  if (error) {
    std::error_code ignored;
    fs::rename(old, target, ignored);
    return fileError("replace", target, error);
  }
  fs::remove_all(old, error);
  return {};
}

void PackageWriter::keep(std::string_view path, std::string bytes) {
  auto owned = std::make_shared<const std::string>(std::move(bytes));
  memory.insert_or_assign(
      std::string(path),
      PackageFile{std::as_bytes(std::span(owned->data(), owned->size())),
                  owned});
}

static constexpr std::string_view weightsFile = "weights.safetensors";

StatusOr<SafetensorsWriter> PackageWriter::beginWeights(
    std::span<const SafetensorsDeclaration> tensors) const {
  return staging.empty()
             ? SafetensorsWriter::createInMemory(tensors)
             : SafetensorsWriter::create(staging / weightsFile, tensors);
}

Status PackageWriter::finishWeights(SafetensorsWriter &weights) {
  TILEWRIGHT_RETURN_IF_ERROR(weights.finish());
  if (!staging.empty())
    return {};
  auto owned = std::make_shared<const HostTensor>(weights.memory());
  memory.insert_or_assign(std::string(weightsFile),
                          PackageFile{owned->view().data, owned});
  return {};
}

/// Checks a manifest whose files are filled in.
static Status checkWritten(const PackageManifest &manifest) {
  for (const KernelManifest &kernel : manifest.kernels)
    if (!manifest.files.contains(kernel.image))
      return Status::invalidInput(
          format("kernel '{}': the image '{}' was not written",
                 {kernel.name, kernel.image}));
  Status valid = validate(manifest);
  return valid.ok() ? valid : valid.prefixed("manifest.json");
}

Status PackageWriter::seal(PackageManifest manifest) {
  if (!staging.empty())
    return finalizePackage(staging, manifest);
  manifest.files.clear();
  for (const auto &[name, file] : memory)
    manifest.files[name] = {int64_t(file.bytes.size()), hashText(file.bytes)};
  TILEWRIGHT_RETURN_IF_ERROR(checkWritten(manifest));
  keep("manifest.json", printPackageManifest(manifest));
  return {};
}

Status PackageWriter::finish(PackageManifest manifest) {
  TILEWRIGHT_RETURN_IF_ERROR(seal(std::move(manifest)));
  return commit();
}

Status PackageWriter::commit() {
  if (staging.empty())
    return {}; // Those who want it take the files.
  // Somebody may have put something else there meanwhile.
  TILEWRIGHT_RETURN_IF_ERROR(mayReplace(target, kind));
  return moveIntoPlace(staging, target);
}

/// Size and hash of a file, a block at a time: of mapped weights, all pages
/// would stay in memory.
static StatusOr<FileManifest> describeFile(const fs::path &path) {
  struct Close {
    void operator()(FILE *file) const { std::fclose(file); }
  };
  std::unique_ptr<FILE, Close> file(std::fopen(path.c_str(), "rb"));
  std::vector<std::byte> block(size_t(1) << 20);
  PartialHash hash;
  int64_t size = 0;
  while (file) {
    size_t count = std::fread(block.data(), 1, block.size(), file.get());
    if (std::ferror(file.get()))
      break;
    size += int64_t(count);
    std::span<const std::byte> read(block.data(), count);
    if (count < block.size())
      return FileManifest{size, hashText(hash.finish(read))};
    hash.update(read);
  }
  return Status::ioError(
      format("cannot read '{}': {}", {path.string(), std::strerror(errno)}));
}

Status finalizePackage(const fs::path &directory, PackageManifest &manifest) {
  manifest.files.clear();
  std::error_code error;
  fs::recursive_directory_iterator walk(directory, error), end;
  for (; !error && walk != end; walk.increment(error)) {
    std::error_code nowhere; // A link, say to itself: reading it fails.
    if (walk->is_directory(nowhere))
      continue;
    std::string name = walk->path().lexically_relative(directory).string();
    if (name == "manifest.json")
      continue;
    TILEWRIGHT_ASSIGN_OR_RETURN(manifest.files[name],
                                describeFile(walk->path()));
  }
  if (error)
    return fileError("read", directory, error);
  TILEWRIGHT_RETURN_IF_ERROR(checkWritten(manifest));
  fs::path temporary = directory / "manifest.json.writing";
  TILEWRIGHT_RETURN_IF_ERROR(
      writeFile(temporary, printPackageManifest(manifest)));
  fs::rename(temporary, directory / "manifest.json", error);
  if (error)
    return fileError("write", directory / "manifest.json", error);
  return {};
}

} // namespace tilewright::runtime
