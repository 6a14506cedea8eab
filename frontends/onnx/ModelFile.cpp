#include "frontends/onnx/ModelFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace tilewright::onnx {

/// `what` describes the file that cannot be read.
static Status cannotRead(const std::string &what, std::error_code error) {
  StatusCode code = error == std::errc::no_such_file_or_directory
                        ? StatusCode::notFound
                        : StatusCode::ioError;
  return {code, what + ": " + error.message()};
}

StatusOr<ModelFile> ModelFile::open(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return cannotRead(path.str() + ": cannot read the file", buffer.getError());
  TILEWRIGHT_ASSIGN_OR_RETURN(ModelFile model, parse(std::move(*buffer), path));
  model.folder = sys::path::parent_path(path).str();
  return model;
}

StatusOr<ModelFile> ModelFile::fromBytes(StringRef bytes, StringRef name) {
  return parse(MemoryBuffer::getMemBufferCopy(bytes, name), name);
}

StatusOr<ModelFile> ModelFile::parse(std::unique_ptr<MemoryBuffer> buffer,
                                     StringRef name) {
  ModelFile model;
  model.name = name.str();
  model.storage = std::make_shared<Storage>();
  model.storage->file = std::move(buffer);
  StatusOr<std::string> stripped = stripRawData(model.bytes());
  if (!stripped)
    return stripped.status().prefixed(model.name);
  if (stripped->size() > INT32_MAX)
    return Status::unsupported(model.name +
                               ": more than 2 GiB besides weights");
  if (!model.proto.ParseFromString(*stripped))
    return Status::invalidInput(model.name +
                                ": not an ONNX model: protobuf does not parse");
  if (!model.proto.has_graph())
    return Status::invalidInput(model.name +
                                ": not an ONNX model: it has no graph");
  return model;
}

StatusOr<StringRef> ModelFile::externalFile(StringRef location) {
  for (auto &[name, buffer] : storage->external)
    if (name == location)
      return buffer->getBuffer();
  if (sys::path::is_absolute(location) || location.contains(".."))
    return Status::invalidInput("external data file '" + location.str() +
                                "' lies outside the model's folder");
  SmallString<128> path(folder);
  sys::path::append(path, location);
  auto buffer = MemoryBuffer::getFile(path, false, false);
  if (!buffer)
    return cannotRead("cannot read external data file '" + std::string(path) +
                          "'",
                      buffer.getError());
  storage->external.emplace_back(location.str(), std::move(*buffer));
  return storage->external.back().second->getBuffer();
}

StatusOr<std::optional<StringRef>>
ModelFile::rawData(const ::onnx::TensorProto &tensor) {
  if (tensor.data_location() == ::onnx::TensorProto::EXTERNAL) {
    std::string location;
    uint64_t offset = 0;
    std::optional<uint64_t> length;
    for (const auto &entry : tensor.external_data()) {
      uint64_t number = 0;
      bool bad = StringRef(entry.value()).getAsInteger(10, number);
      if (entry.key() == "location")
        location = entry.value();
      else if (entry.key() == "offset" || entry.key() == "length") {
        if (bad)
          return Status::invalidInput("external data " + entry.key() + " is '" +
                                      entry.value() + "', expected a number");
        (entry.key() == "offset" ? offset : length.emplace()) = number;
      }
    }
    TILEWRIGHT_ASSIGN_OR_RETURN(StringRef file, externalFile(location));
    if (offset > file.size() || length.value_or(0) > file.size() - offset)
      return Status::invalidInput(
          "external data is bytes " + std::to_string(offset) + " to " +
          std::to_string(offset + length.value_or(0)) + " of '" + location +
          "', which has " + std::to_string(file.size()) + " bytes");
    return file.substr(offset, length.value_or(StringRef::npos));
  }
  if (tensor.has_segment()) {
    uint64_t begin = tensor.segment().begin(), end = tensor.segment().end();
    if (begin > end || end > bytes().size())
      return Status::invalidInput("data lies outside the file");
    return bytes().slice(begin, end);
  }
  if (tensor.has_raw_data())
    return StringRef(tensor.raw_data());
  return std::nullopt;
}

} // namespace tilewright::onnx
