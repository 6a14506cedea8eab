// Element types of buffers, weights and interface tensors.
#ifndef TILEWRIGHT_MANIFEST_DTYPE_H
#define TILEWRIGHT_MANIFEST_DTYPE_H

#include "tilewright/support/Export.h"
#include "tilewright/support/Language.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace tilewright::runtime {

/// An element type. DTypes.inc lists the properties of each.
enum class DType {
#define DTYPE(ENUMERATOR, NAME, BITS, BYTES, KIND, NPY, SAFETENSORS) ENUMERATOR,
#include "tilewright/manifest/DTypes.inc"
#undef DTYPE
};

/// How the bits of an element are interpreted.
enum class DTypeKind {
  boolean,
  signedInteger,
  unsignedInteger,
  floatingPoint,
};

/// The properties of one element type.
struct DTypeInfo {
  DType dtype;
  /// The name in manifests and messages: "f32".
  std::string_view name;
  /// Bits of the value.
  unsigned bits;
  /// Bytes an element takes in a buffer.
  size_t bytes;
  DTypeKind kind;
  /// The descr that represents it in a .npy file: "<f4".
  std::string_view npy;
  /// The name in a .safetensors file: "F32".
  std::string_view safetensors;
};

/// The properties of `dtype`.
[[nodiscard]] TILEWRIGHT_API const DTypeInfo &dtypeInfo(DType dtype);

/// All element types, in the order of the table.
[[nodiscard]] TILEWRIGHT_API std::span<const DTypeInfo> allDTypes();

/// The name in manifests and messages: "f32".
[[nodiscard]] inline std::string_view dtypeName(DType dtype) {
  return dtypeInfo(dtype).name;
}

/// Bytes an element takes in a buffer.
[[nodiscard]] inline size_t dtypeBytes(DType dtype) {
  return dtypeInfo(dtype).bytes;
}

/// The element type called `name` in manifests, if there is one.
[[nodiscard]] TILEWRIGHT_API std::optional<DType>
dtypeFromName(std::string_view name);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_MANIFEST_DTYPE_H
