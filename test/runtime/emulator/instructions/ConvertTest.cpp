// cvt between integers, f16, bf16, f32 and f64: PTX section 9.7.9.21; cvt.pack:
// 9.7.9.22.
#include "test/runtime/emulator/instructions/Kernel.h"
#include "test/runtime/emulator/instructions/Probe.h"
#include "test/runtime/emulator/instructions/Reals.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

using namespace instructions;

namespace {

struct IntegerType {
  const char *name;
  unsigned bits;
  bool isSigned;

  [[nodiscard]] Int128 least() const {
    return isSigned ? -(Int128(1) << (bits - 1)) : Int128(0);
  }
  [[nodiscard]] Int128 most() const {
    return (Int128(1) << (bits - isSigned)) - 1;
  }
  /// The number that the lower bits of a register are.
  [[nodiscard]] Int128 value(Bits reg) const {
    Bits low = reg & lowBits(bits);
    return isSigned && low >> (bits - 1) ? Int128(low) - (Int128(1) << bits)
                                         : Int128(low);
  }
};
const IntegerType integers[] = {{"u8", 8, false},   {"u16", 16, false},
                                {"u32", 32, false}, {"u64", 64, false},
                                {"s8", 8, true},    {"s16", 16, true},
                                {"s32", 32, true},  {"s64", 64, true}};

struct FloatType {
  const char *name;
  Kind kind;
  unsigned bits;
  Format format;
};
const FloatType floats[] = {{"f16", Kind::half, 16, f16Format},
                            {"bf16", Kind::bfloat, 16, bf16Format},
                            {"f32", Kind::single, 32, f32Format},
                            {"f64", Kind::twice, 64, f64Format}};

Operand operandFor(const FloatType &type) {
  return {type.kind, type.bits, 1, type.bits};
}
Operand operandFor(const IntegerType &type, unsigned registerBits) {
  return {Kind::integer, type.bits, 1, registerBits};
}
/// The registers that can hold a type: its own width and wider ones.
std::vector<unsigned> registersFor(const IntegerType &type) {
  std::vector<unsigned> widths;
  for (unsigned bits : {16u, 32u, 64u})
    if (bits >= type.bits)
      widths.push_back(bits);
  return widths;
}

/// Runs cvt; `function`: the result's bits.
template <class F>
void checkCvt(const std::string &text, Operand result, Operand source,
              F function) {
  Probe cvt;
  cvt.text = "cvt." + text;
  cvt.results = {result};
  cvt.sources = {source};
  cvt.reference = [=](const Bits *sources, Expected *results) {
    results[0].bits = function(sources[0]);
  };
  cvt.takesImmediates = false;
  run(cvt);
}

bool isSubnormal(const Real &value, const Format &format) {
  return value.kind == Real::finite && value.significand &&
         value.significand < Bits{1} << format.fractionBits;
}
/// .ftz: for f32 alone.
Real flushedSource(Bits bits, const FloatType &type, bool flushes) {
  Real value = real(bits & lowBits(type.bits), type.format);
  if (flushes && type.kind == Kind::single && isSubnormal(value, type.format))
    value.significand = 0;
  return value;
}
/// Flushed and saturated, as the modifiers say.
Bits finished(Bits bits, const FloatType &type, bool flushes, bool saturates) {
  const Format &format = type.format;
  Real value = real(bits, format);
  if (flushes && type.kind == Kind::single && isSubnormal(value, format))
    bits &= Bits{1} << (type.bits - 1);
  if (!saturates)
    return bits;
  Bits one = lowBits(unsigned(format.exponentBits - 1)) << format.fractionBits;
  if (value.kind == Real::nan || value.negative)
    return 0;
  return std::min(bits, one);
}

/// All of `.rnd`, `.ftz`, `.sat`; `function(text, mode, ftz, sat)`.
template <class F>
void forModifiers(std::initializer_list<const char *> roundings, bool withFtz,
                  bool withSat, F function) {
  for (const char *rnd : roundings)
    for (bool ftz : {false, true})
      for (bool sat : {false, true})
        if ((withFtz || !ftz) && (withSat || !sat))
          function(std::string(rnd) + (ftz ? ".ftz" : "") + (sat ? ".sat" : ""),
                   modeOf(rnd[0] == '.' ? rnd + 1 : rnd), ftz, sat);
}

} // namespace

TEST_CASE("cvt of integers", "[9.7.9.21]") {
  for (const IntegerType &to : integers)
    for (const IntegerType &from : integers)
      for (bool saturates : {false, true})
        // .sat is for conversions that can exceed the result's range.
        for (unsigned result : registersFor(to))
          for (unsigned source : registersFor(from)) {
            bool isInside =
                from.least() >= to.least() && from.most() <= to.most();
            if (saturates && isInside)
              continue;
            std::string text = std::string(saturates ? "sat." : "") + to.name +
                               "." + from.name;
            checkCvt(text, operandFor(to, result), operandFor(from, source),
                     [=](Bits bits) {
                       Int128 value = from.value(bits);
                       value = saturates
                                   ? std::clamp(value, to.least(), to.most())
                                   : to.value(Bits(value));
                       // Extended by its sign to the register.
                       return Bits(value) & lowBits(result);
                     });
          }
}

TEST_CASE("cvt from floats to integers", "[9.7.9.21]") {
  for (const IntegerType &to : integers)
    for (const FloatType &from : floats)
      forModifiers(
          {"rni", "rzi", "rmi", "rpi"}, from.kind == Kind::single,
          from.kind != Kind::bfloat,
          [&](const std::string &modifiers, Mode mode, bool ftz, bool) {
            for (unsigned result : registersFor(to))
              checkCvt(modifiers + "." + to.name + "." + from.name,
                       operandFor(to, result), operandFor(from),
                       [=](Bits bits) {
                         Real exact = flushedSource(bits, from, ftz);
                         Int128 value = std::clamp(integral(exact, mode),
                                                   to.least(), to.most());
                         if (exact.kind == Real::nan)
                           value = from.bits == 64 || to.bits == 64
                                       ? to.value(Bits{1} << (to.bits - 1))
                                       : 0;
                         return Bits(value) & lowBits(result);
                       });
          });
}

TEST_CASE("cvt from integers to floats", "[9.7.9.21]") {
  for (const FloatType &to : floats)
    for (const IntegerType &from : integers)
      forModifiers(
          {"rn", "rz", "rm", "rp"}, false, to.kind != Kind::bfloat,
          [&](const std::string &modifiers, Mode mode, bool, bool sat) {
            for (unsigned source : registersFor(from))
              checkCvt(modifiers + "." + to.name + "." + from.name,
                       operandFor(to), operandFor(from, source),
                       [=](Bits bits) {
                         Real exact = realInteger(from.value(bits));
                         return finished(rounded(exact, to.format, mode), to,
                                         false, sat);
                       });
          });
}

TEST_CASE("cvt between floats", "[9.7.9.21]") {
  for (const FloatType &to : floats)
    for (const FloatType &from : floats) {
      bool same = to.kind == from.kind;
      auto conversion = [&](const std::string &modifiers, Mode mode, bool ftz,
                            bool sat) {
        std::string text = modifiers + "." + to.name + "." + from.name;
        text = text[0] == '.' ? text.substr(1) : text;
        checkCvt(text, operandFor(to), operandFor(from), [=](Bits bits) {
          Real exact = flushedSource(bits, from, ftz);
          return finished(rounded(exact, to.format, mode), to, ftz, sat);
        });
      };
      bool withFtz = to.kind == Kind::single || from.kind == Kind::single;
      bool withSat = to.kind != Kind::bfloat && from.kind != Kind::bfloat;
      // Exact conversions do without a rounding, but bf16's may have one.
      bool widens = to.bits > from.bits;
      if (!same && (!widens || from.kind == Kind::bfloat))
        forModifiers({"rn", "rz", "rm", "rp"}, withFtz, withSat, conversion);
      if (widens || same)
        forModifiers({""}, withFtz, withSat, conversion);
    }
}

TEST_CASE("cvt to an integral float", "[9.7.9.21]") {
  for (const FloatType &type : floats)
    forModifiers(
        {"rni", "rzi", "rmi", "rpi"}, type.kind == Kind::single,
        type.kind != Kind::bfloat,
        [&](const std::string &modifiers, Mode mode, bool ftz, bool sat) {
          checkCvt(modifiers + "." + type.name + "." + type.name,
                   operandFor(type), operandFor(type), [=](Bits bits) {
                     Real exact = flushedSource(bits, type, ftz);
                     // Large numbers are integers.
                     if (exact.kind == Real::finite && exact.exponent < 0) {
                       Int128 value = integral(exact, mode);
                       exact.significand = Bits(value < 0 ? -value : value);
                       exact.exponent = 0;
                     }
                     return finished(
                         rounded(exact, type.format, Mode::nearestEven), type,
                         ftz, sat);
                   });
        });
}

TEST_CASE("cvt.pack", "[9.7.9.22]") {
  struct Packed {
    const char *name;
    unsigned bits;
    bool isSigned;
  };
  for (Packed to :
       {Packed{"u16", 16, false}, Packed{"s16", 16, true},
        Packed{"u8", 8, false}, Packed{"s8", 8, true}, Packed{"u4", 4, false},
        Packed{"s4", 4, true}, Packed{"u2", 2, false}, Packed{"s2", 2, true}}) {
    IntegerType type{to.name, to.bits, to.isSigned};
    auto element = [=](int32_t value) {
      Int128 clamped = std::clamp(Int128(value), type.least(), type.most());
      return uint32_t(clamped) & uint32_t(lowBits(type.bits));
    };
    std::string text = std::string("cvt.pack.sat.") + to.name + ".s32";
    if (to.bits == 16)
      check(text, [=](int32_t a, int32_t b) {
        return element(a) << 16 | element(b);
      });
    else
      check(text + ".b32", [=](int32_t a, int32_t b, uint32_t c) {
        return uint32_t(uint64_t{c} << 2 * type.bits | element(a) << type.bits |
                        element(b));
      });
  }
}

TEST_CASE("cvt with modifiers that do not fit is rejected", "[9.7.9.21]") {
  for (const char *text :
       {"cvt.sat.u32.u8 %r0, %r1", "cvt.sat.s64.s64 %d0, %d1",
        "cvt.rni.ftz.s32.f64 %r0, %d1", "cvt.rn.ftz.f16.f64 %h0, %d1",
        "cvt.rn.sat.bf16.f32 %h0, %r1", "cvt.rn.f32.f16 %r0, %h1",
        "cvt.f16.f32 %h0, %r1", "cvt.rni.f32.f16 %r0, %h1",
        "cvt.rn.f32.f32 %r0, %r1"}) {
    INFO(text);
    Kernel kernel(".reg .b16 %h<2>; .reg .b32 %r<2>; .reg .b64 %d<2>;\n" +
                  std::string(text) + ";\n");
    CHECK(kernel.error().find("not supported") != std::string::npos);
  }
}
