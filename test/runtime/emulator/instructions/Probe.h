// The oracle of single instructions: runs one over many lanes, compares each
// result with the test's own.
#ifndef TILEWRIGHT_TEST_EMULATOR_INSTRUCTIONS_PROBE_H
#define TILEWRIGHT_TEST_EMULATOR_INSTRUCTIONS_PROBE_H

#include "test/runtime/emulator/instructions/Expected.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace instructions {

/// One instruction.
struct Probe {
  /// `add.u32`, or with operands `shfl.sync.idx.b32 $d|$p, $a, $b, 31, -1`:
  /// $d, $p, $q, $r are the results, $a, $b, $c, $e, $f, $g the sources; or
  /// $d0, $d1, ... and $s0, $s1, ... Or several instructions with "; " between
  /// them.
  std::string text;
  std::vector<Operand> results, sources;
  /// The results of one lane; from the sources' bits.
  std::function<void(const Bits *sources, Expected *results)> reference;
  /// Instead: those of a warp. `active`: the lanes whose guard holds.
  /// sources[s][lane], results[r][lane].
  using WarpReference =
      std::function<void(uint32_t active, const std::vector<Bits> *sources,
                         std::vector<Expected> *results)>;
  WarpReference warpReference;
  /// Lines before it, for all lanes. They and the instructions may name the
  /// thread's data (%base), its number in the block (%thread), its guard
  /// (%guard).
  std::string setup;
  /// All lanes of a warp run it.
  bool wholeWarps = false;
  /// A source may be an immediate.
  bool takesImmediates = true;
  /// The samples are taken from here, where there are any, one by one.
  std::vector<std::vector<Bits>> samples;
  unsigned lanes = 1024;
};

/// Runs it guarded in some lanes, with the result in a source's register, and
/// with an immediate; fails the test where a result is wrong.
void run(const Probe &probe);

//===--- From a function --------------------------------------------------===//

/// A number within an interval; NaN: NaN is expected.
template <class T> struct Within {
  double low = 0, high = 0;
};
template <class T> Expected expectedOf(T value) {
  Expected expected;
  expected.bits = toBits(value);
  return expected;
}
template <class T> Expected expectedOf(Within<T> value) {
  return {0, true, false, value.low, value.high};
}

template <class R> struct ResultsOf {
  static std::vector<Operand> operands() { return {operandOf<R>()}; }
  static void put(R value, Expected *to) { to[0] = expectedOf(value); }
};
template <class T> struct ResultsOf<Within<T>> {
  static std::vector<Operand> operands() { return {operandOf<T>()}; }
  static void put(Within<T> value, Expected *to) { to[0] = expectedOf(value); }
};
/// Nothing: any result will do.
template <class T> struct ResultsOf<std::optional<T>> {
  static std::vector<Operand> operands() { return ResultsOf<T>::operands(); }
  static void put(std::optional<T> value, Expected *to) {
    if (value)
      ResultsOf<T>::put(*value, to);
    else
      to[0].isAny = true;
  }
};
template <class A, class B> struct ResultsOf<std::pair<A, B>> {
  static std::vector<Operand> operands() {
    return {operandOf<A>(), operandOf<B>()};
  }
  static void put(std::pair<A, B> value, Expected *to) {
    to[0] = expectedOf(value.first);
    to[1] = expectedOf(value.second);
  }
};

template <class R, class... S, class F>
Probe probeOf(std::string text, F function, R (F::*)(S...) const) {
  Probe probe;
  probe.text = std::move(text);
  probe.results = ResultsOf<R>::operands();
  probe.sources = {operandOf<S>()...};
  probe.reference = [function](const Bits *sources, Expected *results) {
    auto apply = [&]<size_t... I>(std::index_sequence<I...>) {
      return function(fromBits<S>(sources[I])...);
    };
    ResultsOf<R>::put(apply(std::index_sequence_for<S...>()), results);
  };
  return probe;
}

/// The instruction computes `function`, whose parameters and result say the
/// types of its operands; two results are a pair.
template <class F> Probe probe(std::string text, F function) {
  return probeOf(std::move(text), function, &F::operator());
}
template <class R, class... S>
Probe probe(std::string text, R (*function)(S...)) {
  return probe(std::move(text), [function](S... s) { return function(s...); });
}
template <class F> void check(std::string text, F function) {
  run(probe(std::move(text), function));
}

} // namespace instructions

#endif // TILEWRIGHT_TEST_EMULATOR_INSTRUCTIONS_PROBE_H
