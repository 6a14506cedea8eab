#include "verify/validate/Search.h"

#include "support/Format.h"
#include "verify/validate/AllValues.h"
#include "verify/validate/CpuTime.h"
#include "verify/validate/InputMaker.h"
#include "verify/validate/Shrink.h"

namespace tilewright::verify {

using runtime::HostTensor;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

std::string_view kindName(Counterexample::Kind kind) {
  static constexpr std::string_view names[] = {"value", "shape", "fault",
                                               "rejected", "race"};
  return names[size_t(kind)];
}

std::string_view strengthName(Verdict::Strength strength) {
  static constexpr std::string_view names[] = {"tested", "exhausted"};
  return names[size_t(strength)];
}

namespace {

class Search {
public:
  Search(Program &before, Program &after, const Match &match,
         const SearchOptions &options)
      : before(before), after(after), options(options),
        comparison(before, after, match, options.relation),
        maker(before.signature(), hintsOf(before, after), options.seed,
              options.time.count() / 16) {}
  StatusOr<Verdict> run();

private:
  static Hints hintsOf(const Program &before, const Program &after);
  Status tryAll(AllValues all);
  Status tryNext();
  bool isOver() const;
  Status tooFew() const;
  StatusOr<Verdict> conclude();
  [[nodiscard]] double seconds() const {
    return Seconds(Clock::now() - start).count();
  }

  Program &before, &after;
  const SearchOptions &options;
  Comparison comparison;
  InputMaker maker;
  const Clock::time_point start = Clock::now();
  Verdict verdict;
  /// Of the counterexample.
  std::vector<int64_t> foundSizes;
  unsigned foundOrder = 0;
};

} // namespace

Hints Search::hintsOf(const Program &before, const Program &after) {
  Hints hints = before.hints();
  hints.add(after.hints());
  return hints;
}

bool Search::isOver() const {
  if (verdict.counterexample || verdict.cases >= options.mostCases ||
      (options.isStopped && options.isStopped()))
    return true;
  const bool isEnough = verdict.cases >= options.leastCases;
  return seconds() > (isEnough ? options.time : options.mostTime).count();
}

Status Search::tryNext() {
  TILEWRIGHT_ASSIGN_OR_RETURN(TestCase test, maker.next());
  const unsigned order = unsigned(verdict.runs % after.orderCount());
  const double begin = cpuSeconds();
  TILEWRIGHT_ASSIGN_OR_RETURN(Comparison::Result result,
                              comparison.compare(test.inputs, order));
  maker.count(test, result.isDefined, cpuSeconds() - begin);
  ++verdict.runs;
  verdict.cases += result.isDefined;
  if (result.difference) {
    verdict.counterexample = std::move(result.difference);
    foundSizes = std::move(test.sizes);
    foundOrder = order;
  }
  return {};
}

/// As long as it looks as if there were time for all of them.
Status Search::tryAll(AllValues all) {
  // More than any program is run on.
  constexpr double mostInSecond = 2e7;
  const double begin = seconds(), most = options.mostTime.count();
  if (all.number() > most * mostInSecond)
    return {};
  while (!verdict.counterexample) {
    if (options.isStopped && options.isStopped())
      return {};
    const double spent = seconds() - begin;
    if (spent > most ||
        (spent > options.time.count() / 4 && spent > most * all.share() * 1.5))
      return {};
    TILEWRIGHT_ASSIGN_OR_RETURN(auto inputs, all.next());
    if (!inputs)
      break;
    TILEWRIGHT_ASSIGN_OR_RETURN(Comparison::Result result,
                                comparison.compare(*inputs, 0));
    all.count(result);
    ++verdict.runs;
    verdict.cases += result.isDefined;
    verdict.counterexample = std::move(result.difference);
    foundSizes = all.openSizes();
  }
  if (!verdict.counterexample && verdict.cases > 0 && !all.hasGaps())
    verdict.strength = Verdict::Strength::exhausted;
  return {};
}

Status Search::tooFew() const {
  return Status::invalidInput(
      format("{} is defined in {} of {} runs, expected {} at least: nothing "
             "can be said of {}",
             {before.name(), verdict.cases, verdict.runs, options.leastCases,
              after.name()}));
}

StatusOr<Verdict> Search::conclude() {
  if (options.isStopped && options.isStopped())
    return Status::cancelled("stopped");
  if (!verdict.counterexample && verdict.cases < options.leastCases &&
      verdict.strength == Verdict::Strength::tested)
    return tooFew();
  if (verdict.counterexample) {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        verdict.counterexample,
        shrink(comparison, maker.space(), foundSizes, foundOrder,
               *std::move(verdict.counterexample), options.time / 2));
  }
  return std::move(verdict);
}

StatusOr<Verdict> Search::run() {
  TILEWRIGHT_RETURN_IF_ERROR(comparison.check());
  TILEWRIGHT_RETURN_IF_ERROR(
      maker.learnSizes([&](std::span<const HostTensor> inputs) {
        return comparison.isDefined(inputs);
      }));
  if (auto all = AllValues::of(before, after, maker.space()))
    TILEWRIGHT_RETURN_IF_ERROR(tryAll(*std::move(all)));
  const bool isExhausted = verdict.strength == Verdict::Strength::exhausted;
  while (!isExhausted && !isOver())
    TILEWRIGHT_RETURN_IF_ERROR(tryNext());
  return conclude();
}

StatusOr<Verdict> findDifference(Program &before, Program &after,
                                 const SearchOptions &options) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Match match, matchPrograms(before, after));
  return Search(before, after, match, options).run();
}

} // namespace tilewright::verify
