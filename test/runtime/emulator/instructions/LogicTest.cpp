// Logic and shifts: PTX section 9.7.8; prmt: section 9.7.9.7.
#include "test/runtime/emulator/instructions/Probe.h"

#include <catch2/catch.hpp>

using namespace instructions;

namespace {
template <class T> constexpr unsigned width = 8 * sizeof(T);

template <class T> void checkLogic() {
  std::string type = "b" + std::to_string(width<T>);
  check("and." + type, [](T a, T b) { return T(a & b); });
  check("or." + type, [](T a, T b) { return T(a | b); });
  check("xor." + type, [](T a, T b) { return T(a ^ b); });
  check("not." + type, [](T a) { return T(~a); });
  check("cnot." + type, [](T a) { return T(a == 0 ? 1 : 0); });
  check("shl." + type,
        [](T a, Amount n) { return T(n < width<T> ? a << n : 0); });
}
template <class T> T shiftedRight(T a, Amount n) {
  if (n >= width<T>)
    return a < 0 ? T(-1) : T(0);
  return T(a >> n);
}
template <class T> void checkShr(const std::string &type) {
  check("shr." + type + std::to_string(width<T>), shiftedRight<T>);
}
} // namespace

TEST_CASE("and, or, xor, not, cnot, shl", "[9.7.8]") {
  checkLogic<uint16_t>();
  checkLogic<uint32_t>();
  checkLogic<uint64_t>();
}

TEST_CASE("Logic on predicates", "[9.7.8]") {
  check("and.pred", [](bool a, bool b) { return a && b; });
  check("or.pred", [](bool a, bool b) { return a || b; });
  check("xor.pred", [](bool a, bool b) { return a != b; });
  check("not.pred", [](bool a) { return !a; });
  check("and.pred $d, !$a, $b", [](bool a, bool b) { return !a && b; });
  check("or.pred $d, $a, !$b", [](bool a, bool b) { return a || !b; });
}

TEST_CASE("shr", "[9.7.8]") {
  for (const char *letter : {"b", "u"}) {
    checkShr<uint16_t>(letter);
    checkShr<uint32_t>(letter);
    checkShr<uint64_t>(letter);
  }
  checkShr<int16_t>("s");
  checkShr<int32_t>("s");
  checkShr<int64_t>("s");
}

/// Bit by bit: the table's bit at 4 * a + 2 * b + c.
static uint32_t byTable(uint32_t a, uint32_t b, uint32_t c, unsigned table) {
  uint32_t result = 0;
  for (unsigned i = 0; i < 32; ++i) {
    unsigned index = (a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1);
    result |= uint32_t(table >> index & 1) << i;
  }
  return result;
}
TEST_CASE("lop3", "[9.7.8.6]") {
  for (unsigned table = 0; table < 256; ++table) {
    std::string immediate = std::to_string(table);
    Probe lop3 = probe("lop3.b32 $d, $a, $b, $c, " + immediate,
                       [=](uint32_t a, uint32_t b, uint32_t c) {
                         return byTable(a, b, c, table);
                       });
    lop3.lanes = 256;
    run(lop3);
  }
  for (unsigned table : {0x80u, 0x01u, 0xCAu})
    for (bool negated : {false, true})
      for (bool isOr : {false, true})
        check(std::string("lop3.") + (isOr ? "or" : "and") +
                  ".b32 $d|$p, $a, $b, $c, " + std::to_string(table) +
                  (negated ? ", !$e" : ", $e"),
              [=](uint32_t a, uint32_t b, uint32_t c, bool q) {
                uint32_t d = byTable(a, b, c, table);
                bool other = negated ? !q : q;
                return std::pair(d, isOr ? d != 0 || other : d != 0 && other);
              });
}

TEST_CASE("shf", "[9.7.8.7]") {
  for (bool wraps : {false, true}) {
    std::string mode = wraps ? "wrap.b32" : "clamp.b32";
    auto amount = [=](uint32_t c) { return wraps ? c & 31 : c < 32 ? c : 32; };
    // Of the 64 bits b:a, the upper word after a shift to the left, the lower
    // one after a shift to the right.
    check("shf.l." + mode, [=](uint32_t a, uint32_t b, Amount c) {
      Bits both = Bits{b} << 32 | a;
      return uint32_t((both << amount(c)) >> 32);
    });
    check("shf.r." + mode, [=](uint32_t a, uint32_t b, Amount c) {
      Bits both = Bits{b} << 32 | a;
      return uint32_t(both >> amount(c));
    });
  }
}

//===--- prmt -------------------------------------------------------------===//

static uint8_t byteOf(uint32_t a, uint32_t b, unsigned index) {
  return uint8_t((uint64_t{b} << 32 | a) >> 8 * index);
}
/// The bytes of the result, from the lowest, by the tables of section 9.7.9.7.
static uint32_t permuted(uint32_t a, uint32_t b, const unsigned (&bytes)[4]) {
  uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i)
    result |= uint32_t{byteOf(a, b, bytes[i])} << 8 * i;
  return result;
}
TEST_CASE("prmt", "[9.7.9.7]") {
  check("prmt.b32", [](uint32_t a, uint32_t b, uint32_t c) {
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; ++i) {
      unsigned selector = c >> 4 * i & 15;
      uint8_t byte = byteOf(a, b, selector & 7);
      if (selector & 8)
        byte = byte & 0x80 ? 0xFF : 0;
      result |= uint32_t{byte} << 8 * i;
    }
    return result;
  });
  struct Mode {
    const char *name;
    unsigned bytes[4][4]; // by the selector, from the lowest
  };
  static const Mode modes[] = {
      {"f4e", {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}}},
      {"b4e", {{0, 7, 6, 5}, {1, 0, 7, 6}, {2, 1, 0, 7}, {3, 2, 1, 0}}},
      {"rc8", {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}},
      {"ecl", {{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 3}, {3, 3, 3, 3}}},
      {"ecr", {{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}}},
      {"rc16", {{0, 1, 0, 1}, {2, 3, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}}}};
  for (const Mode &mode : modes)
    check(std::string("prmt.b32.") + mode.name,
          [=](uint32_t a, uint32_t b, uint32_t c) {
            return permuted(a, b, mode.bytes[c & 3]);
          });
}
