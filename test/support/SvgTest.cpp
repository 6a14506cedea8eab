#include "support/Svg.h"

#include <catch2/catch.hpp>

using namespace tilewright::svg;

TEST_CASE("svg: pixels are whole, or to a tenth") {
  CHECK(Pixels(40).str() == "40");
  CHECK(Pixels(int64_t(-3)).str() == "-3");
  CHECK(Pixels(40.0).str() == "40.0");
  CHECK(Pixels(1.0 / 3).str() == "0.3");
}

TEST_CASE("svg: shapes") {
  CHECK(rectangle(1, 2, 3, 4, {{"class", "lane"}}).str() ==
        "<rect x=\"1\" y=\"2\" width=\"3\" height=\"4\" class=\"lane\"/>\n");
  CHECK(text(1.5, 2, {{"class", "name"}}, "a<b").str() ==
        "<text x=\"1.5\" y=\"2\" class=\"name\">a&lt;b</text>\n");
  const std::pair<double, double> points[] = {{0, 0.5}, {1, 2}, {3, 4}};
  CHECK(path(points, {{"class", "roof"}}).str() ==
        "<path d=\"M0.0 0.5L1.0 2.0L3.0 4.0\" class=\"roof\"/>\n");
}

TEST_CASE("svg: a picture can be a file") {
  CHECK(
      picture({viewBox(150, 14), {"role", "img"}}, text(0, 0, {}, "a")).str() ==
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 150 14\" "
      "role=\"img\">\n<text x=\"0\" y=\"0\">a</text>\n</svg>\n");
}
