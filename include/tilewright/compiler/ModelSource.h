//===- ModelSource.h - Where a model is read from ---------------*- C++ -*-===//
#ifndef TILEWRIGHT_COMPILER_MODELSOURCE_H
#define TILEWRIGHT_COMPILER_MODELSOURCE_H

#include "tilewright/runtime/MappedFile.h"
#include "tilewright/support/Export.h"
#include <string_view>

namespace tilewright {

namespace torch {
struct Program;
} // namespace torch

/// A model's mapped file, its bytes in the caller's memory, or a program as
/// data. Copies share it. Safe from many threads.
class TILEWRIGHT_API ModelSource {
public:
  /// Maps a file. Errors: it does not exist or cannot be read.
  static StatusOr<ModelSource> file(std::filesystem::path path);
  /// Bytes that must stay valid until the import ends. `name` is used in
  /// messages and packages; its extension selects the frontend, as for a file.
  static ModelSource memory(std::filesystem::path name, std::string_view bytes);
  /// A program of PyTorch, which has no bytes (TorchProgram.h). `name` is used
  /// as above, and ends in ".pt2".
  static ModelSource program(std::filesystem::path name,
                             std::shared_ptr<const torch::Program> program);

  /// The file's path, or the name of what is in memory.
  [[nodiscard]] const std::filesystem::path &path() const { return name; }
  [[nodiscard]] bool isFile() const { return mapped != nullptr; }
  [[nodiscard]] std::string_view bytes() const { return content; }
  /// The program; null if the model is bytes.
  [[nodiscard]] const torch::Program *torchProgram() const {
    return torch.get();
  }
  /// Keeps the bytes of a file alive for weights that refer to them. Null for
  /// bytes in memory: a module must copy those.
  [[nodiscard]] std::shared_ptr<const void> owner() const { return mapped; }

private:
  ModelSource(std::filesystem::path file, std::string_view bytes)
      : name(std::move(file)), content(bytes) {}
  std::filesystem::path name;
  std::string_view content;
  std::shared_ptr<const runtime::MappedFile> mapped;
  std::shared_ptr<const torch::Program> torch;
};

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_MODELSOURCE_H
