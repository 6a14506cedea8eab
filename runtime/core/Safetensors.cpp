#include "tilewright/runtime/Safetensors.h"
#include "runtime/abi/Json.h"
#include "support/Format.h"
#include <cerrno>
#include <cstring>
#include <set>

namespace tilewright::runtime {

/// As in the format's own reader.
static constexpr uint64_t maximumHeader = 100'000'000;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Bits of an element of a dtype of the format; 0 if it is not known.
static unsigned elementBits(std::string_view dtype) {
  if (dtype == "F4")
    return 4;
  if (dtype == "C64")
    return 64;
  for (const DTypeInfo &info : allDTypes())
    if (info.safetensors == dtype)
      return static_cast<unsigned>(8 * info.bytes);
  return 0;
}

static SafetensorsEntry readEntry(const JsonCursor &json,
                                  std::span<const std::byte> data) {
  json.allowOnly({"dtype", "shape", "data_offsets"});
  SafetensorsEntry entry;
  entry.dtype = json.at("dtype").string();
  for (const JsonCursor &size : json.at("shape").elements())
    entry.shape.push_back(size.integer(0));
  std::vector<JsonCursor> offsets = json.at("data_offsets").elements();
  if (offsets.size() != 2) {
    json.at("data_offsets").expected("two offsets");
    return entry;
  }
  int64_t begin = offsets[0].integer(0);
  int64_t end = offsets[1].integer(0);
  if (json.failed())
    return entry;
  if (begin > end || uint64_t(end) > data.size()) {
    json.at("data_offsets")
        .expected(format("a range within the {} bytes of data", {data.size()}));
    return entry;
  }
  entry.data = data.subspan(size_t(begin), size_t(end - begin));
  unsigned bits = elementBits(entry.dtype);
  if (bits == 0)
    return entry; // Another program's type; nothing to compare with.
  StatusOr<size_t> elements = denseBytes(DType::U8, entry.shape);
  size_t total = 0;
  if (!elements.ok() || __builtin_mul_overflow(*elements, bits, &total) ||
      (total + 7) / 8 != entry.data.size())
    json.at("shape").expected(
        format("a shape of {} bytes of {}", {entry.data.size(), entry.dtype}));
  return entry;
}

StatusOr<SafetensorsFile>
SafetensorsFile::open(const std::filesystem::path &path) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto file, MappedFile::open(path));
  return read(std::move(file));
}

StatusOr<SafetensorsFile>
SafetensorsFile::read(std::shared_ptr<const MappedFile> file) {
  SafetensorsFile result;
  result.file = std::move(file);
  const std::filesystem::path &path = result.file->path();
  std::span<const std::byte> bytes = result.file->bytes();
  uint64_t length = 0;
  if (bytes.size() >= 8)
    std::memcpy(&length, bytes.data(), 8);
  if (bytes.size() < 8 || length > maximumHeader || length > bytes.size() - 8)
    return Status::invalidInput(
        format("{}: not a safetensors file: the header's length is {}, the "
               "file has {} bytes",
               {path.string(), length, bytes.size()}));
  std::string_view text(reinterpret_cast<const char *>(bytes.data()) + 8,
                        length);
  StatusOr<Json> json = parseJson(text);
  if (!json.ok())
    return json.status().prefixed(path.string() + ": header");
  Status error;
  JsonCursor header(*json, "", error);
  std::span<const std::byte> data = bytes.subspan(8 + length);
  for (const auto &[name, entry] : header.members())
    if (name != "__metadata__")
      result.tensors[name] = readEntry(entry, data);
  if (!error.ok())
    return error.prefixed(path.string());
  return result;
}

const SafetensorsEntry *SafetensorsFile::find(std::string_view name) const {
  auto found = tensors.find(name);
  return found == tensors.end() ? nullptr : &found->second;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

Status SafetensorsWriter::write(const void *bytes, size_t count) {
  if (file && count && std::fwrite(bytes, 1, count, file.get()) != count)
    return Status::ioError(
        format("cannot write '{}': {}", {path.string(), std::strerror(errno)}));
  if (!file && count)
    std::memcpy(written.data() + writtenBytes, bytes, count);
  writtenBytes += count;
  return {};
}

static Json entryJson(std::string_view dtype, const Shape &shape, size_t begin,
                      size_t end) {
  Json entry;
  entry["dtype"] = dtype;
  entry["shape"] = shape;
  entry["data_offsets"] = {begin, end};
  return entry;
}

StatusOr<SafetensorsWriter>
SafetensorsWriter::declare(const std::filesystem::path &path,
                           std::span<const SafetensorsDeclaration> tensors,
                           std::string &text, size_t &dataBytes) {
  SafetensorsWriter writer;
  writer.path = path;
  Json header = Json::object();
  std::set<std::string_view> seen;
  size_t offset = 0;
  for (const SafetensorsDeclaration &tensor : tensors) {
    std::string where = format("{}: tensor '{}'", {path.string(), tensor.name});
    if (!seen.insert(tensor.name).second)
      return Status::invalidInput(where + " stands twice");
    StatusOr<size_t> bytes = denseBytes(tensor.dtype, tensor.shape);
    if (!bytes.ok())
      return bytes.status().prefixed(where);
    size_t padding = -offset % tensorAlignment;
    if (padding) {
      header[format("tilewright.padding.{}", {writer.pending.size()})] =
          entryJson("U8", {int64_t(padding)}, offset, offset + padding);
      offset += padding;
    }
    header[tensor.name] = entryJson(dtypeInfo(tensor.dtype).safetensors,
                                    tensor.shape, offset, offset + *bytes);
    offset += *bytes;
    writer.pending.push_back({tensor.name, *bytes, padding});
  }
  text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.append(-(8 + text.size()) % tensorAlignment, ' ');
  const uint64_t length = text.size();
  text.insert(0, reinterpret_cast<const char *>(&length), sizeof(length));
  dataBytes = offset;
  return writer;
}

StatusOr<SafetensorsWriter>
SafetensorsWriter::create(const std::filesystem::path &path,
                          std::span<const SafetensorsDeclaration> tensors) {
  std::string header;
  size_t dataBytes = 0;
  TILEWRIGHT_ASSIGN_OR_RETURN(SafetensorsWriter writer,
                              declare(path, tensors, header, dataBytes));
  writer.file.reset(std::fopen(path.c_str(), "wb"));
  if (!writer.file)
    return Status::ioError(format("cannot create '{}': {}",
                                  {path.string(), std::strerror(errno)}));
  TILEWRIGHT_RETURN_IF_ERROR(writer.write(header.data(), header.size()));
  return writer;
}

StatusOr<SafetensorsWriter> SafetensorsWriter::createInMemory(
    std::span<const SafetensorsDeclaration> tensors) {
  std::string header;
  size_t dataBytes = 0;
  TILEWRIGHT_ASSIGN_OR_RETURN(
      SafetensorsWriter writer,
      declare("weights.safetensors", tensors, header, dataBytes));
  TILEWRIGHT_ASSIGN_OR_RETURN(
      writer.written,
      HostTensor::allocate(DType::U8, {int64_t(header.size() + dataBytes)}));
  TILEWRIGHT_RETURN_IF_ERROR(writer.write(header.data(), header.size()));
  return writer;
}

Status SafetensorsWriter::append(std::span<const std::byte> data) {
  if (next == pending.size())
    return Status::invalidInput(path.string() +
                                ": all declared tensors are written");
  const Pending &tensor = pending[next];
  if (data.size() != tensor.bytes)
    return Status::invalidInput(
        format("{}: tensor '{}' has {} bytes, found {}",
               {path.string(), tensor.name, tensor.bytes, data.size()}));
  static constexpr char zeros[tensorAlignment] = {};
  TILEWRIGHT_RETURN_IF_ERROR(write(zeros, tensor.paddingBefore));
  TILEWRIGHT_RETURN_IF_ERROR(write(data.data(), data.size()));
  ++next;
  return {};
}

Status SafetensorsWriter::finish() {
  if (next != pending.size())
    return Status::invalidInput(format("{}: the data of tensor '{}' is missing",
                                       {path.string(), pending[next].name}));
  if (file && std::fclose(file.release()) != 0)
    return Status::ioError(
        format("cannot write '{}': {}", {path.string(), std::strerror(errno)}));
  return {};
}

} // namespace tilewright::runtime
