#include "verify/validate/Search.h"

#include "support/Format.h"
#include "verify/validate/Elements.h"
#include "verify/validate/Shrink.h"
#include "verify/validate/Values.h"
#include <algorithm>
#include <array>

namespace tilewright::verify {

using runtime::HostTensor;
using runtime::Shape;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

std::string_view kindName(Counterexample::Kind kind) {
  static constexpr std::string_view names[] = {
      "value", "shape", "fault", "rejected", "race", "permitted"};
  return names[size_t(kind)];
}

std::string_view strengthName(Verdict::Strength strength) {
  static constexpr std::string_view names[] = {"tested", "exhausted", "proved"};
  return names[size_t(strength)];
}

namespace {

/// Which fillings of an input leave a program defined: those that do are taken
/// more often.
class Chances {
public:
  Filling choose(std::mt19937_64 &random) const {
    std::discrete_distribution<unsigned> choice(weights.begin(), weights.end());
    return Filling(choice(random));
  }
  void count(Filling filling, bool isDefined) {
    Count &own = counts[size_t(filling)];
    ++(isDefined ? own.defined : own.undefined);
    weights[size_t(filling)] =
        std::max(0.03, (own.defined + 1) / (own.defined + own.undefined + 1));
  }
  Chances() { weights.fill(1); }

private:
  struct Count {
    double defined = 0, undefined = 0;
  };
  std::array<Count, fillingCount> counts;
  std::array<double, fillingCount> weights;
};

class Search {
public:
  Search(Program &before, Program &after, const Match &match,
         const SearchOptions &options)
      : before(before), after(after), options(options),
        comparison(before, after, match, options.relation),
        space(before.signature()), chances(before.signature().inputs.size()),
        random(options.seed ^ 0x9e3779b97f4a7c15) {
    hints.add(before.hints());
    hints.add(after.hints());
    candidates = SizeSpace::candidates(hints);
  }
  StatusOr<Verdict> run();

private:
  using Fillings = std::vector<Filling>;

  StatusOr<std::vector<HostTensor>> fillAll(std::span<const Shape> shapes,
                                            const Fillings &fillings);
  bool learnSizes(Status &failure);
  Status tryFillings(std::span<const int64_t> sizes, const Fillings &fillings);
  Status tryRandom(std::span<const int64_t> sizes);
  Status searchCorners();
  Status searchRandomly();
  std::vector<int64_t> randomSizes();
  int64_t elementsFor(std::span<const int64_t> sizes) const;
  double expectedSeconds(std::span<const int64_t> sizes) const;
  bool isOver() const;
  Status tooFew() const;
  [[nodiscard]] double seconds() const {
    return Seconds(Clock::now() - start).count();
  }

  Program &before, &after;
  const SearchOptions &options;
  Hints hints;
  Comparison comparison;
  SizeSpace space;
  std::vector<Chances> chances;
  std::mt19937_64 random;
  std::vector<int64_t> candidates;
  const Clock::time_point start = Clock::now();
  /// What runs have cost so far.
  double spent = 0, elements = 0;
  Verdict verdict;
  /// Of the counterexample.
  std::vector<int64_t> foundSizes;
  unsigned foundOrder = 0;
  /// Why `before` was not defined, once.
  std::string undefined;
};

} // namespace

StatusOr<std::vector<HostTensor>> Search::fillAll(std::span<const Shape> shapes,
                                                  const Fillings &fillings) {
  FillContext context{hints, {}, random};
  for (const Shape &shape : shapes)
    context.sizes.insert(context.sizes.end(), shape.begin(), shape.end());
  std::vector<HostTensor> inputs;
  for (size_t i = 0; i < shapes.size(); ++i) {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        inputs.emplace_back(),
        HostTensor::allocate(before.signature().inputs[i].dtype, shapes[i]));
    fill(inputs.back(), fillings[i], context);
  }
  return inputs;
}

/// Finds which sizes are free, with inputs that most programs take.
bool Search::learnSizes(Status &failure) {
  return space.learn([&](std::span<const Shape> shapes) {
    for (Filling filling : {Filling::ones, Filling::zeros, Filling::normal,
                            Filling::indices, Filling::small}) {
      if (!failure.ok())
        return false;
      auto inputs = fillAll(shapes, Fillings(shapes.size(), filling));
      StatusOr<bool> isDefined =
          inputs.ok() ? comparison.isDefined(*inputs) : inputs.status();
      if (!isDefined.ok())
        failure = isDefined.status();
      else if (*isDefined)
        return true;
    }
    return false;
  });
}

int64_t Search::elementsFor(std::span<const int64_t> sizes) const {
  int64_t count = 64;
  for (const Shape &shape : space.shapes(sizes)) {
    double product = 1;
    for (int64_t size : shape)
      product *= double(size);
    count += int64_t(std::min(product, 1e12));
  }
  return count;
}

/// What a run will cost, as those so far did.
double Search::expectedSeconds(std::span<const int64_t> sizes) const {
  const double each = elements > 0 ? spent / elements : 1e-6;
  return each * double(elementsFor(sizes));
}

bool Search::isOver() const {
  if (verdict.counterexample || verdict.cases >= options.mostCases ||
      (options.isStopped && options.isStopped()))
    return true;
  const bool isEnough = verdict.cases >= options.leastCases;
  return seconds() > (isEnough ? options.time : options.mostTime).count();
}

Status Search::tryFillings(std::span<const int64_t> sizes,
                           const Fillings &fillings) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<HostTensor> inputs,
                              fillAll(space.shapes(sizes), fillings));
  const unsigned order = unsigned(verdict.runs % after.orderCount());
  const auto begin = Clock::now();
  TILEWRIGHT_ASSIGN_OR_RETURN(Comparison::Result result,
                              comparison.compare(inputs, order));
  spent += Seconds(Clock::now() - begin).count();
  elements += double(elementsFor(sizes));
  ++verdict.runs;
  verdict.cases += result.isDefined;
  for (size_t i = 0; i < fillings.size(); ++i)
    chances[i].count(fillings[i], result.isDefined);
  if (result.difference) {
    verdict.counterexample = std::move(result.difference);
    foundSizes.assign(sizes.begin(), sizes.end());
    foundOrder = order;
  }
  return {};
}

Status Search::tryRandom(std::span<const int64_t> sizes) {
  Fillings fillings;
  for (const Chances &own : chances)
    fillings.push_back(own.choose(random));
  // Often all inputs have the same kind of values.
  if (!fillings.empty() && random() % 3 == 0)
    fillings.assign(fillings.size(), fillings.front());
  return tryFillings(sizes, fillings);
}

/// Each filling, and each size in each dimension, smallest first; the last ones
/// as far as there is time.
Status Search::searchCorners() {
  const std::vector<int64_t> few(space.count(), 5);
  for (unsigned filling = 0; filling < fillingCount && !isOver(); ++filling)
    for (int repeat = 0; repeat < 4 && !isOver(); ++repeat)
      TILEWRIGHT_RETURN_IF_ERROR(
          tryFillings(few, Fillings(chances.size(), Filling(filling))));
  if (space.count() == 0)
    return {};
  for (int64_t size : candidates) {
    for (size_t group = 0; group < space.count(); ++group) {
      std::vector<int64_t> sizes(space.count(), 3);
      sizes[group] = size;
      for (int repeat = 0; repeat < 3; ++repeat) {
        // Sizes that cost too much are met by none but the fastest programs.
        if (isOver() || expectedSeconds(sizes) > options.time.count() / 16)
          break;
        TILEWRIGHT_RETURN_IF_ERROR(tryRandom(sizes));
      }
    }
    if (isOver())
      break;
  }
  return {};
}

std::vector<int64_t> Search::randomSizes() {
  std::vector<int64_t> sizes(space.count());
  for (int tries = 0; tries < 8; ++tries) {
    for (int64_t &size : sizes)
      size = random() % 2 ? int64_t(random() % 8)
                          : candidates[random() % candidates.size()];
    if (expectedSeconds(sizes) < options.time.count() / 64)
      return sizes;
  }
  sizes.assign(sizes.size(), int64_t(random() % 5));
  return sizes;
}

Status Search::searchRandomly() {
  while (!isOver())
    TILEWRIGHT_RETURN_IF_ERROR(tryRandom(randomSizes()));
  return {};
}

Status Search::tooFew() const {
  return Status::invalidInput(
      format("{} is defined in {} of {} runs, expected {} at least: nothing "
             "can be said of {}",
             {before.name(), verdict.cases, verdict.runs, options.leastCases,
              after.name()}));
}

StatusOr<Verdict> Search::run() {
  Status failure;
  if (!learnSizes(failure)) {
    TILEWRIGHT_RETURN_IF_ERROR(failure);
  }
  TILEWRIGHT_RETURN_IF_ERROR(searchCorners());
  TILEWRIGHT_RETURN_IF_ERROR(searchRandomly());
  if (options.isStopped && options.isStopped())
    return Status::cancelled("stopped");
  if (!verdict.counterexample)
    return verdict.cases < options.leastCases ? StatusOr<Verdict>(tooFew())
                                              : StatusOr<Verdict>(verdict);
  TILEWRIGHT_ASSIGN_OR_RETURN(verdict.counterexample,
                              shrink(comparison, space, foundSizes, foundOrder,
                                     *std::move(verdict.counterexample),
                                     options.time / 2));
  return std::move(verdict);
}

StatusOr<Verdict> findDifference(Program &before, Program &after,
                                 const SearchOptions &options) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Match match, matchPrograms(before, after));
  return Search(before, after, match, options).run();
}

} // namespace tilewright::verify
