#include "tilewright/manifest/PackageManifest.h"
#include "runtime/abi/ManifestJson.h"
#include "runtime/abi/StepJson.h"
#include "support/Format.h"
#include <algorithm>

namespace tilewright::runtime {

static constexpr struct {
  BufferManifest::Kind kind;
  std::string_view name;
} bufferKinds[] = {{BufferManifest::Kind::input, "input"},
                   {BufferManifest::Kind::output, "output"},
                   {BufferManifest::Kind::weight, "weight"},
                   {BufferManifest::Kind::transient, "transient"},
                   {BufferManifest::Kind::state, "state"}};

std::string_view bufferKindName(BufferManifest::Kind kind) {
  return bufferKinds[static_cast<size_t>(kind)].name;
}

std::string printTensorType(DType dtype, const std::vector<Expression> &shape) {
  return format("{}[{}]",
                {dtypeName(dtype), joined(shape, ", ", &Expression::str)});
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static InterfaceTensor readInterface(const JsonCursor &json, size_t buffers) {
  json.allowOnly({"name", "dtype", "shape", "buffer", "value"});
  InterfaceTensor tensor;
  if (json.has("value"))
    tensor.value = json.at("value").string();
  tensor.name = json.at("name").string();
  tensor.dtype = json.at("dtype").dtype();
  tensor.shape = json.at("shape").expressions();
  tensor.buffer = readIndex(json.at("buffer"), buffers, "buffers");
  return tensor;
}

static BufferManifest readBuffer(const JsonCursor &json, size_t buffers) {
  json.allowOnly({"kind", "dtype", "bytes", "weight", "alias", "initial"});
  BufferManifest buffer;
  std::string name = json.at("kind").string();
  bool known = false;
  for (const auto &[kind, kindName] : bufferKinds)
    if (kindName == name) {
      buffer.kind = kind;
      known = true;
    }
  if (!known)
    json.at("kind").expected("input, output, weight, transient or state");
  buffer.dtype = json.at("dtype").dtype();
  buffer.bytes = json.at("bytes").expression();
  if (json.has("weight"))
    buffer.weight = json.at("weight").string();
  if (json.has("alias"))
    buffer.alias = readIndex(json.at("alias"), buffers, "buffers");
  if (json.has("initial"))
    buffer.initial = readIndex(json.at("initial"), buffers, "buffers");
  return buffer;
}

static FileManifest readFileEntry(const JsonCursor &json) {
  json.allowOnly({"bytes", "hash"});
  FileManifest file{json.at("bytes").integer(0), json.at("hash").string()};
  if (!file.hash.starts_with("xxh64:") || file.hash.size() != 22)
    json.at("hash").expected("xxh64: and 16 hexadecimal digits");
  return file;
}

static PackageManifest readPackage(const JsonCursor &json) {
  PackageManifest package;
  if (!json.has("tilewright_package")) {
    json.fail("expected a Tilewright package manifest: the key "
              "'tilewright_package' is missing");
    return package;
  }
  const int64_t version = json.at("tilewright_package").integer();
  if (version < 1 || version > packageFormatVersion) {
    json.at("tilewright_package")
        .expected(format("a package format version from 1 to {}, which this "
                         "library reads",
                         {packageFormatVersion}));
    return package;
  }
  json.allowOnly({"tilewright_package", "producer", "name", "metadata",
                  "symbols", "inputs", "outputs", "states", "buffers",
                  "kernels", "steps", "checks", "files"});
  package.producer = json.at("producer").string();
  package.name = json.at("name").string();
  if (json.has("metadata"))
    for (const auto &[key, value] : json.at("metadata").members())
      package.metadata[key] = value.string();
  for (const JsonCursor &symbol : json.at("symbols").elements())
    package.symbols.push_back(symbol.string());
  std::vector<JsonCursor> buffers = json.at("buffers").elements();
  for (const JsonCursor &buffer : buffers)
    package.buffers.push_back(readBuffer(buffer, buffers.size()));
  for (const JsonCursor &input : json.at("inputs").elements())
    package.inputs.push_back(readInterface(input, buffers.size()));
  for (const JsonCursor &output : json.at("outputs").elements())
    package.outputs.push_back(readInterface(output, buffers.size()));
  if (json.has("states"))
    for (const JsonCursor &state : json.at("states").elements())
      package.states.push_back(readInterface(state, buffers.size()));
  for (const JsonCursor &kernel : json.at("kernels").elements())
    package.kernels.push_back(readKernel(kernel));
  package.steps =
      readSteps(json.at("steps"), {buffers.size(), package.inputs.size()});
  if (json.has("checks"))
    for (const JsonCursor &check : json.at("checks").elements())
      package.checks.push_back(readCheck(check));
  if (json.has("files"))
    for (const auto &[path, file] : json.at("files").members())
      package.files[path] = readFileEntry(file);
  if (!json.failed() && formatVersionOf(package) > version)
    json.at("tilewright_package")
        .expected(format("{}, because there is what version 1 does not have",
                         {formatVersionOf(package)}));
  return package;
}

StatusOr<PackageManifest> parsePackageManifest(std::string_view text) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Json json, parseJson(text));
  Status error;
  PackageManifest package = readPackage(JsonCursor(json, "", error));
  TILEWRIGHT_RETURN_IF_ERROR(error);
  TILEWRIGHT_RETURN_IF_ERROR(validate(package));
  return package;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static Json toJson(const InterfaceTensor &tensor) {
  Json json;
  json["name"] = tensor.name;
  json["dtype"] = dtypeName(tensor.dtype);
  json["shape"] = toJson(tensor.shape);
  json["buffer"] = tensor.buffer;
  if (!tensor.value.empty())
    json["value"] = tensor.value;
  return json;
}

static Json toJson(const BufferManifest &buffer) {
  Json json;
  json["kind"] = bufferKindName(buffer.kind);
  json["dtype"] = dtypeName(buffer.dtype);
  json["bytes"] = toJson(buffer.bytes);
  if (!buffer.weight.empty())
    json["weight"] = buffer.weight;
  if (buffer.alias)
    json["alias"] = *buffer.alias;
  if (buffer.initial)
    json["initial"] = *buffer.initial;
  return json;
}

template <typename T> static Json listToJson(const std::vector<T> &items) {
  Json list = Json::array();
  for (const T &item : items)
    list.push_back(toJson(item));
  return list;
}

int64_t formatVersionOf(const PackageManifest &manifest) {
  const bool hasOtherSteps = !std::ranges::all_of(
      manifest.steps, [](const StepManifest &step) { return step.isLaunch(); });
  const bool hasStates =
      std::ranges::any_of(manifest.buffers, [](const BufferManifest &buffer) {
        return buffer.kind == BufferManifest::Kind::state;
      });
  return hasOtherSteps || hasStates || !manifest.states.empty() ? 2 : 1;
}

std::string printPackageManifest(const PackageManifest &package) {
  Json json;
  json["tilewright_package"] = formatVersionOf(package);
  json["producer"] = package.producer;
  json["name"] = package.name;
  json["metadata"] = Json::object();
  for (const auto &[key, value] : package.metadata)
    json["metadata"][key] = value;
  json["symbols"] = package.symbols;
  json["inputs"] = listToJson(package.inputs);
  json["outputs"] = listToJson(package.outputs);
  if (!package.states.empty())
    json["states"] = listToJson(package.states);
  json["buffers"] = listToJson(package.buffers);
  json["kernels"] = listToJson(package.kernels);
  json["steps"] = toJson(package.steps);
  json["checks"] = listToJson(package.checks);
  json["files"] = Json::object();
  for (const auto &[path, file] : package.files)
    json["files"][path] = {{"bytes", file.bytes}, {"hash", file.hash}};
  return printJson(json);
}

} // namespace tilewright::runtime
