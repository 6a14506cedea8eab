#include "support/Html.h"

#include <catch2/catch.hpp>

using namespace tilewright::markup;
using namespace tilewright::html;

TEST_CASE("html: a page") {
  const std::string head = headContent("a & b").str();
  const std::string start = "<meta charset=\"utf-8\">\n"
                            "<meta name=\"viewport\" "
                            "content=\"width=device-width, initial-scale=1\">\n"
                            "<title>a &amp; b</title>\n<style>\n:root {";
  CHECK(head.substr(0, start.size()) == start);
  CHECK(document(element("head", "a") + element("body", "c < d")) ==
        "<!DOCTYPE html>\n"
        "<html lang=\"en\"><head>a</head><body>c &lt; d</body></html>\n");
}

TEST_CASE("html: rows of a table") {
  CHECK(row(headCell("size") + cell("1,024", "n") + cell("<16")).str() ==
        "<tr><th>size</th><td class=\"n\">1,024</td><td>&lt;16</td></tr>\n");
  CHECK(headCell("", "name").str() == "<th class=\"name\"></th>");
}

TEST_CASE("html: a card") {
  CHECK(card("18.4 ms", "best").str() ==
        "<div class=\"card\"><b>18.4 ms</b><span>best</span></div>");
}
