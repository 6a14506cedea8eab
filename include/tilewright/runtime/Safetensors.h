// Safetensors files: a JSON header followed by the data of named tensors.
#ifndef TILEWRIGHT_RUNTIME_SAFETENSORS_H
#define TILEWRIGHT_RUNTIME_SAFETENSORS_H

#include "tilewright/manifest/DType.h"
#include "tilewright/runtime/MappedFile.h"
#include "tilewright/runtime/Tensor.h"
#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::runtime {

/// A tensor in a mapped safetensors file.
struct SafetensorsEntry {
  /// The dtype as spelled in the file: "F32".
  std::string dtype;
  Shape shape;
  /// Points into the mapping.
  std::span<const std::byte> data;
};

/// A memory-mapped safetensors file.
class TILEWRIGHT_API SafetensorsFile {
public:
  /// Maps the file and checks header, offsets and sizes. Errors name the file
  /// and the tensor.
  static StatusOr<SafetensorsFile> open(const std::filesystem::path &path);
  /// The same for a file that is mapped already, or in memory.
  static StatusOr<SafetensorsFile> read(std::shared_ptr<const MappedFile> file);

  /// The tensor called `name`, or null.
  [[nodiscard]] const SafetensorsEntry *find(std::string_view name) const;
  [[nodiscard]] const std::map<std::string, SafetensorsEntry, std::less<>> &
  entries() const {
    return tensors;
  }
  /// Keeps the data alive.
  [[nodiscard]] const std::shared_ptr<const MappedFile> &mapping() const {
    return file;
  }

private:
  std::shared_ptr<const MappedFile> file;
  std::map<std::string, SafetensorsEntry, std::less<>> tensors;
};

/// A tensor to be written: all but its data.
struct SafetensorsDeclaration {
  std::string name;
  DType dtype = DType::F32;
  Shape shape;
};

/// Writes a safetensors file with 64-byte aligned tensors. The header comes
/// first, so all tensors are declared before their data is appended. The format
/// allows no gaps, so padding is written as tensors of type U8 called
/// "tilewright.padding.N".
class TILEWRIGHT_API SafetensorsWriter {
public:
  /// Creates the file and writes its header. Errors: a duplicate name, an
  /// invalid shape, a failed write.
  static StatusOr<SafetensorsWriter>
  create(const std::filesystem::path &path,
         std::span<const SafetensorsDeclaration> tensors);
  /// The same in memory.
  static StatusOr<SafetensorsWriter>
  createInMemory(std::span<const SafetensorsDeclaration> tensors);
  /// Appends the data of the next declared tensor.
  Status append(std::span<const std::byte> data);
  /// Checks that the data is complete, and closes the file.
  Status finish();
  /// The bytes of a finished file in memory, of type u8.
  [[nodiscard]] const HostTensor &memory() const { return written; }

private:
  static StatusOr<SafetensorsWriter>
  declare(const std::filesystem::path &path,
          std::span<const SafetensorsDeclaration> tensors, std::string &header,
          size_t &dataBytes);
  Status write(const void *bytes, size_t count);
  struct Close {
    void operator()(std::FILE *opened) const { std::fclose(opened); }
  };
  struct Pending {
    std::string name;
    size_t bytes;
    size_t paddingBefore;
  };
  std::filesystem::path path;
  /// Null in memory.
  std::unique_ptr<std::FILE, Close> file;
  HostTensor written;
  size_t writtenBytes = 0;
  std::vector<Pending> pending;
  size_t next = 0;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_SAFETENSORS_H
