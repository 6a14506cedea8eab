#include "spatial/program/Sha256.h"
#include <catch2/catch.hpp>
#include <string>

using namespace tilewright::spatial;

static std::string hash(const std::string &text) {
  return sha256(std::as_bytes(std::span(text)));
}

// FIPS 180-2, appendix B, and the empty message of NIST's test vectors.
TEST_CASE("SHA-256 has the values of its standard") {
  CHECK(hash("") ==
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(hash("abc") ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(hash(std::string(1'000'000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// Lengths at which the padding takes one block or two: from Python's hashlib.
TEST_CASE("SHA-256 pads messages of any length") {
  CHECK(hash(std::string(55, 'x')) ==
        "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072");
  CHECK(hash(std::string(63, 'x')) ==
        "75220b47218278e656f2013bb8f0c455a25eaf01e86c64924e9d48d89776d6f2");
  CHECK(hash(std::string(64, 'x')) ==
        "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c");
}

TEST_CASE("SHA-256 of parts is that of the whole") {
  const std::string text = std::string(150, 'y') + std::string(150, 'z');
  for (size_t part : {1, 7, 63, 64, 65, 130}) {
    INFO("parts of " << part);
    Sha256 sum;
    for (size_t at = 0; at < text.size(); at += part)
      sum.add(std::as_bytes(
          std::span(text).subspan(at, std::min(part, text.size() - at))));
    CHECK(sum.finish() == hash(text));
  }
}
