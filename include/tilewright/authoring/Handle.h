// The untyped data of values while a kernel is built.
#ifndef TILEWRIGHT_AUTHORING_HANDLE_H
#define TILEWRIGHT_AUTHORING_HANDLE_H

#include "tilewright/support/Language.h"

#include <concepts>
#include <cstdint>
#include <source_location>
#include <type_traits>
#include <vector>

namespace tilewright::authoring {

/// A location in the user's source is a default argument of each operation.
/// Errors and the IR contain it.

namespace detail {

/// A value of the IR. Empty after an error.
struct Handle {
  void *value = nullptr;
  /// Identifies the build of the kernel that owns the value.
  uint64_t kernelBuilder = 0;
};
using Handles = std::vector<Handle>;

/// A C++ number as an operand.
struct Literal {
  enum Kind : uint8_t { none, signedInteger, unsignedInteger, real };
  Kind kind = none;
  int64_t integer = 0;
  double number = 0;

  constexpr Literal() = default;
  template <class N>
    requires std::is_arithmetic_v<N>
  constexpr Literal(N n) : integer(0), number(static_cast<double>(n)) {
    if constexpr (std::is_floating_point_v<N>) {
      kind = real;
    } else {
      kind = std::is_signed_v<N> ? signedInteger : unsignedInteger;
      integer = static_cast<int64_t>(n);
    }
  }
};

/// An operand: a value or a number, and its source location.
struct Operand {
  Handle handle;
  Literal literal;
  std::source_location where;
};

/// Whether a user's function takes arguments of these types. True also if its
/// parameters are `auto` or its body does not compile: testing such a function
/// is itself an error, and calling it reports the actual one.
template <class F, class... A>
concept MayTake =
    !requires { &F::operator(); } || std::is_invocable_v<F &, A...>;

} // namespace detail
} // namespace tilewright::authoring

#endif // TILEWRIGHT_AUTHORING_HANDLE_H
