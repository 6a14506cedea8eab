//===- TensorFile.cpp - Tensors in files and at random --------------------===//
#include "tools/tilewright/TensorFile.h"

#include "runtime/cpu/SmallFloats.h"
#include "support/Format.h"
#include "tilewright/runtime/Npy.h"
#include "tools/tilewright/Compiler.h"
#include "tools/tilewright/Usage.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>

namespace tilewright::tool {

StatusOr<runtime::HostTensor> takenAs(runtime::DType dtype,
                                      const runtime::HostTensor &tensor) {
  const runtime::DType found = tensor.dtype();
  const bool isBits =
      found == runtime::DType::U16 || found == runtime::DType::U8;
  if (dtype != found && isBits &&
      runtime::dtypeBytes(dtype) == runtime::dtypeBytes(found))
    return tensor.reinterpretAs(dtype);
  return tensor;
}

StatusOr<runtime::HostTensor> readTensor(const std::filesystem::path &path) {
  if (path.extension() == ".pb")
    return readProto(path);
  if (path.extension() == ".npy")
    return runtime::readNpy(path);
  return Status::invalidInput(
      format("{}: expected a .npy or .pb file, found '{}'; --scalar "
             "NAME=NUMBER gives a number",
             {path.string(), path.extension().string()}));
}

//===--- Numbers ----------------------------------------------------------===//

/// An integer or a bool in 64 bits; none if `text` does not fit the type.
static std::optional<uint64_t> integerBits(const runtime::DTypeInfo &type,
                                           const std::string &text) {
  const char *begin = text.data(), *end = begin + text.size();
  if (type.kind == runtime::DTypeKind::boolean) {
    if (text == "1" || text == "true")
      return 1;
    return text == "0" || text == "false" ? std::optional<uint64_t>(0)
                                          : std::nullopt;
  }
  const unsigned unused = 64 - type.bits;
  if (type.kind == runtime::DTypeKind::unsignedInteger) {
    uint64_t value = 0;
    auto [stop, error] = std::from_chars(begin, end, value);
    bool fits = value <= UINT64_MAX >> unused;
    return error == std::errc() && stop == end && fits ? std::optional(value)
                                                       : std::nullopt;
  }
  int64_t value = 0;
  auto [stop, error] = std::from_chars(begin, end, value);
  bool fits = value >= INT64_MIN >> unused && value <= INT64_MAX >> unused;
  return error == std::errc() && stop == end && fits
             ? std::optional(uint64_t(value))
             : std::nullopt;
}

/// The bits of a float from the command line.
static std::optional<uint64_t> floatBits(runtime::DType dtype,
                                         const std::string &text) {
  char *stop = nullptr;
  const double value = std::strtod(text.c_str(), &stop);
  if (text.empty() || *stop || std::isspace(uint8_t(text.front())))
    return std::nullopt;
  switch (dtype) {
  case runtime::DType::F64:
    return std::bit_cast<uint64_t>(value);
  case runtime::DType::F32:
    return std::bit_cast<uint32_t>(float(value));
  case runtime::DType::F16:
    return runtime::halfFromDouble(value);
  case runtime::DType::BF16:
    return runtime::bfloatFromDouble(value);
  default:
    return std::nullopt;
  }
}

StatusOr<runtime::HostTensor> scalarTensor(const std::string &name,
                                           runtime::DType dtype,
                                           const std::string &text) {
  const runtime::DTypeInfo &type = runtime::dtypeInfo(dtype);
  std::optional<uint64_t> bits = type.kind == runtime::DTypeKind::floatingPoint
                                     ? floatBits(dtype, text)
                                     : integerBits(type, text);
  if (!bits)
    throw UsageError(
        format("--scalar {}: expected a number of type {}, found '{}'",
               {name, type.name, text}));
  TILEWRIGHT_ASSIGN_OR_RETURN(runtime::HostTensor tensor,
                              runtime::HostTensor::allocate(dtype, {}));
  std::memcpy(tensor.data(), &*bits, tensor.bytes());
  return tensor;
}

//===--- Comparison -------------------------------------------------------===//

template <typename T>
static double largest(const runtime::HostTensor &a,
                      const runtime::HostTensor &b) {
  double most = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    // A NaN on one side only is as far away as can be.
    const double x = double(a.as<T>()[i]), y = double(b.as<T>()[i]);
    const double apart = x == y || (x != x && y != y) ? 0 : std::fabs(x - y);
    most = apart != apart ? INFINITY : std::max(most, apart);
  }
  return most;
}

/// The largest difference of two elements; nothing for types that the host does
/// not count in.
static std::optional<double> largest(const runtime::HostTensor &a,
                                     const runtime::HostTensor &b) {
  switch (a.dtype()) {
  case runtime::DType::F32:
    return largest<float>(a, b);
  case runtime::DType::F64:
    return largest<double>(a, b);
  case runtime::DType::I8:
    return largest<int8_t>(a, b);
  case runtime::DType::I16:
    return largest<int16_t>(a, b);
  case runtime::DType::I32:
    return largest<int32_t>(a, b);
  case runtime::DType::I64:
    return largest<int64_t>(a, b);
  default:
    return std::nullopt;
  }
}

std::string describeDifference(const runtime::HostTensor &tensor,
                               const runtime::HostTensor &expected,
                               const std::string &device) {
  if (tensor.shape() != expected.shape())
    return format("another shape than {}'s", {device});
  const size_t width = runtime::dtypeBytes(tensor.dtype());
  size_t different = 0;
  for (size_t i = 0; i < tensor.size(); ++i)
    different += std::memcmp(tensor.data() + i * width,
                             expected.data() + i * width, width) != 0;
  if (!different)
    return format("equal to {}'s", {device});
  std::string text = format("{} of {} elements differ from {}'s",
                            {different, tensor.size(), device});
  if (std::optional<double> most = largest(tensor, expected))
    text += ", by at most " + formatGeneral(*most, 3);
  return text;
}

//===--- Files and random data --------------------------------------------===//

bool isPackage(const std::filesystem::path &path) {
  std::error_code ignored;
  return path.extension() == ".twp" ||
         std::filesystem::is_directory(path, ignored);
}

StatusOr<runtime::HostTensor> randomTensor(runtime::DType dtype,
                                           const runtime::Shape &shape,
                                           std::mt19937_64 &generator) {
  TILEWRIGHT_ASSIGN_OR_RETURN(runtime::HostTensor tensor,
                              runtime::HostTensor::allocate(dtype, shape));
  std::uniform_real_distribution<double> uniform(-1, 1);
  switch (dtype) {
  case runtime::DType::F32:
    for (float &value : tensor.as<float>())
      value = static_cast<float>(uniform(generator));
    return tensor;
  case runtime::DType::F64:
    for (double &value : tensor.as<double>())
      value = uniform(generator);
    return tensor;
  case runtime::DType::F16:
  case runtime::DType::BF16: {
    // Random signs and fractions of numbers in [1/2, 1).
    uint16_t base = dtype == runtime::DType::F16 ? 0x3800 : 0x3f00;
    uint16_t mask = dtype == runtime::DType::F16 ? 0x83ff : 0x807f;
    for (uint16_t &value : tensor.as<uint16_t>())
      value = base | (generator() & mask);
    return tensor;
  }
  default: {
    size_t width = runtime::dtypeBytes(dtype);
    for (size_t i = 0; i < tensor.size(); ++i)
      tensor.data()[i * width] = static_cast<std::byte>(generator() & 1);
    return tensor;
  }
  }
}

} // namespace tilewright::tool
