// Moves and addresses: PTX sections 9.7.9.1, 9.7.9.2, 9.7.9.18 to 9.7.9.20,
// 9.7.9.23, 9.7.9.24, and the special registers of chapter 10.
#include "test/runtime/emulator/instructions/Kernel.h"
#include "test/runtime/emulator/instructions/Probe.h"

#include <catch2/catch.hpp>

using namespace instructions;

TEST_CASE("mov", "[9.7.9.1]") {
  check("mov.pred", [](bool a) { return a; });
  for (const char *type : {"b16", "u16", "s16"})
    check(std::string("mov.") + type, [](uint16_t a) { return a; });
  for (const char *type : {"b32", "u32", "s32"})
    check(std::string("mov.") + type, [](uint32_t a) { return a; });
  for (const char *type : {"b64", "u64", "s64"})
    check(std::string("mov.") + type, [](uint64_t a) { return a; });
  Probe bits32 = probe("mov.f32", [](float a) { return a; });
  bits32.results = {operandOf<uint32_t>()};
  run(bits32);
  Probe bits64 = probe("mov.f64", [](double a) { return a; });
  bits64.results = {operandOf<uint64_t>()};
  run(bits64);
  check("mov.b128", [](Bits a) { return a; });
}

TEST_CASE("mov packs vectors", "[9.7.9.2]") {
  check("mov.b32 $d, {$a, $b}",
        [](uint16_t a, uint16_t b) { return uint32_t(b << 16 | a); });
  check("mov.b64 $d, {$a, $b}",
        [](uint32_t a, uint32_t b) { return uint64_t{b} << 32 | a; });
  check("mov.b64 $d, {$a, $b, $c, $e}",
        [](uint16_t a, uint16_t b, uint16_t c, uint16_t e) {
          return uint64_t{e} << 48 | uint64_t{c} << 32 | uint64_t{b} << 16 | a;
        });
  check("mov.b32 $d, {$a, $b, $c, $e}",
        [](uint8_t a, uint8_t b, uint8_t c, uint8_t e) {
          return uint32_t{e} << 24 | uint32_t{c} << 16 | uint32_t{b} << 8 | a;
        });
  check("mov.b16 $d, {$a, $b}",
        [](uint8_t a, uint8_t b) { return uint16_t(b << 8 | a); });
  check("mov.b128 $d, {$a, $b}",
        [](uint64_t a, uint64_t b) { return Bits{b} << 64 | a; });
}

TEST_CASE("A byte's register holds a byte", "[9.7.9.2]") {
  Probe four = probe("cvt.s8.s16 %byte, $a; "
                     "mov.b32 $d, {%byte, %byte, %byte, %byte}",
                     [](int16_t a) { return uint8_t(a) * 0x01010101u; });
  four.setup = ".reg .b8 %byte;\n";
  four.takesImmediates = false;
  run(four);
}

TEST_CASE("mov unpacks vectors", "[9.7.9.2]") {
  check("mov.b32 {$d, $p}, $a",
        [](uint32_t a) { return std::pair(uint16_t(a), uint16_t(a >> 16)); });
  check("mov.b64 {$d, $p}, $a",
        [](uint64_t a) { return std::pair(uint32_t(a), uint32_t(a >> 32)); });
  check("mov.b128 {$d, $p}, $a",
        [](Bits a) { return std::pair(uint64_t(a), uint64_t(a >> 64)); });
  check("mov.b16 {$d, $p}, $a",
        [](uint16_t a) { return std::pair(uint8_t(a), uint8_t(a >> 8)); });
  check("mov.b64 {_, $d}, $a", [](uint64_t a) { return uint32_t(a >> 32); });
  for (auto [text, part] : {std::pair("mov.b64 {$d0, $d1, $d2, $d3}, $a", 16),
                            std::pair("mov.b32 {$d0, $d1, $d2, $d3}, $a", 8)}) {
    Probe four;
    unsigned bits = unsigned(part);
    four.text = text;
    four.results.assign(4, {Kind::integer, bits, 1, bits});
    four.sources = {{Kind::integer, 4 * bits, 1, 4 * bits}};
    four.reference = [=](const Bits *sources, Expected *results) {
      for (unsigned i = 0; i < 4; ++i)
        results[i].bits = sources[0] >> i * bits & lowBits(bits);
    };
    run(four);
  }
}

//===--- Special registers ------------------------------------------------===//

/// The register's value in each thread of 2 clusters of 2 blocks of 80.
static std::vector<uint32_t> valuesOf(const std::string &name) {
  std::vector<uint32_t> data(4 * 80);
  LaunchShape shape{4, 80, 2, 96};
  runKernel(".reg .u32 %r<4>; .reg .u64 %a;\n"
            "ld.param.u64 %a, [data];\n"
            "mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x;\n"
            "mov.u32 %r2, %tid.x; mad.lo.u32 %r0, %r0, %r1, %r2;\n"
            "mad.wide.u32 %a, %r0, 4, %a;\n"
            "mov.u32 %r3, " +
                name +
                ";\n"
                "st.global.u32 [%a], %r3;\n",
            data, shape, "mov");
  return data;
}

TEST_CASE("Special registers", "[10]") {
  struct Case {
    const char *name;
    uint32_t (*value)(uint32_t block, uint32_t thread);
  };
  static const Case cases[] = {
      {"%tid.x", [](uint32_t, uint32_t t) { return t; }},
      {"%tid.y", [](uint32_t, uint32_t) { return 0u; }},
      {"%ntid.x", [](uint32_t, uint32_t) { return 80u; }},
      {"%ntid.z", [](uint32_t, uint32_t) { return 1u; }},
      {"%ctaid.x", [](uint32_t b, uint32_t) { return b; }},
      {"%nctaid.x", [](uint32_t, uint32_t) { return 4u; }},
      {"%laneid", [](uint32_t, uint32_t t) { return t % 32; }},
      {"%warpid", [](uint32_t, uint32_t t) { return t / 32; }},
      {"%nwarpid", [](uint32_t, uint32_t) { return 3u; }},
      {"%lanemask_eq", [](uint32_t, uint32_t t) { return 1u << t % 32; }},
      {"%lanemask_lt", [](uint32_t, uint32_t t) { return (1u << t % 32) - 1; }},
      {"%lanemask_le",
       [](uint32_t, uint32_t t) { return 0xFFFFFFFFu >> (31 - t % 32); }},
      {"%lanemask_ge", [](uint32_t, uint32_t t) { return ~0u << t % 32; }},
      {"%lanemask_gt", [](uint32_t, uint32_t t) { return ~1u << t % 32; }},
      {"%clusterid.x", [](uint32_t b, uint32_t) { return b / 2; }},
      {"%nclusterid.x", [](uint32_t, uint32_t) { return 2u; }},
      {"%cluster_ctaid.x", [](uint32_t b, uint32_t) { return b % 2; }},
      {"%cluster_nctaid.x", [](uint32_t, uint32_t) { return 2u; }},
      {"%cluster_ctarank", [](uint32_t b, uint32_t) { return b % 2; }},
      {"%cluster_nctarank", [](uint32_t, uint32_t) { return 2u; }},
      {"%dynamic_smem_size", [](uint32_t, uint32_t) { return 96u; }},
      {"%total_smem_size", [](uint32_t, uint32_t) { return 96u; }},
      {"%smid", nullptr},
      {"%nsmid", nullptr},
      {"%clock", nullptr},
      {"%clock_hi", nullptr},
      {"%globaltimer_lo", nullptr}};
  for (const Case &each : cases) {
    INFO(each.name);
    std::vector<uint32_t> found = valuesOf(each.name);
    for (uint32_t i = 0; each.value && i < found.size(); ++i) {
      if (each.name == std::string("%nwarpid"))
        REQUIRE(found[i] >= each.value(i / 80, i % 80));
      else
        REQUIRE(found[i] == each.value(i / 80, i % 80));
    }
  }
}

TEST_CASE("The clock goes on", "[10]") {
  std::vector<uint64_t> data(4);
  runKernel(".reg .u64 %a, %c<4>;\n"
            "ld.param.u64 %a, [data];\n"
            "mov.u64 %c0, %clock64; mov.u64 %c1, %clock64;\n"
            "mov.u64 %c2, %globaltimer; mov.u64 %c3, %globaltimer;\n"
            "st.global.v2.u64 [%a], {%c0, %c1};\n"
            "st.global.v2.u64 [%a+16], {%c2, %c3};\n",
            data, {1, 1}, "mov");
  CHECK(data[1] > data[0]);
  CHECK(data[3] >= data[2]);
}

//===--- Addresses --------------------------------------------------------===//

TEST_CASE("mov takes addresses", "[9.7.9.1]") {
  // Offsets added to names, and distances between elements.
  std::vector<uint32_t> data(8);
  runKernel(".reg .u32 %r<8>; .reg .u64 %a, %g<4>;\n"
            ".shared .align 16 .b8 pad[16];\n.shared .align 4 .b32 words[8];\n"
            ".local .align 8 .b8 mine[32];\n"
            "ld.param.u64 %a, [data];\n"
            "mov.u32 %r0, words; mov.u32 %r1, words+12;\n"
            "mov.u32 %r2, mine; mov.u32 %r3, mine+8;\n"
            "mov.u64 %g0, table; mov.u64 %g1, table+4;\n"
            "ld.global.u32 %r4, [%g0]; ld.global.u32 %r5, [%g1];\n"
            "ld.global.u32 %r6, [table+8];\n"
            "sub.u32 %r1, %r1, %r0; sub.u32 %r3, %r3, %r2;\n"
            "st.shared.u32 [pad], 5;\n"
            "st.global.v4.u32 [%a], {%r1, %r3, %r4, %r5};\n"
            "st.global.u32 [%a+16], %r6;\n",
            data, {1, 1}, "mov",
            ".global .align 4 .u32 table[3] = {11, 22, 33};\n");
  CHECK(data == std::vector<uint32_t>{12, 8, 11, 22, 33, 0, 0, 0});
}

TEST_CASE("cvta, isspacep", "[9.7.9.19]") {
  // For each space: the generic address reads what was stored; converted back
  // it is the address in the space; and it is in this space alone.
  struct Place {
    const char *space, *variable;
    uint32_t value;
  };
  for (Place place :
       {Place{"global", "inGlobal", 17}, Place{"const", "inConst", 18},
        Place{"shared", "inShared", 19}, Place{"shared::cta", "inShared", 19},
        Place{"shared::cluster", "inShared", 19}, Place{"local", "inLocal", 20},
        Place{"param", "bytes", 0}, Place{"param::entry", "bytes", 0}}) {
    INFO(place.space);
    std::string space = place.space;
    std::vector<uint32_t> data(8);
    runKernel(
        ".reg .u32 %r<10>; .reg .u64 %a, %g<4>; .reg .pred %p<8>;\n"
        ".shared .b32 inShared; .local .b32 inLocal;\n"
        "ld.param.u64 %a, [data];\n"
        "st.shared.u32 [inShared], 19; st.local.u32 [inLocal], 20;\n"
        "mov.u64 %g0, " +
            std::string(place.variable) +
            ";\n"
            "cvta." +
            space +
            ".u64 %g1, %g0;\n"
            "cvta.to." +
            space +
            ".u64 %g2, %g1;\n"
            "ld.u32 %r0, [%g1];\n"
            "setp.eq.u64 %p0, %g0, %g2; selp.u32 %r1, 1, 0, %p0;\n"
            "isspacep.global %p1, %g1; selp.u32 %r2, 1, 0, %p1;\n"
            "isspacep.const %p2, %g1; selp.u32 %r3, 1, 0, %p2;\n"
            "isspacep.shared %p3, %g1; selp.u32 %r4, 1, 0, %p3;\n"
            "isspacep.local %p4, %g1; selp.u32 %r5, 1, 0, %p4;\n"
            "isspacep.param %p5, %g1; selp.u32 %r6, 1, 0, %p5;\n"
            "isspacep.shared::cta %p6, %g1; selp.u32 %r7, 1, 0, %p6;\n"
            "isspacep.shared::cluster %p7, %g1; selp.u32 %r8, 1, 0, %p7;\n"
            "isspacep.param::entry %p7, %g1; selp.u32 %r9, 1, 0, %p7;\n"
            "add.u32 %r7, %r7, %r8; add.u32 %r6, %r6, %r9;\n"
            "st.global.v4.u32 [%a], {%r0, %r1, %r2, %r3};\n"
            "st.global.v4.u32 [%a+16], {%r4, %r5, %r6, %r7};\n",
        data, {1, 1}, "cvta isspacep",
        ".global .u32 inGlobal = 17;\n.const .u32 inConst = 18;\n");
    bool isShared = space.starts_with("shared");
    uint32_t value = place.value;
    for (unsigned i = 4; space.starts_with("param") && i-- > 0;)
      value = value << 8 | parameterByte(i);
    CHECK(data[0] == value);
    CHECK(data[1] == 1);
    CHECK(data[2] == (space == "global"));
    CHECK(data[3] == (space == "const"));
    CHECK(data[4] == isShared);
    CHECK(data[5] == (space == "local"));
    CHECK(data[6] == (space.starts_with("param") ? 2 : 0));
    CHECK(data[7] == (isShared ? 2 : 0));
  }
}

TEST_CASE("cvta of 32 bits", "[9.7.9.20]") {
  // Generic addresses of shared memory have more bits; those of global memory
  // are unchanged.
  check("cvta.global.u32", [](uint32_t a) { return a; });
  check("cvta.to.const.u32", [](uint32_t a) { return a; });
  Kernel kernel(".reg .u32 %r<2>;\ncvta.shared.u32 %r0, %r1;\n");
  CHECK(kernel.error().find("not supported") != std::string::npos);
}

TEST_CASE("mapa, getctarank", "[9.7.9.23]") {
  // Each block of a cluster of 4 reads the word of the next one.
  for (const char *form :
       {"mapa.shared::cluster.u32 %m, %r1, %r3",
        "mapa.shared::cluster.u64 %w, %g1, %r3", "mapa.u64 %w, %g2, %r3"}) {
    std::string text = form;
    INFO(text);
    bool isShort = text.find("u32") != std::string::npos;
    bool isGeneric = text.starts_with("mapa.u64");
    std::string load = isShort ? "ld.shared::cluster.u32 %r4, [%m];\n"
                                 "getctarank.shared::cluster.u32 %r5, %m;\n"
                       : isGeneric
                           ? "ld.u32 %r4, [%w];\n"
                             "getctarank.u64 %r5, %w;\n"
                           : "ld.shared::cluster.u32 %r4, [%w];\n"
                             "getctarank.shared::cluster.u64 %r5, %w;\n";
    std::vector<uint32_t> data(2 * 8);
    runKernel(".reg .u32 %r<8>, %m; .reg .u64 %a, %g<4>, %w;\n"
              ".shared .b32 other; .shared .b32 word;\n"
              "ld.param.u64 %a, [data];\n"
              "mov.u32 %r0, %ctaid.x; add.u32 %r2, %r0, 100;\n"
              "st.shared.u32 [word], %r2;\n"
              "barrier.cluster.arrive; barrier.cluster.wait;\n"
              "mov.u32 %r1, word; mov.u64 %g1, word;\n"
              "cvta.shared.u64 %g2, %g1;\n"
              "mov.u32 %r3, %cluster_ctarank; add.u32 %r3, %r3, 1;\n"
              "and.b32 %r3, %r3, 3;\n" +
                  text + ";\n" + load +
                  "mad.wide.u32 %a, %r0, 8, %a;\n"
                  "st.global.v2.u32 [%a], {%r4, %r5};\n"
                  "barrier.cluster.arrive; barrier.cluster.wait;\n",
              data, {8, 1, 4}, "mapa getctarank");
    for (uint32_t block = 0; block < 8; ++block) {
      uint32_t next = (block + 1) % 4;
      CHECK(data[2 * block] == 100 + block / 4 * 4 + next);
      CHECK(data[2 * block + 1] == next);
    }
  }
}

//===--- Hints ------------------------------------------------------------===//

TEST_CASE("createpolicy", "[9.7.9.18]") {
  // A policy may be anything; accesses with it go as without it.
  for (const char *primary :
       {"evict_last", "evict_normal", "evict_first", "evict_unchanged"})
    for (const char *secondary :
         {"", ".L2::evict_first", ".L2::evict_unchanged"})
      for (const char *fraction : {"", ", 0.5", ", 0f3F800000"})
        check("createpolicy.fractional.L2::" + std::string(primary) +
                  secondary + ".b64 $d" + fraction,
              []() { return std::optional<uint64_t>(); });
  for (const char *form : {"global.L2::evict_last.L2::evict_unchanged",
                           "global.L2::evict_normal.L2::evict_first",
                           "L2::evict_first", "L2::evict_unchanged"})
    check("createpolicy.range." + std::string(form) +
              ".b64 $d, [%base], 64, 128",
          []() { return std::optional<uint64_t>(); });
  check("createpolicy.cvt.L2.b64",
        [](uint64_t) { return std::optional<uint64_t>(); });
}
