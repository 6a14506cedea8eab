// The 128 bytes that describe a tensor in global memory to the copy unit.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_TENSORMAP_H
#define TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_TENSORMAP_H

#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"
#include <array>
#include <cstddef>
#include <span>

namespace tilewright::emulator {

/// Element types as the driver numbers them (CUtensorMapDataType).
enum class TensorElement : uint8_t {
  u8,
  u16,
  u32,
  s32,
  u64,
  s64,
  f16,
  f32,
  f64,
  bf16,
  f32Flushed,
  tf32,
  tf32Flushed,
};
[[nodiscard]] TILEWRIGHT_PRIVATE_API uint32_t bytesOf(TensorElement element);

/// As the driver numbers them.
enum class TensorSwizzle : uint8_t { none, bytes32, bytes64, bytes128 };
enum class TensorInterleave : uint8_t { none, bytes16, bytes32 };
enum class TensorFill : uint8_t { zeros, nan };

/// A tensor map, read. Dimension 0 is the innermost.
struct TensorMap {
  uint64_t address = 0;
  uint32_t rank = 1;
  TensorElement element = TensorElement::u8;
  TensorSwizzle swizzle = TensorSwizzle::none;
  TensorInterleave interleave = TensorInterleave::none;
  TensorFill fill = TensorFill::zeros;
  /// Elements.
  std::array<uint64_t, 5> size = {1, 1, 1, 1, 1};
  /// Bytes from one index of dimension 1, 2, ... to the next; of dimension 0
  /// it is the element's size.
  std::array<uint64_t, 5> stride = {};
  std::array<uint32_t, 5> box = {1, 1, 1, 1, 1};
  std::array<uint32_t, 5> elementStride = {1, 1, 1, 1, 1};

  /// What dimension `dim` steps by: without interleaving, the innermost takes
  /// each element.
  [[nodiscard]] uint32_t step(unsigned dim) const {
    bool dense = dim == 0 && interleave == TensorInterleave::none;
    return dense ? 1 : elementStride[dim];
  }
  /// Elements of the box that are copied in a dimension.
  [[nodiscard]] uint32_t boxElements(unsigned dim) const {
    return (box[dim] + step(dim) - 1) / step(dim);
  }
  /// Bytes of a whole box in shared memory.
  [[nodiscard]] uint64_t boxBytes() const;
};

constexpr size_t tensorMapBytes = 128;

/// Checks what cuTensorMapEncodeTiled checks (CUDA driver API, "Tensor Map
/// Object Management"). Errors: which rule, expected and found.
TILEWRIGHT_PRIVATE_API Status check(const TensorMap &map);

/// The emulator's form of a map; the driver's is not documented. Little-endian:
///   0 "TWTM"; 4 rank, 5 element, 6 swizzle, 7 interleave, 8 fill; 16 address
///   (8 bytes); 24 strides of dimensions 1 to 4 (4 x 8); 56 sizes (5 x 8);
///   96 boxes (5 x 4); 116 element strides (5 x 1). 128 bytes of zeros are a
///   map too, from which kernels make their own, field by field.
TILEWRIGHT_PRIVATE_API void write(const TensorMap &map,
                                  std::span<std::byte, tensorMapBytes> bytes);
/// Errors: not such a map. It may still be one that check() rejects, as while
/// a kernel replaces its fields.
StatusOr<TensorMap>
readTensorMap(std::span<const std::byte, tensorMapBytes> bytes);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_TENSORMAP_H
