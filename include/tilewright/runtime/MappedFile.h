// Memory-mapped files, and small files that are read and written as a whole.
#ifndef TILEWRIGHT_RUNTIME_MAPPEDFILE_H
#define TILEWRIGHT_RUNTIME_MAPPEDFILE_H

#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace tilewright::runtime {

/// A file that is mapped read-only, or memory that stands for one. Safe to read
/// from many threads.
class TILEWRIGHT_API MappedFile {
public:
  /// Maps the regular file at `path`. Errors: not found, not a regular file,
  /// no permission.
  static StatusOr<std::shared_ptr<const MappedFile>>
  open(const std::filesystem::path &path);
  /// The bytes of the caller, which `owner` keeps alive; `path` is what
  /// messages call them.
  static std::shared_ptr<const MappedFile>
  inMemory(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
           const std::filesystem::path &path);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  [[nodiscard]] std::span<const std::byte> bytes() const {
    return {data, size};
  }
  [[nodiscard]] const std::filesystem::path &path() const { return filePath; }

private:
  MappedFile() = default;
  std::filesystem::path filePath;
  const std::byte *data = nullptr;
  size_t size = 0;
  bool isMapped = false;
  /// Of memory that is not mapped here.
  std::shared_ptr<const void> memoryOwner;
};

/// Reads a whole file.
TILEWRIGHT_API StatusOr<std::string>
readFile(const std::filesystem::path &path);

/// Writes a whole file and replaces its previous contents.
TILEWRIGHT_API Status writeFile(const std::filesystem::path &path,
                                std::span<const std::byte> bytes);
TILEWRIGHT_API Status writeFile(const std::filesystem::path &path,
                                std::string_view text);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_MAPPEDFILE_H
