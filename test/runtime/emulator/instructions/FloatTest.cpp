// f32 and f64: PTX section 9.7.3, without the approximations.
#include "test/runtime/emulator/instructions/Probe.h"
#include "test/runtime/emulator/instructions/Reals.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace instructions;

namespace {

struct Modifiers {
  std::string text;
  Mode mode = Mode::nearestEven;
  bool flushes = false, saturates = false;

  [[nodiscard]] float before(float value) const {
    return flushes ? flushed(value) : value;
  }
  [[nodiscard]] float after(float value) const {
    value = before(value);
    return saturates ? saturated(value) : value;
  }
};

/// All of `.rnd.ftz.sat`.
template <class F>
void forModifiers(bool withoutRounding, bool saturates, F function) {
  for (const char *rnd : {"", "rn", "rz", "rm", "rp"})
    for (bool ftz : {false, true})
      for (bool sat : {false, true}) {
        std::string name = rnd;
        if ((name.empty() && !withoutRounding) || (sat && !saturates))
          continue;
        Modifiers m;
        m.text = (name.empty() ? "" : "." + name) + (ftz ? ".ftz" : "") +
                 (sat ? ".sat" : "");
        m.mode = modeOf(name);
        m.flushes = ftz;
        m.saturates = sat;
        function(m);
      }
}
template <class F> void forRoundings(bool withoutRounding, F function) {
  for (std::string name : {"", "rn", "rz", "rm", "rp"})
    if (withoutRounding || !name.empty())
      function(name.empty() ? name : "." + name, modeOf(name));
}

/// A function on both halves of f32x2.
template <class F> auto onPairs(F function) {
  return [=](auto... pairs) {
    auto low = [](Float2 pair) { return fromBits<float>(uint32_t(pair.bits)); };
    auto high = [](Float2 pair) { return fromBits<float>(pair.bits >> 32); };
    uint64_t first = uint64_t(toBits(float(function(low(pairs)...))));
    uint64_t second = uint64_t(toBits(float(function(high(pairs)...))));
    return Float2{second << 32 | first};
  };
}

} // namespace

#define BINARY(NAME)                                                           \
  forModifiers(true, true, [](const Modifiers &m) {                            \
    check(#NAME + m.text + ".f32", [=](float a, float b) {                     \
      return m.after(NAME(m.mode, m.before(a), m.before(b)));                  \
    });                                                                        \
    if (!m.saturates)                                                          \
      check(#NAME + m.text + ".f32x2", [=](Float2 x, Float2 y) {               \
        return onPairs([=](float a, float b) {                                 \
          return m.after(NAME(m.mode, m.before(a), m.before(b)));              \
        })(x, y);                                                              \
      });                                                                      \
  });                                                                          \
  forRoundings(true, [](const std::string &text, Mode mode) {                  \
    check(#NAME + text + ".f64",                                               \
          [=](double a, double b) { return NAME(mode, a, b); });               \
  })

TEST_CASE("add, sub, mul of f32 and f64", "[9.7.3]") {
  BINARY(add);
  BINARY(sub);
  BINARY(mul);
}

TEST_CASE("fma, mad of f32 and f64", "[9.7.3]") {
  for (const char *name : {"fma", "mad"}) {
    std::string opcode = name;
    forModifiers(false, true, [=](const Modifiers &m) {
      auto fused = [=](float a, float b, float c) {
        return m.after(fma(m.mode, m.before(a), m.before(b), m.before(c)));
      };
      check(opcode + m.text + ".f32", fused);
      if (opcode == "fma" && !m.saturates)
        check("fma" + m.text + ".f32x2", [=](Float2 a, Float2 b, Float2 c) {
          return onPairs(fused)(a, b, c);
        });
    });
    forRoundings(false, [=](const std::string &text, Mode mode) {
      check(opcode + text + ".f64",
            [=](double a, double b, double c) { return fma(mode, a, b, c); });
    });
  }
}

namespace {
template <class Small> void checkMixed(const std::string &type) {
  auto wide = [](Small value) { return float(valueOf(value)); };
  forModifiers(true, true, [=](const Modifiers &m) {
    if (m.flushes)
      return;
    std::string suffix = m.text + ".f32." + type;
    check("add" + suffix,
          [=](Small a, float c) { return m.after(add(m.mode, wide(a), c)); });
    check("sub" + suffix,
          [=](Small a, float c) { return m.after(sub(m.mode, wide(a), c)); });
  });
  forModifiers(false, true, [=](const Modifiers &m) {
    if (!m.flushes)
      check("fma" + m.text + ".f32." + type, [=](Small a, Small b, float c) {
        return m.after(fma(m.mode, wide(a), wide(b), c));
      });
  });
}
} // namespace

TEST_CASE("add, sub, fma of f32 with f16 and bf16", "[9.7.5]") {
  checkMixed<Half>("f16");
  checkMixed<BFloat>("bf16");
}

TEST_CASE("div, rcp, sqrt of f32 and f64", "[9.7.3]") {
  forModifiers(false, false, [](const Modifiers &m) {
    check("div" + m.text + ".f32", [=](float a, float b) {
      return m.after(div(m.mode, m.before(a), m.before(b)));
    });
    check("rcp" + m.text + ".f32",
          [=](float a) { return m.after(div(m.mode, 1.0f, m.before(a))); });
    check("sqrt" + m.text + ".f32",
          [=](float a) { return m.after(sqrt(m.mode, m.before(a))); });
  });
  forRoundings(false, [](const std::string &text, Mode mode) {
    check("div" + text + ".f64",
          [=](double a, double b) { return div(mode, a, b); });
    check("rcp" + text + ".f64", [=](double a) { return div(mode, 1.0, a); });
    check("sqrt" + text + ".f64", [=](double a) { return sqrt(mode, a); });
  });
}

template <class T> static void checkProperties(const std::string &type) {
  check("testp.finite." + type, [](T a) { return std::isfinite(a); });
  check("testp.infinite." + type, [](T a) { return std::isinf(a); });
  check("testp.number." + type, [](T a) { return !std::isnan(a); });
  check("testp.notanumber." + type, [](T a) { return std::isnan(a); });
  // Zeros count as normal.
  check("testp.normal." + type, [](T a) { return std::isnormal(a) || a == 0; });
  check("testp.subnormal." + type,
        [](T a) { return std::fpclassify(a) == FP_SUBNORMAL; });
  check("copysign." + type, [](T a, T b) { return std::copysign(b, a); });
}
TEST_CASE("testp, copysign", "[9.7.3]") {
  checkProperties<float>("f32");
  checkProperties<double>("f64");
}

TEST_CASE("abs, neg of f32 and f64", "[9.7.3]") {
  check("abs.f32", [](float a) { return std::fabs(a); });
  check("abs.ftz.f32", [](float a) { return std::fabs(flushed(a)); });
  check("abs.f64", [](double a) { return std::fabs(a); });
  check("neg.f32", [](float a) { return -a; });
  check("neg.ftz.f32", [](float a) { return -flushed(a); });
  check("neg.f64", [](double a) { return -a; });
}

//===--- min, max ---------------------------------------------------------===//

/// Section 9.7.3.11: -0 is less than +0; NaN is ignored unless `keeps`.
template <class T> static T extremum(T a, T b, bool least, bool keeps) {
  if (std::isnan(a) || std::isnan(b))
    return keeps || std::isnan(a) == std::isnan(b) ? T(NAN)
           : std::isnan(a)                         ? b
                                                   : a;
  bool aFirst = a < b || (a == b && std::signbit(a));
  return aFirst == least ? a : b;
}
static float signedExtremum(float a, float b, bool least, bool keeps) {
  bool sign = std::signbit(a) != std::signbit(b);
  float result = extremum(std::fabs(a), std::fabs(b), least, keeps);
  return std::isnan(result) ? result : std::copysign(result, sign ? -1.f : 1.f);
}

TEST_CASE("min, max of f32 and f64", "[9.7.3]") {
  for (bool least : {false, true})
    for (bool ftz : {false, true})
      for (bool keeps : {false, true}) {
        auto before = [=](float a) { return ftz ? flushed(a) : a; };
        std::string name = std::string(least ? "min" : "max") +
                           (ftz ? ".ftz" : "") + (keeps ? ".NaN" : "");
        check(name + ".f32", [=](float a, float b) {
          return extremum(before(a), before(b), least, keeps);
        });
        check(name + ".xorsign.abs.f32", [=](float a, float b) {
          return signedExtremum(before(a), before(b), least, keeps);
        });
        check(name + ".f32", [=](float a, float b, float c) {
          float first = extremum(before(a), before(b), least, keeps);
          return extremum(first, before(c), least, keeps);
        });
      }
  check("min.f64",
        [](double a, double b) { return extremum(a, b, true, false); });
  check("max.f64",
        [](double a, double b) { return extremum(a, b, false, false); });
}
