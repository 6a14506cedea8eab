// f16, bf16 and pairs of them: PTX section 9.7.4.
#include "test/runtime/emulator/instructions/Probe.h"
#include "test/runtime/emulator/instructions/Reals.h"

#include <catch2/catch.hpp>

using namespace instructions;

namespace {

Half half(const Real &value) {
  return {uint16_t(rounded(value, f16Format, Mode::nearestEven))};
}
BFloat bfloat(const Real &value) {
  return {uint16_t(rounded(value, bf16Format, Mode::nearestEven))};
}
void set(Half &to, const Real &value) { to = half(value); }
void set(BFloat &to, const Real &value) { to = bfloat(value); }

BFloat flushed(BFloat value) { return value; }
using instructions::flushed;

struct Modifiers {
  bool flushes = false, saturates = false, relus = false;

  template <class T> T before(T value) const {
    return flushes ? flushed(value) : value;
  }
  template <class T> T after(T value) const {
    value = before(value);
    if (saturates)
      return saturated(value);
    // Negative: 0; also -0. NaN stays.
    return relus && !isNan(value) && value.bits >> 15 ? T{0} : value;
  }
};

/// `function` on the type and on the pair of it, T2.
template <class T, class T2, class F, class... S>
void checkBoth(const std::string &opcode, const std::string &type, F function,
               T (F::*)(S...) const) {
  check(opcode + "." + type, function);
  check(opcode + "." + type + "x2",
        [=](std::conditional_t<true, T2, S>... pairs) {
          uint32_t low = function(T{uint16_t(pairs.bits)}...).bits;
          uint32_t high = function(T{uint16_t(pairs.bits >> 16)}...).bits;
          return T2{high << 16 | low};
        });
}
template <class F> void checkHalf(const std::string &opcode, F function) {
  checkBoth<Half, Half2>(opcode, "f16", function, &F::operator());
}
template <class F> void checkBFloat(const std::string &opcode, F function) {
  checkBoth<BFloat, BFloat2>(opcode, "bf16", function, &F::operator());
}

enum class Operation { add, sub, mul };

template <class T> T result(Operation operation, T a, T b) {
  Real x = real(a), y = real(b);
  T to;
  if (operation == Operation::mul) {
    set(to, product(x, y));
    return to;
  }
  if (operation == Operation::sub)
    y.negative = !y.negative;
  set(to, sum(x, y));
  return to;
}

} // namespace

TEST_CASE("add, sub, mul of f16 and bf16", "[9.7.4]") {
  struct Named {
    const char *name;
    Operation operation;
  };
  for (Named named :
       {Named{"add", Operation::add}, Named{"sub", Operation::sub},
        Named{"mul", Operation::mul}})
    for (const char *rnd : {"", ".rn"})
      for (bool ftz : {false, true})
        for (bool sat : {false, true}) {
          Modifiers m{ftz, sat};
          std::string text = std::string(named.name) + rnd;
          Operation operation = named.operation;
          checkHalf(text + (ftz ? ".ftz" : "") + (sat ? ".sat" : ""),
                    [=](Half a, Half b) {
                      return m.after(
                          result(operation, m.before(a), m.before(b)));
                    });
          if (!ftz && !sat)
            checkBFloat(text, [=](BFloat a, BFloat b) {
              return result(operation, a, b);
            });
        }
}

TEST_CASE("fma of f16 and bf16", "[9.7.4.4]") {
  for (bool ftz : {false, true})
    for (int last : {0, 1, 2}) {
      Modifiers m{ftz, last == 1, last == 2};
      std::string text = std::string("fma.rn") + (ftz ? ".ftz" : "") +
                         (last == 1   ? ".sat"
                          : last == 2 ? ".relu"
                                      : "");
      auto fused = [](auto a, auto b, auto c) {
        set(a, sum(product(real(a), real(b)), real(c)));
        return a;
      };
      checkHalf(text, [=](Half a, Half b, Half c) {
        return m.after(fused(m.before(a), m.before(b), m.before(c)));
      });
      if (!ftz && last != 1)
        checkBFloat(text, [=](BFloat a, BFloat b, BFloat c) {
          return m.after(fused(a, b, c));
        });
    }
}

TEST_CASE("neg, abs of f16 and bf16", "[9.7.4]") {
  auto negative = [](auto a) {
    a.bits ^= 0x8000;
    return a;
  };
  auto positive = [](auto a) {
    a.bits &= 0x7FFF;
    return a;
  };
  checkHalf("neg", [=](Half a) { return negative(a); });
  checkHalf("neg.ftz", [=](Half a) { return negative(flushed(a)); });
  checkBFloat("neg", [=](BFloat a) { return negative(a); });
  checkHalf("abs", [=](Half a) { return positive(a); });
  checkHalf("abs.ftz", [=](Half a) { return positive(flushed(a)); });
  checkBFloat("abs", [=](BFloat a) { return positive(a); });
}

//===--- min, max ---------------------------------------------------------===//

template <class T> static T signedExtremum(T a, T b, bool least, bool keeps) {
  uint16_t sign = uint16_t((a.bits ^ b.bits) & 0x8000);
  T result = extremum(T{uint16_t(a.bits & 0x7FFF)},
                      T{uint16_t(b.bits & 0x7FFF)}, least, keeps);
  return isNan(result) ? result : T{uint16_t(result.bits | sign)};
}

TEST_CASE("min, max of f16 and bf16", "[9.7.4]") {
  for (bool least : {false, true})
    for (bool ftz : {false, true})
      for (bool keeps : {false, true}) {
        Modifiers m{ftz};
        std::string name = std::string(least ? "min" : "max") +
                           (ftz ? ".ftz" : "") + (keeps ? ".NaN" : "");
        checkHalf(name, [=](Half a, Half b) {
          return extremum(m.before(a), m.before(b), least, keeps);
        });
        checkHalf(name + ".xorsign.abs", [=](Half a, Half b) {
          return signedExtremum(m.before(a), m.before(b), least, keeps);
        });
        if (ftz)
          continue;
        checkBFloat(name, [=](BFloat a, BFloat b) {
          return extremum(a, b, least, keeps);
        });
        checkBFloat(name + ".xorsign.abs", [=](BFloat a, BFloat b) {
          return signedExtremum(a, b, least, keeps);
        });
      }
}
