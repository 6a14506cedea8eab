// Reports of one small launch.
#include "runtime/emulator/counters/Report.h"
#include "runtime/emulator/counters/Lines.h"
#include "runtime/emulator/counters/Metrics.h"
#include "test/runtime/emulator/counters/Counted.h"
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace tilewright::emulator;
using Catch::Contains;

/// Two blocks of two warps; each lane loads every other word.
static KernelCounters sample() {
  return count(R"(
.loc 1 7 3
mul.wide.u32 %rd1, %thread, 8;
add.u64 %rd1, %rd1, %data;
.loc 1 9 5
ld.global.b32 %r1, [%rd1];          // a < b & c
.loc 2 30 0
mad.lo.u32 %r2, %thread, 8, %tile;
st.shared.b32 [%r2], %r1;
)",
               {{2, 1, 1}, {64, 1, 1}, 1},
               ".file 1 \"a/one.py\"\n.file 2 \"two.py\"\n");
}

TEST_CASE("report: metrics", "[emulator][counters]") {
  CHECK(inBytes(9999) == "9,999 B");
  CHECK(inBytes(16384) == "16.4 kB");
  CHECK(inBytes(2097152) == "2.1 MB");
  CHECK(percent(1, 3) == "33.3 %");
  CHECK(percent(0, 0) == "-");
  CHECK(dimensions({4, 1, 1}) == "4");
  CHECK(dimensions({4, 1, 2}) == "4 x 1 x 2");
}

TEST_CASE("report: a page of text", "[emulator][counters]") {
  std::string text = summaryText(sample());
  INFO(text);
  // Nine instructions in four warps.
  CHECK_THAT(text, Contains("k for sm_90a: grid 2, block 64, 16,384 B"));
  CHECK_THAT(text, Contains("36 of warps, 100.0 % of their lanes active"));
  // Every other word: half of the sectors' bytes, two words of each bank.
  CHECK_THAT(text, Contains("4 requests, 32 sectors of 32 B, 50.0 % of"));
  CHECK_THAT(text, Contains("4 requests, 8 wavefronts, 4 of them for bank"));
  CHECK_THAT(text, Contains("512 B  global_read"));
  CHECK_THAT(text, Contains("sm_120a  5 blocks, 10 of 48 warps "
                            "(shared memory)"));
}

TEST_CASE("report: JSON", "[emulator][counters]") {
  KernelCounters kernel = sample();
  std::string text = statsJson(kernel);
  CHECK(text == statsJson(sample()));
  auto json = nlohmann::json::parse(text);
  CHECK(json["kernel"] == "k");
  CHECK(json["target"] == "sm_90a");
  CHECK(json["grid"] == nlohmann::json({2, 1, 1}));
  CHECK(json["totals"]["warps"] == 36);
  CHECK(json["totals"]["sectors"] == 32);
  CHECK(json["totals"]["bytes"]["global_read"] == 512);
  CHECK(json["totals"]["bytes"]["global_written"] == 0);
  CHECK(json["classes"]["global"]["warps"] == 4);
  CHECK(json["classes"]["shared"]["threads"] == 128);
  CHECK(json["occupancy"].size() == multiprocessors().size());
  uint64_t sectors = 0, warps = 0;
  for (const auto &line : json["lines"]) {
    warps += line.value("warps", 0u);
    if (line["class"] == "global") {
      CHECK(line["bytes"]["global_read"] == 512);
      CHECK_FALSE(line.contains("wavefronts"));
      sectors += line["sectors"].get<uint64_t>();
    }
  }
  CHECK(sectors == 32);
  CHECK(warps == 36);
}

TEST_CASE("report: lines of the source", "[emulator][counters]") {
  auto json = nlohmann::json::parse(statsJson(sample()));
  REQUIRE(json["source_lines"].size() == 2);
  auto one = json["source_lines"][0], two = json["source_lines"][1];
  CHECK(one["file"] == "a/one.py");
  REQUIRE(one["lines"].size() == 2);
  // mul and add; then ld.
  CHECK(one["lines"][0]["line"] == 7);
  CHECK(one["lines"][0]["warps"] == 8);
  CHECK(one["lines"][1]["line"] == 9);
  CHECK(one["lines"][1]["sectors"] == 32);
  // mad and st, and the ret behind them.
  CHECK(two["file"] == "two.py");
  CHECK(two["lines"][0]["line"] == 30);
  CHECK(two["lines"][0]["warps"] == 12);
  CHECK(two["lines"][0]["wavefronts"] == 8);
}

TEST_CASE("report: a listing", "[emulator][counters]") {
  KernelCounters kernel = sample();
  std::string text = annotatedListing(kernel);
  INFO(text);
  // It precedes its line.
  size_t load = text.find("ld.global.b32");
  size_t start = text.rfind('\n', load);
  CHECK_THAT(text.substr(start, load - start),
             Contains("4 100.0 %  32 sectors (16)"));
  CHECK_THAT(text, Contains("4 100.0 %  8 passes (4)"));
  CHECK_THAT(text, Contains("a/one.py:9\n"));
  // Each line of the PTX is there.
  for (std::string_view line : textLines(kernel))
    CHECK_THAT(text, Contains(std::string(line)));
}

TEST_CASE("report: HTML", "[emulator][counters]") {
  std::string text = htmlPage(sample());
  CHECK_THAT(text, Contains("<!DOCTYPE html>"));
  CHECK_THAT(text, Contains("a &lt; b &amp; c"));
  CHECK_THAT(text, Contains(".reg .b32 %tile, %thread, %r&lt;20&gt;;"));
  CHECK_THAT(text,
             Contains("style=\"--h:1.000\">32 <span class=\"over\">(16)"));
  CHECK_THAT(text, Contains("Lines of a/one.py"));
  // Nothing is fetched, nothing runs.
  for (std::string_view word : {"<script", "http", "src=", "@import", "url("})
    CHECK(text.find(word) == std::string::npos);
  // Tags are closed.
  for (std::string tag : {"table", "section", "tr", "td", "div", "h2"}) {
    auto countOf = [&](const std::string &what) {
      size_t found = 0;
      for (size_t at = text.find(what); at != std::string::npos;
           at = text.find(what, at + 1))
        ++found;
      return found;
    };
    INFO(tag);
    CHECK(countOf("<" + tag + ">") + countOf("<" + tag + " ") ==
          countOf("</" + tag + ">"));
  }
}
