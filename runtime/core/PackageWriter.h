// Writing packages: a package is either whole or not there.
#ifndef TILEWRIGHT_RUNTIME_CORE_PACKAGEWRITER_H
#define TILEWRIGHT_RUNTIME_CORE_PACKAGEWRITER_H

#include "tilewright/manifest/PackageManifest.h"
#include "tilewright/runtime/Package.h"
#include "tilewright/runtime/Safetensors.h"
#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace tilewright::runtime {

/// Collects a package's files in a temporary folder next to the target, and
/// moves it there in one step; or collects them in memory. Without commit()
/// nothing remains.
class TILEWRIGHT_PRIVATE_API PackageWriter {
public:
  /// Prepares to write the package `target` (X.twp). An existing package is
  /// replaced by commit(); any other existing file or folder that is not
  /// empty is an error.
  /// `kind`: the package is one whose manifest has this `format`, and the
  /// caller writes the manifest itself, without seal().
  static StatusOr<PackageWriter> create(const std::filesystem::path &target,
                                        std::string_view kind = {});
  /// Prepares to make a package in memory.
  static PackageWriter inMemory() { return PackageWriter(); }
  ~PackageWriter();
  PackageWriter(PackageWriter &&other) noexcept;
  PackageWriter &operator=(PackageWriter &&) = delete;

  /// The folder to put files in, which the writer of the weights streams to.
  /// Empty for a package in memory.
  [[nodiscard]] const std::filesystem::path &directory() const {
    return staging;
  }
  /// Writes one file; `path` is relative to the package.
  Status addFile(std::string_view path, std::span<const std::byte> bytes);
  Status addFile(std::string_view path, std::string_view bytes);
  /// Begins the file of the weights, which finishWeights() ends.
  StatusOr<SafetensorsWriter>
  beginWeights(std::span<const SafetensorsDeclaration> tensors) const;
  Status finishWeights(SafetensorsWriter &weights);
  /// Checks `manifest`, fills in its `files` from what was written, and writes
  /// manifest.json: directory() is the package then.
  Status seal(PackageManifest manifest);
  /// The files of a sealed package in memory.
  PackageFiles takeFiles() { return std::exchange(memory, {}); }
  /// Renames the sealed folder to the target.
  Status commit();
  /// Both.
  Status finish(PackageManifest manifest);

private:
  PackageWriter() = default;
  void keep(std::string_view path, std::string bytes);
  PackageFiles memory;
  std::filesystem::path target;
  std::filesystem::path staging;
  /// Of the manifest; empty of packages of kernels.
  std::string kind;
};

/// Fills in `manifest.files` with size and hash of each file below
/// `directory`, checks the manifest and writes `directory`/manifest.json
/// through a temporary file. PackageWriter::seal does this for you.
Status finalizePackage(const std::filesystem::path &directory,
                       PackageManifest &manifest);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CORE_PACKAGEWRITER_H
