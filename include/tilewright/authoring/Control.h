// Loops, conditions, the grid, tunables.
#ifndef TILEWRIGHT_AUTHORING_CONTROL_H
#define TILEWRIGHT_AUTHORING_CONTROL_H

#include "tilewright/authoring/Shapes.h"
#include "tilewright/authoring/Views.h"

#include <tuple>

namespace tilewright::authoring {

namespace detail {

/// Converts a value or a tuple of values to handles and back.
template <class T> struct Carried {
  static constexpr size_t count = 1;
  using Values = std::tuple<T>;
  static Handles pack(const T &value) { return {value.handle()}; }
  static T unpack(const Handles &handles, size_t at = 0) {
    return T(handles[at]);
  }
};
template <class... T> struct Carried<std::tuple<T...>> {
  static constexpr size_t count = sizeof...(T);
  using Values = std::tuple<T...>;
  static Handles pack(const std::tuple<T...> &values) {
    return std::apply(
        [](const T &...value) { return Handles{value.handle()...}; }, values);
  }
  static std::tuple<T...> unpack(const Handles &handles) {
    return [&]<size_t... I>(std::index_sequence<I...>) {
      return std::tuple<T...>(T(handles[I])...);
    }(std::index_sequence_for<T...>());
  }
};
template <class T> auto spread(const Handles &handles) {
  if constexpr (requires { Carried<T>::unpack(handles, 0); })
    return std::tuple<T>(Carried<T>::unpack(handles));
  else
    return Carried<T>::unpack(handles);
}
/// A scalar, a tile, a pointer, a view.
template <class T>
concept KernelValue = std::derived_from<T, TypedHandle>;
template <class T> inline constexpr bool isCarried = KernelValue<T>;
template <class... T>
inline constexpr bool isCarried<std::tuple<T...>> = (KernelValue<T> && ...);
/// Whether a loop can carry T: a value of the kernel or a std::tuple of them.
template <class T> consteval bool checkCarried() {
  static_assert(isCarried<T>,
                "what a loop carries and a body returns are values of the "
                "kernel, several as a std::tuple; a number of C++ is none: "
                "write Scalar<F32>(0.0), Index(0)");
  return isCarried<T>;
}

/// The results of a loop body as handles.
template <class State, class Next> Handles packNext(const Next &next) {
  constexpr bool fits = std::is_convertible_v<Next, State>;
  static_assert(fits, "the body of a loop returns the next carried values: of "
                      "the types of the initial ones, several as a std::tuple");
  if constexpr (fits)
    return Carried<State>::pack(next);
  else
    return {};
}
/// Calls the body of a loop and returns its results.
template <class State, class F, class... First>
Handles runBody(F &body, const Handles &carried, First... first) {
  return std::apply(
      [&]<class... V>(const V &...values) -> Handles {
        constexpr bool takes = MayTake<F, First..., const V &...>;
        static_assert(takes, "the body of a loop takes the loop's index (but "
                             "not in loopWhile) and each carried value");
        if constexpr (takes)
          return packNext<State>(body(first..., values...));
        else
          return {};
      },
      spread<State>(carried));
}
template <class Holds> Handle conditionOf(const Holds &holds) {
  constexpr bool fits = std::is_convertible_v<Holds, Scalar<Bool>>;
  static_assert(fits, "the condition of loopWhile returns a Scalar<Bool>; of a "
                      "mask: any(m), all(m)");
  if constexpr (fits)
    return Scalar<Bool>(holds).handle();
  else
    return {};
}
/// Calls the condition of a loopWhile.
template <class State, class F>
Handle runCondition(F &condition, const Handles &carried) {
  return std::apply(
      [&]<class... V>(const V &...values) -> Handle {
        constexpr bool takes = MayTake<F, const V &...>;
        static_assert(takes, "the condition of loopWhile takes each carried "
                             "value");
        if constexpr (takes)
          return conditionOf(condition(values...));
        else
          return {};
      },
      spread<State>(carried));
}
using IndexOperand = OperandOf<Index, IndexElement>;
using BoolOperand = OperandOf<Scalar<Bool>, Bool>;

} // namespace detail

/// The indices from `begin` to `end`, excluding `end`.
struct Range {
  detail::IndexOperand begin, end, step;
  Range(detail::IndexOperand to,
        std::source_location where = std::source_location::current())
      : begin(0, where), end(to), step(1, where) {}
  Range(detail::IndexOperand from, detail::IndexOperand to,
        std::source_location where = std::source_location::current())
      : begin(from), end(to), step(1, where) {}
  Range(detail::IndexOperand from, detail::IndexOperand to,
        detail::IndexOperand by)
      : begin(from), end(to), step(by) {}
};

/// Runs `body(index, carried...)` for each index. The body returns the next
/// carried values; the loop returns the last ones. `initial` is one value or a
/// std::tuple. While the kernel is built the body runs twice and must do the
/// same each time: the second run detects C++ variables that carry a value from
/// one iteration to the next.
template <class State, class F>
  requires(!std::same_as<F, std::source_location>)
State loop(detail::IndexOperand count, State initial, F body,
           std::source_location where = std::source_location::current()) {
  return loop(Range(count, where), initial, body, where);
}
template <class State, class F>
  requires(!std::same_as<F, std::source_location>)
State loop(Range range, State initial, F body,
           std::source_location where = std::source_location::current()) {
  if constexpr (detail::checkCarried<State>())
    return detail::Carried<State>::unpack(detail::loop(
        range.begin, range.end, range.step,
        detail::Carried<State>::pack(initial),
        [&](detail::Handle index, const detail::Handles &carried) {
          return detail::runBody<State>(body, carried, Index(index));
        },
        where));
  else
    return initial;
}
/// Runs `body(index)` for each index.
template <class F>
void loop(detail::IndexOperand count, F body,
          std::source_location where = std::source_location::current()) {
  loop(Range(count, where), body, where);
}
template <class F>
void loop(Range range, F body,
          std::source_location where = std::source_location::current()) {
  constexpr bool takes = detail::MayTake<F, Index>;
  static_assert(takes, "the body of a loop that carries nothing takes the "
                       "loop's index");
  if constexpr (takes)
    detail::loop(
        range.begin, range.end, range.step, {},
        [&](detail::Handle index, const detail::Handles &) {
          body(Index(index));
          return detail::Handles();
        },
        where);
}

/// Runs `body(state...)` while `condition(state...)` is true.
template <class State, class C, class F>
State loopWhile(State initial, C condition, F body,
                std::source_location where = std::source_location::current()) {
  if constexpr (detail::checkCarried<State>())
    return detail::Carried<State>::unpack(detail::loopWhile(
        detail::Carried<State>::pack(initial),
        [&](const detail::Handles &state) {
          return detail::runCondition<State>(condition, state);
        },
        [&](const detail::Handles &state) {
          return detail::runBody<State>(body, state);
        },
        where));
  else
    return initial;
}

namespace detail {
/// Appends both bodies, which return State.
template <class State, class F, class G>
State branchOf(const BoolOperand &condition, F &then, G &otherwise,
               std::source_location where) {
  Handles results = branch(
      condition, [&] { return Carried<State>::pack(then()); },
      [&] { return Carried<State>::pack(otherwise()); }, where);
  // After an error there are fewer.
  results.resize(Carried<State>::count);
  return Carried<State>::unpack(results);
}
/// Whether both bodies return the same types; true if a body does not compile.
template <class F, class G> consteval bool returnTheSame() {
  if constexpr (requires { &F::operator(), &G::operator(); }) {
    using State = std::invoke_result_t<F>;
    using Other = std::invoke_result_t<G>;
    return std::is_void_v<State> == std::is_void_v<Other> &&
           std::is_convertible_v<Other, State>;
  }
  return true;
}
/// Whether a loop can carry the body's results; true if it does not compile.
template <class F> consteval bool returnsCarried() {
  if constexpr (requires { &F::operator(); })
    return checkCarried<std::invoke_result_t<F>>();
  return true;
}
template <class F> Body bodyOf(F &function) {
  return [&function] {
    function();
    return Handles();
  };
}
} // namespace detail

/// Runs `then` if the condition is true.
template <class F>
void when(detail::BoolOperand condition, F then,
          std::source_location where = std::source_location::current()) {
  static_assert(std::is_void_v<decltype(then())>,
                "when returns a value only with both bodies: "
                "when(condition, then, otherwise)");
  detail::branch(condition, detail::bodyOf(then), nullptr, where);
}
/// Runs `then` or `otherwise` and returns its results.
template <class F, class G>
  requires(!std::same_as<G, std::source_location>)
auto when(detail::BoolOperand condition, F then, G otherwise,
          std::source_location where = std::source_location::current()) {
  using State = decltype(then());
  constexpr bool same = detail::returnTheSame<F, G>();
  static_assert(same, "both bodies of when return values of the same types");
  if constexpr (std::is_void_v<State>)
    detail::branch(condition, detail::bodyOf(then), detail::bodyOf(otherwise),
                   where);
  else if constexpr (same && detail::returnsCarried<F>() &&
                     detail::isCarried<State>)
    return detail::branchOf<State>(condition, then, otherwise, where);
  else
    return State();
}

//===--- The program ------------------------------------------------------===//

/// Sets the grid and returns the index of this program in it. The kernel runs
/// once for each point of the grid. The counts are computed from sizes of views
/// and from integer arguments. Called at most once in a kernel; without a call
/// there is one program.
inline std::array<Index, 1> program(detail::IndexOperand x) {
  detail::Handles at = detail::program({x}, x.where);
  return {Index(at[0])};
}
inline std::array<Index, 2> program(detail::IndexOperand x,
                                    detail::IndexOperand y) {
  detail::Handles at = detail::program({x, y}, x.where);
  return {Index(at[0]), Index(at[1])};
}
inline std::array<Index, 3> program(detail::IndexOperand x,
                                    detail::IndexOperand y,
                                    detail::IndexOperand z) {
  detail::Handles at = detail::program({x, y, z}, x.where);
  return {Index(at[0]), Index(at[1]), Index(at[2])};
}
/// The number of programs along one dimension of the grid.
inline Index
programCount(int dim,
             std::source_location where = std::source_location::current()) {
  return Index(detail::programCount(dim, where));
}
/// Runs at most `programs` of the grid's programs, 1 to 32, for each
/// multiprocessor of a GPU or thread of a CPU. The grid has one dimension;
/// programCount(0) says how many run, and each loops over its share of the
/// work.
inline void
persistent(int64_t programs,
           std::source_location where = std::source_location::current()) {
  detail::persistent(programs, where);
}

/// A parameter of the kernel with its legal values; the first is the default.
/// Returns its value in the bindings of this build.
inline int64_t
tunable(std::string_view name, std::initializer_list<int64_t> values,
        std::source_location where = std::source_location::current()) {
  return detail::tunable(name, {values.begin(), values.size()}, where);
}
/// The same with computed values, for example from sizes that the kernel is
/// built for.
inline int64_t
tunable(std::string_view name, const std::vector<int64_t> &values,
        std::source_location where = std::source_location::current()) {
  return detail::tunable(name, values, where);
}
/// A condition on tunables; bindings that violate it are rejected.
inline void
require(bool holds, std::string_view message,
        std::source_location where = std::source_location::current()) {
  detail::require(holds, message, where);
}

//===--- Checks and assumptions -------------------------------------------===//

/// A condition at run time. If it is false the launch ends with the message.
/// Compilation without assertions omits it.
inline void check(detail::BoolOperand condition, std::string_view message) {
  detail::check(condition, message, condition.where);
}
template <int Rank>
void check(Tile<Bool, Rank> condition, std::string_view message,
           std::source_location where = std::source_location::current()) {
  detail::check({condition.handle(), {}, where}, message, where);
}
/// A string and its source location.
struct Text {
  std::string_view text;
  std::source_location where;
  Text(const char *characters,
       std::source_location at = std::source_location::current())
      : text(characters), where(at) {}
};
/// Prints a line with the text and the values, once for each program.
template <class... V> void print(Text text, const V &...values) {
  constexpr bool good = (detail::KernelValue<V> && ...);
  static_assert(good, "print writes values of the kernel; a number of C++ is "
                      "none: put it into the text, or write Scalar<I32>(3)");
  if constexpr (good)
    detail::print(text.text, {values.handle()...}, text.where);
}
/// Adds an assumption about a value.
template <detail::KernelValue V>
V assumeDivisible(
    V value, int64_t divisor,
    std::source_location where = std::source_location::current()) {
  return V(detail::assumeDivisible(value.handle(), divisor, where));
}
template <detail::KernelValue V>
V assumeRange(V value, int64_t low, int64_t high,
              std::source_location where = std::source_location::current()) {
  return V(detail::assumeRange(value.handle(), low, high, where));
}
/// Runs PTX text on each element. $0 is the result, followed by the operands;
/// the constraints are those of LLVM's inline assembly. The text must not
/// access memory. GPUs only.
template <class To, class First, class... V>
auto inlinePtx(Text ptx, std::string_view constraints, const First &first,
               const V &...others) {
  detail::Handles results = detail::inlinePtx(
      ptx.text, constraints, {first.handle(), others.handle()...},
      {detail::traitsOf<To>.type}, ptx.where);
  return typename detail::WithElement<To, First>::type(results[0]);
}

} // namespace tilewright::authoring

#endif // TILEWRIGHT_AUTHORING_CONTROL_H
