// Making tiles, and giving them other shapes and element types.
#ifndef TILEWRIGHT_TILEIR_AUTHORING_SHAPES_H
#define TILEWRIGHT_TILEIR_AUTHORING_SHAPES_H

#include "tileir/authoring/Values.h"

namespace tilewright::authoring {

//===--- New tiles --------------------------------------------------------===//

/// A tile of one number: full<F32>(x.shape(), 1.0).
template <class T, size_t Rank>
Tile<T, int(Rank)> full(const std::array<int64_t, Rank> &shape,
                        detail::OperandOf<Scalar<T>, T> value,
                        Where where = Where::current()) {
  return Tile<T, int(Rank)>(
      detail::full(value, detail::readingOf<T>, shape, where));
}
/// full<F32>({64, 32}, 1.0).
template <class T, size_t Rank>
Tile<T, int(Rank)> full(const int64_t (&shape)[Rank],
                        detail::OperandOf<Scalar<T>, T> value,
                        Where where = Where::current()) {
  return Tile<T, int(Rank)>(
      detail::full(value, detail::readingOf<T>, shape, where));
}

namespace detail {
/// A size, and where it stands.
struct Size {
  int64_t value;
  Where where;
  template <std::integral N>
  Size(N n, Where where = Where::current())
      : value(static_cast<int64_t>(n)), where(where) {}
};
template <class T, int Rank>
Tile<T, Rank> filled(const std::array<Size, Rank> &sizes, Literal value) {
  std::array<int64_t, Rank> shape;
  for (int i = 0; i < Rank; ++i)
    shape[i] = sizes[i].value;
  Where where = sizes[0].where;
  return Tile<T, Rank>(
      full(Operand{{}, value, where}, readingOf<T>, shape, where));
}
} // namespace detail

/// zeros<F32>(64, 32).
template <class T> Tile<T, 1> zeros(detail::Size a) {
  return detail::filled<T, 1>({a}, 0);
}
template <class T> Tile<T, 2> zeros(detail::Size a, detail::Size b) {
  return detail::filled<T, 2>({a, b}, 0);
}
template <class T>
Tile<T, 3> zeros(detail::Size a, detail::Size b, detail::Size c) {
  return detail::filled<T, 3>({a, b, c}, 0);
}

/// zeros<F32>(x.shape()).
template <class T, size_t Rank>
Tile<T, int(Rank)> zeros(const std::array<int64_t, Rank> &shape,
                         Where where = Where::current()) {
  return Tile<T, int(Rank)>(detail::full({{}, detail::Literal(0), where},
                                         detail::readingOf<T>, shape, where));
}
/// ones<F32>(64, 32).
template <class T> Tile<T, 1> ones(detail::Size a) {
  return detail::filled<T, 1>({a}, 1);
}
template <class T> Tile<T, 2> ones(detail::Size a, detail::Size b) {
  return detail::filled<T, 2>({a, b}, 1);
}
template <class T>
Tile<T, 3> ones(detail::Size a, detail::Size b, detail::Size c) {
  return detail::filled<T, 3>({a, b, c}, 1);
}

/// 0, 1, 2, ...: iota<I32>(64).
template <class T>
  requires(T::isInteger)
Tile<T, 1> iota(int64_t size, Where where = Where::current()) {
  return Tile<T, 1>(detail::iota(T::type, size, where));
}

//===--- Shapes -----------------------------------------------------------===//

/// The same elements in row-major order.
template <int To, class T, int Rank>
Tile<T, To> reshape(Tile<T, Rank> x, std::type_identity_t<Extents<To>> shape,
                    Where where = Where::current()) {
  return Tile<T, To>(detail::reshape(x.handle(), shape.values, where));
}
/// Repeats dimensions of size 1.
template <class T, int Rank>
Tile<T, Rank> broadcast(Tile<T, Rank> x,
                        std::type_identity_t<Extents<Rank>> shape,
                        Where where = Where::current()) {
  return Tile<T, Rank>(detail::broadcast(x.handle(), shape.values, where));
}
/// With a new dimension of size 1 at `axis`.
template <class T, int Rank>
Tile<T, Rank + 1> expand(Tile<T, Rank> x, int axis,
                         Where where = Where::current()) {
  return Tile<T, Rank + 1>(detail::expand(x.handle(), axis, where));
}
/// Without the dimension `axis`, whose size is 1.
template <class T, int Rank>
  requires(Rank > 0)
Tile<T, Rank - 1> squeeze(Tile<T, Rank> x, int axis,
                          Where where = Where::current()) {
  return Tile<T, Rank - 1>(detail::squeeze(x.handle(), axis, where));
}
/// Dimension `d` of the result is dimension `permutation[d]` of `x`.
template <class T, int Rank>
Tile<T, Rank> transpose(Tile<T, Rank> x,
                        std::type_identity_t<Extents<Rank>> permutation,
                        Where where = Where::current()) {
  return Tile<T, Rank>(
      detail::transpose(x.handle(), permutation.values, where));
}
/// Of a matrix.
template <class T>
Tile<T, 2> transpose(Tile<T, 2> x, Where where = Where::current()) {
  return transpose(x, {1, 0}, where);
}
/// One after the other along `axis`.
template <class T, int Rank>
Tile<T, Rank> concat(Tile<T, Rank> a, std::type_identity_t<Tile<T, Rank>> b,
                     int axis, Where where = Where::current()) {
  return Tile<T, Rank>(detail::concat({a.handle(), b.handle()}, axis, where));
}
/// `shape` elements from `offsets` on.
template <class T, int Rank>
Tile<T, Rank> slice(Tile<T, Rank> x,
                    std::type_identity_t<Extents<Rank>> offsets,
                    std::type_identity_t<Extents<Rank>> shape,
                    Where where = Where::current()) {
  return Tile<T, Rank>(
      detail::slice(x.handle(), offsets.values, shape.values, {}, where));
}
/// Every `steps`-th one of them.
template <class T, int Rank>
Tile<T, Rank> slice(Tile<T, Rank> x,
                    std::type_identity_t<Extents<Rank>> offsets,
                    std::type_identity_t<Extents<Rank>> shape,
                    std::type_identity_t<Extents<Rank>> steps,
                    Where where = Where::current()) {
  return Tile<T, Rank>(detail::slice(x.handle(), offsets.values, shape.values,
                                     steps.values, where));
}
/// result[.., i, ..] = x[.., indices[.., i, ..], ..], at `axis`.
template <class T, class I, int Rank>
  requires(I::isInteger)
Tile<T, Rank> gather(Tile<T, Rank> x, Tile<I, Rank> indices, int axis,
                     Where where = Where::current()) {
  return Tile<T, Rank>(
      detail::gather(x.handle(), indices.handle(), axis, where));
}
/// One element. An index outside of the tile gives poison.
template <class T, int Rank>
Scalar<T> extract(Tile<T, Rank> x,
                  std::type_identity_t<Coordinates<Rank>> index,
                  Where where = Where::current()) {
  detail::Handles handles;
  for (const detail::Operand &i : index.values)
    handles.push_back(detail::scalar({i.handle, i.literal, where},
                                     detail::readingOf<IndexElement>));
  return Scalar<T>(detail::extract(x.handle(), handles, where));
}

//===--- Element types ----------------------------------------------------===//

using Rounding = detail::Rounding;

namespace detail {
template <class To, class Self> struct WithElement;
template <class To, class T> struct WithElement<To, Scalar<T>> {
  using type = Scalar<To>;
};
template <class To, class T, int Rank> struct WithElement<To, Tile<T, Rank>> {
  using type = Tile<To, Rank>;
};
} // namespace detail

/// Converts each element: to a float rounding to nearest, ties to even, to an
/// integer toward zero, or as said. An integer out of range is poison; Bool is
/// whether the element is not 0.
template <class To, class Self>
typename detail::WithElement<To, Self>::type
cast(Self x, std::optional<Rounding> rounding = {},
     Where where = Where::current()) {
  return typename detail::WithElement<To, Self>::type(detail::cast(
      {x.handle(), {}, where}, detail::readingOf<typename Self::Element>,
      detail::readingOf<To>, rounding, false));
}
/// The same, but out of range is the nearest number of the type, and NaN to an
/// integer 0.
template <class To, class Self>
typename detail::WithElement<To, Self>::type
saturate(Self x, std::optional<Rounding> rounding = {},
         Where where = Where::current()) {
  return typename detail::WithElement<To, Self>::type(detail::cast(
      {x.handle(), {}, where}, detail::readingOf<typename Self::Element>,
      detail::readingOf<To>, rounding, true));
}
/// The same bits.
template <class To, class Self>
typename detail::WithElement<To, Self>::type
bitcast(Self x, Where where = Where::current()) {
  return typename detail::WithElement<To, Self>::type(
      detail::bitcast({x.handle(), {}, where}, To::type));
}

} // namespace tilewright::authoring

#endif // TILEWRIGHT_TILEIR_AUTHORING_SHAPES_H
