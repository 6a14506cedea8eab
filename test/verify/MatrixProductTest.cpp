// Sums of products as tensor cores compute them, against results of devices
// that separate other ways to round (Khattak and Mikaitis, "Accurate models of
// NVIDIA tensor cores", 2025; their data is under the BSD licence).
#include "verify/threads/MatrixProduct.h"
#include "llvm/ADT/APFloat.h"

#include <catch2/catch.hpp>
#include <vector>

using namespace tilewright::verify::threads;

namespace {
struct Case {
  const char *name;
  unsigned architecture;
  FloatLayout format;
  /// As f32.
  std::vector<uint32_t> a, b;
  uint32_t acc, result;
};
} // namespace

static const llvm::fltSemantics &semanticsOf(FloatLayout format) {
  if (format.exponent == 5)
    return llvm::APFloat::IEEEhalf();
  if (format.exponent == 4)
    return llvm::APFloat::Float8E4M3FN();
  return format.fraction == 7 ? llvm::APFloat::BFloat()
                              : llvm::APFloat::FloatTF32();
}

/// The numbers, which the format has, in its bits.
static std::vector<uint32_t> converted(const std::vector<uint32_t> &numbers,
                                       FloatLayout format) {
  std::vector<uint32_t> made;
  for (uint32_t bits : numbers) {
    llvm::APFloat number(llvm::APFloat::IEEEsingle(), llvm::APInt(32, bits));
    bool isLost = false;
    number.convert(semanticsOf(format), llvm::APFloat::rmNearestTiesToEven,
                   &isLost);
    CHECK_FALSE(isLost);
    made.push_back(uint32_t(number.bitcastToAPInt().getZExtValue()));
  }
  return made;
}

static const std::vector<Case> &cases() {
  static const std::vector<Case> all = {
      {"A100 f16",
       80,
       {5, 10},
       {0xbe83a000, 0xbfc58000, 0xbe858000, 0x3cbf6000, 0x3f8ce000, 0xbe858000,
        0x3f3fa000, 0x3db98000},
       {0xbdbe6000, 0xbfb0e000, 0x3e4d2000, 0xbf3b0000, 0xbf2ea000, 0xbdc16000,
        0xbf8ae000, 0x3d8b4000},
       0x3f5158c1,
       0x3fafaab3},
      {"A100 bf16",
       80,
       {8, 7},
       {0x3ed00000, 0xbef00000, 0xbf8d0000, 0x3fa40000, 0x3ea60000, 0x3ee90000,
        0xbcd10000, 0x3fd80000},
       {0xbf360000, 0x3f190000, 0xbe940000, 0xbf890000, 0x40110000, 0xbe650000,
        0x3e870000, 0x3ee00000},
       0x3e871edf,
       0x3bd07980},
      {"A100 tf32",
       80,
       {8, 10},
       {0xbf3a6000, 0x3ee98000, 0xbfe92000, 0xbf42c000},
       {0xbfdde000, 0xbfaba000, 0x3bb9a000, 0x3f99a000},
       0x3ee63be1,
       0x3e350946},
      {"H200 f16",
       90,
       {5, 10},
       {0x3f4b4000, 0xbff0e000, 0x3f9b6000, 0x3bb76000, 0xbd812000, 0x3e0b4000,
        0x3f596000, 0xbec24000, 0xbfb14000, 0xbf936000, 0xbf662000, 0xbe538000,
        0xbf1be000, 0x3e4e6000, 0x3f41a000, 0xbfec4000},
       {0x3e666000, 0x3a5aa000, 0x3f59e000, 0xbe588000, 0x3f6be000, 0x3ea84000,
        0x3feae000, 0x3c90e000, 0xbd266000, 0x3f8c4000, 0x401c4000, 0xbf810000,
        0xbfdea000, 0xbe08e000, 0xbf24c000, 0x3f626000},
       0x3f7c9624,
       0xbf0b8395},
      {"H200 bf16",
       90,
       {8, 7},
       {0x3d450000, 0x3ec50000, 0xbd4f0000, 0xc02b0000, 0xbde90000, 0x401e0000,
        0x3f3c0000, 0xbf2c0000, 0x3e230000, 0xc0460000, 0xbee50000, 0xbf710000,
        0xbda30000, 0xbfc70000, 0xbd8c0000, 0xbe3b0000},
       {0xbfdf0000, 0xbe1b0000, 0xbed80000, 0xbfa60000, 0xbef10000, 0x3fbc0000,
        0xbeec0000, 0xbfcb0000, 0x3ed70000, 0x3fe50000, 0xbdd80000, 0x40110000,
        0xbf0e0000, 0x3f220000, 0xbd840000, 0xbf0b0000},
       0x3e2045c7,
       0xbef6ff3e},
      {"H200 tf32",
       90,
       {8, 10},
       {0x3f640000, 0x40016000, 0xbd68e000, 0xbe3b2000},
       {0x3d02e000, 0x3fd40000, 0xbf956000, 0x3f71a000},
       0x3ed7616d,
       0x406c3a97},
      {"L40S f8E4M3FN",
       89,
       {4, 3, true},
       {0x3e700000, 0xbff00000, 0x3e300000, 0x3fe00000, 0x3f100000, 0xbf100000,
        0xbe700000, 0xbd900000, 0x3e200000, 0x3f100000, 0xbe400000, 0xbed00000,
        0x3e800000, 0x3f600000, 0x3ef00000, 0xbf800000, 0x40000000, 0x3f800000,
        0xbf600000, 0x3e200000, 0x3f800000, 0xbf700000, 0xbfd00000, 0xbef00000,
        0xbfc00000, 0xbea00000, 0x3f900000, 0x3fb00000, 0x3f800000, 0x3e800000,
        0xbfc00000, 0xbcd00000},
       {0x3f900000, 0xbf100000, 0xc0100000, 0x3f900000, 0xbcd00000, 0x3fe00000,
        0x3ec00000, 0xc0200000, 0xbeb00000, 0x3f100000, 0xbf900000, 0xbfb00000,
        0xbf000000, 0x3e100000, 0x3f000000, 0x3e600000, 0xbf600000, 0x3ff00000,
        0x3fc00000, 0xbcd00000, 0xbf900000, 0x3e600000, 0x3e900000, 0x3e000000,
        0xbe800000, 0xbf800000, 0xbc900000, 0xbfd00000, 0x3ee00000, 0x3f800000,
        0x3e100000, 0x3e100000},
       0x3ee10250,
       0xbf27e000},
  };
  return all;
}

TEST_CASE("threads: products are added as on devices") {
  for (const Case &each : cases()) {
    INFO(each.name);
    CHECK(addProducts(converted(each.a, each.format), each.format,
                      converted(each.b, each.format), each.format, each.acc,
                      productRules(each.architecture, each.format)) ==
          each.result);
  }
}

TEST_CASE("threads: products of infinities and NaN") {
  constexpr FloatLayout half = {5, 10};
  const ProductRules rules = productRules(90, half);
  auto add = [&](uint32_t a, uint32_t b, uint32_t acc) {
    return addProducts(std::vector<uint32_t>{a, 0x3c00}, half,
                       std::vector<uint32_t>{b, 0x3c00}, half, acc, rules);
  };
  CHECK(add(0x3c00, 0x3c00, 0x3f800000) == 0x40400000);
  CHECK(add(0x7c00, 0x3c00, 0x3f800000) == 0x7f800000);
  CHECK(add(0xfc00, 0x3c00, 0x3f800000) == 0xff800000);
  CHECK(add(0x7c00, 0, 0) == 0x7fffffff);
  CHECK(add(0x7c00, 0x3c00, 0xff800000) == 0x7fffffff);
  CHECK(add(0x7e00, 0x3c00, 0) == 0x7fffffff);
}
