// Global memory: views, pointers, atomics.
#ifndef TILEWRIGHT_TILEIR_AUTHORING_MEMORY_H
#define TILEWRIGHT_TILEIR_AUTHORING_MEMORY_H

#include "tileir/authoring/Values.h"

namespace tilewright::authoring {

using Order = detail::Order;
using Scope = detail::Scope;
/// Order and scope of an access, as in the PTX memory model.
using Ordering = detail::Ordering;
using Atomic = detail::Atomic;

template <class T, int Rank> class Pointers;

/// Where a tile that leaves its view reads this.
template <class T> struct Padding {
  std::optional<detail::Literal> literal;
  /// 0; false.
  Padding() : literal(0) {}
  template <detail::NumberFor<T> N> Padding(N n) : literal(n) {}
  struct None {};
  Padding(None) {}
};
/// A read outside of the view is a fault.
struct InBounds {
  template <class T> operator Padding<T>() const {
    return typename Padding<T>::None();
  }
};
inline constexpr InBounds inBounds = {};

namespace detail {
/// The left operand of an operator, with where it stands: found at the
/// conversion.
template <class P> struct Placed {
  Handle handle;
  Where where;
  Placed(const P &p, Where where = Where::current())
      : handle(p.handle()), where(where) {}
};
} // namespace detail

/// A pointer to an element in global memory.
template <class T> class Pointer : public detail::TypedHandle {
public:
  static_assert(!T::type.isIndex, "memory holds no Index: point to I64 or I32");
  using detail::TypedHandle::TypedHandle;
  using Element = T;
  using Placed = detail::Placed<Pointer>;

  /// Moved by a number of elements.
  friend Pointer operator+(Placed p,
                           detail::OperandOf<Index, IndexElement> elements) {
    return Pointer(detail::offset(p.handle, elements, p.where));
  }
  /// One pointer for each offset.
  template <class I, int Rank>
    requires(I::isInteger)
  friend Pointers<T, Rank> operator+(Placed p, Tile<I, Rank> elements) {
    return Pointers<T, Rank>(
        detail::offset(p.handle, {elements.handle(), {}, p.where}, p.where));
  }
};

/// A tile of pointers.
template <class T, int Rank> class Pointers : public detail::TypedHandle {
public:
  using detail::TypedHandle::TypedHandle;
  using Element = T;
  using Placed = detail::Placed<Pointers>;

  /// All moved by one number of elements, or each by its own.
  friend Pointers operator+(Placed p,
                            detail::OperandOf<Index, IndexElement> elements) {
    return Pointers(detail::offset(p.handle, elements, p.where));
  }
  template <class I>
    requires(I::isInteger)
  friend Pointers operator+(Placed p, Tile<I, Rank> elements) {
    return Pointers(
        detail::offset(p.handle, {elements.handle(), {}, p.where}, p.where));
  }
};

namespace detail {
/// What an access through a pointer, or a tile of them, gives.
template <class P> struct Accessed;
template <class T> struct Accessed<Pointer<T>> {
  using type = Scalar<T>;
  using Mask = Scalar<Bool>;
};
template <class T, int Rank> struct Accessed<Pointers<T, Rank>> {
  using type = Tile<T, Rank>;
  using Mask = Tile<Bool, Rank>;
};
template <class P> using AccessedOf = typename Accessed<P>::type;
template <class P>
using ValueOf = OperandOf<AccessedOf<P>, typename P::Element>;
template <class P>
using MaskOfAccess = OperandOf<typename Accessed<P>::Mask, Bool>;
inline constexpr Ordering weakOrder = {Order::weak, Scope::program};
} // namespace detail

/// Reads the element at each pointer.
template <class P>
detail::AccessedOf<P> load(P pointer, Where where = Where::current()) {
  return detail::AccessedOf<P>(detail::loadPointer(
      pointer.handle(), nullptr, nullptr,
      detail::readingOf<typename P::Element>, detail::weakOrder, where));
}
/// Where the mask is false nothing is read: `other`.
template <class P>
detail::AccessedOf<P> load(P pointer,
                           std::type_identity_t<detail::MaskOfAccess<P>> mask,
                           std::type_identity_t<detail::ValueOf<P>> other,
                           Where where = Where::current()) {
  return detail::AccessedOf<P>(detail::loadPointer(
      pointer.handle(), &mask, &other, detail::readingOf<typename P::Element>,
      detail::weakOrder, where));
}
/// With order and scope: never left out.
template <class P>
detail::AccessedOf<P> load(P pointer, Ordering ordering,
                           Where where = Where::current()) {
  return detail::AccessedOf<P>(detail::loadPointer(
      pointer.handle(), nullptr, nullptr,
      detail::readingOf<typename P::Element>, ordering, where));
}
/// Writes the element at each pointer.
template <class P>
void store(P pointer, std::type_identity_t<detail::ValueOf<P>> value,
           Where where = Where::current()) {
  detail::storePointer(pointer.handle(), value, nullptr,
                       detail::readingOf<typename P::Element>,
                       detail::weakOrder, where);
}
/// Only where the mask is true.
template <class P>
void store(P pointer, std::type_identity_t<detail::ValueOf<P>> value,
           std::type_identity_t<detail::MaskOfAccess<P>> mask,
           Where where = Where::current()) {
  detail::storePointer(pointer.handle(), value, &mask,
                       detail::readingOf<typename P::Element>,
                       detail::weakOrder, where);
}
template <class P>
void store(P pointer, std::type_identity_t<detail::ValueOf<P>> value,
           Ordering ordering, Where where = Where::current()) {
  detail::storePointer(pointer.handle(), value, nullptr,
                       detail::readingOf<typename P::Element>, ordering, where);
}
/// Combines the element at each pointer with the value, each atomically;
/// returns what it was.
template <class P>
detail::AccessedOf<P>
atomic(Atomic op, P pointer, std::type_identity_t<detail::ValueOf<P>> value,
       Ordering ordering = {}, Where where = Where::current()) {
  return detail::AccessedOf<P>(
      detail::atomic(op, pointer.handle(), value, nullptr,
                     detail::readingOf<typename P::Element>, ordering, where));
}
/// Only where the mask is true; elsewhere the result is 0.
template <class P>
detail::AccessedOf<P>
atomic(Atomic op, P pointer, std::type_identity_t<detail::ValueOf<P>> value,
       std::type_identity_t<detail::MaskOfAccess<P>> mask,
       Ordering ordering = {}, Where where = Where::current()) {
  return detail::AccessedOf<P>(
      detail::atomic(op, pointer.handle(), value, &mask,
                     detail::readingOf<typename P::Element>, ordering, where));
}
/// Where the element equals `expected`, replaces it; returns what it was.
template <class P>
detail::AccessedOf<P>
compareExchange(P pointer, std::type_identity_t<detail::ValueOf<P>> expected,
                std::type_identity_t<detail::ValueOf<P>> desired,
                Ordering ordering = {}, Where where = Where::current()) {
  return detail::AccessedOf<P>(detail::atomicCompareExchange(
      pointer.handle(), expected, desired,
      detail::readingOf<typename P::Element>, ordering, where));
}
/// Orders the program's accesses before it against those after it.
inline void fence(Ordering ordering, Where where = Where::current()) {
  detail::fence(ordering, where);
}

//===--- Views ------------------------------------------------------------===//

enum class Strides : uint8_t {
  /// Row-major, without gaps.
  contiguous,
  /// Each given at launch.
  any,
};

/// A box of elements in global memory whose sizes are known at launch. A tile
/// is addressed by its index, as if tiles of this shape covered the view, or by
/// the place of its first element. What leaves the view is padded on load,
/// dropped on store.
template <class T, int Rank, Strides S = Strides::contiguous>
class View : public detail::TypedHandle {
public:
  static_assert(!T::type.isIndex, "memory holds no Index: view I64 or I32");
  using detail::TypedHandle::TypedHandle;
  using Element = T;

  /// Size of a dimension.
  [[nodiscard]] Index dim(int dim, Where where = Where::current()) const {
    return Index(detail::viewSize(handle(), dim, where));
  }
  /// In elements.
  [[nodiscard]] Index stride(int dim, Where where = Where::current()) const {
    return Index(detail::viewStride(handle(), dim, where));
  }
  /// The pointer to the first element.
  [[nodiscard]] Pointer<T> base(Where where = Where::current()) const {
    return Pointer<T>(detail::viewBase(handle(), where));
  }

  [[nodiscard]] Tile<T, Rank> load(Coordinates<Rank> index, Extents<Rank> shape,
                                   Padding<T> padding = {},
                                   Where where = Where::current()) const {
    return Tile<T, Rank>(detail::load(handle(), address(index), shape.values,
                                      padding.literal, detail::readingOf<T>,
                                      where));
  }
  [[nodiscard]] Tile<T, Rank> loadAt(Coordinates<Rank> element,
                                     Extents<Rank> shape,
                                     Padding<T> padding = {},
                                     Where where = Where::current()) const {
    return Tile<T, Rank>(detail::load(handle(), address(element, true),
                                      shape.values, padding.literal,
                                      detail::readingOf<T>, where));
  }
  /// Every `steps`-th element.
  [[nodiscard]] Tile<T, Rank> loadAt(Coordinates<Rank> element,
                                     Extents<Rank> shape, Extents<Rank> steps,
                                     Padding<T> padding,
                                     Where where = Where::current()) const {
    return Tile<T, Rank>(detail::load(
        handle(), address(element, true, steps.values), shape.values,
        padding.literal, detail::readingOf<T>, where));
  }
  void store(Coordinates<Rank> index, Tile<T, Rank> tile,
             Where where = Where::current()) const {
    detail::store(handle(), address(index), tile.handle(), where);
  }
  void storeAt(Coordinates<Rank> element, Tile<T, Rank> tile,
               Where where = Where::current()) const {
    detail::store(handle(), address(element, true), tile.handle(), where);
  }
  /// Every `steps`-th element.
  void storeAt(Coordinates<Rank> element, Tile<T, Rank> tile,
               Extents<Rank> steps, Where where = Where::current()) const {
    detail::store(handle(), address(element, true, steps.values), tile.handle(),
                  where);
  }
  /// Combines each element in memory with the tile's, atomically for each.
  void reduce(Atomic op, Coordinates<Rank> index, Tile<T, Rank> tile,
              Ordering ordering = {}, Where where = Where::current()) const {
    detail::atomicReduce(op, handle(), address(index), tile.handle(),
                         detail::readingOf<T>, ordering, where);
  }
  void reduceAt(Atomic op, Coordinates<Rank> element, Tile<T, Rank> tile,
                Ordering ordering = {}, Where where = Where::current()) const {
    detail::atomicReduce(op, handle(), address(element, true), tile.handle(),
                         detail::readingOf<T>, ordering, where);
  }

  /// The caller's promise, of an argument: the base is a multiple of so many
  /// bytes. Launches that break it are refused.
  void promiseAligned(int64_t bytes, Where where = Where::current()) const {
    detail::promiseAlignment(handle(), bytes, where);
  }
  /// The same: each size is a multiple of the number at its place.
  void promiseDivisible(Extents<Rank> sizes,
                        Where where = Where::current()) const {
    detail::promiseDivisible(handle(), sizes.values, where);
  }

private:
  static detail::Address address(const Coordinates<Rank> &at,
                                 bool byElement = false,
                                 detail::Sizes steps = {}) {
    return {{at.values.begin(), at.values.end()}, byElement, steps};
  }
};

/// A view whose strides are given at launch.
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

/// The row-major view of these sizes at a pointer: viewAt(p, {m, n}).
template <class T, size_t Rank>
View<T, int(Rank)> viewAt(Pointer<T> pointer, const Index (&sizes)[Rank],
                          Where where = Where::current()) {
  return View<T, int(Rank)>(
      detail::makeView(pointer.handle(), detail::operandsOf(sizes), {}, where));
}
/// The same with strides, in elements.
template <class T, size_t Rank>
StridedView<T, int(Rank)> viewAt(Pointer<T> pointer, const Index (&sizes)[Rank],
                                 const Index (&strides)[Rank],
                                 Where where = Where::current()) {
  return StridedView<T, int(Rank)>(
      detail::makeView(pointer.handle(), detail::operandsOf(sizes),
                       detail::operandsOf(strides), where));
}

} // namespace tilewright::authoring

#endif // TILEWRIGHT_TILEIR_AUTHORING_MEMORY_H
