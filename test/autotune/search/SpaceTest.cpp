#include "autotune/space/Space.h"

#include <catch2/catch.hpp>
#include <set>

using namespace tilewright;
using namespace tilewright::autotune;

static Space threeParameters() {
  return Space({{"BM", {16, 32, 64}, 1}, {"BN", {8, 24}, 0}, {"u", {1}, 0}});
}

TEST_CASE("a point is the text of its values") {
  Space space = threeParameters();
  CHECK(space.text(space.defaultPoint()) == "BM=32 BN=8 u=1");
  StatusOr<Point> point = space.parse("BN=24 BM=64");
  REQUIRE(point.ok());
  CHECK(*point == Point{2, 1, 0});
  // What is missing is the default's.
  CHECK(*space.parse("") == space.defaultPoint());
}

TEST_CASE("values with names are written by them") {
  auto nameOf = [](int64_t value) -> std::string_view {
    return value == 0 ? "auto" : "fma";
  };
  Space space({{"u", {1, 2}, 0}, {"instruction", {0, 1}, 0, nameOf}});
  CHECK(space.text({1, 1}) == "u=2 instruction=fma");
  CHECK(*space.parse("instruction=fma") == Point{0, 1});
  CHECK(space.parse("instruction=1").status().message() ==
        "schedule: 'instruction' expects one of auto, fma, found '1'");
  StatusOr<Space> only = space.only({"u"});
  REQUIRE(only.ok());
  CHECK(only->text({1, 0}) == "u=2 instruction=auto");
}

TEST_CASE("each number is a point of its own") {
  Space space = threeParameters();
  REQUIRE(space.size() == 6);
  std::set<Point> points;
  for (uint64_t i = 0; i < space.size(); ++i) {
    points.insert(space.at(i));
    CHECK(*space.parse(space.text(space.at(i))) == space.at(i));
  }
  CHECK(points.size() == 6);
}

TEST_CASE("neighbours differ by one step in one parameter") {
  Space space = threeParameters();
  CHECK(space.neighbours({0, 0, 0}) ==
        std::vector<Point>{{1, 0, 0}, {0, 1, 0}});
  CHECK(space.neighbours({1, 1, 0}) ==
        std::vector<Point>{{0, 1, 0}, {2, 1, 0}, {1, 0, 0}});
}

TEST_CASE("a space of some parameters leaves the others to the default") {
  Space space = threeParameters();
  StatusOr<Space> only = space.only({"BN", "rows"});
  REQUIRE(only.ok());
  CHECK(only->size() == 2);
  CHECK(only->text(only->at(1)) == "BM=32 BN=24 u=1");
  CHECK(only->text(only->defaultPoint()) == space.text(space.defaultPoint()));
  CHECK(space.only({})->size() == space.size());
  CHECK(space.only({"rows"}).status().message() ==
        "none of the parameters to search is one of this kernel's, which has "
        "'BM=32 BN=8 u=1'");
}

TEST_CASE("the size of a huge space is bounded") {
  std::vector<int64_t> many(1 << 16);
  Space space({{"a", many, 0}, {"b", many, 0}, {"c", many, 0}, {"d", many, 0}});
  CHECK(space.size() == uint64_t(INT64_MAX));
}

TEST_CASE("a schedule that is not in the space says why") {
  Space space = threeParameters();
  auto [text, message] = GENERATE(table<std::string, std::string>({
      {"BK=1", "schedule: no parameter is called 'BK'"},
      {"BM=48", "schedule: 'BM' expects one of 16, 32, 64, found '48'"},
      {"BM=", "schedule: 'BM' expects one of 16, 32, 64, found ''"},
      {"BM", "schedule: 'BM' expects one of 16, 32, 64, found ''"},
      {"BM=16x", "schedule: 'BM' expects one of 16, 32, 64, found '16x'"},
      {"=16", "schedule: no parameter is called ''"},
  }));
  StatusOr<Point> point = space.parse(text);
  REQUIRE_FALSE(point.ok());
  CHECK(point.status().message() == message);
}

TEST_CASE("random numbers are those of SplitMix64") {
  // The first outputs for the seed 1234567, from the algorithm's published
  // test vector.
  Random random(1234567);
  CHECK(random.next() == 6457827717110365317u);
  CHECK(random.next() == 3203168211198807973u);
  Random other(3);
  for (int i = 0; i < 1000; ++i) {
    CHECK(other.below(7) < 7);
    double unit = other.unit();
    CHECK((unit >= 0 && unit < 1));
  }
}
