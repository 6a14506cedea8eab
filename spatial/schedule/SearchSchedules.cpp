//===- SearchSchedules.cpp - The shortest of several schedules ------------===//
//
// Hill climbing in the scheduler's choices, from the best of a few that are
// given: in each round some schedules are made, each with a few of the best
// one's choices changed. All that decides is the seed and what the schedules
// are, never time, nor how many threads share the work.
//
//===----------------------------------------------------------------------===//
#include "spatial/schedule/ScheduleVectors.h"
#include "spatial/schedule/Scheduler.h"
#include "support/Threads.h"

#include <atomic>
#include <random>

using namespace mlir;

namespace tilewright::spatial {

namespace {
/// The values that one of the choices is given.
struct Choice {
  int64_t ScheduleChoices::*field;
  SmallVector<int64_t> values;
};

/// A schedule that was made, if there is one, but for its lines.
struct Try {
  ScheduleChoices choices;
  Status status;
  int64_t length = INT64_MAX, work = 0, lines = 0;
};

class Search {
public:
  Search(const ScheduleProblem &problem, const SearchOptions &options)
      : problem(problem), options(options), random(options.seed) {}

  StatusOr<FoundSchedule> run();

private:
  void make(Try &next) const;
  [[nodiscard]] StatusOr<FoundSchedule> emit() const;
  void makeRound(MutableArrayRef<Try> round) const;
  [[nodiscard]] ScheduleChoices nextChoices(size_t number);
  [[nodiscard]] bool isEnough() const;
  [[nodiscard]] size_t triesLeft() const;

  const ScheduleProblem &problem;
  const SearchOptions options;
  std::mt19937_64 random;
  /// All that were made, in order.
  std::vector<Try> tries;
  size_t best = 0;
  int64_t work = 0;
};
} // namespace

/// What a core does in a second, about (Scheduler::work).
constexpr double workOfSecond = 64e6;
/// Tries of one round: the next ones build on the best of these.
constexpr size_t triesOfRound = 4;
/// Each thread holds the tables of one schedule.
constexpr size_t threads = 2;
/// For each second of effort, the search ends after so many tries in a row that
/// were no better.
constexpr double patience = 16;

/// More sums than any program has.
constexpr int64_t never = 1 << 20;

static ArrayRef<Choice> allChoices() {
  using C = ScheduleChoices;
  static const Choice choices[] = {
      {&C::accessesForTravel, {1, 2, 4, 8, 16, 32}},
      {&C::soon, {64, 128, 256, 512, 2048}},
      {&C::accessesForWeights, {0, 50, 100, 300, 600}},
      {&C::accessesForOneOfWeights, {16, 64, 256, 1024}},
      {&C::readsOfBusy, {1, 2, 4, 8}},
      {&C::leastBlock, {4, 8, 16, 32}},
      {&C::leastBusyBlock, {1, 2, 4}},
      {&C::mostBlocks, {4, 8, 16, 32}},
      {&C::mostBusyBlocks, {4, 8, 16, 32}},
      {&C::banksForBlock, {2, 4, 8}},
      {&C::productsForLoad, {1, 2, 3}},
      {&C::sumsForPlane, {1, 2, never}},
      {&C::longestRun, {16, 32, 64, 128, 256}},
  };
  return choices;
}

/// What is tried first: of some hundred at random, those that found the most
/// where the defaults are not the best.
static constexpr ScheduleChoices starts[] = {
    {.sumsForPlane = never},
    {.readsOfBusy = 1},
    {.accessesForTravel = 8,
     .accessesForWeights = 100,
     .accessesForOneOfWeights = 1024,
     .leastBusyBlock = 1,
     .longestRun = 64},
    {.accessesForTravel = 2,
     .soon = 64,
     .accessesForOneOfWeights = 1024,
     .leastBusyBlock = 1,
     .mostBusyBlocks = 32},
    // Few large blocks.
    {.leastBlock = 16, .mostBlocks = 4, .mostBusyBlocks = 4},
};

void Search::make(Try &next) const {
  Scheduler scheduler(problem, next.choices, Emitter());
  next.status = scheduler.place();
  next.work = scheduler.work();
  next.lines = scheduler.expectedLines();
  if (next.status.ok())
    next.length = scheduler.length();
}

void Search::makeRound(MutableArrayRef<Try> round) const {
  std::atomic<size_t> next = 0;
  shareWork(std::min(threads, round.size()), [&] {
    for (size_t i = next++; i < round.size(); i = next++)
      make(round[i]);
  });
}

ScheduleChoices Search::nextChoices(size_t number) {
  if (number <= std::size(starts))
    return starts[number - 1];
  // Distributions of the standard library differ between implementations.
  auto below = [&](size_t count) { return random() % count; };
  ScheduleChoices choices = tries[best].choices;
  for (size_t left = 1 + below(3); left > 0; --left) {
    const Choice &choice = allChoices()[below(allChoices().size())];
    choices.*choice.field = choice.values[below(choice.values.size())];
  }
  return choices;
}

bool Search::isEnough() const {
  // Others may fit where the first one does not.
  if (!tries[best].status.ok())
    return tries.size() > std::size(starts);
  return static_cast<double>(work) >= options.effort * workOfSecond ||
         static_cast<double>(tries.size() - best) > options.effort * patience;
}

/// For how many of the first one's work the effort is enough.
size_t Search::triesLeft() const {
  const double left = options.effort * workOfSecond - static_cast<double>(work);
  const auto one =
      static_cast<double>(std::max<int64_t>(1, tries.front().work));
  return static_cast<size_t>(std::clamp(left / one, 1.0, 1e6));
}

StatusOr<FoundSchedule> Search::run() {
  tries.emplace_back();
  if (options.effort == 0) {
    StatusOr<FoundSchedule> only = emit();
    if (only.ok())
      return only;
  }
  make(tries.front());
  work = tries.front().work;
  while (!isEnough()) {
    std::vector<Try> round(std::min(triesOfRound, triesLeft()));
    for (auto [i, next] : llvm::enumerate(round))
      next.choices = nextChoices(tries.size() + i);
    makeRound(round);
    for (Try &next : round) {
      work += next.work;
      tries.push_back(std::move(next));
      if (tries.back().length < tries[best].length)
        best = tries.size() - 1;
    }
  }
  return emit();
}

/// The best one, made once more, with its lines.
StatusOr<FoundSchedule> Search::emit() const {
  Scheduler scheduler(problem, tries[best].choices, Emitter(tries[best].lines));
  TILEWRIGHT_RETURN_IF_ERROR(scheduler.place());
  return FoundSchedule{scheduler.takeSchedule(),
                       static_cast<int64_t>(tries.size()),
                       static_cast<int64_t>(best)};
}

StatusOr<FoundSchedule> searchSchedules(func::FuncOp program,
                                        const Machine &machine,
                                        const SearchOptions &options) {
  const ScheduleProblem problem(program, machine);
  return Search(problem, options).run();
}

StatusOr<Schedule> scheduleVectors(func::FuncOp program,
                                   const Machine &machine) {
  TILEWRIGHT_ASSIGN_OR_RETURN(FoundSchedule found,
                              searchSchedules(program, machine, {}));
  return std::move(found.schedule);
}

} // namespace tilewright::spatial
