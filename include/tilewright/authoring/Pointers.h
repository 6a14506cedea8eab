// Pointers to global memory, atomic operations, fences.
#ifndef TILEWRIGHT_AUTHORING_POINTERS_H
#define TILEWRIGHT_AUTHORING_POINTERS_H

#include "tilewright/authoring/Values.h"

namespace tilewright::authoring {

using Order = detail::Order;
using Scope = detail::Scope;
/// Order and scope of an access, as in the PTX memory model.
using Ordering = detail::Ordering;
using Atomic = detail::Atomic;
using Zeroed = detail::Zeroed;

template <class T, int Rank> class Pointers;

namespace detail {
/// The left operand of an operator and its source location, which the
/// conversion records.
template <class P> struct Placed {
  Handle handle;
  std::source_location where;
  Placed(const P &p, std::source_location at = std::source_location::current())
      : handle(p.handle()), where(at) {}
};
} // namespace detail

namespace detail {
/// Rejects a T that is no element type in memory, once for each T.
template <class T> struct RequireMemoryElement {
  static_assert(IsMemoryElement<T>,
                "views and pointers are of elements in memory (F32, I8, Bool, "
                "...), not of types of C++, Index or pointers: memory holds "
                "sizes as I64, and addresses as I64 too; "
                "pointerAt<F16>(address) makes a pointer of one");
};
} // namespace detail

/// A pointer to an element in global memory.
template <class T> class Pointer : public detail::TypedHandle {
public:
  static_assert(sizeof(detail::RequireMemoryElement<T>) > 0);
  using detail::TypedHandle::TypedHandle;
  using Element = T;
  using Placed = detail::Placed<Pointer>;

  /// Advances by a number of elements.
  friend Pointer operator+(Placed p,
                           detail::OperandOf<Index, IndexElement> elements) {
    return Pointer(detail::offset(p.handle, elements, p.where));
  }
  /// Takes this parameter, the kernel's last, for memory of the runtime: a
  /// launch gives no argument for it. It has `elements` elements, a number
  /// computed as those of a grid, and its address is a multiple of 64. Each
  /// stream has its own.
  void workspace(detail::OperandOf<Index, IndexElement> elements,
                 Zeroed zeroed = Zeroed::never) const {
    detail::workspace(handle(), elements, zeroed, elements.where);
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

  /// Advances all pointers by one number of elements, or each by its own.
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
template <class T, class Self> struct PointersFor;
template <class T, class I> struct PointersFor<T, Scalar<I>> {
  using type = Pointer<T>;
};
template <class T, class I, int Rank> struct PointersFor<T, Tile<I, Rank>> {
  using type = Pointers<T, Rank>;
};
template <class T, class P> struct Repointed;
template <class T, class From> struct Repointed<T, Pointer<From>> {
  using type = Pointer<T>;
};
template <class T, class From, int Rank>
struct Repointed<T, Pointers<From, Rank>> {
  using type = Pointers<T, Rank>;
};
template <class P> struct AddressesOf;
template <class T> struct AddressesOf<Pointer<T>> {
  using type = Scalar<I64>;
};
template <class T, int Rank> struct AddressesOf<Pointers<T, Rank>> {
  using type = Tile<I64, Rank>;
};
} // namespace detail

/// A pointer from a byte address, or a tile of pointers from a tile of
/// addresses. An array of pointers is a view of I64:
/// pointerAt<F16>(table.at(i)) is its i-th pointer.
template <class T, class Address>
  requires(std::same_as<typename Address::Element, I64> ||
           std::same_as<typename Address::Element, U64>)
typename detail::PointersFor<T, Address>::type
pointerAt(Address address,
          std::source_location where = std::source_location::current()) {
  return typename detail::PointersFor<T, Address>::type(
      detail::pointerAt(address.handle(), detail::traitsOf<T>.type, where));
}
/// The byte address of each pointer.
template <class P>
typename detail::AddressesOf<P>::type
addressOf(P pointer,
          std::source_location where = std::source_location::current()) {
  return typename detail::AddressesOf<P>::type(
      detail::addressOf(pointer.handle(), where));
}
/// The same addresses as pointers to another type.
template <class T, class P>
typename detail::Repointed<T, P>::type
pointerCast(P pointer,
            std::source_location where = std::source_location::current()) {
  return typename detail::Repointed<T, P>::type(
      detail::pointerCast(pointer.handle(), detail::traitsOf<T>.type, where));
}

namespace detail {
/// The result type of an access through a pointer or a tile of pointers.
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
detail::AccessedOf<P>
load(P pointer, std::source_location where = std::source_location::current()) {
  return detail::AccessedOf<P>(detail::loadPointer(
      pointer.handle(), nullptr, nullptr, detail::traitsOf<typename P::Element>,
      detail::weakOrder, where));
}
/// Reads where the mask is true; elsewhere the result is `other`.
template <class P>
detail::AccessedOf<P>
load(P pointer, std::type_identity_t<detail::MaskOfAccess<P>> mask,
     std::type_identity_t<detail::ValueOf<P>> other,
     std::source_location where = std::source_location::current()) {
  return detail::AccessedOf<P>(detail::loadPointer(
      pointer.handle(), &mask, &other, detail::traitsOf<typename P::Element>,
      detail::weakOrder, where));
}
/// A read with order and scope; the compiler never removes it.
template <class P>
detail::AccessedOf<P>
load(P pointer, Ordering ordering,
     std::source_location where = std::source_location::current()) {
  return detail::AccessedOf<P>(detail::loadPointer(
      pointer.handle(), nullptr, nullptr, detail::traitsOf<typename P::Element>,
      ordering, where));
}
/// Writes the element at each pointer.
template <class P>
void store(P pointer, std::type_identity_t<detail::ValueOf<P>> value,
           std::source_location where = std::source_location::current()) {
  detail::storePointer(pointer.handle(), value, nullptr,
                       detail::traitsOf<typename P::Element>, detail::weakOrder,
                       where);
}
/// Writes only where the mask is true.
template <class P>
void store(P pointer, std::type_identity_t<detail::ValueOf<P>> value,
           std::type_identity_t<detail::MaskOfAccess<P>> mask,
           std::source_location where = std::source_location::current()) {
  detail::storePointer(pointer.handle(), value, &mask,
                       detail::traitsOf<typename P::Element>, detail::weakOrder,
                       where);
}
template <class P>
void store(P pointer, std::type_identity_t<detail::ValueOf<P>> value,
           Ordering ordering,
           std::source_location where = std::source_location::current()) {
  detail::storePointer(pointer.handle(), value, nullptr,
                       detail::traitsOf<typename P::Element>, ordering, where);
}
/// Atomically combines the element at each pointer with the value. Returns the
/// old elements.
template <class P>
detail::AccessedOf<P>
atomic(Atomic op, P pointer, std::type_identity_t<detail::ValueOf<P>> value,
       Ordering ordering = {},
       std::source_location where = std::source_location::current()) {
  return detail::AccessedOf<P>(
      detail::atomic(op, pointer.handle(), value, nullptr,
                     detail::traitsOf<typename P::Element>, ordering, where));
}
/// Only where the mask is true; elsewhere the result is 0.
template <class P>
detail::AccessedOf<P>
atomic(Atomic op, P pointer, std::type_identity_t<detail::ValueOf<P>> value,
       std::type_identity_t<detail::MaskOfAccess<P>> mask,
       Ordering ordering = {},
       std::source_location where = std::source_location::current()) {
  return detail::AccessedOf<P>(
      detail::atomic(op, pointer.handle(), value, &mask,
                     detail::traitsOf<typename P::Element>, ordering, where));
}
/// Replaces the element if it equals `expected`. Returns the old element.
template <class P>
detail::AccessedOf<P>
compareExchange(P pointer, std::type_identity_t<detail::ValueOf<P>> expected,
                std::type_identity_t<detail::ValueOf<P>> desired,
                Ordering ordering = {},
                std::source_location where = std::source_location::current()) {
  return detail::AccessedOf<P>(detail::atomicCompareExchange(
      pointer.handle(), expected, desired, nullptr,
      detail::traitsOf<typename P::Element>, ordering, where));
}
/// Only where the mask is true; elsewhere the result is 0.
template <class P>
detail::AccessedOf<P>
compareExchange(P pointer, std::type_identity_t<detail::ValueOf<P>> expected,
                std::type_identity_t<detail::ValueOf<P>> desired,
                std::type_identity_t<detail::MaskOfAccess<P>> mask,
                Ordering ordering = {},
                std::source_location where = std::source_location::current()) {
  return detail::AccessedOf<P>(detail::atomicCompareExchange(
      pointer.handle(), expected, desired, &mask,
      detail::traitsOf<typename P::Element>, ordering, where));
}
/// Orders the program's accesses before the fence against those after it.
inline void
fence(Ordering ordering,
      std::source_location where = std::source_location::current()) {
  detail::fence(ordering, where);
}

} // namespace tilewright::authoring

#endif // TILEWRIGHT_AUTHORING_POINTERS_H
