// A package on disk, loaded and checked.
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

namespace tilewright::runtime {

/// How much of a package is checked when it is loaded.
struct PackageOptions {
  /// Hash the weights too. It reads the whole file once.
  bool verifyWeights = true;
};

/// A compiled model: its manifest, and its kernel images and weights mapped
/// into memory. Immutable; safe to read from many threads.
class TILEWRIGHT_API Package {
public:
  /// Loads the folder `path`. A missing, foreign or edited file, a wrong
  /// manifest or a wrong weight is one error that names it.
  static StatusOr<std::shared_ptr<const Package>>
  load(const std::filesystem::path &path, const PackageOptions &options = {});

  [[nodiscard]] const PackageManifest &manifest() const { return data; }
  [[nodiscard]] const std::filesystem::path &path() const { return folder; }
  /// The kernel `name` in the variant that suits `device` best: of those it
  /// accepts, the one whose target it lists first. Where there is none, the
  /// error lists the variants and why each was rejected.
  StatusOr<const KernelManifest *> findKernel(std::string_view name,
                                              const Device &device) const;
  /// The image of `kernel`, which must be of this package.
  StatusOr<std::span<const std::byte>>
  image(const KernelManifest &kernel) const;
  /// The tensor behind the weight buffer `index`.
  StatusOr<std::span<const std::byte>> weight(size_t buffer) const;
  /// Keeps the weights' mapping alive; null without weights.
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
