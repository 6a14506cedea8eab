#include "autotune/measure/Compare.h"

#include "autotune/space/Random.h"
#include "support/Format.h"
#include <bit>
#include <cmath>
#include <cstring>

namespace tilewright::autotune {

using runtime::DType;

double tolerance(DType dtype) {
  switch (dtype) {
  case DType::F64:
    return 1e-10;
  case DType::F32:
    return 2e-5;
  case DType::F16:
    return 4e-3;
  case DType::BF16:
    return 3e-2;
  default:
    return 0;
  }
}

/// The value of binary16 bits.
static double fromHalf(uint16_t bits) {
  int exponent = (bits >> 10) & 31;
  double fraction = bits & 1023;
  double value = exponent == 31  ? (fraction == 0 ? INFINITY : NAN)
                 : exponent == 0 ? std::ldexp(fraction, -24)
                                 : std::ldexp(fraction + 1024, exponent - 25);
  return bits & 0x8000 ? -value : value;
}

template <class T> static T bitsAt(const std::byte *data, size_t index) {
  T value;
  std::memcpy(&value, data + index * sizeof(T), sizeof(T));
  return value;
}

/// An element of a type that has a tolerance.
static double valueAt(const runtime::TensorView &tensor, size_t index) {
  const std::byte *data = tensor.data.data();
  switch (tensor.dtype) {
  case DType::F64:
    return bitsAt<double>(data, index);
  case DType::F16:
    return fromHalf(bitsAt<uint16_t>(data, index));
  case DType::BF16:
    return std::bit_cast<float>(uint32_t(bitsAt<uint16_t>(data, index)) << 16);
  default:
    return bitsAt<float>(data, index);
  }
}

static size_t elementCount(const runtime::TensorView &tensor) {
  return tensor.data.size() / runtime::dtypeBytes(tensor.dtype);
}

static std::string hexOf(const runtime::TensorView &tensor, size_t index) {
  static constexpr char digits[] = "0123456789abcdef";
  size_t width = runtime::dtypeBytes(tensor.dtype);
  std::string text = "0x";
  for (size_t i = width; i-- > 0;) {
    auto byte = unsigned(tensor.data[index * width + i]);
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

static std::string describe(size_t index, const std::string &found,
                            const std::string &expected) {
  return format("element {} is {}, expected {}", {index, found, expected});
}

static std::optional<std::string>
bitDifference(const runtime::TensorView &found,
              const runtime::TensorView &expected,
              const std::vector<bool> &known) {
  size_t width = runtime::dtypeBytes(found.dtype);
  for (size_t i = 0; i < elementCount(expected); ++i)
    if ((known.empty() || known[i]) &&
        std::memcmp(&found.data[i * width], &expected.data[i * width], width) !=
            0)
      return describe(i, hexOf(found, i), hexOf(expected, i));
  return std::nullopt;
}

std::optional<std::string> difference(const runtime::TensorView &found,
                                      const runtime::TensorView &expected,
                                      const std::vector<bool> &known) {
  double share = tolerance(found.dtype);
  if (share == 0)
    return bitDifference(found, expected, known);
  size_t count = elementCount(expected);
  double largest = 0;
  for (size_t i = 0; i < count; ++i)
    if ((known.empty() || known[i]) && std::isfinite(valueAt(expected, i)))
      largest = std::max(largest, std::fabs(valueAt(expected, i)));
  for (size_t i = 0; i < count; ++i) {
    if (!known.empty() && !known[i])
      continue;
    double x = valueAt(found, i), y = valueAt(expected, i);
    bool isSame = x == y || (std::isnan(x) && std::isnan(y)) ||
                  std::fabs(x - y) <= share * largest;
    if (!isSame)
      return describe(i, std::to_string(x), std::to_string(y));
  }
  return std::nullopt;
}

void fillAtRandom(runtime::HostTensor &tensor, uint64_t seed) {
  Random random(seed);
  size_t width = runtime::dtypeBytes(tensor.dtype());
  for (size_t i = 0; i < tensor.size(); ++i) {
    std::byte *at = tensor.data() + i * width;
    // 24 bits, so that a float represents it exactly.
    double value = double(int64_t(random.next() >> 40) - (1 << 23)) * 0x1p-23;
    auto put = [&](auto bits) { std::memcpy(at, &bits, width); };
    // A sign and a fraction of a number from 1/2 to 1.
    uint64_t bits = random.next();
    switch (tensor.dtype()) {
    case DType::F64:
      put(value);
      break;
    case DType::F32:
      put(float(value));
      break;
    case DType::F16:
      put(uint16_t(0x3800 | (bits & 0x83ff)));
      break;
    case DType::BF16:
      put(uint16_t(0x3f00 | (bits & 0x807f)));
      break;
    default: {
      // Of the small floats, too: 0 and their least number.
      std::memset(at, 0, width);
      *at = std::byte(bits & 1);
    }
    }
  }
}

static constexpr unsigned char unwritten = 0xff;

void fillAsUnwritten(runtime::HostTensor &tensor) {
  std::memset(tensor.data(), unwritten, tensor.bytes());
}

std::vector<bool> writtenElements(const runtime::TensorView &tensor) {
  size_t width = runtime::dtypeBytes(tensor.dtype);
  std::vector<bool> written(elementCount(tensor));
  for (size_t i = 0; i < tensor.data.size(); ++i)
    if (tensor.data[i] != std::byte(unwritten))
      written[i / width] = true;
  return written;
}

} // namespace tilewright::autotune
