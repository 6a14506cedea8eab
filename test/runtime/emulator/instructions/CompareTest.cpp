// Comparison and selection: PTX sections 9.7.5, 9.7.6 and 9.7.7.
#include "test/runtime/emulator/instructions/Kernel.h"
#include "test/runtime/emulator/instructions/Probe.h"
#include "test/runtime/emulator/instructions/Reals.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace instructions;

namespace {

/// `a cmp b` by its name; of numbers of one C++ type.
template <class T> bool compared(const std::string &cmp, T a, T b) {
  bool unordered = a != a || b != b;
  if (cmp == "num" || cmp == "nan")
    return unordered == (cmp == "nan");
  // equ, ltu, ...: true also with a NaN.
  if (cmp.size() == 3 && unordered)
    return true;
  std::string name = cmp.substr(0, 2);
  if (name == "ne")
    return !unordered && a != b;
  return name == "eq"                   ? a == b
         : name == "lt" || name == "lo" ? a < b
         : name == "le" || name == "ls" ? a <= b
         : name == "gt" || name == "hi" ? a > b
                                        : a >= b;
}

bool joined(const std::string &op, bool a, bool c) {
  return op == "and" ? a && c : op == "or" ? a || c : op == "xor" ? a != c : a;
}

using Names = std::vector<std::string>;
const Names equality = {"eq", "ne"};
const Names signedNames = {"eq", "ne", "lt", "le", "gt", "ge"};
const Names unsignedNames = {"eq", "ne", "lt", "le", "gt",
                             "ge", "lo", "ls", "hi", "hs"};
const Names floatNames = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                          "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
const Names joins = {"", "and", "or", "xor"};

using instructions::valueOf;
template <class T> T valueOf(T a) { return a; }

/// What a flag is in the result of `set`.
template <class D> D flagOf(bool holds, uint64_t one) {
  return fromBits<D>(Bits{holds ? one : 0});
}
struct SetResult {
  const char *type;
  uint64_t one;
};

/// setp and set of one type: all comparisons, each way to join a predicate.
template <class T, class F>
void checkSetp(const std::string &type, const Names &names, bool flushes,
               F before) {
  // f16 and bf16 have no second result.
  constexpr bool isPair =
      !std::is_same_v<T, Half> && !std::is_same_v<T, BFloat>;
  std::string ftz = flushes ? ".ftz" : "";
  for (const std::string &cmp : names) {
    auto holds = [=](T a, T b) {
      return compared(cmp, valueOf(before(a)), valueOf(before(b)));
    };
    std::string tail = ftz + "." + type;
    check("setp." + cmp + tail, holds);
    if (isPair)
      check("setp." + cmp + tail + " $d|$p, $a, $b",
            [=](T a, T b) { return std::pair(holds(a, b), !holds(a, b)); });
    for (const std::string op : {"and", "or", "xor"}) {
      if (isPair)
        check("setp." + cmp + "." + op + tail, [=](T a, T b, bool c) {
          bool d = holds(a, b);
          return std::pair(joined(op, d, c), joined(op, !d, c));
        });
      else
        check("setp." + cmp + "." + op + tail,
              [=](T a, T b, bool c) { return joined(op, holds(a, b), c); });
      check("setp." + cmp + "." + op + tail + " $d, $a, $b, !$c",
            [=](T a, T b, bool c) { return joined(op, holds(a, b), !c); });
    }
  }
}

/// set with the result type D, whose true is `one`.
template <class D, class T, class F>
void checkSet(const std::string &result, uint64_t one, const std::string &type,
              const Names &names, bool flushes, F before) {
  std::string tail = std::string(flushes ? ".ftz." : ".") + result + "." + type;
  for (const std::string &cmp : names) {
    auto holds = [=](T a, T b) {
      return compared(cmp, valueOf(before(a)), valueOf(before(b)));
    };
    check("set." + cmp + tail,
          [=](T a, T b) { return flagOf<D>(holds(a, b), one); });
    for (const std::string op : {"and", "or", "xor"})
      check("set." + cmp + "." + op + tail, [=](T a, T b, bool c) {
        return flagOf<D>(joined(op, holds(a, b), c), one);
      });
  }
}

template <class T, class F>
void checkType(const std::string &type, const Names &names, bool flushes,
               F before) {
  checkSetp<T>(type, names, flushes, before);
  checkSet<uint32_t, T>("u32", 0xFFFFFFFF, type, names, flushes, before);
  checkSet<uint32_t, T>("s32", 0xFFFFFFFF, type, names, flushes, before);
  if (!std::is_same_v<T, Half>)
    checkSet<float, T>("f32", 0x3F800000, type, names, flushes, before);
  checkSet<Half, T>("f16", 0x3C00, type, names, flushes, before);
  if (!flushes)
    checkSet<BFloat, T>("bf16", 0x3F80, type, names, flushes, before);
}
template <class T> void checkType(const std::string &type, const Names &names) {
  checkType<T>(type, names, false, [](T a) { return a; });
}

} // namespace

TEST_CASE("set, setp of integers", "[9.7.6]") {
  checkType<uint16_t>("b16", equality);
  checkType<uint32_t>("b32", equality);
  checkType<uint64_t>("b64", equality);
  checkType<uint16_t>("u16", unsignedNames);
  checkType<uint32_t>("u32", unsignedNames);
  checkType<uint64_t>("u64", unsignedNames);
  checkType<int16_t>("s16", signedNames);
  checkType<int32_t>("s32", signedNames);
  checkType<int64_t>("s64", signedNames);
}

TEST_CASE("set, setp of f32 and f64", "[9.7.6]") {
  checkType<float>("f32", floatNames);
  checkType<float>("f32", floatNames, true, [](float a) { return flushed(a); });
  checkType<double>("f64", floatNames);
}

TEST_CASE("set, setp of f16 and bf16", "[9.7.7]") {
  auto same = [](auto a) { return a; };
  checkType<Half>("f16", floatNames);
  checkType<Half>("f16", floatNames, true, [](Half a) { return flushed(a); });
  checkSetp<BFloat>("bf16", floatNames, false, same);
  checkSet<uint16_t, Half>("u16", 0xFFFF, "f16", floatNames, false, same);
  checkSet<uint16_t, Half>("s16", 0xFFFF, "f16", floatNames, false, same);
  checkSet<BFloat, BFloat>("bf16", 0x3F80, "bf16", floatNames, false, same);
  checkSet<uint16_t, BFloat>("u16", 0xFFFF, "bf16", floatNames, false, same);
  checkSet<uint32_t, BFloat>("u32", 0xFFFFFFFF, "bf16", floatNames, false,
                             same);
  checkSet<uint32_t, BFloat>("s32", 0xFFFFFFFF, "bf16", floatNames, false,
                             same);
}

/// Both halves: two predicates, two flags.
template <class T2, class F>
static void checkPairs(const std::string &type, bool flushes, F element,
                       const std::vector<SetResult> &results) {
  std::string ftz = flushes ? ".ftz" : "";
  for (const std::string &cmp : floatNames)
    for (const std::string &op : joins) {
      auto both = [=](T2 a, T2 b, bool c) {
        auto holds = [&](uint32_t x, uint32_t y) {
          return joined(op, compared(cmp, element(x), element(y)), c);
        };
        return std::pair(holds(a.bits & 0xFFFF, b.bits & 0xFFFF),
                         holds(a.bits >> 16, b.bits >> 16));
      };
      std::string name = cmp + (op.empty() ? "" : "." + op) + ftz;
      if (op.empty())
        check("setp." + name + "." + type,
              [=](T2 a, T2 b) { return both(a, b, false); });
      else
        check("setp." + name + "." + type, both);
      for (const SetResult &result : results) {
        auto flags = [=](T2 a, T2 b, bool c) {
          auto [low, high] = both(a, b, c);
          return uint32_t((low ? result.one : 0) |
                          (high ? result.one << 16 : 0));
        };
        std::string text = "set." + name + "." + result.type + "." + type;
        if (op.empty())
          check(text, [=](T2 a, T2 b) { return flags(a, b, false); });
        else
          check(text, flags);
      }
    }
}
TEST_CASE("set, setp of pairs", "[9.7.7]") {
  auto half = [](uint32_t a) { return valueOf(Half{uint16_t(a)}); };
  auto flushedHalf = [](uint32_t a) {
    return valueOf(flushed(Half{uint16_t(a)}));
  };
  auto bfloat = [](uint32_t a) { return valueOf(BFloat{uint16_t(a)}); };
  std::vector<SetResult> halves = {
      {"f16x2", 0x3C00}, {"u32", 0xFFFF}, {"s32", 0xFFFF}};
  checkPairs<Half2>("f16x2", false, half, halves);
  checkPairs<Half2>("f16x2", true, flushedHalf, halves);
  checkPairs<BFloat2>("bf16x2", false, bfloat,
                      {{"bf16x2", 0x3F80}, {"u32", 0xFFFF}, {"s32", 0xFFFF}});
}

//===--- selp, slct -------------------------------------------------------===//

template <class T> static void checkSelection(const std::string &type) {
  check("selp." + type, [](T a, T b, bool c) { return c ? a : b; });
  check("slct." + type + ".s32",
        [](T a, T b, int32_t c) { return c >= 0 ? a : b; });
  check("slct." + type + ".f32",
        [](T a, T b, float c) { return c >= 0 ? a : b; });
  check("slct.ftz." + type + ".f32",
        [](T a, T b, float c) { return flushed(c) >= 0 ? a : b; });
}
TEST_CASE("selp, slct", "[9.7.6]") {
  for (const char *type : {"b16", "u16", "s16"})
    checkSelection<uint16_t>(type);
  for (const char *type : {"b32", "u32", "s32"})
    checkSelection<uint32_t>(type);
  for (const char *type : {"b64", "u64", "s64"})
    checkSelection<uint64_t>(type);
  checkSelection<float>("f32");
  checkSelection<double>("f64");
}

TEST_CASE("Comparisons that do not fit the type are rejected", "[9.3.1]") {
  for (const char *text :
       {"setp.lo.s32 %p0, %r0, %r1", "setp.hs.f32 %p0, %r0, %r1",
        "setp.lt.b32 %p0, %r0, %r1", "setp.equ.u32 %p0, %r0, %r1",
        "setp.lt.ftz.f64 %p0, %d0, %d1", "setp.lt.f16 %p0|%p1, %h0, %h1",
        "set.lt.ftz.bf16.f32 %h0, %r0, %r1", "set.nan.u32.s32 %r0, %r0, %r1"}) {
    INFO(text);
    Kernel kernel(".reg .pred %p<2>; .reg .b16 %h<2>; .reg .b32 %r<2>; .reg "
                  ".b64 %d<2>;\n" +
                  std::string(text) + ";\n");
    CHECK(kernel.error().find("not supported") != std::string::npos);
  }
}
