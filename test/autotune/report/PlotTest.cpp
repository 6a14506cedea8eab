// Axes with round ticks, and what goes into a plot.
#include "autotune/report/Plot.h"
#include "autotune/report/TaskPlots.h"
#include "test/autotune/report/Sample.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace tilewright::autotune;
using namespace tilewright::autotune::test;

static std::string ticksOf(const Axis &axis) {
  std::string text;
  for (const Axis::Tick &tick : axis.ticks)
    text += tick.label + " ";
  return text;
}

TEST_CASE("plot: ticks are round") {
  CHECK(ticksOf(Axis::numbers("", 0, 100)) == "0 20 40 60 80 100 ");
  CHECK(ticksOf(Axis::numbers("", 0.3, 0.9)) == "0.4 0.6 0.8 ");
  CHECK(ticksOf(Axis::numbers("", 1, 1000, true)) == "1 10 100 1000 ");
  CHECK(ticksOf(Axis::numbers("", 3, 40, true)) == "3 4 5 7 10 15 20 30 40 ");
  CHECK(ticksOf(Axis::numbers("", 5, 5)) == "4.6 4.8 5 5.2 5.4 ");
  CHECK(ticksOf(Axis::numbers("", 0, 0)).starts_with("0 "));
  CHECK(ticksOf(Axis::numbers("", 0, 7200, false, 60)) ==
        "0 20 40 60 80 100 120 ");
}

TEST_CASE("plot: times are in the unit that fits") {
  CHECK(Axis::times("time", 2e6, 9e6).label == "time (ms)");
  CHECK(!Axis::times("time", 2e6, 9e6).isLog);
  CHECK(Axis::times("time", 2e3, 9e4).label == "time (us)");
  CHECK(Axis::times("time", 2e3, 9e4).isLog);
  CHECK(Axis::times("time", 3, 9).label == "time (ns)");
  CHECK(Axis::times("time", 3e9, 9e9).label == "time (s)");
}

TEST_CASE("plot: whatever the range, there are ticks, in order and inside") {
  Random random(37);
  for (int round = 0; round < 2000; ++round) {
    double low = std::pow(10, 12 * random.unit() - 3);
    double high = low * (1 + std::pow(10, 8 * random.unit() - 4));
    for (const Axis &axis :
         {Axis::numbers("", low, high), Axis::numbers("", low, high, true),
          Axis::times("", low, high)}) {
      INFO(low << " " << high);
      CHECK(axis.ticks.size() >= 2);
      CHECK(axis.ticks.size() <= 12);
      double before = axis.low;
      for (const Axis::Tick &tick : axis.ticks) {
        CHECK(tick.value >= before * (1 - 1e-9));
        CHECK(tick.value <= axis.high * (1 + 1e-9));
        before = tick.value;
      }
      CHECK(axis.position(low) > 0);
      CHECK(axis.position(high) < 1);
      CHECK(axis.position(low) < axis.position(high));
    }
  }
}

TEST_CASE("plot: texts are escaped") {
  Plot plot("<title>", Axis::names("<x>", {"<tick>"}),
            Axis::numbers("<y>", 0, 1));
  plot.nameLane("<lane>");
  plot.point(0, 0, "ok", "a<b & 'c' > \"d\"\n\x01");
  plot.outside(0, "ok", "<outside>");
  plot.mark(0, 0, "best", "<word>");
  std::string svg = plot.svg().str();
  CHECK(svg.find("<title>a&lt;b &amp; &#39;c&#39; &gt; &quot;d&quot;  <") !=
        std::string::npos);
  CHECK(svg.find("aria-label=\"&lt;title&gt;\"") != std::string::npos);
  for (std::string word : {"x", "y", "tick", "lane", "outside", "word"}) {
    INFO(word);
    CHECK(svg.find("&lt;" + word + "&gt;") != std::string::npos);
    CHECK(svg.find("<" + word + ">") == std::string::npos);
  }
}

TEST_CASE("plot: labels that would touch are left out") {
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i)
    names.push_back("value-" + std::to_string(i));
  Plot plot("t", Axis::names("parameter", names), Axis::numbers("y", 0, 1));
  std::string svg = plot.svg().str();
  CHECK(svg.find(">value-0<") != std::string::npos);
  CHECK(svg.find(">value-1<") == std::string::npos);
}

TEST_CASE("plot: rank correlation") {
  using Pairs = std::vector<std::pair<double, double>>;
  CHECK(!rankCorrelation(Pairs{{1, 2}, {2, 3}}));
  CHECK(!rankCorrelation(Pairs{{1, 2}, {1, 3}, {1, 4}}));
  CHECK(*rankCorrelation(Pairs{{1, 2}, {2, 30}, {3, 31}}) == Approx(1));
  CHECK(*rankCorrelation(Pairs{{1, 5}, {2, 3}, {9, 1}}) == Approx(-1));
  // Ranks 1 2.5 2.5 4 against 1 2 3 4: by hand 4.5 / sqrt(4.5 * 5).
  CHECK(*rankCorrelation(Pairs{{1, 1}, {2, 2}, {2, 3}, {3, 4}}) ==
        Approx(4.5 / std::sqrt(22.5)));
}

TEST_CASE("plot: parameters of a schedule") {
  using Parameters = std::vector<std::pair<std::string, std::string>>;
  CHECK(parametersOf("mc=96 order=ijk") ==
        Parameters{{"mc", "96"}, {"order", "ijk"}});
  CHECK(parametersOf("") == Parameters{});
  CHECK(parametersOf("=1 word  a= b=1=2") ==
        Parameters{{"a", ""}, {"b", "1=2"}});
}

TEST_CASE("plot: figures exist where there is something to see") {
  TaskSummary summary = sample(1, 50).summaries()[0];
  CHECK(parameterFigures(summary).size() == 8);
  CHECK(convergenceFigures(summary).size() == 2);
  Figure roof = rooflineFigure(summary);
  CHECK(roof.note.find("83.0 GFLOP/s, 18.0 GB/s") != std::string::npos);
  CHECK(roof.svg.str().find("class=\"roof\"") != std::string::npos);
  CHECK(modelFigure(summary).note.find("Rank correlation 0.") == 0);
  for (TrialRecord &trial : summary.trials)
    trial.terms = "{\"compute\": 1}";
  CHECK(rooflineFigure(summary).svg.empty());
  for (TrialRecord &trial : summary.trials)
    trial.verdict = Verdict::crashed;
  CHECK(parameterFigures(summary).empty());
  CHECK(modelFigure(summary).svg.empty());
  CHECK(convergenceFigures(summary)[0].svg.empty());
}
