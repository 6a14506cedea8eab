// Writing packages: a package is either whole or not there.
#ifndef TILEWRIGHT_RUNTIME_CORE_PACKAGEWRITER_H
#define TILEWRIGHT_RUNTIME_CORE_PACKAGEWRITER_H

#include "tilewright/manifest/PackageManifest.h"
#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"
#include <filesystem>
#include <span>
#include <string_view>

namespace tilewright::runtime {

/// Collects a package's files in a temporary folder next to the target, and
/// moves it there in one step. Without commit() nothing remains.
class TILEWRIGHT_PRIVATE_API PackageWriter {
public:
  /// Prepares to write the package `target` (X.twp). An existing package is
  /// replaced by commit(); any other existing file or folder that is not
  /// empty is an error.
  static StatusOr<PackageWriter> create(const std::filesystem::path &target);
  ~PackageWriter();
  PackageWriter(PackageWriter &&other) noexcept;
  PackageWriter &operator=(PackageWriter &&) = delete;

  /// The folder to put files in, for writers that stream:
  /// directory() / "weights.safetensors".
  [[nodiscard]] const std::filesystem::path &directory() const {
    return staging;
  }
  /// Writes one file; `path` is relative to the package.
  Status addFile(std::string_view path, std::span<const std::byte> bytes);
  Status addFile(std::string_view path, std::string_view bytes);
  /// Checks `manifest`, fills in its `files` from what was written, and writes
  /// manifest.json: directory() is the package then.
  Status seal(PackageManifest manifest);
  /// Renames the sealed folder to the target.
  Status commit();
  /// Both.
  Status finish(PackageManifest manifest);

private:
  PackageWriter() = default;
  std::filesystem::path target;
  std::filesystem::path staging;
};

/// Fills in `manifest.files` with size and hash of each file below
/// `directory`, checks the manifest and writes `directory`/manifest.json
/// through a temporary file. PackageWriter::seal does this for you.
Status finalizePackage(const std::filesystem::path &directory,
                       PackageManifest &manifest);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CORE_PACKAGEWRITER_H
