//===- CheckCase.h - A case checked in a process of its own -----*- C++ -*-===//
#ifndef TILEWRIGHT_TEST_FUZZ_TILE_CHECKCASE_H
#define TILEWRIGHT_TEST_FUZZ_TILE_CHECKCASE_H

#include "Case.h"

#include <functional>

namespace tilewright::fuzz {

/// What came of one run of a case.
enum class Result {
  agreed,
  /// The compiler says that it cannot do this.
  rejected,
  /// Other results than the interpreter's, or an error of ours.
  differed,
  crashed,
  /// Not done in the time there is.
  hung,
  /// The kernel itself is wrong: a fault of the generator.
  invalid,
};

struct Verdict {
  Run run;
  Result result = Result::agreed;
  std::string message;
};

/// All that is known of a case. An invalid one has one verdict.
struct CaseResult {
  Case checked;
  std::vector<Verdict> verdicts;
  /// The names of the ops in it.
  std::vector<std::string> ops;

  /// The first verdict that is a fault; null if none is.
  [[nodiscard]] const Verdict *fault() const;
};

struct CheckOptions {
  /// Processes at a time.
  unsigned jobs = 2;
  /// Seconds of CPU that a case may take.
  unsigned seconds = 60;
  /// Check the PTX with ptxas.
  bool usePtxas = false;
  /// Take each kernel with an op of this name for one that differs, to test the
  /// reduction; empty: none.
  std::string plantedOp;
};

/// Checks the cases that `next` makes, until it has none. Each runs in a child
/// of this process, which must not have threads; `done` is called here, in the
/// order of the cases.
void checkAll(const std::function<bool(Case &)> &next,
              const std::function<void(const CaseResult &)> &done,
              const CheckOptions &options);

CaseResult check(const Case &c, const CheckOptions &options);

/// "differed", "crashed", ..
std::string_view nameOf(Result result);

} // namespace tilewright::fuzz

#endif // TILEWRIGHT_TEST_FUZZ_TILE_CHECKCASE_H
