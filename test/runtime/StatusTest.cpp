#include "tilewright/support/Status.h"
#include <catch2/catch.hpp>

using namespace tilewright;

static StatusOr<std::optional<int>> find(int key) {
  if (key < 0)
    return Status::invalidInput("negative");
  if (key == 0)
    return std::nullopt;
  return key;
}

// "There is none" is an answer; it must not be taken for "no value, and no
// failure either".
TEST_CASE("an empty optional is a value of a StatusOr") {
  StatusOr<std::optional<int>> none = find(0);
  REQUIRE(none.ok());
  CHECK(none.status().ok());
  CHECK_FALSE(none->has_value());

  StatusOr<std::optional<int>> one = find(1);
  REQUIRE(one.ok());
  CHECK(**one == 1);

  StatusOr<std::optional<int>> wrong = find(-1);
  REQUIRE_FALSE(wrong.ok());
  CHECK(wrong.status().message() == "negative");
}

static Status follow(int key, bool &wasFound) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::optional<int> found, find(key));
  wasFound = found.has_value();
  return {};
}

TEST_CASE("an empty optional is handed on as a value") {
  bool wasFound = true;
  REQUIRE(follow(0, wasFound).ok());
  CHECK_FALSE(wasFound);
  CHECK_FALSE(follow(-1, wasFound).ok());
}
