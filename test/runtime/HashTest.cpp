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

TEST_CASE("xxh64 of parts is that of the whole") {
  std::string text;
  for (int i = 0; i < 301; ++i)
    text += char(i * 7);
  const auto bytes = asBytes(text);
  for (size_t first : {0, 32, 64, 288})
    for (size_t second : {0, 32, 96}) {
      if (first + second > bytes.size())
        continue;
      PartialHash hash;
      hash.update(bytes.first(first));
      hash.update(bytes.subspan(first, second));
      CHECK(hash.finish(bytes.subspan(first + second)) == xxh64(bytes));
    }
}
