// Views: multidimensional arrays in global memory.
#ifndef TILEWRIGHT_AUTHORING_VIEWS_H
#define TILEWRIGHT_AUTHORING_VIEWS_H

#include "tilewright/authoring/Pointers.h"

namespace tilewright::authoring {

/// The value of the elements of a loaded tile that are outside the view.
template <class T> struct Padding {
  std::optional<detail::Literal> literal;
  /// The default is 0 or false.
  Padding() : literal(0) {}
  template <detail::NumberFor<T> N> Padding(N n) : literal(n) {}
  struct None {};
  Padding(None) {}
};
/// No padding: a read outside the view is a fault.
struct InBounds {
  template <class T> operator Padding<T>() const {
    return typename Padding<T>::None();
  }
};
inline constexpr InBounds inBounds = {};

enum class Strides : uint8_t {
  /// Row-major, without gaps.
  contiguous,
  /// The launch passes each stride.
  any,
};

/// A multidimensional array in global memory; its sizes are known at launch. A
/// tile is addressed by its index in a grid of tiles of this shape, or (loadAt,
/// storeAt, ...) by the index of its first element. Elements outside the view
/// are padded on load and dropped on store.
template <class T, int Rank, Strides S = Strides::contiguous>
class View : public detail::TypedHandle {
public:
  static_assert(sizeof(detail::RequireMemoryElement<T>) > 0);
  using detail::TypedHandle::TypedHandle;
  using Element = T;
  using IndexArgument = detail::OperandOf<Index, IndexElement>;

  /// The size of a dimension; -1 is the last.
  [[nodiscard]] Index
  dim(int dim,
      std::source_location where = std::source_location::current()) const {
    return Index(detail::viewSize(handle(), dim, where));
  }
  /// The stride of a dimension, in elements.
  [[nodiscard]] Index
  stride(int dim,
         std::source_location where = std::source_location::current()) const {
    return Index(detail::viewStride(handle(), dim, where));
  }
  /// The pointer to the first element.
  [[nodiscard]] Pointer<T>
  base(std::source_location where = std::source_location::current()) const {
    return Pointer<T>(detail::viewBase(handle(), where));
  }

  [[nodiscard]] Tile<T, Rank>
  load(Coordinates<Rank> index, Extents<Rank> shape, Padding<T> padding = {},
       std::source_location where = std::source_location::current()) const {
    return Tile<T, Rank>(detail::load(handle(), address(index), shape.values,
                                      padding.literal, detail::traitsOf<T>,
                                      where));
  }
  [[nodiscard]] Tile<T, Rank>
  loadAt(Coordinates<Rank> element, Extents<Rank> shape,
         Padding<T> padding = {},
         std::source_location where = std::source_location::current()) const {
    return Tile<T, Rank>(detail::load(handle(), address(element, true),
                                      shape.values, padding.literal,
                                      detail::traitsOf<T>, where));
  }
  /// The same for every `steps`-th element.
  [[nodiscard]] Tile<T, Rank>
  loadAt(Coordinates<Rank> element, Extents<Rank> shape, Extents<Rank> steps,
         Padding<T> padding,
         std::source_location where = std::source_location::current()) const {
    return Tile<T, Rank>(detail::load(
        handle(), address(element, true, steps.values), shape.values,
        padding.literal, detail::traitsOf<T>, where));
  }
  /// A mask of the tile's elements that are inside the view.
  [[nodiscard]] Tile<Bool, Rank>
  inside(Coordinates<Rank> index, Extents<Rank> shape,
         std::source_location where = std::source_location::current()) const {
    return Tile<Bool, Rank>(
        detail::inside(handle(), address(index), shape.values, where));
  }
  /// The same for the tiles of loadAt.
  [[nodiscard]] Tile<Bool, Rank>
  insideAt(Coordinates<Rank> element, Extents<Rank> shape,
           std::source_location where = std::source_location::current()) const {
    return Tile<Bool, Rank>(
        detail::inside(handle(), address(element, true), shape.values, where));
  }
  [[nodiscard]] Tile<Bool, Rank>
  insideAt(Coordinates<Rank> element, Extents<Rank> shape, Extents<Rank> steps,
           std::source_location where = std::source_location::current()) const {
    return Tile<Bool, Rank>(detail::inside(
        handle(), address(element, true, steps.values), shape.values, where));
  }
  /// One element: offsets.at(g), table.at(g, c). An index outside the view is a
  /// fault.
  [[nodiscard]] Scalar<T>
  at(Coordinates<Rank> element,
     std::source_location where = std::source_location::current()) const {
    return Scalar<T>(detail::elementAt(handle(), address(element, true),
                                       detail::traitsOf<T>, where));
  }
  [[nodiscard]] Scalar<T> at(IndexArgument a, IndexArgument b) const
    requires(Rank == 2)
  {
    return at({a, b}, a.where);
  }
  [[nodiscard]] Scalar<T> at(IndexArgument a, IndexArgument b,
                             IndexArgument c) const
    requires(Rank == 3)
  {
    return at({a, b, c}, a.where);
  }
  [[nodiscard]] Scalar<T> at(IndexArgument a, IndexArgument b, IndexArgument c,
                             IndexArgument d) const
    requires(Rank == 4)
  {
    return at({a, b, c, d}, a.where);
  }
  void
  store(Coordinates<Rank> index, Tile<T, Rank> tile,
        std::source_location where = std::source_location::current()) const {
    detail::store(handle(), address(index), tile.handle(), where);
  }
  void
  storeAt(Coordinates<Rank> element, Tile<T, Rank> tile,
          std::source_location where = std::source_location::current()) const {
    detail::store(handle(), address(element, true), tile.handle(), where);
  }
  /// The same for every `steps`-th element.
  void
  storeAt(Coordinates<Rank> element, Tile<T, Rank> tile, Extents<Rank> steps,
          std::source_location where = std::source_location::current()) const {
    detail::store(handle(), address(element, true, steps.values), tile.handle(),
                  where);
  }
  /// Atomically combines each element in memory with that of the tile.
  void
  reduce(Atomic op, Coordinates<Rank> index, Tile<T, Rank> tile,
         Ordering ordering = {},
         std::source_location where = std::source_location::current()) const {
    detail::atomicReduce(op, handle(), address(index), tile.handle(),
                         detail::traitsOf<T>, ordering, where);
  }
  void
  reduceAt(Atomic op, Coordinates<Rank> element, Tile<T, Rank> tile,
           Ordering ordering = {},
           std::source_location where = std::source_location::current()) const {
    detail::atomicReduce(op, handle(), address(element, true), tile.handle(),
                         detail::traitsOf<T>, ordering, where);
  }

  /// Assumes that the base address is a multiple of `bytes`. The view must be
  /// an argument of the kernel; a launch that violates the assumption is
  /// rejected.
  void assumeAligned(int64_t bytes, std::source_location where =
                                        std::source_location::current()) const {
    detail::assumeAlignment(handle(), bytes, where);
  }
  /// The same for sizes: each is a multiple of its entry in `sizes`.
  void assumeDivisible(
      Extents<Rank> sizes,
      std::source_location where = std::source_location::current()) const {
    detail::assumeDivisible(handle(), sizes.values, where);
  }
  /// Assumes that the view shares no byte with `other`, another argument of the
  /// kernel, from the first to the last element of either.
  template <typename OtherT, int OtherRank>
  void assumeDisjoint(
      View<OtherT, OtherRank> other,
      std::source_location where = std::source_location::current()) const {
    detail::assumeDisjoint(handle(), other.handle(), where);
  }

private:
  static detail::Address address(const Coordinates<Rank> &at,
                                 bool byElement = false,
                                 detail::Sizes steps = {}) {
    return {{at.values.begin(), at.values.end()}, byElement, steps};
  }
};

/// A view with strides that are passed at launch.
template <class T, int Rank> using StridedView = View<T, Rank, Strides::any>;

namespace detail {
template <size_t Rank>
std::vector<Operand> operandsOf(const Index (&indices)[Rank]) {
  std::vector<Operand> operands;
  for (const Index &index : indices)
    operands.push_back({index.handle(), {}, {}});
  return operands;
}
} // namespace detail

/// A row-major view at a pointer: viewAt(p, {m, n}).
template <class T, size_t Rank>
View<T, int(Rank)>
viewAt(Pointer<T> pointer, const Index (&sizes)[Rank],
       std::source_location where = std::source_location::current()) {
  return View<T, int(Rank)>(
      detail::makeView(pointer.handle(), detail::operandsOf(sizes), {}, where));
}
/// A view with the given strides, in elements.
template <class T, size_t Rank>
StridedView<T, int(Rank)>
viewAt(Pointer<T> pointer, const Index (&sizes)[Rank],
       const Index (&strides)[Rank],
       std::source_location where = std::source_location::current()) {
  return StridedView<T, int(Rank)>(
      detail::makeView(pointer.handle(), detail::operandsOf(sizes),
                       detail::operandsOf(strides), where));
}

} // namespace tilewright::authoring

#endif // TILEWRIGHT_AUTHORING_VIEWS_H
