#include "verify/validate/LevelCases.h"

#include "support/Format.h"
#include "verify/validate/CpuTime.h"
#include <algorithm>

namespace tilewright::verify {

using runtime::HostTensor;
using Clock = std::chrono::steady_clock;

/// Tensors of these types and sizes with other values.
static StatusOr<std::vector<HostTensor>>
filledAs(const std::vector<HostTensor> &given, Filling filling,
         const Hints &hints, std::mt19937_64 &random) {
  FillContext context{hints, {}, random};
  std::vector<HostTensor> filled;
  for (const HostTensor &tensor : given) {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        filled.emplace_back(),
        HostTensor::allocate(tensor.dtype(), tensor.shape()));
    fill(filled.back(), filling, context);
  }
  return filled;
}

namespace {
class Gatherer {
public:
  Gatherer(Program &program, const LevelOptions &options)
      : program(program), options(options),
        isGiven(!options.inputs.empty() &&
                std::ranges::equal(program.signature().inputs, options.inputs,
                                   takes)),
        maker(program.signature(), program.hints(), options.seed,
              options.time.count() / double(options.cases) * 2) {}
  StatusOr<LevelCases> run();

private:
  Status addCase(TestCase test, int64_t &ended);
  [[nodiscard]] Status requireCase() const;
  Status gatherReplay();
  Status gatherGiven();
  Status gatherMade();

  Program &program;
  const LevelOptions &options;
  /// Whether the given inputs are of this program.
  const bool isGiven;
  InputMaker maker;
  LevelCases found;
};
} // namespace

/// Keeps the case if the model is defined on it.
Status Gatherer::addCase(TestCase test, int64_t &ended) {
  const double begin = cpuSeconds();
  TILEWRIGHT_ASSIGN_OR_RETURN(Outcome outcome, program.run(test.inputs, 0));
  const bool isDefined = outcome.kind == Outcome::Kind::completed;
  if (!test.fillings.empty())
    maker.count(test, isDefined, cpuSeconds() - begin);
  ended += outcome.kind != Outcome::Kind::unfinished;
  if (isDefined) {
    found.tests.push_back(std::move(test));
    found.outcomes.push_back(std::move(outcome));
  }
  return {};
}

/// Errors: there is none.
Status Gatherer::requireCase() const {
  return found.tests.empty()
             ? Status::invalidInput(program.name() +
                                    ": is not defined on its inputs; give "
                                    "others by --input NAME=FILE.npy")
             : Status();
}

/// The run that is to be tried again.
Status Gatherer::gatherReplay() {
  int64_t ended = 0;
  TILEWRIGHT_RETURN_IF_ERROR(addCase({{}, {}, options.replay->inputs}, ended));
  return requireCase();
}

/// The given inputs, and of a sample others of their sizes.
Status Gatherer::gatherGiven() {
  int64_t ended = 0;
  TILEWRIGHT_RETURN_IF_ERROR(addCase({{}, {}, options.inputs}, ended));
  if (options.sample.elements == 0)
    return requireCase();
  std::mt19937_64 random(options.seed);
  constexpr Filling others[] = {Filling::normal, Filling::rareSpecials,
                                Filling::small, Filling::extremes};
  for (const Filling filling : others) {
    if (int64_t(found.tests.size()) >= options.cases)
      break;
    TILEWRIGHT_ASSIGN_OR_RETURN(auto inputs, filledAs(options.inputs, filling,
                                                      program.hints(), random));
    TILEWRIGHT_RETURN_IF_ERROR(addCase({{}, {}, std::move(inputs)}, ended));
  }
  return requireCase();
}

/// Sizes that the model takes, and inputs of them.
Status Gatherer::gatherMade() {
  TILEWRIGHT_RETURN_IF_ERROR(maker.learnSizes(
      [&](std::span<const HostTensor> inputs) -> StatusOr<bool> {
        TILEWRIGHT_ASSIGN_OR_RETURN(Outcome outcome, program.run(inputs, 0));
        return outcome.kind == Outcome::Kind::completed;
      },
      isGiven ? std::span<const HostTensor>(options.inputs)
              : std::span<const HostTensor>()));
  const auto start = Clock::now();
  int64_t runs = 0, ended = 0;
  while (int64_t(found.tests.size()) < options.cases &&
         Clock::now() - start < options.time * 8) {
    TILEWRIGHT_ASSIGN_OR_RETURN(TestCase test, maker.next());
    ++runs;
    TILEWRIGHT_RETURN_IF_ERROR(addCase(std::move(test), ended));
  }
  // The first ones are all that slow levels run on. What is given stays there.
  std::mt19937_64 random(options.seed);
  const size_t first = isGiven ? 1 : 0;
  for (size_t i = found.tests.size(); i > first + 1; --i) {
    const size_t other = first + random() % (i - first);
    std::swap(found.tests[i - 1], found.tests[other]);
    std::swap(found.outcomes[i - 1], found.outcomes[other]);
  }
  if (!found.tests.empty())
    return {};
  return Status::invalidInput(
      format("{} {} none of {} runs: nothing can be said of its passes",
             {program.name(), ended > 0 ? "is defined in" : "ends in", runs}));
}

StatusOr<LevelCases> Gatherer::run() {
  if (options.replay) {
    TILEWRIGHT_RETURN_IF_ERROR(gatherReplay());
    return std::move(found);
  }
  if (isGiven)
    TILEWRIGHT_RETURN_IF_ERROR(gatherGiven());
  if (!isGiven || options.sample.elements == 0)
    TILEWRIGHT_RETURN_IF_ERROR(gatherMade());
  found.space = maker.space();
  return std::move(found);
}

StatusOr<LevelCases> gatherCases(Program &program,
                                 const LevelOptions &options) {
  return Gatherer(program, options).run();
}

} // namespace tilewright::verify
