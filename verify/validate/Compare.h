// One run of two programs on the same inputs.
#pragma once

#include "verify/validate/Match.h"
#include "verify/validate/Search.h"

namespace tilewright::verify {

/// Runs both programs and compares what comes of them. Not safe from several
/// threads.
class Comparison {
public:
  Comparison(Program &before, Program &after, const Match &match,
             const Relation &relation)
      : before(before), after(after), match(match), relation(relation) {}

  /// Errors: the relation needs the results that `before` permits, and nobody
  /// knows those.
  [[nodiscard]] Status check() const;

  struct Result {
    /// Whether `before` was defined, and `after` came to an end.
    bool isDefined = false;
    /// Where not: whether nothing is known, because a run was given up, or what
    /// it does depends on which permitted result it takes.
    bool isUndecided = false;
    /// Elements of the outputs that both computed, of all.
    int64_t compared = 0, elements = 0;
    std::optional<Counterexample> difference;
  };
  static Result undecided() {
    Result result;
    result.isUndecided = true;
    return result;
  }
  /// Runs `after` in that one of its ways. Errors: a program cannot run.
  StatusOr<Result> compare(std::span<const runtime::HostTensor> inputs,
                           unsigned order);
  /// The same where what came of both is known.
  StatusOr<Result> compare(std::span<const runtime::HostTensor> inputs,
                           const Outcome &first, const Outcome &second,
                           unsigned order);
  /// Whether `before` is defined.
  StatusOr<bool> isDefined(std::span<const runtime::HostTensor> inputs);

private:
  /// With sets of results if the outcomes have them.
  Result compareOutputs(const Outcome &first, const Outcome &second) const;
  StatusOr<Outcome> runFreely(Program &program,
                              std::span<const runtime::HostTensor> inputs,
                              unsigned order) const;
  StatusOr<Result> compareSets(std::span<const runtime::HostTensor> inputs,
                               const Outcome &second, unsigned order) const;

  Program &before, &after;
  const Match &match;
  const Relation relation;
};

} // namespace tilewright::verify
