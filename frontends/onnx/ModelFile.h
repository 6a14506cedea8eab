// An ONNX model file in memory, with its large weights left in the file.
#pragma once

#include "frontends/onnx/Messages.h"

#include "llvm/ADT/StringRef.h"

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

namespace tilewright::onnx {

/// A parsed model. The raw data of tensors stays in `bytes()`. `Storage` owns
/// the mapped file and the external data files that it refers to.
class ModelFile {
public:
  struct Contents {
    llvm::StringRef bytes;
    std::shared_ptr<const void> owner;
  };
  struct Storage {
    Contents file;
    std::vector<std::pair<std::string, Contents>> external;
  };

  /// Maps and parses a file. The error has the file's path.
  static StatusOr<ModelFile> open(llvm::StringRef path);
  /// Parses a copy of `bytes`; `name` is the file in messages.
  static StatusOr<ModelFile> fromBytes(llvm::StringRef bytes,
                                       llvm::StringRef name);

  /// The range of a tensor's data: in the model file or an external file. Null
  /// if the tensor has no raw data.
  StatusOr<std::optional<llvm::StringRef>> rawData(const TensorProto &tensor);

  llvm::StringRef bytes() const { return storage->file.bytes; }

  ModelProto proto;
  std::string name;
  std::shared_ptr<Storage> storage;

private:
  static StatusOr<ModelFile> parse(Contents contents, llvm::StringRef name);
  StatusOr<llvm::StringRef> externalFile(llvm::StringRef location);
  /// The model's file; empty for one in memory.
  std::filesystem::path path;
};

} // namespace tilewright::onnx
