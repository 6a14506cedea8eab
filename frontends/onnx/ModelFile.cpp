#include "frontends/onnx/ModelFile.h"

#include "tilewright/runtime/MappedFile.h"

#include <algorithm>

namespace fs = std::filesystem;

namespace tilewright::onnx {

static StatusOr<ModelFile::Contents> map(const std::filesystem::path &path) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto file, runtime::MappedFile::open(path));
  std::span<const std::byte> bytes = file->bytes();
  return ModelFile::Contents{
      llvm::StringRef(reinterpret_cast<const char *>(bytes.data()),
                      bytes.size()),
      std::move(file)};
}

StatusOr<ModelFile> ModelFile::open(llvm::StringRef path) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Contents contents, map(path.str()));
  TILEWRIGHT_ASSIGN_OR_RETURN(ModelFile model,
                              parse(std::move(contents), path));
  model.path = path.str();
  return model;
}

StatusOr<ModelFile> ModelFile::fromBytes(llvm::StringRef bytes,
                                         llvm::StringRef name) {
  auto copy = std::make_shared<const std::string>(bytes);
  return parse({*copy, copy}, name);
}

StatusOr<ModelFile> ModelFile::parse(Contents contents, llvm::StringRef name) {
  ModelFile model;
  model.name = name.str();
  model.storage = std::make_shared<Storage>();
  model.storage->file = std::move(contents);
  StatusOr<ModelProto> proto = parseModel(model.bytes());
  if (!proto)
    return proto.status().prefixed(model.name);
  model.proto = std::move(*proto);
  if (!model.proto.graph)
    return Status::invalidInput(model.name +
                                ": not an ONNX model: it has no graph");
  return model;
}

/// Whether `file`, with all links followed, is below `folder`.
static bool isBelow(const fs::path &file, const fs::path &folder) {
  std::error_code fileError, folderError;
  const fs::path inner = fs::canonical(file, fileError);
  const fs::path outer = fs::canonical(folder, folderError);
  return !fileError && !folderError &&
         std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end())
                 .first == outer.end();
}

/// Whether `file` is where a model at `path` may have data. Where the model is
/// a link, as in caches of downloads, they may lie beside its target.
static bool isBeside(const fs::path &file, const fs::path &path) {
  std::error_code ignored;
  return isBelow(file, path.parent_path() / ".") ||
         isBelow(file, fs::canonical(path, ignored).parent_path());
}

StatusOr<llvm::StringRef> ModelFile::externalFile(llvm::StringRef location) {
  for (auto &[name, contents] : storage->external)
    if (name == location)
      return contents.bytes;
  const fs::path relative = location.str();
  const fs::path file = path.parent_path() / relative;
  std::error_code ignored;
  if (relative.is_absolute() || location.contains('\0') ||
      llvm::is_contained(relative, "..") ||
      (fs::exists(file, ignored) && !isBeside(file, path)))
    return Status::invalidInput("external data file '" + location.str() +
                                "' lies outside the model's folder");
  TILEWRIGHT_ASSIGN_OR_RETURN(Contents contents, map(file));
  storage->external.emplace_back(location.str(), std::move(contents));
  return storage->external.back().second.bytes;
}

StatusOr<std::optional<llvm::StringRef>>
ModelFile::rawData(const TensorProto &tensor) {
  if (tensor.dataLocation == TensorProto::EXTERNAL) {
    std::string location;
    uint64_t offset = 0;
    std::optional<uint64_t> length;
    for (const auto &entry : tensor.externalData) {
      uint64_t number = 0;
      bool bad = llvm::StringRef(entry.value).getAsInteger(10, number);
      if (entry.key == "location")
        location = entry.value;
      else if (entry.key == "offset" || entry.key == "length") {
        if (bad)
          return Status::invalidInput("external data " + entry.key + " is '" +
                                      entry.value + "', expected a number");
        (entry.key == "offset" ? offset : length.emplace()) = number;
      }
    }
    TILEWRIGHT_ASSIGN_OR_RETURN(llvm::StringRef file, externalFile(location));
    if (offset > file.size() || length.value_or(0) > file.size() - offset)
      return Status::invalidInput(
          "external data is bytes " + std::to_string(offset) + " to " +
          std::to_string(offset + length.value_or(0)) + " of '" + location +
          "', which has " + std::to_string(file.size()) + " bytes");
    return file.substr(offset, length.value_or(llvm::StringRef::npos));
  }
  if (tensor.rawData)
    return llvm::StringRef(*tensor.rawData);
  return std::nullopt;
}

} // namespace tilewright::onnx
