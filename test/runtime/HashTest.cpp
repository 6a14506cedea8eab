#include "runtime/core/Hash.h"
#include "TestPackage.h"
#include <catch2/catch.hpp>

using namespace tilewright::runtime;

// Values of the reference implementation, through Python's xxhash package.
TEST_CASE("xxh64 gives the published values") {
  CHECK(xxh64({}) == 0xef46db3751d8e999ull);
  CHECK(xxh64(asBytes("a")) == 0xd24ec4f1a98c6e5bull);
  CHECK(xxh64(asBytes("abc")) == 0x44bc2cf5ad770999ull);
  CHECK(xxh64(asBytes("Nobody inspects the spammish repetition")) ==
        0xfbcea83c8a378bf1ull);
  CHECK(hashText(asBytes("abc")) == "xxh64:44bc2cf5ad770999");
}
