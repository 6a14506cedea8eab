#include "codegen/layout/Conversion.h"
#include "codegen/layout/ExchangeSwizzle.h"
#include "codegen/layout/Text.h"
#include "test/codegen/layout/Layouts.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::layout;
using namespace tilewright::layout::test;

TEST_CASE("through shared memory: widths, conflicts and memory") {
  // Rows to rows over other warps: both sides move 16 bytes, no conflicts.
  ConversionOptions half;
  half.elementBits = 16;
  ConversionPlan plan =
      planned("blocked shape=64x64 per-thread=1x8 lanes=4x8 warps=4x1",
              "blocked shape=64x64 per-thread=1x8 lanes=32x1 warps=1x4", half);
  REQUIRE(plan.kind == ConversionKind::shared);
  CHECK(plan.shared.store.elements == 8);
  CHECK(plan.shared.load.elements == 8);
  CHECK(plan.shared.store.wavefrontsEach == 4);
  CHECK(plan.shared.load.wavefrontsEach == 4);
  CHECK(plan.shared.bytes == 64 * 64 * 2);
  // A transpose of f32: one side moves words, but still without conflicts.
  ConversionPlan transpose =
      planned("blocked shape=64x64 per-thread=1x4 lanes=2x16 warps=4x1",
              "blocked shape=64x64 per-thread=4x1 lanes=16x2 warps=1x4 "
              "order=0,1");
  REQUIRE(transpose.kind == ConversionKind::shared);
  int64_t ideal = 64 * 64 * 4 / 4 / 128; // Bytes of a warp, 128 a wavefront.
  CHECK(transpose.shared.storeWavefronts == ideal);
  CHECK(transpose.shared.loadWavefronts == ideal);
  // Repeats share a pass while memory lasts.
  ConversionOptions small;
  small.sharedBytes = 32 * 16 * 4 * 2;
  ConversionPlan passes =
      planned("registers cell=32x16 repeats=3x5 register=(0,1),(0,2) "
              "lane=(0,4),(0,8),(1,0),(2,0),(4,0) warp=(8,0),(16,0)",
              "registers cell=32x16 repeats=3x5 register=(8,0),(16,0) "
              "lane=(1,0),(2,0),(4,0),(0,1),(0,2) warp=(0,4),(0,8)",
              small);
  REQUIRE(passes.kind == ConversionKind::shared);
  CHECK(passes.shared.repeatsPerPass == 2);
  CHECK(passes.shared.bytes == small.sharedBytes);
}

TEST_CASE("between layouts in use, each wavefront moves 128 bytes") {
  size_t exchanges = 0;
  std::string texts[] = {
      "coalesced shape=128x128 bf16 warps=4",
      "coalesced shape=128x128 bf16 warps=4 order=0,1",
      "mma.m16n8k16.c f16 shape=128x128 warps=2x2",
      "mma.m16n8k16.a f16 shape=128x128 warps=4x1",
      "mma.m16n8k16.b f16 shape=128x128 warps=1x4",
      "mma.m16n8k32.a i8 shape=128x128 warps=4x1",
      "wgmma.m64n128k16.d f16 shape=128x128",
      "blocked shape=128x128 per-thread=4x4 lanes=4x8 warps=2x2",
      "blocked shape=128x128 per-thread=1x1 lanes=1x32 warps=4x1",
      "blocked shape=128x128 per-thread=8x1 lanes=2x16 warps=1x4 order=0,1"};
  for (unsigned bits : {8u, 16u, 32u, 64u})
    for (const std::string &from : texts)
      for (const std::string &to : texts) {
        // Lanes that each store or load one element of less than a word do not
        // fill a wavefront.
        if (bits < 32 && from.starts_with("coalesced") &&
            to.starts_with("coalesced"))
          continue;
        ConversionOptions options;
        options.elementBits = bits;
        ConversionPlan plan = planned(from, to, options);
        if (plan.kind != ConversionKind::shared)
          continue;
        ++exchanges;
        int64_t bytes = 128 * 128 / 4 * bits / 8; // Of one warp.
        INFO(from << " to " << to << "\n" << print(plan));
        CHECK(plan.shared.storeWavefronts == bytes / 128);
        CHECK(plan.shared.loadWavefronts == bytes / 128);
      }
  CHECK(exchanges > 300);
}

/// The wavefronts of all stores and loads when offset bit i moves by
/// `vectors[i]`.
static int64_t wavefrontsWith(const ConversionPlan &plan,
                              const std::vector<Bits> &vectors,
                              unsigned laneBits, unsigned elementBits) {
  LinearMap offset(0, 64);
  for (Bits vector : vectors)
    offset.append(vector);
  Solver solver(offset);
  int64_t total = 0;
  for (const Refined *side : {&plan.from, &plan.to}) {
    LinearMap offsets(0, vectors.size());
    for (Bits column : side->map.allColumns())
      offsets.append(*solver.solve(column));
    LinearAccess access =
        linearAccess(offsets, side->itemBits, laneBits, elementBits, 128);
    total += int64_t(access.xorOffsets.size()) * access.wavefrontsEach;
  }
  return total;
}

TEST_CASE("no other swizzle that was tried has fewer wavefronts") {
  size_t exchanges = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    std::mt19937 random(seed);
    unsigned warpBits = 1, outs = 8 + random() % 3;
    Layout from = randomRegisters(random, {outs}, {1}, 5, warpBits);
    Layout to = randomRegisters(random, {outs}, {1}, 5, warpBits);
    ConversionOptions options;
    options.elementBits = 8u << random() % 4;
    // Of those that shuffles cannot do, or only by very many.
    options.maxShuffles = 64;
    StatusOr<ConversionPlan> plan = planConversion(from, to, options);
    REQUIRE(plan.ok());
    if (plan->kind != ConversionKind::shared)
      continue;
    ++exchanges;
    const SharedExchange &shared = plan->shared;
    int64_t own = shared.storeWavefronts + shared.loadWavefronts;
    auto tryBasis = [&](const std::vector<Bits> &vectors) {
      INFO("seed " << seed << "\n"
                   << print(from) << "\n"
                   << print(to) << "\n"
                   << print(*plan));
      REQUIRE(wavefrontsWith(*plan, vectors, 5, options.elementBits) >= own);
    };
    // Bits of the index in any order, and XORed with others.
    for (int attempt = 0; attempt < 60; ++attempt) {
      std::vector<Bits> vectors;
      for (unsigned bit = 0; bit < outs; ++bit)
        vectors.push_back(Bits(1) << bit);
      std::shuffle(vectors.begin(), vectors.end(), random);
      for (int i = attempt % 8; i > 0; --i) {
        unsigned a = random() % outs, b = random() % outs;
        vectors[a] ^= a == b ? 0 : vectors[b];
      }
      tryBasis(vectors);
    }
    // What registers and lanes move by, in any order.
    for (int attempt = 0; attempt < 60; ++attempt) {
      std::vector<Bits> pool(from.map().allColumns().begin(),
                             from.map().allColumns().end());
      pool.insert(pool.end(), to.map().allColumns().begin(),
                  to.map().allColumns().end());
      std::shuffle(pool.begin(), pool.end(), random);
      std::vector<Bits> vectors;
      Subspace span;
      for (Bits vector : pool)
        if (span.insert(vector))
          vectors.push_back(vector);
      tryBasis(vectors);
    }
  }
  CHECK(exchanges > 200);
}

TEST_CASE("a swizzle's offsets stand for each element once") {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    std::mt19937 random(seed);
    unsigned outs = 5 + random() % 5;
    Layout from = randomRegisters(random, {outs}, {1}, 3, 1);
    Layout to = randomRegisters(random, {outs}, {1}, 3, 1);
    Frame frame = commonFrame(from, to);
    Refined a = refine(from, frame), b = refine(to, frame);
    ExchangeSide store(a, 4), load(b, 4);
    Subspace space = from.map().image();
    for (const ExchangeSide *wide :
         {(const ExchangeSide *)nullptr, (const ExchangeSide *)&store,
          (const ExchangeSide *)&load})
      for (unsigned bytes : {1u, 2u, 4u, 8u}) {
        std::vector<Bits> vectors = chooseSwizzle(
            store, load, wide, {bytes, 3, log2Floor(16 / bytes)}, space);
        INFO("seed " << seed << "\n" << print(from) << "\n" << print(to));
        REQUIRE(vectors.size() == outs);
        REQUIRE(Subspace(vectors).dimension() == outs);
      }
  }
}
