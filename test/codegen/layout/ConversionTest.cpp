#include "codegen/layout/Conversion.h"
#include "codegen/layout/Families.h"
#include "codegen/layout/Text.h"
#include "test/codegen/layout/Layouts.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::layout;
using namespace tilewright::layout::test;

/// As REQUIRE, which takes longer than all else where it is done for each
/// element.
static void require(bool holds, const char *what) {
  if (!holds)
    FAIL("expected " << what);
}

/// Values in the registers of all threads: -1 is rubbish.
using Machine = std::map<std::pair<Bits, int32_t>, int64_t>;

static HardwareIndex atThread(const Layout &layout, int64_t reg, Bits thread) {
  HardwareIndex index;
  index[HardwareDim::reg] = reg;
  for (HardwareDim hardwareDim :
       {HardwareDim::lane, HardwareDim::warp, HardwareDim::block}) {
    index[hardwareDim] = thread & lowBits(layout.bits(hardwareDim));
    thread >>= layout.bits(hardwareDim);
  }
  return index;
}

static Bits threadCount(const Layout &layout) {
  return Bits(1) << (layout.map().inBits() - layout.bits(HardwareDim::reg));
}

/// The tile's element at an index, as a number; -1 in padding.
static int64_t element(const Layout &layout, const Dims &shape, int64_t reg,
                       Bits thread) {
  HardwareIndex index = atThread(layout, reg, thread);
  return layout.inRange(index, shape) ? linearIndex(layout.apply(index), shape)
                                      : -1;
}

/// Register files as vectors: [thread][register].
struct Files {
  std::vector<std::vector<int64_t>> values;
  Files(Bits threads, int64_t registers)
      : values(threads, std::vector<int64_t>(registers, -1)) {}
  int64_t read(Bits thread, int32_t reg) const {
    return reg < 0 ? -1 : values[thread][reg];
  }
  void write(Bits thread, int32_t reg, int64_t value) {
    if (reg >= 0)
      values[thread][reg] = value;
  }
};

static void runRounds(const ConversionPlan &plan, const Files &from, Files &to,
                      unsigned laneBits) {
  for (int64_t repeat = 0; repeat < plan.frame.repeatCount(); ++repeat)
    for (const Round &round : plan.rounds)
      for (Bits thread = 0; thread < to.values.size(); ++thread) {
        Bits lane = round.sourceLane.apply(thread);
        require(lane <= lowBits(laneBits), "a lane of the warp");
        Bits own = thread & lowBits(laneBits);
        require(round.crossesLanes || lane == own,
                "a round that crosses no lanes stays in its lane");
        require(!round.isXor || lane == (own ^ round.xorMask),
                "the lane that the mask gives");
        if (round.reject.apply(thread))
          continue;
        Bits source = (thread & ~lowBits(laneBits)) | lane;
        for (const RoundPair &pair : plan.pairs)
          to.write(
              thread,
              plan.to.item(repeat, round.receive.apply(thread) ^ pair.receive),
              from.read(source,
                        plan.from.item(repeat,
                                       round.send.apply(source) ^ pair.send)));
      }
}

static void runExchange(const ConversionPlan &plan, const Files &from,
                        Files &to, unsigned blockBits) {
  const SharedExchange &shared = plan.shared;
  Bits threads = from.values.size(), perBlock = threads >> blockBits;
  int64_t cell = shared.memory.items();
  for (int64_t first = 0; first < plan.frame.repeatCount();
       first += shared.repeatsPerPass) {
    std::vector<std::vector<int64_t>> memory(
        Bits(1) << blockBits,
        std::vector<int64_t>(cell * shared.repeatsPerPass, -1));
    int64_t end =
        std::min(plan.frame.repeatCount(), first + shared.repeatsPerPass);
    auto forEachElement = [&](const LinearAccess &access, auto visit) {
      for (Bits thread = 0; thread < threads; ++thread)
        for (int64_t repeat = first; repeat < end; ++repeat)
          for (size_t i = 0; i < access.registers.size(); ++i) {
            Bits offset = access.threadOffset.apply(thread) ^
                          access.xorOffsets[i / access.elements];
            require(offset % access.elements == 0, "an aligned offset");
            visit(thread, repeat, access.registers[i],
                  memory[thread / perBlock].at((repeat - first) * cell +
                                               int64_t(offset) +
                                               int64_t(i % access.elements)));
          }
    };
    forEachElement(shared.store,
                   [&](Bits thread, int64_t repeat, Bits reg, int64_t &index) {
                     int32_t item = plan.from.item(repeat, reg);
                     if (!(thread & shared.redundantThreads) && item >= 0)
                       index = from.read(thread, item);
                   });
    forEachElement(shared.load, [&](Bits thread, int64_t repeat, Bits reg,
                                    int64_t &index) {
      for (Bits copy : shared.load.copies)
        to.write(thread, plan.to.item(repeat, reg ^ copy), index);
    });
  }
}

/// Executes a plan on simulated registers and compares each element.
static void check(const Layout &from, const Layout &to, const Dims &shape,
                  const ConversionPlan &plan, unsigned elementBits = 32) {
  if (plan.kind == ConversionKind::shared)
    REQUIRE(plan.shared.bytes == plan.shared.memory.items() *
                                     plan.shared.repeatsPerPass * elementBits /
                                     8);
  Bits threads = threadCount(from);
  Files before(threads, from.items()), after(threads, to.items());
  for (Bits thread = 0; thread < threads; ++thread)
    for (int64_t reg = 0; reg < from.items(); ++reg)
      before.write(thread, reg, element(from, shape, reg, thread));
  if (plan.kind == ConversionKind::nothing)
    for (Bits thread = 0; thread < threads; ++thread)
      for (int64_t reg = 0; reg < to.items(); ++reg)
        after.write(thread, reg,
                    reg < from.items() ? before.read(thread, reg) : -1);
  else if (plan.kind == ConversionKind::shared)
    runExchange(plan, before, after, from.bits(HardwareDim::block));
  else
    runRounds(plan, before, after, from.bits(HardwareDim::lane));
  for (Bits thread = 0; thread < threads; ++thread)
    for (int64_t reg = 0; reg < to.items(); ++reg) {
      int64_t wanted = element(to, shape, reg, thread);
      if (wanted >= 0 && after.read(thread, reg) != wanted)
        FAIL("thread " << thread << " register " << reg << ": expected "
                       << wanted << ", found " << after.read(thread, reg));
    }
}

/// The cheapest kind that can do it, by looking for each element.
static ConversionKind cheapest(const Layout &from, const Layout &to,
                               const Dims &shape) {
  std::map<int64_t, std::vector<std::pair<Bits, int64_t>>> holders;
  Bits threads = threadCount(from),
       warpOf = ~lowBits(from.bits(HardwareDim::lane));
  for (Bits thread = 0; thread < threads; ++thread)
    for (int64_t reg = 0; reg < from.items(); ++reg)
      holders[element(from, shape, reg, thread)].push_back({thread, reg});
  auto kind = ConversionKind::nothing;
  for (Bits thread = 0; thread < threads; ++thread)
    for (int64_t reg = 0; reg < to.items(); ++reg) {
      int64_t wanted = element(to, shape, reg, thread);
      if (wanted < 0)
        continue;
      auto best = ConversionKind::shared;
      for (auto [holder, its] : holders[wanted])
        best = std::min(best, holder == thread && its == reg
                                  ? ConversionKind::nothing
                              : holder == thread ? ConversionKind::registers
                              : (holder & warpOf) == (thread & warpOf)
                                  ? ConversionKind::shuffle
                                  : ConversionKind::shared);
      kind = std::max(kind, best);
    }
  return kind;
}

static Dims commonShape(const Layout &a, const Layout &b) {
  Dims shape = a.shape();
  for (unsigned dim = 0; dim < shape.rank(); ++dim)
    shape[dim] = std::min(shape[dim], b.shape()[dim]);
  return shape;
}

/// Of repeats that are dealt, or of copies for parts of the warps: what each
/// part does is checked as if it were alone.
static bool checkDealt(const Layout &from, const Layout &to, const Dims &shape,
                       const ConversionPlan &plan, unsigned elementBits) {
  const Repeats &held = from.repeats(), &wanted = to.repeats();
  if (held.isLocal() && wanted.isLocal() && held.parts() == wanted.parts()) {
    check(from.withRepeats(held.ofPart()), to.withRepeats(wanted.ofPart()),
          shape, plan, elementBits);
    return false;
  }
  if (plan.isByElement) {
    REQUIRE(plan.shared.memory.shape() == shape);
    REQUIRE(!sourceRegisters(from, to));
    return true;
  }
  REQUIRE(plan.kind == ConversionKind::registers);
  std::vector<int32_t> sources = *sourceRegisters(from, to);
  forEachIndex(to, [&](const HardwareIndex &index) {
    if (!to.inRange(index, shape))
      return;
    HardwareIndex source = index;
    source[HardwareDim::reg] = sources[index[HardwareDim::reg]];
    if (source[HardwareDim::reg] < 0 ||
        !(from.apply(source) == to.apply(index)))
      FAIL("register " << index[HardwareDim::reg]);
  });
  return true;
}

TEST_CASE("conversions between families move each element") {
  std::mt19937 random(17);
  std::vector<Named> all = registerLayouts();
  std::map<ConversionKind, size_t> kinds;
  size_t dealt = 0;
  for (size_t tried = 0; tried < 2500;) {
    const Named &from = all[random() % all.size()];
    const Named &to = tried % 20 ? all[random() % all.size()] : from;
    if (from.layout.rank() != to.layout.rank() ||
        from.layout.size(HardwareDim::warp) !=
            to.layout.size(HardwareDim::warp) ||
        from.layout.map().inBits() > 12 || to.layout.map().inBits() > 12)
      continue;
    Dims shape = commonShape(from.layout, to.layout);
    ++tried;
    ConversionOptions options;
    options.elementBits = 8u << random() % 4;
    options.shape = shape;
    options.maxShuffles = random() % 4 ? 64 : 1 << 20;
    if (random() % 4 == 0)
      options.sharedBytes = 4096 * 8;
    StatusOr<ConversionPlan> plan =
        planConversion(from.layout, to.layout, options);
    INFO(from.name << "\nto " << to.name << "\n" << plan.status().message());
    if (!plan) {
      REQUIRE(plan.status().message().find("shared memory") !=
              std::string::npos);
      continue;
    }
    INFO(print(*plan));
    ++kinds[plan->kind];
    if (!from.layout.repeats().isPlain() || !to.layout.repeats().isPlain()) {
      dealt +=
          checkDealt(from.layout, to.layout, shape, *plan, options.elementBits);
      continue;
    }
    check(from.layout, to.layout, shape, *plan, options.elementBits);
    REQUIRE(plan->kind >= cheapest(from.layout, to.layout, shape));
    REQUIRE(plan->reason.empty() == (plan->kind == ConversionKind::nothing));
  }
  CHECK(dealt > 10);
  for (ConversionKind kind :
       {ConversionKind::nothing, ConversionKind::registers,
        ConversionKind::shuffle, ConversionKind::shared}) {
    INFO(conversionKindName(kind));
    CHECK(kinds[kind] > 20);
  }
}

TEST_CASE("conversions between random layouts take the cheapest way") {
  std::map<ConversionKind, size_t> kinds;
  for (unsigned seed = 0; seed < 4000; ++seed) {
    std::mt19937 random(seed);
    unsigned rank = 1 + random() % 2;
    Dims cellBits(rank, 0), repeats(rank, 1), otherBits(rank, 0),
        otherRepeats(rank, 1);
    for (unsigned dim = 0; dim < rank; ++dim) {
      cellBits[dim] = random() % 5;
      repeats[dim] = 1 + random() % 3;
      bool same = random() % 3;
      otherBits[dim] = same ? cellBits[dim] : random() % 5;
      otherRepeats[dim] = same ? repeats[dim] : 1 + random() % 4;
    }
    unsigned laneBits = 2 + random() % 2, warpBits = random() % 2;
    Layout from =
        randomRegisters(random, cellBits, repeats, laneBits, warpBits);
    Layout to =
        randomRegisters(random, otherBits, otherRepeats, laneBits, warpBits);
    Dims shape = commonShape(from, to);
    ConversionOptions options;
    options.elementBits = 8u << random() % 4;
    options.shape = shape;
    options.maxShuffles = 1 << 20;
    StatusOr<ConversionPlan> plan = planConversion(from, to, options);
    INFO("seed " << seed << "\n" << print(from) << "\n" << print(to));
    REQUIRE(plan.ok());
    INFO(print(*plan));
    ++kinds[plan->kind];
    check(from, to, shape, *plan, options.elementBits);
    ConversionKind best = cheapest(from, to, shape);
    REQUIRE(plan->kind >= best);
    // One cell and no padding: nothing hides a cheaper way from the algebra.
    if (cellBits == otherBits && repeats.product() == 1 &&
        otherRepeats.product() == 1)
      REQUIRE(plan->kind == best);
  }
  for (auto &[kind, times] : kinds) {
    INFO(conversionKindName(kind));
    CHECK(times > 20);
  }
  CHECK(kinds.size() == 4);
}

TEST_CASE("known conversions need what they must") {
  std::string row = "blocked shape=8x64 per-thread=1x2 lanes=1x32";
  CHECK(planned(row, row).kind == ConversionKind::nothing);
  // Registers in another order.
  ConversionPlan renamed = planned(row, "blocked shape=8x64 per-thread=2x2 "
                                        "lanes=1x32 order=0,1");
  CHECK(renamed.kind == ConversionKind::registers);
  CHECK(renamed.shuffles == 0);
  // A register bit for a lane bit: one of two values stays where it is.
  ConversionPlan swapped =
      planned("registers cell=64 register=(32) lane=(1),(2),(4),(8),(16)",
              "registers cell=64 register=(16) lane=(1),(2),(4),(8),(32)");
  CHECK(swapped.kind == ConversionKind::shuffle);
  CHECK(swapped.shuffles == 1);
  CHECK(swapped.rounds.back().isXor);
  CHECK(swapped.rounds.back().xorMask == 16);
  CHECK(swapped.reason ==
        "register bit 0 moves by (16), which no register of the source moves "
        "by");
  // Lanes in reverse: one shuffle for each register.
  CHECK(planned("registers cell=64 register=(32) lane=(1),(2),(4),(8),(16)",
                "registers cell=64 register=(32) lane=(16),(8),(4),(2),(1)")
            .shuffles == 2);
  // 16-bit values travel in pairs.
  ConversionOptions half;
  half.elementBits = 16;
  CHECK(planned("registers cell=64 register=(32) lane=(1),(2),(4),(8),(16)",
                "registers cell=64 register=(32) lane=(16),(8),(4),(2),(1)",
                half)
            .shuffles == 1);
  // 64-bit values travel in halves; too many shuffles go through memory.
  ConversionOptions wide;
  wide.elementBits = 64;
  wide.maxShuffles = 4;
  std::string there = "registers cell=64 register=(32) "
                      "lane=(1),(2),(4),(8),(16)",
              back = "registers cell=64 register=(32) "
                     "lane=(16),(8),(4),(2),(1)";
  CHECK(planned(there, back, wide).shuffles == 4);
  wide.maxShuffles = 3;
  CHECK(planned(there, back, wide).kind == ConversionKind::shared);
  CHECK(planned(there, back, wide).rounds.empty());
  CHECK(planned(there, back, wide).reason ==
        "4 shuffles would do; at most 3 are wanted");
  // An accumulator to an operand: the fragments of m16n8 are made for it.
  CHECK(planned("mma.m16n8k16.c f16 shape=16x16",
                "mma.m16n8k16.a f16 shape=16x16", half)
            .kind <= ConversionKind::registers);
}

TEST_CASE("lanes of one side that move by registers of the other and by what "
          "both vectorize") {
  // Lane bit 0 of `to` moves by register bits 0 and 1 of `from`: a run of both
  // would have another order in each lane.
  Layout from = *parse("registers cell=256 register=(1),(2) "
                       "lane=(4),(8),(16),(32),(64) warp=(128)");
  Layout to = *parse("registers cell=256 register=(1),(4) "
                     "lane=(3),(8),(16),(32),(128) warp=(64)");
  for (unsigned bits : {8u, 16u, 32u, 64u}) {
    ConversionOptions options;
    options.elementBits = bits;
    for (bool forth : {true, false}) {
      const Layout &a = forth ? from : to, &b = forth ? to : from;
      StatusOr<ConversionPlan> plan = planConversion(a, b, options);
      REQUIRE(plan.ok());
      REQUIRE(plan->kind == ConversionKind::shared);
      check(a, b, {256}, *plan, bits);
    }
  }
}

TEST_CASE("blocks keep to themselves") {
  // Block bit 0 chooses the row half in both layouts.
  Layout from = *parse("registers cell=16x32 register=(0,1),(0,2) "
                       "lane=(0,4),(0,8),(0,16),(1,0),(2,0) warp=(4,0) "
                       "block=(8,0)");
  Layout to = *parse("registers cell=16x32 register=(1,0),(2,0) "
                     "lane=(0,1),(0,2),(0,4),(0,8),(4,0) warp=(0,16) "
                     "block=(8,0)");
  StatusOr<ConversionPlan> plan = planConversion(from, to);
  INFO(plan.status().message());
  REQUIRE(plan.ok());
  CHECK(plan->kind == ConversionKind::shared);
  CHECK(plan->shared.bytes == 8 * 32 * 4);
  check(from, to, {16, 32}, *plan);
  Layout across = *parse("registers cell=16x32 register=(1,0),(2,0) "
                         "lane=(0,1),(0,2),(0,4),(0,8),(4,0) warp=(8,0) "
                         "block=(0,16)");
  CHECK(planConversion(from, across).status().message() ==
        "conversion: elements move between blocks, which neither shuffles nor "
        "a block's shared memory can do");
  // Copies in each block may be read by each.
  Layout copies = *parse("registers cell=8x32 register=(0,1),(0,2) "
                         "lane=(0,4),(0,8),(0,16),(1,0),(2,0) warp=(4,0) "
                         "block=(0,0)");
  Layout shared = *parse("registers cell=8x32 register=(1,0),(2,0) "
                         "lane=(0,1),(0,2),(0,4),(0,8),(4,0) warp=(0,16) "
                         "block=(0,0)");
  StatusOr<ConversionPlan> both = planConversion(copies, shared);
  REQUIRE(both.ok());
  check(copies, shared, {8, 32}, *both);
}

TEST_CASE("conversions that cannot be are rejected") {
  Layout four = *parse("coalesced shape=64x64 f32 warps=4");
  Layout eight = *parse("coalesced shape=64x64 f32 warps=8");
  Layout vector = *parse("coalesced shape=64 f32 warps=4");
  CHECK(planConversion(four, eight).status().message() ==
        "conversion: expected as many warps in both, found 4 and 8");
  CHECK(planConversion(four, vector).status().message() ==
        "conversion: expected equal ranks, found 64x64 and 64");
  ConversionOptions options;
  options.shape = {64, 65};
  CHECK(planConversion(four, four, options).status().message() ==
        "conversion: the tile has shape 64x65, a layout covers 64x64");
  Layout columns = *parse("coalesced shape=64x64 f32 warps=4 order=0,1");
  options.shape = {64, 64};
  options.sharedBytes = 1000;
  CHECK(planConversion(four, columns, options).status().message() ==
        "conversion: expected at least 16384 B of shared memory for one cell, "
        "found 1000 B");
}

TEST_CASE("of shuffles and shared memory the plan takes what is cheaper") {
  const std::string rows =
      "blocked shape=16x16 per-thread=1x8 lanes=16x2 warps=1x1";
  const std::string columns =
      "blocked shape=16x16 per-thread=8x1 lanes=2x16 warps=1x1 order=0,1";
  ConversionOptions options{.elementBits = 16};
  ConversionPlan plan = planned(rows, columns, options);
  CHECK(plan.kind == ConversionKind::shared);
  CHECK(plan.reason.starts_with("8 shuffles would do, in about"));
  options.maxShuffles = 8;
  ConversionPlan shuffles = planned(rows, columns, options);
  CHECK(shuffles.kind == ConversionKind::shuffle);
  CHECK(shuffles.slots > plan.slots);
  // Lanes that change places: one shuffle for each pair of registers.
  CHECK(planned("registers cell=32x2 register=(0,1) "
                "lane=(1,0),(2,0),(4,0),(8,0),(16,0)",
                "registers cell=32x2 register=(0,1) "
                "lane=(16,0),(2,0),(4,0),(8,0),(1,0)",
                {.elementBits = 16})
            .kind == ConversionKind::shuffle);
}
