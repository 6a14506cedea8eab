// The element types of tiles as C++ types.
#ifndef TILEWRIGHT_AUTHORING_ELEMENTS_H
#define TILEWRIGHT_AUTHORING_ELEMENTS_H

#include "tilewright/manifest/DType.h"

#include <concepts>

namespace tilewright::authoring {

/// An element type in memory, or index.
struct ElementType {
  /// I64 for index.
  runtime::DType dtype = runtime::DType::F32;
  bool isIndex = false;
  bool operator==(const ElementType &) const = default;
};

/// Sizes, indices and loop counters: 64-bit, signed.
struct IndexElement {
  static constexpr ElementType type = {runtime::DType::I64, true};
  static constexpr bool isFloat = false, isInteger = true, isSigned = true;
};

/// F32, BF16, I8, U32, Bool, ...: one empty type for each element type.
/// Integers of the tile IR have no sign; I32 and U32 differ in their operators.
#define DTYPE(NAME, TEXT, BITS, BYTES, KIND, NPY, SAFETENSORS)                 \
  struct NAME {                                                                \
    static constexpr ElementType type = {runtime::DType::NAME};                \
    static constexpr bool isFloat =                                            \
        runtime::DTypeKind::KIND == runtime::DTypeKind::floatingPoint;         \
    static constexpr bool isInteger =                                          \
        runtime::DTypeKind::KIND == runtime::DTypeKind::signedInteger ||       \
        runtime::DTypeKind::KIND == runtime::DTypeKind::unsignedInteger;       \
    static constexpr bool isSigned =                                           \
        runtime::DTypeKind::KIND == runtime::DTypeKind::signedInteger;         \
  };
#include "tilewright/manifest/DTypes.inc"
#undef DTYPE

namespace detail {
/// T is one of the element types of this file.
template <class T>
concept IsElement =
    requires { requires std::same_as<decltype(T::type), const ElementType>; };
/// T is an element type in memory, not index.
template <class T>
concept IsMemoryElement = IsElement<T> && !T::type.isIndex;
} // namespace detail

} // namespace tilewright::authoring

#endif // TILEWRIGHT_AUTHORING_ELEMENTS_H
