//===- LaunchFile.cpp - A launch of one kernel, as JSON -------------------===//
#include "tools/tilewright/LaunchFile.h"
#include "runtime/abi/Json.h"
#include "support/Format.h"
#include "tilewright/runtime/MappedFile.h"
#include "tilewright/runtime/Npy.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

namespace tilewright::tool {

using runtime::DType;
using runtime::Json;

namespace {

/// Where an error is: "launch.json: args[2].tensorMap.box".
class Reader {
public:
  explicit Reader(std::filesystem::path path) : path(std::move(path)) {}
  StatusOr<LaunchFile> read();

private:
  Status reject(const std::string &where, const std::string &expected,
                const Json *found = nullptr) const {
    return Status::invalidInput(
        format("{}: {}: expected {}{}",
               {path.string(), where, expected,
                found ? ", found " + runtime::describeJson(*found) : ""}));
  }
  Status onlyKeys(const Json &object, const std::string &where,
                  const std::set<std::string> &known) const;
  StatusOr<uint64_t> natural(const Json &value, const std::string &where,
                             uint64_t most) const;
  Status dims(const Json &object, const char *key, emulator::Dim3 &out) const;
  Status shape(const Json &object);
  Status argument(const Json &object, size_t index);
  StatusOr<size_t> buffer(const Json &object, const std::string &where);
  Status scalar(const Json &object, const std::string &where,
                LaunchArgument &out) const;
  Status hexBytes(const Json &object, const std::string &where,
                  LaunchArgument &out) const;
  Status tensorMap(const Json &object, const std::string &where,
                   LaunchArgument &out);
  template <class T, size_t N>
  Status list(const Json &object, const char *key, const std::string &where,
              size_t first, size_t count, uint64_t most,
              std::array<T, N> &out) const;

  std::filesystem::path path;
  LaunchFile launch;
};

/// Whether it is a tensor map of an argument behind it, the `index`-th.
static bool isOfLater(const Json &argument, size_t index) {
  if (!argument.is_object() || !argument.contains("tensorMap"))
    return false;
  const Json &map = argument["tensorMap"];
  return map.is_object() && map.contains("of") &&
         map["of"].is_number_unsigned() && map["of"].get<size_t>() > index;
}

StatusOr<LaunchFile> Reader::read() {
  const StatusOr<std::string> text = runtime::readFile(path);
  if (!text.ok())
    return text.status().prefixed(path.string());
  TILEWRIGHT_ASSIGN_OR_RETURN(const Json root,
                              runtime::parseJson(*text, path.string()));
  if (!root.is_object())
    return reject("the file", "a JSON object");
  TILEWRIGHT_RETURN_IF_ERROR(
      onlyKeys(root, "the file",
               {"entry", "grid", "block", "cluster", "dynamicShared", "args"}));
  if (!root.contains("entry") || !root["entry"].is_string())
    return reject("entry", "the name of a kernel");
  launch.entry = root["entry"];
  TILEWRIGHT_RETURN_IF_ERROR(shape(root));
  if (!root.contains("args"))
    return launch;
  if (!root["args"].is_array())
    return reject("args", "a list", &root["args"]);
  const Json &arguments = root["args"];
  launch.arguments.resize(arguments.size());
  for (bool later : {false, true})
    for (size_t i = 0; i < arguments.size(); ++i)
      if (isOfLater(arguments[i], i) == later)
        TILEWRIGHT_RETURN_IF_ERROR(argument(arguments[i], i));
  return launch;
}

Status Reader::onlyKeys(const Json &object, const std::string &where,
                        const std::set<std::string> &known) const {
  for (const auto &[key, value] : object.items())
    if (!known.count(key))
      return reject(where, format("{}; found '{}'", {joined(known), key}));
  return {};
}

StatusOr<uint64_t> Reader::natural(const Json &value, const std::string &where,
                                   uint64_t most) const {
  if (!value.is_number_unsigned() || value.get<uint64_t>() > most)
    return reject(where, format("a whole number of 0 to {}", {most}), &value);
  return value.get<uint64_t>();
}

Status Reader::dims(const Json &object, const char *key,
                    emulator::Dim3 &out) const {
  if (!object.contains(key))
    return {};
  const Json &value = object[key];
  if (!value.is_array() || value.empty() || value.size() > 3)
    return reject(key, "a list of 1 to 3 numbers", &value);
  for (size_t i = 0; i < value.size(); ++i) {
    TILEWRIGHT_ASSIGN_OR_RETURN(uint64_t size,
                                natural(value[i], key, UINT32_MAX));
    if (size == 0)
      return reject(key, "numbers of 1 and more", &value);
    out[i] = uint32_t(size);
  }
  return {};
}

Status Reader::shape(const Json &object) {
  for (const char *key : {"grid", "block"})
    if (!object.contains(key))
      return reject(key, "a list of 1 to 3 numbers");
  TILEWRIGHT_RETURN_IF_ERROR(dims(object, "grid", launch.shape.grid));
  TILEWRIGHT_RETURN_IF_ERROR(dims(object, "block", launch.shape.block));
  TILEWRIGHT_RETURN_IF_ERROR(dims(object, "cluster", launch.shape.cluster));
  if (object.contains("dynamicShared")) {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        uint64_t bytes,
        natural(object["dynamicShared"], "dynamicShared", UINT32_MAX));
    launch.shape.dynamicShared = uint32_t(bytes);
  }
  return {};
}

//===--- Arguments --------------------------------------------------------===//

Status Reader::argument(const Json &object, size_t index) {
  std::string where = format("args[{}]", {index});
  static constexpr const char *kinds =
      "an object with buffer, scalar, null, bytes or tensorMap";
  if (!object.is_object())
    return reject(where, kinds, &object);
  LaunchArgument &argument = launch.arguments[index];
  if (object.contains("buffer")) {
    argument.kind = LaunchArgument::Kind::buffer;
    TILEWRIGHT_ASSIGN_OR_RETURN(argument.buffer, buffer(object, where));
  } else if (object.contains("scalar")) {
    TILEWRIGHT_RETURN_IF_ERROR(scalar(object, where, argument));
  } else if (object.contains("null")) {
    argument.bytes.resize(8);
  } else if (object.contains("bytes")) {
    TILEWRIGHT_RETURN_IF_ERROR(hexBytes(object, where, argument));
  } else if (object.contains("tensorMap")) {
    TILEWRIGHT_RETURN_IF_ERROR(
        tensorMap(object["tensorMap"], where + ".tensorMap", argument));
  } else {
    return reject(where, kinds, &object);
  }
  return {};
}

/// Alternative names of element types.
static std::optional<DType> dtypeOf(const Json &value) {
  if (!value.is_string())
    return std::nullopt;
  std::string name = value;
  if (name == "e4m3")
    name = "f8E4M3FN";
  if (name == "e5m2")
    name = "f8E5M2";
  return runtime::dtypeFromName(name);
}

/// Adds what `buffer` and `output` say. Returns its index in the list.
StatusOr<size_t> Reader::buffer(const Json &object, const std::string &where) {
  if (!object.contains("buffer"))
    return reject(where, "an object with buffer", &object);
  const Json &source = object["buffer"];
  LaunchBuffer made;
  if (source.is_string()) {
    TILEWRIGHT_RETURN_IF_ERROR(
        onlyKeys(object, where, {"buffer", "dtype", "output"}));
    made.name =
        std::filesystem::path(source.get<std::string>()).stem().string();
    TILEWRIGHT_ASSIGN_OR_RETURN(
        made.tensor,
        runtime::readNpy(path.parent_path() / source.get<std::string>()));
    made.initialized = true;
    if (object.contains("dtype")) {
      std::optional<DType> dtype = dtypeOf(object["dtype"]);
      if (!dtype)
        return reject(where + ".dtype", "an element type", &object["dtype"]);
      TILEWRIGHT_ASSIGN_OR_RETURN(made.tensor,
                                  made.tensor.reinterpretAs(*dtype));
    }
  } else {
    TILEWRIGHT_RETURN_IF_ERROR(onlyKeys(object, where, {"buffer", "output"}));
    std::optional<DType> dtype;
    if (source.is_object() && source.contains("dtype"))
      dtype = dtypeOf(source["dtype"]);
    if (!dtype || !source.contains("shape") || !source["shape"].is_array())
      return reject(where + ".buffer",
                    "a .npy file, or an object with shape and dtype", &source);
    runtime::Shape shape;
    for (const Json &size : source["shape"]) {
      TILEWRIGHT_ASSIGN_OR_RETURN(
          uint64_t value,
          natural(size, where + ".buffer.shape", uint64_t{1} << 44));
      shape.push_back(int64_t(value));
    }
    TILEWRIGHT_ASSIGN_OR_RETURN(made.tensor,
                                runtime::HostTensor::allocate(*dtype, shape));
  }
  if (object.contains("output")) {
    const Json &output = object["output"];
    if (output.is_string())
      made.output = output.get<std::string>();
    if (made.output.empty())
      return reject(where + ".output", "a name", &output);
    made.name = made.output;
  }
  launch.buffers.push_back(std::move(made));
  return launch.buffers.size() - 1;
}

template <class T> static std::vector<std::byte> bytesOf(T value) {
  std::vector<std::byte> bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

/// Integers may be the bits of the other signedness; f16 and bf16 may be bits.
Status Reader::scalar(const Json &object, const std::string &where,
                      LaunchArgument &out) const {
  TILEWRIGHT_RETURN_IF_ERROR(onlyKeys(object, where, {"scalar", "value"}));
  std::optional<DType> dtype = dtypeOf(object["scalar"]);
  if (!dtype)
    return reject(where + ".scalar", "an element type", &object["scalar"]);
  if (!object.contains("value") ||
      !(object["value"].is_number() || object["value"].is_boolean()))
    return reject(where + ".value", "a number");
  const Json &value = object["value"];
  size_t width = runtime::dtypeBytes(*dtype);
  if (*dtype == DType::F32 || *dtype == DType::F64) {
    out.bytes = *dtype == DType::F32 ? bytesOf(value.get<float>())
                                     : bytesOf(value.get<double>());
    return {};
  }
  if (!value.is_number_integer() && !value.is_boolean())
    return reject(where + ".value", "a whole number", &value);
  uint64_t bits = value.is_boolean()           ? uint64_t{value.get<bool>()}
                  : value.is_number_unsigned() ? value.get<uint64_t>()
                                               : uint64_t(value.get<int64_t>());
  bool isNegative = !value.is_boolean() && !value.is_number_unsigned();
  uint64_t limit = width == 8 ? UINT64_MAX : (uint64_t{1} << 8 * width) - 1;
  bool fits = isNegative
                  ? width == 8 || int64_t(bits) >= -int64_t(limit / 2) - 1
                  : bits <= limit;
  if (!fits)
    return reject(where + ".value", format("a number of {} bits", {8 * width}),
                  &value);
  out.bytes = bytesOf(bits);
  out.bytes.resize(width);
  return {};
}

Status Reader::hexBytes(const Json &object, const std::string &where,
                        LaunchArgument &out) const {
  TILEWRIGHT_RETURN_IF_ERROR(onlyKeys(object, where, {"bytes"}));
  const Json &value = object["bytes"];
  std::string text = value.is_string() ? value.get<std::string>() : "x";
  if (text.size() % 2 ||
      text.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
    return reject(where + ".bytes", "pairs of hexadecimal digits", &value);
  for (size_t i = 0; i < text.size(); i += 2)
    out.bytes.push_back(std::byte(std::stoul(text.substr(i, 2), nullptr, 16)));
  return {};
}

//===--- Tensor maps ------------------------------------------------------===//

static std::optional<emulator::TensorElement> elementOf(DType dtype) {
  using emulator::TensorElement;
  switch (dtype) {
  case DType::U16:
  case DType::I16:
    return TensorElement::u16;
  case DType::U32:
    return TensorElement::u32;
  case DType::I32:
    return TensorElement::s32;
  case DType::U64:
    return TensorElement::u64;
  case DType::I64:
    return TensorElement::s64;
  case DType::F16:
    return TensorElement::f16;
  case DType::BF16:
    return TensorElement::bf16;
  case DType::F32:
    return TensorElement::f32;
  case DType::F64:
    return TensorElement::f64;
  case DType::I4:
  case DType::U4:
  case DType::F4E2M1FN:
    return std::nullopt;
  default:
    return TensorElement::u8;
  }
}

template <class T, size_t N>
Status Reader::list(const Json &object, const char *key,
                    const std::string &where, size_t first, size_t count,
                    uint64_t most, std::array<T, N> &out) const {
  std::string location = format("{}.{}", {where, key});
  if (!object.contains(key) || !object[key].is_array() ||
      object[key].size() != count)
    return reject(location, format("a list of {} numbers", {count}),
                  object.contains(key) ? &object[key] : nullptr);
  for (size_t i = 0; i < count; ++i) {
    TILEWRIGHT_ASSIGN_OR_RETURN(uint64_t value,
                                natural(object[key][i], location, most));
    out[first + i] = T(value);
  }
  return {};
}

/// The index of `found` in `names`, or nothing.
static std::optional<unsigned>
choice(const Json &object, const char *key,
       std::initializer_list<std::string_view> names) {
  if (!object.contains(key))
    return 0;
  unsigned index = 0;
  for (std::string_view name : names) {
    if (object[key] == name)
      return index;
    ++index;
  }
  return std::nullopt;
}

Status Reader::tensorMap(const Json &object, const std::string &where,
                         LaunchArgument &out) {
  if (!object.is_object())
    return reject(where, "an object", &object);
  TILEWRIGHT_RETURN_IF_ERROR(
      onlyKeys(object, where,
               {"of", "dtype", "shape", "strides", "box", "elementStrides",
                "swizzle", "interleave", "oobFill"}));
  if (object.contains("of") && object["of"].is_object()) {
    TILEWRIGHT_ASSIGN_OR_RETURN(out.buffer,
                                buffer(object["of"], where + ".of"));
  } else {
    size_t of = object.contains("of") && object["of"].is_number_unsigned()
                    ? object["of"].get<size_t>()
                    : launch.arguments.size();
    if (of >= launch.arguments.size() ||
        launch.arguments[of].kind == LaunchArgument::Kind::bytes)
      return reject(where + ".of",
                    "the index of an argument with a buffer, or a buffer",
                    object.contains("of") ? &object["of"] : nullptr);
    out.buffer = launch.arguments[of].buffer;
  }
  // Only now, as a map of itself is of no buffer.
  out.kind = LaunchArgument::Kind::tensorMap;
  emulator::TensorMap &map = out.map;
  std::optional<DType> dtype = object.contains("dtype")
                                   ? dtypeOf(object["dtype"])
                                   : launch.buffers[out.buffer].tensor.dtype();
  std::optional<emulator::TensorElement> element =
      dtype ? elementOf(*dtype) : std::nullopt;
  if (!element)
    return reject(where + ".dtype", "an element type of tensor maps",
                  object.contains("dtype") ? &object["dtype"] : nullptr);
  map.element = *element;
  size_t rank = object.contains("shape") ? object["shape"].size() : 0;
  if (rank < 1 || rank > 5)
    return reject(where + ".shape", "a list of 1 to 5 numbers");
  map.rank = uint32_t(rank);
  map.stride[0] = bytesOf(map.element);
  TILEWRIGHT_RETURN_IF_ERROR(
      list(object, "shape", where, 0, rank, uint64_t{1} << 32, map.size));
  TILEWRIGHT_RETURN_IF_ERROR(
      list(object, "box", where, 0, rank, UINT32_MAX, map.box));
  if (rank > 1)
    TILEWRIGHT_RETURN_IF_ERROR(
        list(object, "strides", where, 1, rank - 1, UINT64_MAX, map.stride));
  if (object.contains("elementStrides"))
    TILEWRIGHT_RETURN_IF_ERROR(list(object, "elementStrides", where, 0, rank,
                                    UINT32_MAX, map.elementStride));
  auto swizzle = choice(object, "swizzle", {"none", "32B", "64B", "128B"});
  auto interleave = choice(object, "interleave", {"none", "16B", "32B"});
  auto fill = choice(object, "oobFill", {"zeros", "nan"});
  if (!swizzle)
    return reject(where + ".swizzle", "none, 32B, 64B or 128B",
                  &object["swizzle"]);
  if (!interleave)
    return reject(where + ".interleave", "none, 16B or 32B",
                  &object["interleave"]);
  if (!fill)
    return reject(where + ".oobFill", "zeros or nan", &object["oobFill"]);
  map.swizzle = emulator::TensorSwizzle(*swizzle);
  map.interleave = emulator::TensorInterleave(*interleave);
  map.fill = emulator::TensorFill(*fill);
  if (Status wrong = emulator::check(map); !wrong.ok())
    return Status::invalidInput(
        format("{}: {}: {}", {path.string(), where, wrong.message()}));
  return {};
}
} // namespace

StatusOr<LaunchFile> readLaunchFile(const std::filesystem::path &path) {
  return Reader(path).read();
}

} // namespace tilewright::tool
