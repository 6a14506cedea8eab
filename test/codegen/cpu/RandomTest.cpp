// Random kernels. To replay one, put its seed into `kSeeds` and run the test
// of that name.
#include "RandomProgram.h"

#include <catch2/catch.hpp>

using namespace tilewright::cputest;

static void checkSeed(uint64_t seed, bool hasFloats) {
  RandomProgram program(seed, hasFloats);
  KernelText &k = program.generate(4 + seed % 14);
  INFO("seed " << seed << (hasFloats ? ", floats" : ", integers"));
  k.check({}, seed);
}

TEST_CASE("random kernels: integers") {
  for (uint64_t seed = 1; seed <= 200; ++seed)
    checkSeed(seed, false);
}

TEST_CASE("random kernels: floats") {
  for (uint64_t seed = 1; seed <= 200; ++seed)
    checkSeed(seed, true);
}

/// Kernels that once disagreed: the seed, and whether it is one with floats.
static const std::pair<uint64_t, bool> kSeeds[] = {{1, false}};

TEST_CASE("random kernels: by seed") {
  for (auto [seed, hasFloats] : kSeeds)
    checkSeed(seed, hasFloats);
}
