#include "support/Format.h"

#include <catch2/catch.hpp>
#include <limits>
#include <map>
#include <set>
#include <vector>

using namespace tilewright;

TEST_CASE("format: fixed decimals, significant digits, the shortest text") {
  CHECK(formatFixed(12.345, 1) == "12.3");
  CHECK(formatFixed(0.25, 3) == "0.250");
  CHECK(formatFixed(-2, 0) == "-2");
  // A tie goes to the even digit, as printf's does.
  CHECK(formatFixed(0.125, 2) == "0.12");
  CHECK(formatGeneral(0.0415123, 3) == "0.0415");
  CHECK(formatGeneral(200, 6) == "200");
  CHECK(formatGeneral(1e6, 6) == "1e+06");
  CHECK(formatShortest(0.1) == "0.1");
  CHECK(formatShortest(3) == "3");
}

TEST_CASE("format: the largest numbers have room") {
  double most = std::numeric_limits<double>::max();
  CHECK(formatFixed(-most, 60).size() == 1 + 309 + 1 + 60);
  CHECK(formatGeneral(-most, 17) == "-1.7976931348623157e+308");
  CHECK(formatShortest(std::numeric_limits<double>::infinity()) == "inf");
}

TEST_CASE("format: counts") {
  CHECK(formatCount(0) == "0");
  CHECK(formatCount(999) == "999");
  CHECK(formatCount(1000) == "1,000");
  CHECK(formatCount(1234567) == "1,234,567");
  CHECK(formatCount(-123) == "-123");
  CHECK(formatCount(-1234) == "-1,234");
  CHECK(formatCount(std::numeric_limits<uint64_t>::max()) ==
        "18,446,744,073,709,551,615");
  CHECK(counted(1, "step") == "1 step");
  CHECK(counted(0, "step") == "0 steps");
  CHECK(counted(7680, "element") == "7680 elements");
}

TEST_CASE("format: columns") {
  CHECK(alignedRight("ab", 4) == "  ab");
  CHECK(alignedLeft("ab", 4) == "ab  ");
  CHECK(alignedRight("abcde", 4) == "abcde");
  CHECK(alignedLeft("abcde", 4) == "abcde");
}

TEST_CASE("format: lists of texts and of numbers") {
  CHECK(joined(std::vector<std::string>()).empty());
  CHECK(joined(std::vector<std::string>{"a"}) == "a");
  CHECK(joined(std::set<std::string>{"b", "a"}) == "a, b");
  CHECK(joined(std::vector<int>{1, 2, 3}, "x") == "1x2x3");
  // An element without text is an element.
  CHECK(joined(std::vector<std::string>{"", "", "a"}) == ", , a");
  std::map<std::string, int> sizes = {{"N", 2}, {"H", 4}};
  CHECK(joined(sizes, ", ", &std::pair<const std::string, int>::first) ==
        "H, N");
  CHECK(joined(sizes, "; ", [](const auto &size) { return size.second; }) ==
        "4; 2");
}

TEST_CASE("format: patterns and arguments of each kind") {
  std::string name = "x";
  CHECK(format("expected {} bytes, found {}", {12u, -3}) ==
        "expected 12 bytes, found -3");
  CHECK(format("{} {} {} {}", {name, std::string_view("view"), "text", 'c'}) ==
        "x view text c");
  CHECK(format("{} {}", {true, false}) == "true false");
  CHECK(format("{}", {~uint64_t(0)}) == "18446744073709551615");
  CHECK(format("{:.2f} {:#x} {:>4}|{{}}", {1.5, 255, "a"}) ==
        "1.50 0xff    a|{}");
  CHECK(format("", {}) == "");
}
