// What the lanes of a warp do together: PTX sections 9.7.9.5, 9.7.9.6, and
// 9.7.13.8 to 9.7.13.14.
#include "test/runtime/emulator/instructions/Kernel.h"
#include "test/runtime/emulator/instructions/Probe.h"

#include <catch2/catch.hpp>

#include <limits>

using namespace instructions;

namespace {

/// The lanes whose guard holds, as a member mask in %mask.
const char *const memberMask = ".reg .b32 %all, %mask;\nactivemask.b32 %all;\n"
                               "vote.sync.ballot.b32 %mask, %guard, %all;\n";

/// A probe of a whole warp.
Probe together(const std::string &text, std::vector<Operand> results,
               std::vector<Operand> sources, Probe::WarpReference reference) {
  Probe probe;
  probe.text = text;
  probe.setup = memberMask;
  probe.results = std::move(results);
  probe.sources = std::move(sources);
  probe.warpReference = std::move(reference);
  probe.lanes = 2048;
  return probe;
}

template <class F> void forLanes(uint32_t active, F function) {
  for (unsigned lane = 0; lane < 32; ++lane)
    if (active >> lane & 1)
      function(lane);
}

const Operand word = operandOf<uint32_t>();
const Operand predicate = operandOf<bool>();

} // namespace

//===--- shfl -------------------------------------------------------------===//

/// Section 9.7.9.6, as the manual's pseudocode has it.
static std::pair<int, bool> shuffled(const std::string &mode, int lane, Bits b,
                                     Bits c) {
  int value = int(b & 31), clamp = int(c & 31), segment = int(c >> 8 & 31);
  int maxLane = (lane & segment) | (clamp & ~segment);
  int minLane = lane & segment;
  int source = mode == "up"     ? lane - value
               : mode == "down" ? lane + value
               : mode == "bfly" ? lane ^ value
                                : minLane | (value & ~segment);
  bool inside = mode == "up" ? source >= maxLane : source <= maxLane;
  return {inside ? source : lane, inside};
}

static Probe shuffle(const std::string &mode, bool synchronized) {
  std::string name = synchronized ? "shfl.sync." : "shfl.";
  Probe shfl = together(
      name + mode + ".b32 $d|$p, $a, $b, $c" + (synchronized ? ", %mask" : ""),
      {word, predicate}, {word, operandOf<Amount>(), word},
      [=](uint32_t active, const std::vector<Bits> *s,
          std::vector<Expected> *r) {
        forLanes(active, [&](unsigned lane) {
          auto [from, inside] =
              shuffled(mode, int(lane), s[1][lane], s[2][lane]);
          bool takesPart = from < 32 && active >> from & 1;
          r[0][lane].bits = takesPart ? s[0][size_t(from)] : 0;
          r[0][lane].isAny = !takesPart;
          r[1][lane].bits = inside;
        });
      });
  // Segments of 32, 16, 8, 4 lanes, and odd ones; equal in 48 threads or not.
  shfl.samples.resize(3);
  for (uint32_t c :
       {0x1Fu, 0u, 0x101Fu, 0x181Fu, 0x1C1Fu, 0x1C00u, 0x1007u, 0x030Fu})
    for (unsigned i = 0; i < 48; ++i)
      shfl.samples[2].push_back(c);
  return shfl;
}

TEST_CASE("shfl", "[9.7.9.6]") {
  for (const char *mode : {"up", "down", "bfly", "idx"}) {
    run(shuffle(mode, true));
    run(shuffle(mode, false));
    // Without the predicate, all lanes, immediates.
    Probe plain = together(
        std::string("shfl.sync.") + mode + ".b32 $d, $a, 3, 31, -1", {word},
        {word},
        [=](uint32_t, const std::vector<Bits> *s, std::vector<Expected> *r) {
          for (unsigned lane = 0; lane < 32; ++lane) {
            uint32_t clamp = mode == std::string("up") ? 0 : 31;
            auto [from, inside] = shuffled(mode, int(lane), 3, clamp);
            r[0][lane].bits = s[0][size_t(from)];
          }
        });
    if (mode == std::string("up"))
      plain.text = "shfl.sync.up.b32 $d, $a, 3, 0, -1";
    plain.wholeWarps = true;
    run(plain);
  }
}

//===--- vote, match ------------------------------------------------------===//

static uint32_t lanesOf(uint32_t active, const std::vector<Bits> &flags) {
  uint32_t lanes = 0;
  forLanes(active, [&](unsigned l) { lanes |= uint32_t(flags[l]) << l; });
  return lanes;
}
static Bits voteOf(const std::string &mode, uint32_t yes, uint32_t active) {
  return mode == "all"   ? yes == active
         : mode == "any" ? yes != 0
         : mode == "uni" ? yes == active || yes == 0
                         : yes;
}
TEST_CASE("vote", "[9.7.13.9]") {
  for (const char *name : {"all", "any", "uni", "ballot"})
    for (bool synchronized : {false, true})
      for (bool negated : {false, true})
        // Often all equal.
        for (unsigned kind : {0u, 1u, 2u}) {
          std::string mode = name;
          bool isBallot = mode == "ballot";
          Probe vote = together(
              std::string("vote.") + (synchronized ? "sync." : "") + mode +
                  (isBallot ? ".b32" : ".pred") + " $d, " +
                  (negated ? "!$a" : "$a") + (synchronized ? ", %mask" : ""),
              {isBallot ? word : predicate}, {predicate},
              [=](uint32_t active, const std::vector<Bits> *s,
                  std::vector<Expected> *r) {
                uint32_t yes = lanesOf(active, s[0]);
                yes = negated ? active & ~yes : yes;
                for (unsigned lane = 0; lane < 32; ++lane)
                  r[0][lane].bits = voteOf(mode, yes, active);
              });
          if (kind < 2)
            vote.samples = {{kind}};
          run(vote);
        }
}

template <class T> static void checkMatch(const std::string &type) {
  Operand operand = operandOf<T>();
  // Few different values.
  std::vector<Bits> values;
  Random random(7);
  for (unsigned i = 0; i < 999; ++i)
    values.push_back(random() % 3 * (toBits(T(-1)) / 5) &
                     lowBits(operand.bits));
  auto any = [](uint32_t active, const std::vector<Bits> *s,
                std::vector<Expected> *r) {
    forLanes(active, [&](unsigned lane) {
      uint32_t equal = 0;
      forLanes(active, [&](unsigned other) {
        equal |= uint32_t(s[0][lane] == s[0][other]) << other;
      });
      r[0][lane].bits = equal;
    });
  };
  auto all = [](uint32_t active, const std::vector<Bits> *s,
                std::vector<Expected> *r) {
    bool same = true;
    forLanes(active, [&](unsigned a) {
      forLanes(active, [&](unsigned b) { same &= s[0][a] == s[0][b]; });
    });
    for (unsigned lane = 0; lane < 32; ++lane) {
      r[0][lane].bits = same ? active : 0;
      r[1][lane].bits = same;
    }
  };
  for (bool alike : {false, true}) {
    std::vector<Bits> samples =
        alike ? std::vector<Bits>{toBits(T(-5))} : values;
    Probe matchAny = together("match.any.sync." + type + " $d, $a, %mask",
                              {word}, {operand}, any);
    matchAny.samples = {samples};
    run(matchAny);
    Probe matchAll = together("match.all.sync." + type + " $d|$p, $a, %mask",
                              {word, predicate}, {operand}, all);
    matchAll.samples = {samples};
    run(matchAll);
    Probe without = matchAll;
    without.text = "match.all.sync." + type + " $d, $a, %mask";
    without.results.resize(1);
    without.warpReference = [=](uint32_t active, const std::vector<Bits> *s,
                                std::vector<Expected> *r) {
      std::vector<Expected> both[2] = {r[0], r[0]};
      all(active, s, both);
      r[0] = both[0];
    };
    run(without);
  }
}
TEST_CASE("match", "[9.7.13.10]") {
  checkMatch<uint32_t>("b32");
  checkMatch<uint64_t>("b64");
}

//===--- redux, activemask, elect -----------------------------------------===//

template <class T, class F>
static void checkRedux(const std::string &text, T start, F combine) {
  run(together("redux.sync." + text + " $d, $a, %mask", {operandOf<T>()},
               {operandOf<T>()},
               [=](uint32_t active, const std::vector<Bits> *s,
                   std::vector<Expected> *r) {
                 T result = start;
                 forLanes(active, [&](unsigned lane) {
                   result = combine(result, fromBits<T>(s[0][lane]));
                 });
                 for (unsigned lane = 0; lane < 32; ++lane)
                   r[0][lane] = expectedOf(result);
               }));
}
TEST_CASE("redux", "[9.7.13.12]") {
  auto least = [](auto a, auto b) { return a < b ? a : b; };
  auto most = [](auto a, auto b) { return a > b ? a : b; };
  using Signed = std::numeric_limits<int32_t>;
  checkRedux<uint32_t>("add.u32", 0,
                       [](uint32_t a, uint32_t b) { return a + b; });
  checkRedux<int32_t>("add.s32", 0, [](int32_t a, int32_t b) {
    return int32_t(uint32_t(a) + uint32_t(b));
  });
  checkRedux<uint32_t>("min.u32", ~0u, least);
  checkRedux<uint32_t>("max.u32", 0, most);
  checkRedux<int32_t>("min.s32", Signed::max(), least);
  checkRedux<int32_t>("max.s32", Signed::min(), most);
  checkRedux<uint32_t>("and.b32", ~0u, [](auto a, auto b) { return a & b; });
  checkRedux<uint32_t>("or.b32", 0, [](auto a, auto b) { return a | b; });
  checkRedux<uint32_t>("xor.b32", 0, [](auto a, auto b) { return a ^ b; });
}

TEST_CASE("activemask", "[9.7.13.11]") {
  run(together(
      "activemask.b32 $d", {word}, {},
      [](uint32_t active, const std::vector<Bits> *, std::vector<Expected> *r) {
        for (unsigned lane = 0; lane < 32; ++lane)
          r[0][lane].bits = active;
      }));
}

TEST_CASE("elect", "[9.7.13.14]") {
  // Exactly one lane of the mask is elected, and all get the result; which one
  // is unspecified: here the lowest.
  run(together(
      "elect.sync $d|$p, %mask", {word, predicate}, {},
      [](uint32_t active, const std::vector<Bits> *, std::vector<Expected> *r) {
        unsigned leader = active ? unsigned(__builtin_ctz(active)) : 0;
        for (unsigned lane = 0; lane < 32; ++lane) {
          r[0][lane].bits = leader;
          r[1][lane].bits = lane == leader;
        }
      }));
  Probe sink = together(
      "elect.sync _|$d, %mask", {predicate}, {},
      [](uint32_t active, const std::vector<Bits> *, std::vector<Expected> *r) {
        for (unsigned lane = 0; lane < 32; ++lane)
          r[0][lane].bits = active && lane == unsigned(__builtin_ctz(active));
      });
  run(sink);
}

//===--- Lanes that come apart --------------------------------------------===//

TEST_CASE("Halves of a warp shuffle with masks of their own", "[9.7.9.6]") {
  // Lanes below 16 and above take different ways, then meet.
  std::vector<uint32_t> data(32);
  runKernel(".reg .u32 %r<6>; .reg .u64 %a; .reg .pred %p;\n"
            "ld.param.u64 %a, [data]; mov.u32 %r0, %tid.x;\n"
            "mul.lo.u32 %r1, %r0, 10; setp.lt.u32 %p, %r0, 16;\n"
            "@%p bra LOW;\n"
            "shfl.sync.bfly.b32 %r2, %r1, 1, 31, 0xFFFF0000;\n"
            "bra JOIN;\n"
            "LOW:\n"
            "shfl.sync.idx.b32 %r2, %r1, 5, 31, 0x0000FFFF;\n"
            "JOIN:\n"
            "bar.warp.sync -1;\n"
            "vote.sync.ballot.b32 %r3, %p, -1;\n"
            "add.u32 %r2, %r2, %r3;\n"
            "mad.wide.u32 %a, %r0, 4, %a;\n"
            "st.global.u32 [%a], %r2;\n",
            data, {1, 32}, "shfl vote bar");
  for (uint32_t lane = 0; lane < 32; ++lane)
    CHECK(data[lane] == 0xFFFF + (lane < 16 ? 50 : (lane ^ 1) * 10));
}

TEST_CASE("Lanes come to one vote from different branches", "[9.7.13.9]") {
  // The loop of lane l has l rounds; all meet at the vote behind it.
  std::vector<uint32_t> data(32);
  runKernel(".reg .u32 %r<6>; .reg .u64 %a; .reg .pred %p;\n"
            "ld.param.u64 %a, [data]; mov.u32 %r0, %tid.x;\n"
            "mov.u32 %r1, 0; mov.u32 %r2, 0;\n"
            "LOOP:\n"
            "setp.ge.u32 %p, %r1, %r0;\n"
            "@%p bra DONE;\n"
            "add.u32 %r2, %r2, %r1; add.u32 %r1, %r1, 1;\n"
            "bra LOOP;\n"
            "DONE:\n"
            "redux.sync.add.u32 %r3, %r2, -1;\n"
            "mad.wide.u32 %a, %r0, 4, %a;\n"
            "st.global.u32 [%a], %r3;\n",
            data, {1, 32}, "redux bra");
  uint32_t sum = 0;
  for (uint32_t lane = 0; lane < 32; ++lane)
    sum += lane * (lane - 1) / 2;
  CHECK(data == std::vector<uint32_t>(32, sum));
}
