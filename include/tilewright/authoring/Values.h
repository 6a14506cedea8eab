// Scalars and tiles, and their operators.
#ifndef TILEWRIGHT_AUTHORING_VALUES_H
#define TILEWRIGHT_AUTHORING_VALUES_H

#include "tilewright/authoring/Build.h"

#include <array>

namespace tilewright::authoring {

template <class T> class Scalar;
template <class T, int Rank> class Tile;

/// A size, an index, a loop counter.
using Index = Scalar<IndexElement>;

namespace detail {

/// A value of the kernel that is being built. Copies are the same value.
class TypedHandle {
public:
  TypedHandle() = default;
  explicit TypedHandle(Handle handle) : underlying(handle) {}
  /// For internal use.
  [[nodiscard]] Handle handle() const { return underlying; }

private:
  Handle underlying;
};

template <class Self> struct MaskOf;
template <class T> struct MaskOf<Scalar<T>> {
  using type = Scalar<Bool>;
};
template <class T, int Rank> struct MaskOf<Tile<T, Rank>> {
  using type = Tile<Bool, Rank>;
};

/// Whether a C++ number of type N can be an element of type T: integers need an
/// integral N, Bool needs bool.
template <class N, class T>
concept NumberFor =
    std::is_arithmetic_v<N> && (T::isFloat || std::is_integral_v<N>) &&
    (T::isFloat || T::isInteger || std::same_as<N, bool>);

/// An operand of an operator of Self and its source location, which the
/// conversion records.
template <class Self, class T> struct OperandOf : Operand {
  OperandOf(const Self &x,
            std::source_location at = std::source_location::current())
      : Operand{x.handle(), {}, at} {}
  OperandOf(const Scalar<T> &x,
            std::source_location at = std::source_location::current())
    requires(!std::same_as<Self, Scalar<T>>)
      : Operand{x.handle(), {}, at} {}
  template <NumberFor<T> N>
  OperandOf(N x, std::source_location at = std::source_location::current())
      : Operand{{}, Literal(x), at} {}
};

/// Rejects a T that is no element type, once for each T.
template <class T> struct RequireElement {
  static_assert(IsElement<T>, "expected an element type of Tilewright (F32, "
                              "BF16, I32, U8, Bool, IndexElement, ...), not a "
                              "type of C++: Tile<F32, 2>, Scalar<I64>");
};

/// The operators of Self, which has elements of type T. Scalars, numbers and
/// dimensions of size 1 broadcast.
template <class Self, class T> class Arithmetic : public TypedHandle {
public:
  using TypedHandle::TypedHandle;
  using Operand = OperandOf<Self, T>;
  using Mask = typename MaskOf<Self>::type;

#define NUMBER (T::isFloat || T::isInteger)
#define BITS (!T::isFloat)
#define BINARY(NAME, OP, REQUIRES)                                             \
  friend Self NAME(Operand a, Operand b)                                       \
    requires(REQUIRES)                                                         \
  {                                                                            \
    return Self(detail::binary(Binary::OP, a, b, traitsOf<T>));                \
  }
#define ASSIGNING(NAME, OP, REQUIRES)                                          \
  Self &NAME(Operand b)                                                        \
    requires(REQUIRES)                                                         \
  {                                                                            \
    Self &self = static_cast<Self &>(*this);                                   \
    return self = Self(detail::binary(Binary::OP, Operand(self, b.where), b,   \
                                      traitsOf<T>));                           \
  }
#define COMPARE(NAME, OP)                                                      \
  friend Mask NAME(Operand a, Operand b) {                                     \
    return Mask(detail::compare(Comparison::OP, a, b, traitsOf<T>));           \
  }
#define CLASSIFY(NAME, WHAT)                                                   \
  friend Mask NAME(Operand x)                                                  \
    requires(T::isFloat)                                                       \
  {                                                                            \
    return Mask(detail::classify(FloatClass::WHAT, x));                        \
  }
#define UNARY(NAME, OP, REQUIRES)                                              \
  friend Self NAME(Operand x)                                                  \
    requires(REQUIRES)                                                         \
  {                                                                            \
    return Self(detail::unary(Unary::OP, x, traitsOf<T>));                     \
  }

  BINARY(operator+, add, NUMBER)
  BINARY(operator-, sub, NUMBER)
  BINARY(operator*, mul, NUMBER)
  /// Integer division rounds toward zero.
  BINARY(operator/, div, NUMBER)
  /// The remainder has the sign of `a`.
  BINARY(operator%, rem, NUMBER)
  BINARY(operator&, bitAnd, BITS)
  BINARY(operator|, bitOr, BITS)
  BINARY(operator^, bitXor, BITS)
  /// For masks; both sides are always computed.
  BINARY(operator&&, bitAnd, BITS && !T::isInteger)
  BINARY(operator||, bitOr, BITS && !T::isInteger)
  BINARY(operator<<, shiftLeft, T::isInteger)
  /// Arithmetic for signed integers, logical for unsigned ones.
  BINARY(operator>>, shiftRight, T::isInteger)
  /// NaN if either operand is NaN.
  BINARY(min, min, NUMBER)
  BINARY(max, max, NUMBER)
  BINARY(pow, power, T::isFloat)
  BINARY(atan2, atan2, T::isFloat)
  BINARY(copysign, copysign, T::isFloat)
  BINARY(ceilDiv, ceilDiv, T::isInteger)
  BINARY(floorDiv, floorDiv, T::isInteger)
  ASSIGNING(operator+=, add, NUMBER)
  ASSIGNING(operator-=, sub, NUMBER)
  ASSIGNING(operator*=, mul, NUMBER)
  ASSIGNING(operator/=, div, NUMBER)
  /// Comparisons with NaN are false, except !=, which is true.
  COMPARE(operator<, lt)
  COMPARE(operator<=, le)
  COMPARE(operator>, gt)
  COMPARE(operator>=, ge)
  COMPARE(operator==, eq)
  COMPARE(operator!=, ne)
  UNARY(operator-, negate, NUMBER)
  UNARY(operator~, invert, T::isInteger)
  UNARY(operator!, invert, BITS && !T::isInteger)
  UNARY(abs, abs, T::isFloat || T::isSigned)
  UNARY(exp, exp, T::isFloat)
  UNARY(exp2, exp2, T::isFloat)
  UNARY(expm1, expm1, T::isFloat)
  UNARY(log, log, T::isFloat)
  UNARY(log2, log2, T::isFloat)
  UNARY(log10, log10, T::isFloat)
  UNARY(log1p, log1p, T::isFloat)
  UNARY(sqrt, sqrt, T::isFloat)
  UNARY(rsqrt, rsqrt, T::isFloat)
  UNARY(cbrt, cbrt, T::isFloat)
  UNARY(sin, sin, T::isFloat)
  UNARY(cos, cos, T::isFloat)
  UNARY(tan, tan, T::isFloat)
  UNARY(asin, asin, T::isFloat)
  UNARY(acos, acos, T::isFloat)
  UNARY(atan, atan, T::isFloat)
  UNARY(sinh, sinh, T::isFloat)
  UNARY(cosh, cosh, T::isFloat)
  UNARY(tanh, tanh, T::isFloat)
  UNARY(asinh, asinh, T::isFloat)
  UNARY(acosh, acosh, T::isFloat)
  UNARY(atanh, atanh, T::isFloat)
  UNARY(erf, erf, T::isFloat)
  UNARY(erfc, erfc, T::isFloat)
  UNARY(floor, floor, T::isFloat)
  UNARY(ceil, ceil, T::isFloat)
  /// To the nearest integer, ties to even.
  UNARY(round, round, T::isFloat)
  /// Toward zero.
  UNARY(trunc, trunc, T::isFloat)
  CLASSIFY(isnan, nan)
  CLASSIFY(isinf, infinite)
  CLASSIFY(isfinite, finite)
  /// 1 / (1 + exp(-x)).
  friend Self sigmoid(Operand x)
    requires(T::isFloat)
  {
    return Self(detail::sigmoid(x, traitsOf<T>));
  }
  /// Selects `a` where the condition is true, else `b`.
  friend Self where(OperandOf<Mask, Bool> condition, Operand a, Operand b) {
    return Self(detail::select(condition, a, b, traitsOf<T>));
  }
  /// a * b + c with one rounding.
  friend Self fma(Operand a, Operand b, Operand c)
    requires(T::isFloat)
  {
    return Self(detail::fma(a, b, c, traitsOf<T>));
  }
#undef NUMBER
#undef BITS
#undef BINARY
#undef ASSIGNING
#undef COMPARE
#undef CLASSIFY
#undef UNARY
};

} // namespace detail

/// One number of the kernel.
template <class T> class Scalar : public detail::Arithmetic<Scalar<T>, T> {
public:
  static_assert(sizeof(detail::RequireElement<T>) > 0);
  using Element = T;
  Scalar() = default;
  explicit Scalar(detail::Handle handle)
      : detail::Arithmetic<Scalar<T>, T>(handle) {}
  /// A constant.
  template <detail::NumberFor<T> N>
  Scalar(N number, std::source_location where = std::source_location::current())
      : Scalar(detail::scalar({{}, detail::Literal(number), where},
                              detail::traitsOf<T>)) {}
};

/// A tile: a value with `Rank` dimensions. Its sizes are known when the kernel
/// is built.
template <class T, int Rank>
class Tile : public detail::Arithmetic<Tile<T, Rank>, T> {
public:
  static_assert(sizeof(detail::RequireElement<T>) > 0);
  static_assert(Rank >= 0);
  using Element = T;
  static constexpr int rank = Rank;
  Tile() = default;
  explicit Tile(detail::Handle handle)
      : detail::Arithmetic<Tile<T, Rank>, T>(handle) {}

  /// The sizes; all are 1 after an error.
  [[nodiscard]] std::array<int64_t, Rank>
  shape(std::source_location where = std::source_location::current()) const {
    std::vector<int64_t> sizes = detail::shapeOf(this->handle(), Rank, where);
    std::array<int64_t, Rank> shape;
    for (int i = 0; i < Rank; ++i)
      shape[i] = sizes[i];
    return shape;
  }
  /// The size of one dimension.
  [[nodiscard]] int64_t
  size(int dim,
       std::source_location where = std::source_location::current()) const {
    return detail::sizeOf(this->handle(), dim, where);
  }
};

namespace detail {
template <class To, class Self> struct WithElement;
template <class To, class T> struct WithElement<To, Scalar<T>> {
  using type = Scalar<To>;
};
template <class To, class T, int Rank> struct WithElement<To, Tile<T, Rank>> {
  using type = Tile<To, Rank>;
};
/// M is a Scalar<Bool> or a tile of Bool.
template <class M>
concept IsMask = requires { typename WithElement<Bool, M>::type; } &&
                 std::same_as<typename M::Element, Bool>;
} // namespace detail

/// Selects numbers or scalars by a mask: where<F32>(x > 0.0, 1.0, 0.0).
template <class T, detail::IsMask M>
typename detail::WithElement<T, M>::type
where(M condition, std::type_identity_t<detail::OperandOf<Scalar<T>, T>> a,
      std::type_identity_t<detail::OperandOf<Scalar<T>, T>> b) {
  return typename detail::WithElement<T, M>::type(detail::select(
      {condition.handle(), {}, a.where}, a, b, detail::traitsOf<T>));
}
template <detail::IsMask M, class N, class O>
  requires(std::is_arithmetic_v<N> && std::is_arithmetic_v<O>)
M where(M condition, N, O) {
  static_assert(sizeof(N) == 0, "the element type of the result is not known: "
                                "write where<F32>(condition, 1.0, 0.0)");
  return condition;
}

/// One number for each dimension: sizes, offsets or steps.
template <int Rank> struct Extents {
  std::array<int64_t, Rank> values;
  template <std::integral... N>
    requires(sizeof...(N) == Rank)
  Extents(N... n) : values{static_cast<int64_t>(n)...} {}
  Extents(const std::array<int64_t, Rank> &given) : values(given) {}
};

/// One index for each dimension.
template <int Rank> struct Coordinates {
  std::array<detail::Operand, Rank> values;
  template <class... I>
    requires(sizeof...(I) == Rank && (std::convertible_to<I, Index> && ...))
  Coordinates(const I &...i) : values{operand(i)...} {}
  template <std::derived_from<detail::Operand>... I>
    requires(sizeof...(I) == Rank)
  Coordinates(const I &...i) : values{i...} {}

private:
  static detail::Operand operand(const Index &i) {
    return {i.handle(), {}, {}};
  }
  template <std::integral N> static detail::Operand operand(N n) {
    return {{}, detail::Literal(n), {}};
  }
};

} // namespace tilewright::authoring

#endif // TILEWRIGHT_AUTHORING_VALUES_H
