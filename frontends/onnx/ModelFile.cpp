#include "frontends/onnx/ModelFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace tilewright::onnx {

Expected<ModelFile> ModelFile::open(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError(buffer.getError(), "%s: cannot read the file: %s",
                             path.str().c_str(),
                             buffer.getError().message().c_str());
  auto model = parse(std::move(*buffer), path);
  if (model)
    model->folder = sys::path::parent_path(path).str();
  return model;
}

Expected<ModelFile> ModelFile::fromBytes(StringRef bytes, StringRef name) {
  return parse(MemoryBuffer::getMemBufferCopy(bytes, name), name);
}

Expected<ModelFile> ModelFile::parse(std::unique_ptr<MemoryBuffer> buffer,
                                     StringRef name) {
  ModelFile model;
  model.name = name.str();
  model.storage = std::make_shared<Storage>();
  model.storage->file = std::move(buffer);
  Expected<std::string> stripped = stripRawData(model.bytes());
  if (!stripped)
    return createStringError("%s: %s", model.name.c_str(),
                             toString(stripped.takeError()).c_str());
  if (stripped->size() > INT32_MAX)
    return createStringError("%s: more than 2 GiB besides weights",
                             model.name.c_str());
  if (!model.proto.ParseFromString(*stripped))
    return createStringError("%s: not an ONNX model: protobuf does not parse",
                             model.name.c_str());
  if (!model.proto.has_graph())
    return createStringError("%s: not an ONNX model: it has no graph",
                             model.name.c_str());
  return model;
}

Expected<StringRef> ModelFile::externalFile(StringRef location) {
  for (auto &[name, buffer] : storage->external)
    if (name == location)
      return buffer->getBuffer();
  if (sys::path::is_absolute(location) || location.contains(".."))
    return createStringError("external data file '%s' lies outside the "
                             "model's folder",
                             location.str().c_str());
  SmallString<128> path(folder);
  sys::path::append(path, location);
  auto buffer = MemoryBuffer::getFile(path, false, false);
  if (!buffer)
    return createStringError("cannot read external data file '%s': %s",
                             path.c_str(), buffer.getError().message().c_str());
  storage->external.emplace_back(location.str(), std::move(*buffer));
  return storage->external.back().second->getBuffer();
}

Expected<std::optional<StringRef>>
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
          return createStringError("external data %s is '%s', expected a "
                                   "number",
                                   entry.key().c_str(), entry.value().c_str());
        (entry.key() == "offset" ? offset : length.emplace()) = number;
      }
    }
    Expected<StringRef> file = externalFile(location);
    if (!file)
      return file.takeError();
    if (offset > file->size() || length.value_or(0) > file->size() - offset)
      return createStringError(
          "external data is bytes %llu to %llu of '%s', which has %zu bytes",
          (unsigned long long)offset,
          (unsigned long long)(offset + length.value_or(0)), location.c_str(),
          file->size());
    return file->substr(offset, length.value_or(StringRef::npos));
  }
  if (tensor.has_segment()) {
    uint64_t begin = tensor.segment().begin(), end = tensor.segment().end();
    if (begin > end || end > bytes().size())
      return createStringError("data lies outside the file");
    return bytes().slice(begin, end);
  }
  if (tensor.has_raw_data())
    return StringRef(tensor.raw_data());
  return std::nullopt;
}

} // namespace tilewright::onnx
