#include "autotune/report/Format.h"

#include <catch2/catch.hpp>

using namespace tilewright::autotune;
using tilewright::formatCount;

TEST_CASE("format: numbers have three digits") {
  CHECK(formatNumber(0) == "0");
  CHECK(formatNumber(1.234) == "1.23");
  CHECK(formatNumber(9.996) == "10.0");
  CHECK(formatNumber(12.34) == "12.3");
  CHECK(formatNumber(99.96) == "100");
  CHECK(formatNumber(999.4) == "999");
  CHECK(formatNumber(999.6) == "1,000");
  CHECK(formatNumber(1234567) == "1,234,567");
  CHECK(formatNumber(0.00123456) == "0.00123");
  CHECK(formatNumber(-1.5) == "-1.50");
  CHECK(formatNumber(-123456) == "-123,456");
}

TEST_CASE("format: times have the unit that fits") {
  CHECK(formatTime(35) == "35.0 ns");
  CHECK(formatTime(999.4) == "999 ns");
  CHECK(formatTime(999.6) == "1.00 us");
  CHECK(formatTime(610e3) == "610 us");
  CHECK(formatTime(18.4e6) == "18.4 ms");
  CHECK(formatTime(2.1e9) == "2.10 s");
  CHECK(formatTime(5e12) == "5,000 s");
}

TEST_CASE("format: durations") {
  CHECK(formatDuration(0.42) == "0.4 s");
  CHECK(formatDuration(9.96) == "10 s");
  CHECK(formatDuration(59.4) == "59 s");
  CHECK(formatDuration(59.6) == "1 m 00 s");
  CHECK(formatDuration(545) == "9 m 05 s");
  CHECK(formatDuration(7383) == "2 h 03 m");
  CHECK(formatDuration(-3) == "0.0 s");
}

TEST_CASE("format: counts and ratios") {
  CHECK(formatCount(0) == "0");
  CHECK(formatCount(1103) == "1,103");
  CHECK(formatPlural(1, "task") == "1 task");
  CHECK(formatPlural(2000, "trial") == "2,000 trials");
  CHECK(formatRatio(1.8449) == "1.84x");
  CHECK(formatRatio(1234) == "1,234x");
}

TEST_CASE("format: a text on one line") {
  CHECK(oneLine("short", 5) == "short");
  CHECK(oneLine("too long", 7) == "too ...");
  CHECK(oneLine("a\nb\tc\x1b[31m", 20) == "a b c [31m");
  CHECK(oneLine("größe", 5) == "größe");
  CHECK(oneLine("größer!", 6) == "grö...");
}

TEST_CASE("format: a table") {
  using Align = TextTable::Align;
  TextTable table({Align::left, Align::right, Align::left});
  table.add({"kernel", "time", "note"});
  table.add({"größe", "1,000 us", ""});
  table.add({"b", "9 us", "x"});
  CHECK(table.text("> ") == "> kernel      time  note\n"
                            "> größe   1,000 us\n"
                            "> b           9 us  x\n");
}
