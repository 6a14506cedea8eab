// Looks for inputs on which two programs differ.
#pragma once

#include "tilewright/support/Export.h"
#include "verify/validate/Program.h"
#include "verify/validate/Relation.h"
#include <chrono>
#include <functional>
#include <optional>

namespace tilewright::verify {

struct SearchOptions {
  Relation relation;
  uint64_t seed = 0;
  /// For the search, without that for a smaller counterexample. As long as
  /// there are fewer than `leastCases`, it goes on for `mostTime`.
  std::chrono::duration<double> time{4}, mostTime{60};
  /// Runs in which `before` is defined, without which there is no verdict, and
  /// behind which the search ends. Neither counts where all inputs are tried.
  int64_t leastCases = 100, mostCases = 4000;
  /// Asked between runs: whether to stop. May be empty.
  std::function<bool()> isStopped = {};
};

/// Inputs on which two programs differ.
struct Counterexample {
  enum class Kind : uint8_t { value, shape, fault, rejected, race };
  Kind kind = Kind::value;
  /// Of `before`: the output, and where it differs; no index where the output
  /// or the run as a whole does.
  std::string output;
  std::optional<runtime::Shape> index;
  /// The elements or shapes; of a run without outputs what happened.
  std::string before, after;
  /// The tensors of both, in the order of the signature of `before`. Those of
  /// `after` are empty where it has none.
  std::vector<runtime::HostTensor> inputs, beforeOutputs, afterOutputs;
  /// In which of its ways `after` ran.
  unsigned order = 0;
};

TILEWRIGHT_PRIVATE_API std::string_view kindName(Counterexample::Kind kind);

struct Verdict {
  /// How far it has been shown that there is no difference.
  enum class Strength : uint8_t {
    /// On so many inputs.
    tested,
    /// On all inputs on which `before` is defined.
    exhausted
  };
  Strength strength = Strength::tested;
  /// Runs in which `before` was defined, and all.
  int64_t cases = 0, runs = 0;
  std::optional<Counterexample> counterexample;

  [[nodiscard]] bool isEquivalent() const { return !counterexample; }
};

TILEWRIGHT_PRIVATE_API std::string_view
strengthName(Verdict::Strength strength);

/// Looks for inputs on which `before` is defined and `after` does not have a
/// result that the relation permits. Errors: the signatures differ; `before` is
/// defined on too few inputs; a program cannot run at all.
TILEWRIGHT_PRIVATE_API StatusOr<Verdict>
findDifference(Program &before, Program &after, const SearchOptions &options);

} // namespace tilewright::verify
