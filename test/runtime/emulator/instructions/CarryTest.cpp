// Arithmetic with the carry flag: PTX section 9.7.2.
#include "test/runtime/emulator/instructions/Kernel.h"
#include "test/runtime/emulator/instructions/Probe.h"

#include <catch2/catch.hpp>

#include <array>

using namespace instructions;

namespace {

template <class T> constexpr unsigned width = 8 * sizeof(T);

/// An instruction between one that sets the flag where $c is not 0 and one that
/// reads it. `function` returns the exact result; its bits above T are the
/// flag. Results: of the instruction; of the one before; the flag.
template <class T, class F>
void checkChain(const std::string &text, const std::string &type, bool borrows,
                F function) {
  std::string set =
      borrows ? "sub.cc.u32 $p, 0, $c" : "add.cc.u32 $p, $c, 0xFFFFFFFF";
  std::string get = borrows ? "subc.u32 $q, 0, 0" : "addc.u32 $q, 0, 0";
  Probe chain =
      probe(set + "; " + text + "." + type + " $d, $a, $b, $e; " + get,
            [](T, T, uint32_t, T) { return T{}; });
  chain.results = {operandOf<T>(), operandOf<uint32_t>(),
                   operandOf<uint32_t>()};
  bool isSum = text.find("mad") == std::string::npos;
  if (isSum)
    chain.text = set + "; " + text + "." + type + " $d, $a, $b; " + get;
  // The flag stays as it is without .cc.
  bool writes = text.find(".cc") != std::string::npos;
  chain.reference = [=](const Bits *s, Expected *r) {
    uint32_t c = uint32_t(s[2]);
    bool flag = c != 0;
    Int128 exact = function(fromBits<T>(s[0]), fromBits<T>(s[1]),
                            isSum ? T{} : fromBits<T>(s[3]), flag);
    r[0].bits = Bits(exact) & lowBits(width<T>);
    r[1].bits = uint32_t(borrows ? 0 - c : c - 1);
    bool out = writes ? exact >> width<T> & 1 : flag;
    r[2].bits = borrows ? uint32_t(0) - out : out;
  };
  // $e is in no sum.
  if (isSum)
    chain.sources.resize(3);
  run(chain);
}

template <class T> void checkSums(const std::string &type) {
  using U = std::make_unsigned_t<T>;
  auto sum = [](T a, T b, T, bool carry) {
    return Int128(U(a)) + U(b) + carry;
  };
  auto difference = [](T a, T b, T, bool borrow) {
    return Int128(U(a)) - U(b) - borrow;
  };
  checkChain<T>("add.cc", type, false,
                [=](T a, T b, T c, bool) { return sum(a, b, c, false); });
  checkChain<T>("addc", type, false, sum);
  checkChain<T>("addc.cc", type, false, sum);
  checkChain<T>("sub.cc", type, true, [=](T a, T b, T c, bool) {
    return difference(a, b, c, false);
  });
  checkChain<T>("subc", type, true, difference);
  checkChain<T>("subc.cc", type, true, difference);
}

template <class T> void checkProducts(const std::string &type) {
  using U = std::make_unsigned_t<T>;
  for (bool high : {false, true}) {
    std::string half = high ? ".hi" : ".lo";
    auto sum = [=](T a, T b, T c, bool carry) {
      Bits product = Bits(Int128(a) * b);
      U part = U(high ? product >> width<T> : product);
      return Int128(part) + U(c) + carry;
    };
    checkChain<T>("mad" + half + ".cc", type, false,
                  [=](T a, T b, T c, bool) { return sum(a, b, c, false); });
    checkChain<T>("madc" + half, type, false, sum);
    checkChain<T>("madc" + half + ".cc", type, false, sum);
  }
}

} // namespace

TEST_CASE("add.cc, addc, sub.cc, subc", "[9.7.2]") {
  checkSums<uint32_t>("u32");
  checkSums<int32_t>("s32");
  checkSums<uint64_t>("u64");
  checkSums<int64_t>("s64");
}

TEST_CASE("mad.cc, madc", "[9.7.2]") {
  checkProducts<uint32_t>("u32");
  checkProducts<int32_t>("s32");
  checkProducts<uint64_t>("u64");
  checkProducts<int64_t>("s64");
}

TEST_CASE("Each thread has its own carry", "[9.7.2]") {
  // Even lanes set it, odd lanes clear it.
  std::vector<uint32_t> data(32);
  runKernel(".reg .u32 %r<4>; .reg .u64 %a; .reg .pred %p;\n"
            "ld.param.u64 %a, [data];\n"
            "mov.u32 %r0, %tid.x;\n"
            "and.b32 %r1, %r0, 1;\n"
            "setp.eq.u32 %p, %r1, 0;\n"
            "add.cc.u32 %r2, 1, 1;\n"
            "@%p add.cc.u32 %r2, -1, 1;\n"
            "@!%p add.cc.u32 %r2, 7, 1;\n"
            "addc.u32 %r3, 100, 0;\n"
            "mad.wide.u32 %a, %r0, 4, %a;\n"
            "st.global.u32 [%a], %r3;\n",
            data, {}, "add addc");
  for (uint32_t lane = 0; lane < 32; ++lane)
    CHECK(data[lane] == (lane % 2 ? 100 : 101));
}
