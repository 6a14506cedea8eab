// A package on disk or in memory, which is checked when it is loaded.
#ifndef TILEWRIGHT_RUNTIME_PACKAGE_H
#define TILEWRIGHT_RUNTIME_PACKAGE_H

#include "tilewright/manifest/PackageManifest.h"
#include "tilewright/runtime/Device.h"
#include "tilewright/runtime/MappedFile.h"
#include "tilewright/runtime/Safetensors.h"
#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::runtime {

/// Which parts of a package are checked when it is loaded.
struct PackageOptions {
  /// Whether to verify the hash of the weights too, which reads the whole file.
  bool verifyWeights = true;
};

/// A file of a package in memory.
struct PackageFile {
  std::span<const std::byte> bytes;
  /// Keeps the bytes alive; null: the caller does, as long as a package or a
  /// model made of it lives.
  std::shared_ptr<const void> owner = nullptr;
};

/// By path in the package: "manifest.json", "kernels/k0.cpu.o",
/// "weights.safetensors".
using PackageFiles = std::map<std::string, PackageFile, std::less<>>;

/// A compiled model: its manifest, and its memory-mapped kernel images and
/// weights. Immutable; safe to read from many threads.
class TILEWRIGHT_API Package {
public:
  /// Loads the package in the folder `path`. A missing, unlisted or modified
  /// file, an invalid manifest or an invalid weight is an error that names it.
  static StatusOr<std::shared_ptr<const Package>>
  load(const std::filesystem::path &path, const PackageOptions &options = {});

  /// The same for a package without a folder; `name` is what messages call it.
  /// Weights at an address that is a multiple of 64 are not copied on devices
  /// that use memory of the host.
  static StatusOr<std::shared_ptr<const Package>>
  fromMemory(const PackageFiles &files, const PackageOptions &options = {},
             std::string_view name = "in memory");

  [[nodiscard]] const PackageManifest &manifest() const { return data; }
  /// The folder, or the name of a package in memory.
  [[nodiscard]] const std::filesystem::path &path() const { return folder; }
  /// The variants of the kernel `name` for `device`, best first: of the
  /// accepted ones those with the target that the device lists first. A launch
  /// takes the first whose guards hold. If none is accepted, the error lists
  /// all of that name and why each was rejected.
  StatusOr<std::vector<const KernelManifest *>>
  findKernels(std::string_view name, const Device &device) const;
  /// The image of `kernel`, which must belong to this package.
  StatusOr<std::span<const std::byte>>
  image(const KernelManifest &kernel) const;
  /// The data of the weight `buffer`, an index into the manifest's buffers.
  StatusOr<std::span<const std::byte>> weight(size_t buffer) const;
  /// Keeps the mapped weights alive; null without weights.
  [[nodiscard]] std::shared_ptr<const MappedFile> weightsMapping() const;

private:
  Package() = default;
  using Files =
      std::map<std::string, std::shared_ptr<const MappedFile>, std::less<>>;
  Status checkFile(const std::string &name, const FileManifest &expected,
                   const PackageOptions &options) const;
  Status checkFiles(const PackageOptions &options);
  Status openFiles();
  Status checkWeights() const;
  std::filesystem::path folder;
  PackageManifest data;
  Files files;
  std::optional<SafetensorsFile> weights;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_PACKAGE_H
