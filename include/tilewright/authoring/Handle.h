// What the typed values of a kernel under construction hold.
#ifndef TILEWRIGHT_AUTHORING_HANDLE_H
#define TILEWRIGHT_AUTHORING_HANDLE_H

#include "tilewright/support/Language.h"

#include <concepts>
#include <cstdint>
#include <source_location>
#include <type_traits>
#include <vector>

namespace tilewright::authoring {

/// An index in the user's source: each operation takes it as a default
/// argument, errors and the IR name it.

namespace detail {

/// A value of the IR. Empty: an operation before it was rejected, and so does
/// nothing be said of those that use it.
struct Handle {
  void *value = nullptr;
  /// Which construction of which kernel it belongs to.
  uint64_t kernelBuilder = 0;
};
using Handles = std::vector<Handle>;

/// A number written in the kernel.
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

/// An operand: a value or a number, and where it stands.
struct Operand {
  Handle handle;
  Literal literal;
  std::source_location where;
};

/// Whether a function of the user's takes arguments of these types. Says yes of
/// one whose parameters are `auto` or whose own body is wrong: to ask of those
/// is an error of its own, and calling them gives the right one.
template <class F, class... A>
concept MayTake =
    !requires { &F::operator(); } || std::is_invocable_v<F &, A...>;

} // namespace detail
} // namespace tilewright::authoring

#endif // TILEWRIGHT_AUTHORING_HANDLE_H
