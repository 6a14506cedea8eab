#include "autotune/report/TerminalView.h"

#include <catch2/catch.hpp>

using namespace tilewright::autotune;

static RunProgress progressAt(size_t done) {
  RunProgress progress;
  progress.task = "gemm 512x512x512 f32";
  progress.taskNumber = 2;
  progress.taskCount = 12;
  progress.done = done;
  progress.planned = 200;
  progress.trials = 300;
  progress.seconds = 60;
  progress.measuring = 36;
  progress.secondsLeft = 545;
  progress.best = 3.87e6;
  progress.defaultCost = 7.32e6;
  progress.bestSchedule = "mc=96 nc=512";
  progress.rejected = {{"registers", 11}, {"timed out", 2}};
  return progress;
}

TEST_CASE("view: what a run is at") {
  std::string text;
  for (const std::string &line : progressLines(progressAt(50), 80))
    text += line + "\n";
  CHECK(text == "  task 2 of 12  gemm 512x512x512 f32\n"
                "  trials    [=====>              ] 50 of 200\n"
                "  speed     5.00 trials/s, 60.0 % measuring, 1 m 00 s, 9 m 05 "
                "s left\n"
                "  best      3.87 ms, default 7.32 ms, gain 1.89x\n"
                "            mc=96 nc=512\n"
                "  rejected  11 registers, 2 timed out\n");
}

TEST_CASE("view: what is not known yet is not said") {
  RunProgress progress;
  progress.task = "softmax";
  std::string text;
  for (const std::string &line : progressLines(progress, 80))
    text += line + "\n";
  CHECK(text == "  task 1 of 1  softmax\n"
                "  trials    0\n"
                "  speed     0.0 s\n"
                "  best      none yet\n"
                "  rejected  none\n");
  progress.best = 5e3;
  progress.metric = "model";
  CHECK(progressLines(progress, 80)[3] == "  best      5,000 (model)");
}

TEST_CASE("view: lines are as wide as the terminal at most") {
  for (const std::string &line : progressLines(progressAt(50), 30))
    CHECK(line.size() <= 30);
  CHECK(progressLines(progressAt(500), 60)[1] ==
        "  trials    [====================] 500 of 200");
}

TEST_CASE("view: a terminal is drawn over, a file gets lines that stay") {
  TerminalView view(true, 80);
  std::string first = view.update(progressAt(50));
  CHECK(first.find('\033') == std::string::npos);
  CHECK(view.update(progressAt(50)).empty());
  CHECK(view.update(progressAt(51)).starts_with("\033[6A\r\033[J  task 2"));
  std::string warned = view.above("warning: x\n");
  CHECK(warned.starts_with("\033[6A\r\033[Jwarning: x\n  task 2"));
  const std::string done =
      "  gemm 512x512x512 f32: 3.87 ms, default 7.32 ms, gain 1.89x; 200 "
      "trials, 13 rejected\n";
  CHECK(view.finishTask(progressAt(200)) == "\033[6A\r\033[J" + done);
  // What stays is not drawn over.
  CHECK(view.update(progressAt(1)).starts_with("  task 2"));

  TerminalView file(false);
  CHECK(file.update(progressAt(50)).empty());
  CHECK(file.above("warning: x\n") == "warning: x\n");
  CHECK(file.finishTask(progressAt(200)) == done);
}
