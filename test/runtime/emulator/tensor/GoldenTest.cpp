// Hardware results that distinguish the rules: they always run.
//
// From MATLAB-tensor-core (north-numerical-computing), licence BSD-2-Clause,
// (c) 2025 F. A. Khattak and M. Mikaitis. Each was chosen because a rule with
// one fraction bit more or less, with exact sums, with blocks of half the size
// or with another rounding has another result.
#include "Matrices.h"
#include <catch2/catch.hpp>

using namespace tilewright::emulator;

namespace {

/// Operands and results as f32 bits.
struct Golden {
  const char *gpu;
  int sm;
  MatrixInstruction instruction;
  ElementType operands, result;
  std::vector<std::uint32_t> a, b;
  std::uint32_t c, d;
};

std::vector<Golden> goldens() {
  return {
      {"V100",
       70,
       MatrixInstruction::mma,
       ElementType::f16,
       ElementType::f32,
       {0x3e6c6000, 0xbf40a000, 0x3ec9e000, 0xbf618000},
       {0x3f4ae000, 0xbd636000, 0xbeeec000, 0xbf92e000},
       0x3e86b6b7,
       0x3fa8484b},
      {"A100",
       80,
       MatrixInstruction::mma,
       ElementType::f16,
       ElementType::f32,
       {0xbe83a000, 0xbfc58000, 0xbe858000, 0x3cbf6000, 0x3f8ce000, 0xbe858000,
        0x3f3fa000, 0x3db98000},
       {0xbdbe6000, 0xbfb0e000, 0x3e4d2000, 0xbf3b0000, 0xbf2ea000, 0xbdc16000,
        0xbf8ae000, 0x3d8b4000},
       0x3f5158c1,
       0x3fafaab3},
      {"A100",
       80,
       MatrixInstruction::mma,
       ElementType::bf16,
       ElementType::f32,
       {0x3ed00000, 0xbef00000, 0xbf8d0000, 0x3fa40000, 0x3ea60000, 0x3ee90000,
        0xbcd10000, 0x3fd80000},
       {0xbf360000, 0x3f190000, 0xbe940000, 0xbf890000, 0x40110000, 0xbe650000,
        0x3e870000, 0x3ee00000},
       0x3e871edf,
       0x3bd07980},
      {"A100",
       80,
       MatrixInstruction::mma,
       ElementType::tf32,
       ElementType::f32,
       {0xbf3a6000, 0x3ee98000, 0xbfe92000, 0xbf42c000},
       {0xbfdde000, 0xbfaba000, 0x3bb9a000, 0x3f99a000},
       0x3ee63be1,
       0x3e350946},
      {"H200",
       90,
       MatrixInstruction::mma,
       ElementType::f16,
       ElementType::f32,
       {0x3f4b4000, 0xbff0e000, 0x3f9b6000, 0x3bb76000, 0xbd812000, 0x3e0b4000,
        0x3f596000, 0xbec24000, 0xbfb14000, 0xbf936000, 0xbf662000, 0xbe538000,
        0xbf1be000, 0x3e4e6000, 0x3f41a000, 0xbfec4000},
       {0x3e666000, 0x3a5aa000, 0x3f59e000, 0xbe588000, 0x3f6be000, 0x3ea84000,
        0x3feae000, 0x3c90e000, 0xbd266000, 0x3f8c4000, 0x401c4000, 0xbf810000,
        0xbfdea000, 0xbe08e000, 0xbf24c000, 0x3f626000},
       0x3f7c9624,
       0xbf0b8395},
      {"H200",
       90,
       MatrixInstruction::mma,
       ElementType::bf16,
       ElementType::f32,
       {0x3d450000, 0x3ec50000, 0xbd4f0000, 0xc02b0000, 0xbde90000, 0x401e0000,
        0x3f3c0000, 0xbf2c0000, 0x3e230000, 0xc0460000, 0xbee50000, 0xbf710000,
        0xbda30000, 0xbfc70000, 0xbd8c0000, 0xbe3b0000},
       {0xbfdf0000, 0xbe1b0000, 0xbed80000, 0xbfa60000, 0xbef10000, 0x3fbc0000,
        0xbeec0000, 0xbfcb0000, 0x3ed70000, 0x3fe50000, 0xbdd80000, 0x40110000,
        0xbf0e0000, 0x3f220000, 0xbd840000, 0xbf0b0000},
       0x3e2045c7,
       0xbef6ff3e},
      {"H200",
       90,
       MatrixInstruction::mma,
       ElementType::tf32,
       ElementType::f32,
       {0x3f640000, 0x40016000, 0xbd68e000, 0xbe3b2000},
       {0x3d02e000, 0x3fd40000, 0xbf956000, 0x3f71a000},
       0x3ed7616d,
       0x406c3a97},
      {"H200",
       90,
       MatrixInstruction::mma,
       ElementType::f16,
       ElementType::f16,
       {0x3f7aa000, 0x3f87c000, 0xbea68000, 0x3fbf0000, 0xbf3d0000, 0x3eadc000,
        0x3f80a000, 0x3fe8e000, 0x3f62e000, 0x3f5d2000, 0xbf8c0000, 0x3eb3e000,
        0x3cf10000, 0x3e9c6000, 0x3f86e000, 0x3f590000},
       {0x3f194000, 0xbf26a000, 0x3ed7e000, 0x3e9d8000, 0xbff34000, 0x3ef2e000,
        0xbfc16000, 0xbf906000, 0x3dbf0000, 0xbf316000, 0xbf52e000, 0x400ea000,
        0xbc710000, 0x401e4000, 0x3e1c2000, 0xbea4e000},
       0x3ef68000,
       0x3f00e000},
      {"H200",
       90,
       MatrixInstruction::wgmma,
       ElementType::e4m3,
       ElementType::f32,
       {0x3db00000, 0xbfd00000, 0x3f200000, 0xbfc00000, 0x3e600000, 0xbf100000,
        0x3eb00000, 0x3de00000, 0x3fe00000, 0x3f800000, 0x3f400000, 0xbf500000,
        0xbf500000, 0xbea00000, 0x3ff00000, 0xbf800000, 0xbef00000, 0x3eb00000,
        0xbf200000, 0xbcd00000, 0xbf600000, 0x3f800000, 0x3f500000, 0xbde00000,
        0x3e100000, 0xbfa00000, 0xbd700000, 0xbc900000, 0xbeb00000, 0x3e600000,
        0x3f000000, 0x3fe00000},
       {0xbf600000, 0x3ef00000, 0x3fa00000, 0xbf300000, 0xbf500000, 0xbe600000,
        0xbf100000, 0xbf200000, 0xbf700000, 0x3e700000, 0xbed00000, 0xbfa00000,
        0xc0300000, 0x3f100000, 0xbe500000, 0xbfb00000, 0x3c600000, 0xbfc00000,
        0x3f200000, 0x3e700000, 0xbf200000, 0x3f800000, 0xbf800000, 0xbf000000,
        0xbf000000, 0xbe600000, 0x3e800000, 0xbee00000, 0x3f000000, 0xbfc00000,
        0x3ed00000, 0xbf100000},
       0x00000000,
       0x3fe6ac00},
      {"H200",
       90,
       MatrixInstruction::wgmma,
       ElementType::e5m2,
       ElementType::f32,
       {0x3f800000, 0xbf000000, 0xbf400000, 0x3f200000, 0x3f200000, 0xbf600000,
        0xbf400000, 0xbf800000, 0x3f600000, 0xbfa00000, 0xbf200000, 0xbf800000,
        0x3f600000, 0x3f200000, 0xbe800000, 0x3f200000, 0x3d400000, 0xbe400000,
        0x3fa00000, 0x3f000000, 0x3d600000, 0xbf800000, 0x3c800000, 0xbf600000,
        0xbe400000, 0x3f800000, 0x3f800000, 0x3e200000, 0x3ea00000, 0x3f800000,
        0xbf000000, 0xbfa00000},
       {0xbf200000, 0xbec00000, 0x3f800000, 0xbf800000, 0xbde00000, 0x3ee00000,
        0xbd800000, 0xbf800000, 0xbfc00000, 0x3f600000, 0x3fa00000, 0x3d800000,
        0xbf200000, 0x3e600000, 0xbf800000, 0xbee00000, 0x3f400000, 0xbf200000,
        0x3fa00000, 0xbf600000, 0xbf000000, 0xbfa00000, 0x3ce00000, 0xbf000000,
        0xbf000000, 0x3f800000, 0x3e600000, 0x3e800000, 0x3ea00000, 0x3fa00000,
        0x3f000000, 0x3f600000},
       0x00000000,
       0xbf1b6800},
      {"L40S",
       89,
       MatrixInstruction::mma,
       ElementType::e4m3,
       ElementType::f32,
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
}

} // namespace

TEST_CASE("golden results of hardware") {
  std::vector<Golden> all = goldens();
  REQUIRE(all.size() == 11);
  for (const Golden &golden : all) {
    INFO(golden.gpu << " " << elementFacts(golden.operands).name << " -> "
                    << elementFacts(golden.result).name);
    MatrixOperation op;
    op.instruction = golden.instruction;
    op.a = op.b = golden.operands;
    op.c = op.d = golden.result;
    op.depth = static_cast<int>(golden.a.size());
    auto rule = findRule(*tensorArchitecture(golden.sm), op);
    REQUIRE(rule.ok());
    // All sixteen rows and eight columns are the same.
    Matrix a(op.a, 16, op.depth), b(op.b, op.depth, 8);
    Matrix c(op.c, 16, 8), d(op.d, 16, 8);
    for (int k = 0; k < op.depth; ++k) {
      for (int row = 0; row < 16; ++row)
        a.set(row, k, elementOfFloat(op.a, golden.a[k]));
      for (int column = 0; column < 8; ++column)
        b.set(k, column, elementOfFloat(op.b, golden.b[k]));
    }
    for (int at = 0; at < 128; ++at)
      c.set(at % 16, at / 16, elementOfFloat(op.c, golden.c));
    std::uint32_t expected = elementOfFloat(op.d, golden.d);
    CHECK(dotProduct(*rule, a.row(0), b.column(0),
                     static_cast<std::uint32_t>(c.get(0, 0))) == expected);
    for (const NamedIsa &named : availableIsas()) {
      INFO(named.name);
      REQUIRE(multiplyAccumulate(*rule, 16, 8, a.data(), b.data(), c.data(),
                                 d.data(), named.isa)
                  .ok());
      for (int at = 0; at < 128; ++at)
        CHECK(d.get(at % 16, at / 16) == expected);
    }
  }
}
