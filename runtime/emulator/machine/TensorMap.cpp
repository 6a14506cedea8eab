#include "runtime/emulator/machine/TensorMap.h"
#include "support/Format.h"
#include <algorithm>
#include <cstring>
#include <string>

namespace tilewright::emulator {

uint32_t bytesOf(TensorElement element) {
  switch (element) {
  case TensorElement::u8:
    return 1;
  case TensorElement::u16:
  case TensorElement::f16:
  case TensorElement::bf16:
    return 2;
  case TensorElement::u64:
  case TensorElement::s64:
  case TensorElement::f64:
    return 8;
  default:
    return 4;
  }
}

static bool isFloat(TensorElement element) {
  return element >= TensorElement::f16;
}

uint64_t TensorMap::boxBytes() const {
  uint64_t bytes = bytesOf(element);
  for (unsigned dim = 0; dim < rank; ++dim)
    bytes *= boxElements(dim);
  return bytes;
}

static Status reject(const std::string &what, uint64_t found) {
  return Status::invalidInput(
      format("tensor map: expected {}, found {}", {what, found}));
}

static Status checkDimension(const TensorMap &map, unsigned dim) {
  std::string which = format(" in dimension {}", {dim});
  if (map.size[dim] == 0 || map.size[dim] > uint64_t{1} << 32)
    return reject("a size of 1 to 2^32" + which, map.size[dim]);
  if (map.box[dim] == 0 || map.box[dim] > 256)
    return reject("a box of 1 to 256" + which, map.box[dim]);
  if (map.elementStride[dim] == 0 || map.elementStride[dim] > 8)
    return reject("an element stride of 1 to 8" + which,
                  map.elementStride[dim]);
  if (dim == 0)
    return {};
  uint64_t multiple = map.interleave == TensorInterleave::bytes32 ? 32 : 16;
  if (map.stride[dim] % multiple || map.stride[dim] >> 40)
    return reject(format("a stride that is a multiple of {} below 2^40{}",
                         {multiple, which}),
                  map.stride[dim]);
  return {};
}

Status check(const TensorMap &map) {
  bool interleaved = map.interleave != TensorInterleave::none;
  if (map.fill == TensorFill::nan && !isFloat(map.element))
    return reject("a type of floating point for the fill with NaN",
                  uint64_t(map.element));
  if (map.rank < (interleaved ? 3u : 1u) || map.rank > 5)
    return reject(interleaved ? "a rank of 3 to 5" : "a rank of 1 to 5",
                  map.rank);
  uint64_t alignment = map.interleave == TensorInterleave::bytes32 ? 32 : 16;
  if (map.address % alignment)
    return reject(format("an address that is a multiple of {}", {alignment}),
                  map.address);
  for (unsigned dim = 0; dim < map.rank; ++dim)
    TILEWRIGHT_RETURN_IF_ERROR(checkDimension(map, dim));
  if (map.interleave == TensorInterleave::bytes32 &&
      map.swizzle != TensorSwizzle::bytes32)
    return reject("swizzle 32B with interleave 32B (1)", uint64_t(map.swizzle));
  uint64_t inner = uint64_t{map.box[0]} * bytesOf(map.element);
  if (interleaved)
    return {};
  if (inner % 16)
    return reject("an inner box that is a multiple of 16 bytes", inner);
  if (map.swizzle != TensorSwizzle::none) {
    uint64_t span = uint64_t{16} << unsigned(map.swizzle);
    if (inner > span)
      return reject(
          format("an inner box of at most {} bytes with this swizzle", {span}),
          inner);
  }
  return {};
}

//===--- The 128 bytes ----------------------------------------------------===//

static constexpr char magic[4] = {'T', 'W', 'T', 'M'};

void write(const TensorMap &map, std::span<std::byte, tensorMapBytes> bytes) {
  std::memset(bytes.data(), 0, bytes.size());
  auto put = [&](size_t offset, uint64_t value, size_t width) {
    std::memcpy(&bytes[offset], &value, width);
  };
  std::memcpy(bytes.data(), magic, sizeof(magic));
  put(4, std::min(map.rank, 255u), 1);
  put(5, uint64_t(map.element), 1);
  put(6, uint64_t(map.swizzle), 1);
  put(7, uint64_t(map.interleave), 1);
  put(8, uint64_t(map.fill), 1);
  put(16, map.address, 8);
  for (unsigned dim = 0; dim < 5; ++dim) {
    if (dim)
      put(24 + 8 * (dim - 1), map.stride[dim], 8);
    put(56 + 8 * dim, map.size[dim], 8);
    put(96 + 4 * dim, map.box[dim], 4);
    put(116 + dim, std::min(map.elementStride[dim], 255u), 1);
  }
}

StatusOr<TensorMap>
readTensorMap(std::span<const std::byte, tensorMapBytes> bytes) {
  auto get = [&](size_t offset, size_t width) {
    uint64_t value = 0;
    std::memcpy(&value, &bytes[offset], width);
    return value;
  };
  bool blank = std::all_of(bytes.begin(), bytes.end(),
                           [](std::byte byte) { return byte == std::byte{}; });
  if (!blank && std::memcmp(bytes.data(), magic, sizeof(magic)) != 0)
    return Status::invalidInput(
        "tensor map: expected the emulator's form of a map, which starts with "
        "\"TWTM\"");
  TensorMap map;
  map.rank = uint32_t(get(4, 1));
  map.element = TensorElement(get(5, 1));
  map.swizzle = TensorSwizzle(get(6, 1));
  map.interleave = TensorInterleave(get(7, 1));
  map.fill = TensorFill(get(8, 1));
  if (map.element > TensorElement::tf32Flushed)
    return reject("an element type of 0 to 12", uint64_t(map.element));
  if (map.swizzle > TensorSwizzle::bytes128)
    return reject("a swizzle of 0 to 3", uint64_t(map.swizzle));
  if (map.interleave > TensorInterleave::bytes32)
    return reject("an interleave of 0 to 2", uint64_t(map.interleave));
  if (map.fill > TensorFill::nan)
    return reject("a fill of 0 or 1", uint64_t(map.fill));
  map.address = get(16, 8);
  for (unsigned dim = 0; dim < 5; ++dim) {
    if (dim)
      map.stride[dim] = get(24 + 8 * (dim - 1), 8);
    map.size[dim] = get(56 + 8 * dim, 8);
    map.box[dim] = uint32_t(get(96 + 4 * dim, 4));
    map.elementStride[dim] = uint32_t(get(116 + dim, 1));
  }
  map.stride[0] = bytesOf(map.element);
  return map;
}

} // namespace tilewright::emulator
