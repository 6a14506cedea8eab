// Contractions, reductions, scans, sorting.
#ifndef TILEWRIGHT_AUTHORING_COMPUTE_H
#define TILEWRIGHT_AUTHORING_COMPUTE_H

#include "tilewright/authoring/Shapes.h"

#include <limits>
#include <utility>

namespace tilewright::authoring {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

//===--- Contractions -----------------------------------------------------===//

using Precision = detail::Precision;

/// acc[m, n] + sum over k of a[m, k] * b[k, n]; tiles with three dimensions are
/// batches of matrices. For the precision see tile.dot in docs/spec.md.
template <class A, class B, class C, int Rank>
  requires(Rank == 2 || Rank == 3)
Tile<C, Rank>
dot(Tile<A, Rank> a, Tile<B, Rank> b, Tile<C, Rank> acc,
    Precision precision = Precision::ieee,
    std::source_location where = std::source_location::current()) {
  detail::DotTraits elementTraits = {A::isInteger && !A::isSigned,
                                     B::isInteger && !B::isSigned};
  return Tile<C, Rank>(detail::dot(a.handle(), b.handle(), acc.handle(),
                                   precision, elementTraits, where));
}
/// With accumulators that start at zero: dot<F32>(a, b).
template <class C, class A, class B, int Rank>
Tile<C, Rank>
dot(Tile<A, Rank> a, Tile<B, Rank> b, Precision precision = Precision::ieee,
    std::source_location where = std::source_location::current()) {
  std::vector<int64_t> shape =
      detail::productShape(a.handle(), b.handle(), Rank, where);
  Tile<C, Rank> zero(detail::full({{}, detail::Literal(0), where},
                                  detail::traitsOf<C>, shape, where));
  return dot(a, b, zero, precision, where);
}
/// dot of a[m, k] * aScale[m, k / block] and b[k, n] * bScale[k / block, n].
template <class A, class B, class S, int Rank>
Tile<F32, Rank>
scaledDot(Tile<A, Rank> a, Tile<S, Rank> aScale, Tile<B, Rank> b,
          Tile<S, Rank> bScale, Tile<F32, Rank> acc,
          std::source_location where = std::source_location::current()) {
  return Tile<F32, Rank>(detail::scaledDot(a.handle(), aScale.handle(),
                                           b.handle(), bScale.handle(),
                                           acc.handle(), where));
}

//===--- Reductions and scans ---------------------------------------------===//

/// An axis of a reduction, scan or sort: sum(x, axis(1)); axis(-1) is the last.
class Axis {
public:
  int dim;
  /// A plain number is rejected: in max(x, 1) it could also be an operand.
  template <std::integral N> Axis(N) : dim(0) {
    static_assert(
        sizeof(N) == 0,
        "a number alone is no axis: write max(x, axis(1)) to go along "
        "dimension 1, or max(x, Scalar<I32>(1)), max(x, 1.0) for the "
        "larger of each element and the number");
  }

private:
  struct Made {};
  constexpr Axis(Made, int given) : dim(given) {}
  friend constexpr Axis axis(int dim);
};
constexpr Axis axis(int dim) { return {Axis::Made(), dim}; }

namespace detail {
/// The result of a user's function as a Scalar<T> or a pair of scalars.
template <class Wanted, class Given> Wanted combined(const Given &given) {
  constexpr bool fits = std::is_convertible_v<Given, Wanted>;
  static_assert(fits, "a reduction or scan combines two scalars of the tile's "
                      "elements to one, and of two tiles two pairs to one: "
                      "[](Scalar<F32> a, Scalar<F32> b) { return a + b; }");
  if constexpr (fits)
    return given;
  else
    return Wanted();
}
/// Calls the user's function on two scalars or two pairs.
template <class Wanted, class F>
Wanted combineTwo(F &combine, const Wanted &a, const Wanted &b) {
  constexpr bool takes = MayTake<F, Wanted, Wanted>;
  static_assert(takes, "a reduction or scan combines two scalars of the tile's "
                       "elements to one, and of two tiles two pairs to one: "
                       "[](Scalar<F32> a, Scalar<F32> b) { return a + b; }");
  if constexpr (takes)
    return combined<Wanted>(combine(a, b));
  else
    return Wanted();
}
template <class T, class F> Combine combining(F combine) {
  return [combine](const Handles &x) mutable -> Handles {
    return {combineTwo(combine, Scalar<T>(x[0]), Scalar<T>(x[1])).handle()};
  };
}
/// Combines with one operation, located at `where`.
template <class T> Combine combiningBy(Binary op, std::source_location where) {
  return [op, where](const Handles &x) -> Handles {
    return {binary(op, {x[0], {}, where}, {x[1], {}, where}, traitsOf<T>)};
  };
}
template <class T, class U, class F> Combine combiningPairs(F combine) {
  return [combine](const Handles &x) mutable -> Handles {
    using Pair = std::pair<Scalar<T>, Scalar<U>>;
    Pair result = combineTwo(combine, Pair(Scalar<T>(x[0]), Scalar<U>(x[1])),
                             Pair(Scalar<T>(x[2]), Scalar<U>(x[3])));
    return {result.first.handle(), result.second.handle()};
  };
}
} // namespace detail

namespace detail {
/// Reduces all elements to one scalar.
template <class T, int Rank>
Scalar<T> ofAll(Tile<T, Rank> x, Binary op, std::source_location where) {
  int64_t count = 1;
  for (int64_t size : x.shape(where))
    count *= size;
  Handle row = reshape(x.handle(), {&count, 1}, where);
  Handle one = reduce({row}, 0, combiningBy<T>(op, where), where)[0];
  Handle zero = scalar({{}, Literal(0), where}, traitsOf<IndexElement>);
  return Scalar<T>(extract(one, {zero}, where));
}
} // namespace detail

/// Combines all elements along the axis, in an unspecified order. The result
/// keeps the axis, with size 1.
template <class T, int Rank, class F>
Tile<T, Rank>
reduce(Tile<T, Rank> x, Axis axis, F combine,
       std::source_location where = std::source_location::current()) {
  return Tile<T, Rank>(detail::reduce({x.handle()}, axis.dim,
                                      detail::combining<T>(combine), where)[0]);
}
/// Reduces two tiles together: `combine` takes and returns pairs of scalars.
template <class T, class U, int Rank, class F>
std::pair<Tile<T, Rank>, Tile<U, Rank>>
reduce(Tile<T, Rank> x, Tile<U, Rank> y, Axis axis, F combine,
       std::source_location where = std::source_location::current()) {
  detail::Handles results =
      detail::reduce({x.handle(), y.handle()}, axis.dim,
                     detail::combiningPairs<T, U>(combine), where);
  return {Tile<T, Rank>(results[0]), Tile<U, Rank>(results[1])};
}
template <class T, int Rank>
Tile<T, Rank>
sum(Tile<T, Rank> x, Axis axis,
    std::source_location where = std::source_location::current()) {
  return Tile<T, Rank>(detail::reduce(
      {x.handle()}, axis.dim,
      detail::combiningBy<T>(detail::Binary::add, where), where, "sum")[0]);
}
template <class T, int Rank>
Tile<T, Rank>
max(Tile<T, Rank> x, Axis axis,
    std::source_location where = std::source_location::current()) {
  return Tile<T, Rank>(detail::reduce(
      {x.handle()}, axis.dim,
      detail::combiningBy<T>(detail::Binary::max, where), where, "max")[0]);
}
template <class T, int Rank>
Tile<T, Rank>
min(Tile<T, Rank> x, Axis axis,
    std::source_location where = std::source_location::current()) {
  return Tile<T, Rank>(detail::reduce(
      {x.handle()}, axis.dim,
      detail::combiningBy<T>(detail::Binary::min, where), where, "min")[0]);
}
/// Over all elements: sum(x).
template <class T, int Rank>
Scalar<T> sum(Tile<T, Rank> x,
              std::source_location where = std::source_location::current()) {
  return detail::ofAll(x, detail::Binary::add, where);
}
template <class T, int Rank>
Scalar<T> max(Tile<T, Rank> x,
              std::source_location where = std::source_location::current()) {
  return detail::ofAll(x, detail::Binary::max, where);
}
template <class T, int Rank>
Scalar<T> min(Tile<T, Rank> x,
              std::source_location where = std::source_location::current()) {
  return detail::ofAll(x, detail::Binary::min, where);
}
template <int Rank>
Tile<Bool, Rank>
any(Tile<Bool, Rank> x, Axis axis,
    std::source_location where = std::source_location::current()) {
  return Tile<Bool, Rank>(
      detail::reduce({x.handle()}, axis.dim,
                     detail::combiningBy<Bool>(detail::Binary::bitOr, where),
                     where, "any")[0]);
}
template <int Rank>
Tile<Bool, Rank>
all(Tile<Bool, Rank> x, Axis axis,
    std::source_location where = std::source_location::current()) {
  return Tile<Bool, Rank>(
      detail::reduce({x.handle()}, axis.dim,
                     detail::combiningBy<Bool>(detail::Binary::bitAnd, where),
                     where, "all")[0]);
}
template <int Rank>
Scalar<Bool> any(Tile<Bool, Rank> x,
                 std::source_location where = std::source_location::current()) {
  return detail::ofAll(x, detail::Binary::bitOr, where);
}
template <int Rank>
Scalar<Bool> all(Tile<Bool, Rank> x,
                 std::source_location where = std::source_location::current()) {
  return detail::ofAll(x, detail::Binary::bitAnd, where);
}

/// The index of the largest element along the axis, the first of equal ones.
/// NaN is larger than all numbers.
template <class T, int Rank>
Tile<I32, Rank>
argMax(Tile<T, Rank> x, Axis axis,
       std::source_location where = std::source_location::current()) {
  return Tile<I32, Rank>(detail::locationOf(
      x.handle(), axis.dim, /*largest=*/true, detail::traitsOf<T>, where));
}
/// The index of the smallest element. NaN is smaller than all numbers.
template <class T, int Rank>
Tile<I32, Rank>
argMin(Tile<T, Rank> x, Axis axis,
       std::source_location where = std::source_location::current()) {
  return Tile<I32, Rank>(detail::locationOf(
      x.handle(), axis.dim, /*largest=*/false, detail::traitsOf<T>, where));
}

/// Element i combines elements 0 to i along the axis; with `reverse`, the last
/// element down to i.
template <class T, int Rank, class F>
Tile<T, Rank>
scan(Tile<T, Rank> x, Axis axis, F combine, bool reverse = false,
     std::source_location where = std::source_location::current()) {
  return Tile<T, Rank>(detail::scan({x.handle()}, axis.dim, reverse,
                                    detail::combining<T>(combine), where)[0]);
}
/// A scan that continues across tiles. `carry` has size 1 along the axis and is
/// the combination of all elements before this tile. Returns the scanned tile
/// and the next carry. `combine` is also called with tiles, so it takes `auto`
/// arguments.
template <class T, int Rank, class F>
std::pair<Tile<T, Rank>, Tile<T, Rank>>
scanFrom(std::type_identity_t<Tile<T, Rank>> carry, Tile<T, Rank> x, Axis axis,
         F combine,
         std::source_location where = std::source_location::current()) {
  constexpr bool onTiles = detail::MayTake<F, Tile<T, Rank>, Tile<T, Rank>>;
  static_assert(onTiles, "scanFrom combines scalars and tiles: write "
                         "[](auto a, auto b) { return a + b; }");
  if constexpr (onTiles) {
    Tile<T, Rank> scanned =
        combine(carry, scan(x, axis, combine, /*reverse=*/false, where));
    return {scanned, Tile<T, Rank>(detail::nextCarry(
                         carry.handle(), scanned.handle(), axis.dim, where))};
  } else {
    return {};
  }
}
template <class T, int Rank>
Tile<T, Rank>
cumulativeSum(Tile<T, Rank> x, Axis axis,
              std::source_location where = std::source_location::current()) {
  return Tile<T, Rank>(
      detail::scan({x.handle()}, axis.dim, false,
                   detail::combiningBy<T>(detail::Binary::add, where), where,
                   "cumulativeSum")[0]);
}

/// A cumulativeSum that continues across tiles, like scanFrom.
template <class T, int Rank>
std::pair<Tile<T, Rank>, Tile<T, Rank>> cumulativeSumFrom(
    std::type_identity_t<Tile<T, Rank>> carry, Tile<T, Rank> x, Axis axis,
    std::source_location where = std::source_location::current()) {
  detail::Operand before = {carry.handle(), {}, where},
                  sums = {cumulativeSum(x, axis, where).handle(), {}, where};
  detail::Handle scanned =
      detail::binary(detail::Binary::add, before, sums, detail::traitsOf<T>);
  return {Tile<T, Rank>(scanned),
          Tile<T, Rank>(
              detail::nextCarry(carry.handle(), scanned, axis.dim, where))};
}

//===--- Order and counting -----------------------------------------------===//

enum class Direction : uint8_t { ascending, descending };

/// Sorts along the axis. NaN is larger than all numbers. Stable.
template <class T, int Rank>
Tile<T, Rank>
sort(Tile<T, Rank> x, Axis axis, Direction direction = Direction::ascending,
     std::source_location where = std::source_location::current()) {
  return Tile<T, Rank>(detail::sort({x.handle()}, axis.dim,
                                    direction == Direction::descending,
                                    T::isInteger && !T::isSigned, where)[0]);
}
/// Sorts the keys and permutes the values in the same way.
template <class T, class U, int Rank>
std::pair<Tile<T, Rank>, Tile<U, Rank>>
sort(Tile<T, Rank> keys, Tile<U, Rank> values, Axis axis,
     Direction direction = Direction::ascending,
     std::source_location where = std::source_location::current()) {
  detail::Handles results = detail::sort(
      {keys.handle(), values.handle()}, axis.dim,
      direction == Direction::descending, T::isInteger && !T::isSigned, where);
  return {Tile<T, Rank>(results[0]), Tile<U, Rank>(results[1])};
}
/// The `count` largest elements along the axis in descending order, and their
/// indices; with Direction::ascending the smallest, in ascending order.
template <class T, int Rank>
std::pair<Tile<T, Rank>, Tile<I32, Rank>>
topK(Tile<T, Rank> x, int64_t count, Axis axis,
     Direction direction = Direction::descending,
     std::source_location where = std::source_location::current()) {
  detail::Handles results = detail::topK(x.handle(), count, axis.dim,
                                         direction == Direction::ascending,
                                         T::isInteger && !T::isSigned, where);
  return {Tile<T, Rank>(results[0]), Tile<I32, Rank>(results[1])};
}
/// The number of elements equal to b, for each b from 0 to bins - 1.
template <class T, int Rank>
  requires(T::isInteger)
Tile<I32, 1>
histogram(Tile<T, Rank> x, int64_t bins,
          std::source_location where = std::source_location::current()) {
  return Tile<I32, 1>(detail::histogram(x.handle(), bins, {}, where));
}
/// Counts only where the mask is true.
template <class T, int Rank>
  requires(T::isInteger)
Tile<I32, 1>
histogram(Tile<T, Rank> x, int64_t bins,
          std::type_identity_t<Tile<Bool, Rank>> mask,
          std::source_location where = std::source_location::current()) {
  return Tile<I32, 1>(
      detail::histogram(x.handle(), bins, mask.handle(), where));
}
/// Four random words from the counter and key, by Philox 4x32-10.
template <class Self>
  requires std::same_as<typename Self::Element, U32>
std::array<Self, 4>
philox(Self counter, Self key,
       std::source_location where = std::source_location::current()) {
  detail::Operand zero = {{}, detail::Literal(0), where};
  detail::Operand count = {counter.handle(), {}, where},
                  words = {key.handle(), {}, where};
  detail::Handles random =
      detail::philox({count, zero, zero, zero, words, zero}, where);
  return {Self(random[0]), Self(random[1]), Self(random[2]), Self(random[3])};
}
/// Takes all four words of the counter and both of the key.
template <class Self>
  requires std::same_as<typename Self::Element, U32>
std::array<Self, 4>
philox(const std::array<Self, 4> &counter, const std::array<Self, 2> &key,
       std::source_location where = std::source_location::current()) {
  std::vector<detail::Operand> words;
  for (const Self &word : counter)
    words.push_back({word.handle(), {}, where});
  for (const Self &word : key)
    words.push_back({word.handle(), {}, where});
  detail::Handles random = detail::philox(words, where);
  return {Self(random[0]), Self(random[1]), Self(random[2]), Self(random[3])};
}

} // namespace tilewright::authoring

#endif // TILEWRIGHT_AUTHORING_COMPUTE_H
