// Video instructions: PTX section 9.7.18. The references follow the manual's
// pseudocode on exact integers.
#include "test/runtime/emulator/instructions/Probe.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace instructions;

namespace {

/// The lower `bits` of a number, as the type has them.
Int128 extended(Int128 value, unsigned bits, bool isSigned) {
  Int128 low = Int128(Bits(value) & lowBits(bits));
  return isSigned && low >> (bits - 1) ? low - (Int128(1) << bits) : low;
}
Int128 clamped(Int128 value, unsigned bits, bool isSigned) {
  Int128 most = (Int128(1) << (bits - isSigned)) - 1;
  return std::clamp(value, isSigned ? -most - 1 : Int128(0), most);
}
std::string typeName(bool isSigned) { return isSigned ? ".s32" : ".u32"; }

const std::vector<std::string> parts = {"",    ".b0", ".b1", ".b2",
                                        ".b3", ".h0", ".h1"};
unsigned bitsOf(const std::string &part) {
  return part.empty() ? 32 : part[1] == 'b' ? 8 : 16;
}
unsigned shiftOf(const std::string &part) {
  return part.empty() ? 0 : unsigned(part[2] - '0') * bitsOf(part);
}
Int128 partOf(uint32_t value, const std::string &part, bool isSigned) {
  return extended(value >> shiftOf(part), bitsOf(part), isSigned);
}

/// A scalar instruction's modifiers and selectors.
struct Scalar {
  bool d = false, a = false, b = false; // signed
  bool sat = false;
  std::string secondary; // add, min, max
  std::string dPart, aPart, bPart;
};

/// What follows the primary operation; section 9.7.18.1.
uint32_t finished(const Scalar &s, Int128 value, uint32_t c) {
  if (s.sat)
    value = clamped(value, bitsOf(s.dPart), s.d);
  Int128 third = extended(c, 32, s.d);
  value = extended(value, 33, true);
  if (s.secondary == "add")
    value += third;
  if (s.secondary == "min")
    value = std::min(value, third);
  if (s.secondary == "max")
    value = std::max(value, third);
  uint32_t mask = uint32_t(lowBits(bitsOf(s.dPart))) << shiftOf(s.dPart);
  return ((uint32_t(value) << shiftOf(s.dPart)) & mask) | (c & ~mask);
}

/// Runs `name` with the operands of `s`.
template <class F>
void checkScalar(const std::string &name, const Scalar &s, F primary) {
  bool hasC = !s.secondary.empty() || !s.dPart.empty();
  std::string text = name + (s.secondary.empty() ? "" : "." + s.secondary) +
                     " $d" + s.dPart + ", $a" + s.aPart + ", $b" + s.bPart +
                     (hasC ? ", $c" : "");
  auto result = [=](uint32_t a, uint32_t b, uint32_t c) {
    return finished(
        s, primary(partOf(a, s.aPart, s.a), partOf(b, s.bPart, s.b)), c);
  };
  Probe video =
      hasC ? probe(text, result) : probe(text, [=](uint32_t a, uint32_t b) {
        return result(a, b, 0);
      });
  video.lanes = 256;
  video.takesImmediates = false;
  run(video);
}

/// All types and saturation with no selector, and each selector with some.
template <class F> void forScalars(F function) {
  for (bool d : {false, true})
    for (bool a : {false, true})
      for (bool b : {false, true})
        for (bool sat : {false, true})
          for (const char *secondary : {"", "add", "min", "max"})
            function(Scalar{d, a, b, sat, secondary, "", "", ""});
  for (size_t i = 0; i < parts.size(); ++i)
    for (size_t j = 0; j < parts.size(); ++j) {
      bool odd = (i + j) % 2;
      function(Scalar{odd, i % 2 == 0, j % 2 == 0, false, "", "", parts[i],
                      parts[j]});
      function(Scalar{!odd, odd, !odd, true, "", parts[i], parts[j],
                      parts[(i + j) % 7]});
      function(Scalar{odd, !odd, odd, false, "", parts[i], parts[j], ""});
    }
}

std::string modifiers(const Scalar &s, bool withB = true) {
  return typeName(s.d) + typeName(s.a) + (withB ? typeName(s.b) : ".u32") +
         (s.sat ? ".sat" : "");
}

} // namespace

TEST_CASE("vadd, vsub, vabsdiff, vmin, vmax", "[9.7.18.1]") {
  forScalars([](const Scalar &s) {
    std::string tail = modifiers(s);
    checkScalar("vadd" + tail, s, [](Int128 a, Int128 b) { return a + b; });
    checkScalar("vsub" + tail, s, [](Int128 a, Int128 b) { return a - b; });
    checkScalar("vabsdiff" + tail, s,
                [](Int128 a, Int128 b) { return a < b ? b - a : a - b; });
    checkScalar("vmin" + tail, s,
                [](Int128 a, Int128 b) { return std::min(a, b); });
    checkScalar("vmax" + tail, s,
                [](Int128 a, Int128 b) { return std::max(a, b); });
  });
}

TEST_CASE("vshl, vshr", "[9.7.18.1]") {
  forScalars([](Scalar s) {
    s.b = false;
    for (bool wraps : {false, true}) {
      auto amount = [=](Int128 b) {
        return wraps ? unsigned(b & 31) : unsigned(std::min(b, Int128(32)));
      };
      std::string tail = modifiers(s, false) + (wraps ? ".wrap" : ".clamp");
      // An intermediate result has 34 bits.
      checkScalar("vshl" + tail, s, [=](Int128 a, Int128 b) {
        return extended(a * (Int128(1) << amount(b)), 34, true);
      });
      checkScalar("vshr" + tail, s,
                  [=](Int128 a, Int128 b) { return a >> amount(b); });
    }
  });
}

static bool compared(const std::string &cmp, Int128 a, Int128 b) {
  return cmp == "eq"   ? a == b
         : cmp == "ne" ? a != b
         : cmp == "lt" ? a < b
         : cmp == "le" ? a <= b
         : cmp == "gt" ? a > b
                       : a >= b;
}
static const std::vector<std::string> comparisons = {"eq", "ne", "lt",
                                                     "le", "gt", "ge"};

TEST_CASE("vset", "[9.7.18.1]") {
  forScalars([](Scalar s) {
    // The result is unsigned.
    s.d = s.sat = false;
    for (const std::string &cmp : comparisons)
      checkScalar(
          "vset" + typeName(s.a) + typeName(s.b) + "." + cmp, s,
          [=](Int128 a, Int128 b) -> Int128 { return compared(cmp, a, b); });
  });
}

//===--- vmad -------------------------------------------------------------===//

namespace {
struct Mad {
  bool a = false, b = false; // signed
  bool sat = false, po = false;
  bool minusA = false, minusB = false, minusC = false;
  unsigned scale = 0;
  std::string aPart, bPart;
};
uint32_t resultOf(const Mad &m, uint32_t x, uint32_t y, uint32_t c) {
  Int128 product = partOf(x, m.aPart, m.a) * partOf(y, m.bPart, m.b);
  bool minus = m.minusA != m.minusB;
  bool isSigned = m.a || m.b || minus || m.minusC;
  Int128 third = extended(c, 32, isSigned);
  Int128 value = (minus ? -product : product) +
                 (m.minusC && !minus ? extended(~c, 32, isSigned) + 1 : third) +
                 m.po;
  value >>= m.scale;
  return uint32_t(m.sat ? clamped(value, 32, isSigned) : value);
}
void checkMad(const Mad &m, bool d) {
  std::string text = "vmad" + typeName(d) + typeName(m.a) + typeName(m.b) +
                     (m.po ? ".po" : "") + (m.sat ? ".sat" : "") +
                     (m.scale ? ".shr" + std::to_string(m.scale) : "") +
                     " $d, " + (m.minusA ? "-$a" : "$a") + m.aPart + ", " +
                     (m.minusB ? "-$b" : "$b") + m.bPart + ", " +
                     (m.minusC ? "-$c" : "$c");
  Probe video = probe(text, [=](uint32_t a, uint32_t b, uint32_t c) {
    return resultOf(m, a, b, c);
  });
  video.lanes = 256;
  video.takesImmediates = false;
  run(video);
}
} // namespace

TEST_CASE("vmad", "[9.7.18.1]") {
  for (unsigned flags = 0; flags < 8; ++flags)
    for (unsigned scale : {0u, 7u, 15u}) {
      bool a = flags & 1, b = flags & 2, sat = flags & 4, d = scale == 7;
      checkMad({a, b, sat, false, false, false, false, scale, "", ""}, d);
      checkMad({a, b, sat, true, false, false, false, scale, "", ""}, d);
      checkMad({a, b, sat, false, true, false, false, scale, "", ""}, d);
      checkMad({a, b, sat, false, false, true, false, scale, "", ""}, d);
      checkMad({a, b, sat, false, false, false, true, scale, "", ""}, d);
      checkMad({a, b, sat, false, true, true, false, scale, "", ""}, d);
    }
  for (const std::string &a : parts)
    for (const std::string &b : parts)
      checkMad({a.size() == 2, b.empty(), false, false, false, false, false, 0,
                a, b},
               false);
}

//===--- Two halves, four bytes -------------------------------------------===//

namespace {
struct Parallel {
  unsigned count = 2;
  bool d = false, a = false, b = false; // signed
  bool sat = false, add = false;
  std::string mask, aChoice, bChoice;

  [[nodiscard]] unsigned bits() const { return 32 / count; }
  [[nodiscard]] bool writes(unsigned i) const {
    return mask.empty() || mask.find(char('0' + i)) != std::string::npos;
  }
  /// Which of the elements of a, then those of b, the i-th one is.
  [[nodiscard]] unsigned chosen(const std::string &choice, unsigned i,
                                bool second) const {
    if (choice.empty())
      return i + (second ? count : 0);
    return unsigned(choice[choice.size() - 1 - i] - '0');
  }
};

template <class F>
uint32_t resultOf(const Parallel &p, F primary, uint32_t a, uint32_t b,
                  uint32_t c) {
  uint32_t sum = c, merged = 0;
  for (unsigned i = 0; i < p.count; ++i) {
    unsigned bits = p.bits();
    uint32_t element = uint32_t(lowBits(bits)) << bits * i;
    auto value = [&](unsigned index, bool isSigned) {
      uint32_t from = index < p.count ? a : b;
      return extended(from >> bits * (index % p.count), bits, isSigned);
    };
    Int128 t = primary(value(p.chosen(p.aChoice, i, false), p.a),
                       value(p.chosen(p.bChoice, i, true), p.b));
    if (p.sat)
      t = clamped(t, bits, p.d);
    if (p.writes(i))
      sum += uint32_t(t);
    merged |= (p.writes(i) ? uint32_t(t) << bits * i : c) & element;
  }
  return p.add ? sum : merged;
}
template <class F>
void checkParallel(const std::string &name, const Parallel &p, F primary) {
  std::string text = name + (p.add ? ".add" : "") + " $d" + p.mask + ", $a" +
                     p.aChoice + ", $b" + p.bChoice + ", $c";
  Probe video = probe(text, [=](uint32_t a, uint32_t b, uint32_t c) {
    return resultOf(p, primary, a, b, c);
  });
  video.lanes = 256;
  video.takesImmediates = false;
  run(video);
}

/// All types; then each mask and many combinations.
template <class F> void forParallels(unsigned count, F function) {
  for (bool d : {false, true})
    for (bool a : {false, true})
      for (bool b : {false, true})
        for (int last : {0, 1, 2})
          function(Parallel{count, d, a, b, last == 1, last == 2, "", "", ""});
  Random random(count);
  std::string letter = count == 2 ? ".h" : ".b";
  for (unsigned mask = 1; mask < 1u << count; ++mask)
    for (int round = 0; round < 4; ++round) {
      std::string digits, a, b;
      for (unsigned i = count; i-- > 0;) {
        if (mask >> i & 1)
          digits += char('0' + i);
        a += char('0' + random() % (2 * count));
        b += char('0' + random() % (2 * count));
      }
      function(Parallel{count, round == 3, random() % 2 == 0, random() % 2 == 0,
                        round == 1, round == 2, letter + digits,
                        round ? letter + a : "", round ? letter + b : ""});
    }
}

Int128 average(Int128 a, Int128 b) {
  return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
}
} // namespace

TEST_CASE("vadd2, vadd4 and the like", "[9.7.18.2]") {
  for (unsigned count : {2u, 4u})
    forParallels(count, [=](const Parallel &p) {
      std::string tail = std::to_string(count) + typeName(p.d) + typeName(p.a) +
                         typeName(p.b) + (p.sat ? ".sat" : "");
      checkParallel("vadd" + tail, p, [](Int128 a, Int128 b) { return a + b; });
      checkParallel("vsub" + tail, p, [](Int128 a, Int128 b) { return a - b; });
      checkParallel("vavrg" + tail, p, average);
      checkParallel("vabsdiff" + tail, p,
                    [](Int128 a, Int128 b) { return a < b ? b - a : a - b; });
      checkParallel("vmin" + tail, p,
                    [](Int128 a, Int128 b) { return std::min(a, b); });
      checkParallel("vmax" + tail, p,
                    [](Int128 a, Int128 b) { return std::max(a, b); });
    });
}

TEST_CASE("vset2, vset4", "[9.7.18.2]") {
  for (unsigned count : {2u, 4u})
    forParallels(count, [=](Parallel p) {
      p.d = p.sat = false;
      for (const std::string &cmp : comparisons)
        checkParallel("vset" + std::to_string(count) + typeName(p.a) +
                          typeName(p.b) + "." + cmp,
                      p, [=](Int128 a, Int128 b) -> Int128 {
                        return compared(cmp, a, b);
                      });
    });
}
