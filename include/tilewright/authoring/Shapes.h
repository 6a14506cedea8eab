// Creating tiles, and changing their shapes and element types.
#ifndef TILEWRIGHT_AUTHORING_SHAPES_H
#define TILEWRIGHT_AUTHORING_SHAPES_H

#include "tilewright/authoring/Values.h"

namespace tilewright::authoring {

//===--- New tiles --------------------------------------------------------===//

namespace detail {
/// A size and its source location.
struct Size {
  int64_t value;
  std::source_location where;
  template <std::integral N>
  Size(N n, std::source_location at = std::source_location::current())
      : value(static_cast<int64_t>(n)), where(at) {}
};
template <size_t Rank>
std::array<int64_t, Rank> shapeOf(const Size (&sizes)[Rank]) {
  std::array<int64_t, Rank> shape;
  for (size_t i = 0; i < Rank; ++i)
    shape[i] = sizes[i].value;
  return shape;
}
template <class T, size_t Rank>
Tile<T, int(Rank)> filled(const Size (&sizes)[Rank], Literal value) {
  std::source_location where = sizes[0].where;
  return Tile<T, int(Rank)>(
      full(Operand{{}, value, where}, traitsOf<T>, shapeOf(sizes), where));
}
} // namespace detail

/// A tile filled with one number: full<F32>({64, 32}, 1.0). Every shape is
/// either written in braces or taken from a tile: full<F32>(x.shape(), 1.0).
template <class T, size_t Rank>
Tile<T, int(Rank)>
full(const std::array<int64_t, Rank> &shape,
     detail::OperandOf<Scalar<T>, T> value,
     std::source_location where = std::source_location::current()) {
  return Tile<T, int(Rank)>(
      detail::full(value, detail::traitsOf<T>, shape, where));
}
template <class T, size_t Rank>
Tile<T, int(Rank)>
full(const detail::Size (&shape)[Rank], detail::OperandOf<Scalar<T>, T> value,
     std::source_location where = std::source_location::current()) {
  return full<T>(detail::shapeOf(shape), value, where);
}

/// zeros<F32>({64, 32}).
template <class T, size_t Rank>
Tile<T, int(Rank)> zeros(const detail::Size (&shape)[Rank]) {
  return detail::filled<T>(shape, 0);
}
/// zeros<F32>(x.shape()).
template <class T, size_t Rank>
Tile<T, int(Rank)>
zeros(const std::array<int64_t, Rank> &shape,
      std::source_location where = std::source_location::current()) {
  return Tile<T, int(Rank)>(detail::full({{}, detail::Literal(0), where},
                                         detail::traitsOf<T>, shape, where));
}
/// zeros<F32>(64, 32).
template <class T, std::integral N>
Tile<T, 1> zeros(N a,
                 std::source_location where = std::source_location::current()) {
  return detail::filled<T>({detail::Size(a, where)}, 0);
}
template <class T> Tile<T, 2> zeros(detail::Size a, detail::Size b) {
  return detail::filled<T>({a, b}, 0);
}
template <class T>
Tile<T, 3> zeros(detail::Size a, detail::Size b, detail::Size c) {
  return detail::filled<T>({a, b, c}, 0);
}
/// ones<F32>({64, 32}).
template <class T, size_t Rank>
Tile<T, int(Rank)> ones(const detail::Size (&shape)[Rank]) {
  return detail::filled<T>(shape, 1);
}
template <class T, size_t Rank>
Tile<T, int(Rank)>
ones(const std::array<int64_t, Rank> &shape,
     std::source_location where = std::source_location::current()) {
  return Tile<T, int(Rank)>(detail::full({{}, detail::Literal(1), where},
                                         detail::traitsOf<T>, shape, where));
}
/// ones<F32>(64, 32).
template <class T, std::integral N>
Tile<T, 1> ones(N a,
                std::source_location where = std::source_location::current()) {
  return detail::filled<T>({detail::Size(a, where)}, 1);
}
template <class T> Tile<T, 2> ones(detail::Size a, detail::Size b) {
  return detail::filled<T>({a, b}, 1);
}
template <class T>
Tile<T, 3> ones(detail::Size a, detail::Size b, detail::Size c) {
  return detail::filled<T>({a, b, c}, 1);
}

/// 0, 1, 2, ...: iota<I32>(64).
template <class T>
  requires(T::isInteger)
Tile<T, 1> iota(int64_t size,
                std::source_location where = std::source_location::current()) {
  return Tile<T, 1>(detail::iota(T::type, size, where));
}

//===--- Shapes -----------------------------------------------------------===//

namespace detail {
template <class Tiles> Handles handlesOf(const Tiles &tiles) {
  Handles handles;
  for (const auto &tile : tiles)
    handles.push_back(tile.handle());
  return handles;
}
} // namespace detail

/// The same elements in row-major order.
template <int To, class T, int Rank>
Tile<T, To>
reshape(Tile<T, Rank> x, std::type_identity_t<Extents<To>> shape,
        std::source_location where = std::source_location::current()) {
  return Tile<T, To>(detail::reshape(x.handle(), shape.values, where));
}
/// The rank is deduced: reshape(x, {8, 4}).
template <class T, int Rank, size_t To>
Tile<T, int(To)>
reshape(Tile<T, Rank> x, const detail::Size (&shape)[To],
        std::source_location where = std::source_location::current()) {
  return Tile<T, int(To)>(
      detail::reshape(x.handle(), detail::shapeOf(shape), where));
}
template <class T, int Rank, size_t To>
Tile<T, int(To)>
reshape(Tile<T, Rank> x, const std::array<int64_t, To> &shape,
        std::source_location where = std::source_location::current()) {
  return Tile<T, int(To)>(detail::reshape(x.handle(), shape, where));
}
/// Repeats the elements along dimensions of size 1.
template <class T, int Rank>
Tile<T, Rank>
broadcast(Tile<T, Rank> x, std::type_identity_t<Extents<Rank>> shape,
          std::source_location where = std::source_location::current()) {
  return Tile<T, Rank>(detail::broadcast(x.handle(), shape.values, where));
}
/// Inserts a dimension of size 1 at `axis`; -1 appends it.
template <class T, int Rank>
Tile<T, Rank + 1>
expand(Tile<T, Rank> x, int axis,
       std::source_location where = std::source_location::current()) {
  return Tile<T, Rank + 1>(detail::expand(x.handle(), axis, where));
}
/// Removes the dimension `axis`, which has size 1.
template <class T, int Rank>
  requires(Rank > 0)
Tile<T, Rank - 1>
squeeze(Tile<T, Rank> x, int axis,
        std::source_location where = std::source_location::current()) {
  return Tile<T, Rank - 1>(detail::squeeze(x.handle(), axis, where));
}
/// Dimension `d` of the result is dimension `permutation[d]` of `x`.
template <class T, int Rank>
Tile<T, Rank>
transpose(Tile<T, Rank> x, std::type_identity_t<Extents<Rank>> permutation,
          std::source_location where = std::source_location::current()) {
  return Tile<T, Rank>(
      detail::transpose(x.handle(), permutation.values, where));
}
/// Transposes a matrix.
template <class T>
Tile<T, 2>
transpose(Tile<T, 2> x,
          std::source_location where = std::source_location::current()) {
  return transpose(x, {1, 0}, where);
}
/// Concatenates along `axis`.
template <class T, int Rank>
Tile<T, Rank>
concat(Tile<T, Rank> a, std::type_identity_t<Tile<T, Rank>> b, int axis,
       std::source_location where = std::source_location::current()) {
  return Tile<T, Rank>(detail::concat({a.handle(), b.handle()}, axis, where));
}
/// Concatenates any number of tiles: concat({a, b, c}, 0), or a std::vector.
template <class T, int Rank>
Tile<T, Rank>
concat(std::initializer_list<Tile<T, Rank>> tiles, int axis,
       std::source_location where = std::source_location::current()) {
  return Tile<T, Rank>(detail::concat(detail::handlesOf(tiles), axis, where));
}
template <class T, int Rank>
Tile<T, Rank>
concat(const std::vector<Tile<T, Rank>> &tiles, int axis,
       std::source_location where = std::source_location::current()) {
  return Tile<T, Rank>(detail::concat(detail::handlesOf(tiles), axis, where));
}
/// Stacks tiles along a new last dimension: result[.., n] is tile n.
template <class T, int Rank>
Tile<T, Rank + 1>
join(Tile<T, Rank> a, std::type_identity_t<Tile<T, Rank>> b,
     std::source_location where = std::source_location::current()) {
  return Tile<T, Rank + 1>(detail::join({a.handle(), b.handle()}, where));
}
template <class T, int Rank>
Tile<T, Rank + 1>
join(std::initializer_list<Tile<T, Rank>> tiles,
     std::source_location where = std::source_location::current()) {
  return Tile<T, Rank + 1>(detail::join(detail::handlesOf(tiles), where));
}
template <class T, int Rank>
Tile<T, Rank + 1>
join(const std::vector<Tile<T, Rank>> &tiles,
     std::source_location where = std::source_location::current()) {
  return Tile<T, Rank + 1>(detail::join(detail::handlesOf(tiles), where));
}
/// The inverse of join: the parts along the last dimension, which has size
/// Count: auto [even, odd] = split<2>(reshape(x, {32, 2})).
template <size_t Count, class T, int Rank>
  requires(Rank > 0)
std::array<Tile<T, Rank - 1>, Count>
split(Tile<T, Rank> x,
      std::source_location where = std::source_location::current()) {
  detail::Handles handles = detail::split(x.handle(), Count, where);
  std::array<Tile<T, Rank - 1>, Count> parts;
  for (size_t i = 0; i < Count; ++i)
    parts[i] = Tile<T, Rank - 1>(handles[i]);
  return parts;
}
/// The part of size `shape` that starts at `offsets`.
template <class T, int Rank>
Tile<T, Rank>
slice(Tile<T, Rank> x, std::type_identity_t<Extents<Rank>> offsets,
      std::type_identity_t<Extents<Rank>> shape,
      std::source_location where = std::source_location::current()) {
  return Tile<T, Rank>(
      detail::slice(x.handle(), offsets.values, shape.values, {}, where));
}
/// The same, of every `steps`-th element.
template <class T, int Rank>
Tile<T, Rank>
slice(Tile<T, Rank> x, std::type_identity_t<Extents<Rank>> offsets,
      std::type_identity_t<Extents<Rank>> shape,
      std::type_identity_t<Extents<Rank>> steps,
      std::source_location where = std::source_location::current()) {
  return Tile<T, Rank>(detail::slice(x.handle(), offsets.values, shape.values,
                                     steps.values, where));
}
/// result[.., i, ..] = x[.., indices[.., i, ..], ..]; i is the index along
/// `axis`.
template <class T, class I, int Rank>
  requires(I::isInteger)
Tile<T, Rank>
gather(Tile<T, Rank> x, Tile<I, Rank> indices, int axis,
       std::source_location where = std::source_location::current()) {
  return Tile<T, Rank>(
      detail::gather(x.handle(), indices.handle(), axis, where));
}
/// One element. An index outside the tile returns poison.
template <class T, int Rank>
Scalar<T>
extract(Tile<T, Rank> x, std::type_identity_t<Coordinates<Rank>> index,
        std::source_location where = std::source_location::current()) {
  detail::Handles handles;
  for (const detail::Operand &i : index.values)
    handles.push_back(detail::scalar({i.handle, i.literal, where},
                                     detail::traitsOf<IndexElement>));
  return Scalar<T>(detail::extract(x.handle(), handles, where));
}

//===--- Element types ----------------------------------------------------===//

using Rounding = detail::Rounding;

namespace detail {
/// The element type that the target of a conversion names; Index is allowed.
template <class T> struct Named {
  using type = T;
};
template <class T> struct Named<Scalar<T>> {
  using type = T;
};
template <class T> using ElementNamed = typename Named<T>::type;
template <class To, class Self>
using Converted = typename WithElement<ElementNamed<To>, Self>::type;
} // namespace detail

/// Converts each element: cast<F16>(x), cast<Index>(n). Default rounding: to a
/// float to nearest, ties to even; to an integer toward zero. A float out of
/// the integer's range is poison. To Bool: whether the element is not 0.
template <class To, class Self>
detail::Converted<To, Self>
cast(Self x, std::optional<Rounding> rounding = {},
     std::source_location where = std::source_location::current()) {
  return detail::Converted<To, Self>(detail::cast(
      {x.handle(), {}, where}, detail::traitsOf<typename Self::Element>,
      detail::traitsOf<detail::ElementNamed<To>>, rounding, false));
}
/// A cast in which numbers out of range become the nearest number of the type;
/// NaN becomes the integer 0.
template <class To, class Self>
detail::Converted<To, Self>
saturate(Self x, std::optional<Rounding> rounding = {},
         std::source_location where = std::source_location::current()) {
  return detail::Converted<To, Self>(detail::cast(
      {x.handle(), {}, where}, detail::traitsOf<typename Self::Element>,
      detail::traitsOf<detail::ElementNamed<To>>, rounding, true));
}
/// Reinterprets the bits as another type of the same width.
template <class To, class Self>
typename detail::WithElement<To, Self>::type
bitcast(Self x, std::source_location where = std::source_location::current()) {
  return typename detail::WithElement<To, Self>::type(
      detail::bitcast({x.handle(), {}, where}, detail::traitsOf<To>.type));
}

} // namespace tilewright::authoring

#endif // TILEWRIGHT_AUTHORING_SHAPES_H
