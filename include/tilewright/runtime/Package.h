// A package on disk, which is checked when it is loaded.
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

/// A compiled model: its manifest, and its memory-mapped kernel images and
/// weights. Immutable; safe to read from many threads.
class TILEWRIGHT_API Package {
public:
  /// Loads the package in the folder `path`. A missing, unlisted or modified
  /// file, an invalid manifest or an invalid weight is an error that names it.
  static StatusOr<std::shared_ptr<const Package>>
  load(const std::filesystem::path &path, const PackageOptions &options = {});

  [[nodiscard]] const PackageManifest &manifest() const { return data; }
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
  Status loadFiles(const PackageOptions &options);
  Status checkWeights() const;
  std::filesystem::path folder;
  PackageManifest data;
  std::map<std::string, std::shared_ptr<const MappedFile>, std::less<>> files;
  std::optional<SafetensorsFile> weights;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_PACKAGE_H
