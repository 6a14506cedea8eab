//===- RunCase.h - The runs of a case, in this process ----------*- C++ -*-===//
#ifndef TILEWRIGHT_TEST_FUZZ_TILE_RUNCASE_H
#define TILEWRIGHT_TEST_FUZZ_TILE_RUNCASE_H

#include "CheckCase.h"

namespace tilewright::fuzz {

/// What a case reports as it goes.
struct Reporter {
  std::function<void(const std::string &op)> hasOp;
  /// Before a run, by its number; -1 for the interpreter.
  std::function<void(int run)> begins;
  std::function<void(Result, const std::string &message)> ends;
};

/// Runs all runs from number `first` on; stops where the kernel is invalid.
void runCase(const Case &c, int first, const CheckOptions &options,
             const Reporter &report);

} // namespace tilewright::fuzz

#endif // TILEWRIGHT_TEST_FUZZ_TILE_RUNCASE_H
