// The element types of tiles, as types of C++.
#ifndef TILEWRIGHT_AUTHORING_ELEMENTS_H
#define TILEWRIGHT_AUTHORING_ELEMENTS_H

#include "tilewright/manifest/DType.h"

#include <concepts>

namespace tilewright::authoring {

/// The type of an element: one that memory holds, or an index.
struct ElementType {
  /// Of an index: I64.
  runtime::DType dtype = runtime::DType::F32;
  bool isIndex = false;
  bool operator==(const ElementType &) const = default;
};

/// Sizes, indices, loop counters: 64 bits, signed.
struct IndexElement {
  static constexpr ElementType type = {runtime::DType::I64, true};
  static constexpr bool isFloat = false, isInteger = true, isSigned = true;
};

/// F32, BF16, I8, U32, Bool, ...: one empty type for each element type. In the
/// tile IR integers have no sign: it is the operators of an I32 or a U32 that
/// differ.
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
/// An element type of this file.
template <class T>
concept IsElement =
    requires { requires std::same_as<decltype(T::type), const ElementType>; };
/// One that memory holds.
template <class T>
concept IsMemoryElement = IsElement<T> && !T::type.isIndex;
} // namespace detail

} // namespace tilewright::authoring

#endif // TILEWRIGHT_AUTHORING_ELEMENTS_H
