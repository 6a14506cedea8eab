// cvt to and from pairs, tf32 and the 8-, 6- and 4-bit formats: PTX section
// 9.7.9.21.
#include "test/runtime/emulator/instructions/Probe.h"
#include "test/runtime/emulator/instructions/Reals.h"

#include <catch2/catch.hpp>

using namespace instructions;

namespace {

/// A number as the modifiers have it.
Bits narrowed(Real value, const Format &format, Mode mode, bool relus,
              bool finite) {
  unsigned width = unsigned(format.exponentBits + format.fractionBits);
  Bits sign = Bits{1} << width;
  if (relus && value.negative && value.kind != Real::nan)
    return 0;
  Bits bits = rounded(value, format, mode);
  // .satfinite: the largest of the sign; not for NaN.
  if (finite && value.kind != Real::nan && (bits & ~sign) > largestOf(format))
    bits = (bits & sign) | largestOf(format);
  // NaN is positive in all formats that have one.
  return bits;
}

/// The results of these may be any NaN, so each half is looked at.
Operand pairOf(const Format &format) {
  if (format.exponentBits == 5 && format.fractionBits == 10)
    return operandOf<Half2>();
  if (format.exponentBits == 8 && format.fractionBits == 7)
    return operandOf<BFloat2>();
  unsigned bits = format.fractionBits == 1 ? 8 : 16;
  return {Kind::integer, bits, 1, bits};
}
unsigned elementBits(const Format &format) {
  return unsigned(1 + format.exponentBits + format.fractionBits);
}
/// Bits of the container of one element of a pair.
unsigned containerBits(const Format &format) {
  unsigned bits = elementBits(format);
  return bits == 6 ? 8 : bits;
}

struct NarrowType {
  const char *name;
  Format format;
};
const NarrowType narrowTypes[] = {{"e4m3x2", e4m3Format},
                                  {"e5m2x2", e5m2Format},
                                  {"e2m3x2", e2m3Format},
                                  {"e3m2x2", e3m2Format},
                                  {"e2m1x2", e2m1Format}};

std::string modifiers(const char *rnd, bool finite, bool relus,
                      bool reluFirst = false) {
  std::string text = std::string("cvt.") + rnd;
  if (reluFirst && relus)
    text += ".relu";
  if (finite)
    text += ".satfinite";
  if (!reluFirst && relus)
    text += ".relu";
  return text + ".";
}

} // namespace

TEST_CASE("cvt of f32 to pairs of f16 and bf16", "[9.7.9.21]") {
  for (const char *rnd : {"rn", "rz"})
    for (bool finite : {false, true})
      for (bool relus : {false, true}) {
        auto run2 = [&](const std::string &name, const Format &format) {
          Mode mode = modeOf(rnd);
          // a goes to the upper half.
          Probe cvt = probe(modifiers(rnd, finite, relus, true) + name + ".f32",
                            [](float, float) { return uint32_t{0}; });
          cvt.results = {pairOf(format)};
          cvt.reference = [=](const Bits *s, Expected *r) {
            Bits high = narrowed(real(fromBits<float>(s[0])), format, mode,
                                 relus, finite);
            Bits low = narrowed(real(fromBits<float>(s[1])), format, mode,
                                relus, finite);
            r[0].bits = high << 16 | low;
          };
          run(cvt);
        };
        run2("f16x2", f16Format);
        run2("bf16x2", bf16Format);
        if (!relus && !finite)
          continue;
        std::string text = modifiers(rnd, finite, relus, true);
        Mode mode = modeOf(rnd);
        check(text + "f16.f32", [=](float a) {
          return Half{
              uint16_t(narrowed(real(a), f16Format, mode, relus, finite))};
        });
        check(text + "bf16.f32", [=](float a) {
          return BFloat{
              uint16_t(narrowed(real(a), bf16Format, mode, relus, finite))};
        });
      }
}

TEST_CASE("cvt of f32 to tf32", "[9.7.9.21]") {
  for (const char *rnd : {"rna", "rn", "rz"})
    for (bool finite : {false, true})
      for (bool relus : {false, true}) {
        Mode mode = modeOf(rnd);
        if (mode == Mode::nearestAway && relus)
          continue;
        check(modifiers(rnd, finite, relus) + "tf32.f32", [=](float a) {
          // The upper 19 bits of an f32.
          Bits bits = narrowed(real(a), tf32Format, mode, relus, finite);
          return fromBits<float>(bits << 13);
        });
      }
}

TEST_CASE("cvt of f32 and f16x2 to small formats", "[9.7.9.21]") {
  for (const NarrowType &type : narrowTypes)
    for (bool relus : {false, true}) {
      const Format format = type.format;
      std::string text = modifiers("rn", true, relus) + type.name;
      auto packed = [=](const Real &a, const Real &b) {
        auto element = [&](const Real &value) {
          return narrowed(value, format, Mode::nearestEven, relus, true);
        };
        return element(a) << containerBits(format) | element(b);
      };
      Probe fromSingles =
          probe(text + ".f32", [](float, float) { return uint16_t{0}; });
      fromSingles.results = {pairOf(format)};
      fromSingles.reference = [=](const Bits *s, Expected *r) {
        r[0].bits =
            packed(real(fromBits<float>(s[0])), real(fromBits<float>(s[1])));
      };
      fromSingles.lanes = 8192;
      run(fromSingles);
      if (format.fractionBits == 1)
        continue;
      Probe fromHalves =
          probe(text + ".f16x2", [](Half2) { return uint16_t{0}; });
      fromHalves.reference = [=](const Bits *s, Expected *r) {
        r[0].bits = packed(real(Half{uint16_t(s[0] >> 16)}),
                           real(Half{uint16_t(s[0])}));
      };
      fromHalves.lanes = 8192;
      run(fromHalves);
    }
}

TEST_CASE("cvt of small formats to f16x2", "[9.7.9.21]") {
  for (const NarrowType &type : narrowTypes)
    for (bool relus : {false, true}) {
      const Format format = type.format;
      unsigned bits = elementBits(format), container = containerBits(format);
      Probe widening = probe(std::string("cvt.rn.") + (relus ? "relu." : "") +
                                 "f16x2." + type.name,
                             [](uint16_t) { return Half2{}; });
      widening.sources = {pairOf(format)};
      widening.reference = [=](const Bits *s, Expected *r) {
        auto element = [&](Bits value) {
          return narrowed(real(value & lowBits(bits), format), f16Format,
                          Mode::nearestEven, relus, false);
        };
        r[0].bits = element(s[0] >> container) << 16 | element(s[0]);
      };
      // All pairs; the upper bits of 6-bit containers are anything.
      widening.lanes = 1 << 2 * container;
      widening.samples.resize(1);
      for (Bits both = 0; both < Bits{1} << 2 * container; ++both)
        widening.samples[0].push_back(both);
      run(widening);
    }
}

/// Powers of two alone: exponent e is 2^(e - 127), 255 is NaN.
static Bits scaleOf(float value, Mode mode, bool finite) {
  Real exact = real(value);
  if (exact.kind == Real::nan)
    return 0xFF;
  exact.negative = false;
  if (exact.kind == Real::infinite)
    return finite ? 0xFE : 0xFF;
  for (int exponent = 0; exponent < 255; ++exponent) {
    // 2^(exponent - 127) against |value|.
    double scale = __builtin_ldexp(1.0, exponent - 127);
    double size = value < 0 ? -double(value) : double(value);
    if (scale >= size)
      return Bits(exponent) -
             (mode == Mode::towardZero && scale > size && exponent > 0);
  }
  return mode == Mode::towardZero || finite ? 0xFE : 0xFF;
}
TEST_CASE("cvt to and from ue8m0x2", "[9.7.9.21]") {
  for (const char *rnd : {"rz", "rp"})
    for (bool finite : {false, true})
      check(std::string("cvt.") + rnd + (finite ? ".satfinite" : "") +
                ".ue8m0x2.f32",
            [=](float a, float b) {
              Mode mode = modeOf(rnd);
              return uint16_t(scaleOf(a, mode, finite) << 8 |
                              scaleOf(b, mode, finite));
            });
  check("cvt.rn.bf16x2.ue8m0x2", [](uint16_t a) {
    auto element = [](unsigned exponent) -> uint32_t {
      // 2^-127 is subnormal.
      return exponent == 255 ? 0x7FFF : exponent ? exponent << 7 : 0x40;
    };
    return BFloat2{element(a >> 8) << 16 | element(a & 0xFF)};
  });
}
