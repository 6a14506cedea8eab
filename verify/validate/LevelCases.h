// The inputs on which all levels of a compilation run.
#pragma once

#include "verify/validate/InputMaker.h"
#include "verify/validate/LevelCheck.h"

namespace tilewright::verify {

/// Inputs, and what a program came to on each.
struct LevelCases {
  std::vector<TestCase> tests;
  std::vector<Outcome> outcomes;
  /// Of the tests that were made with sizes.
  SizeSpace space{Signature()};
};

/// Inputs on which a program is defined: those of the options first, then
/// others, of a sample with the same sizes. Errors: there are none.
StatusOr<LevelCases> gatherCases(Program &program, const LevelOptions &options);

} // namespace tilewright::verify
