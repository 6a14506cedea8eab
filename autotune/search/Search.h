// Which schedule to try next.
#ifndef TILEWRIGHT_AUTOTUNE_SEARCH_SEARCH_H
#define TILEWRIGHT_AUTOTUNE_SEARCH_SEARCH_H

#include "autotune/cost/Estimate.h"
#include "autotune/search/Surrogate.h"
#include "autotune/space/Space.h"
#include "tilewright/support/Export.h"
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>

namespace tilewright::autotune {

enum class Strategy {
  /// The model's best, then evolution from what was measured.
  evolution,
  /// All points, the model's best first. Needs no results.
  model,
  /// All points in random order. Needs no results.
  random,
  /// All points in the order of their numbers. Needs no results.
  exhaustive,
};

/// "evolution", ...; none where there is no such strategy.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::optional<Strategy>
strategyByName(std::string_view name);
[[nodiscard]] std::string_view strategyName(Strategy strategy);

struct SearchOptions {
  Strategy strategy = Strategy::evolution;
  uint64_t seed = 1;
  /// Names of the parameters to search; the others keep the default's value.
  /// Empty: all.
  std::vector<std::string> onlyParameters = {};
  /// Schedules tried before the model's: where a similar kernel is fast.
  std::vector<Point> transferred = {};
  /// How many of the model's best are tried before evolution begins.
  size_t modelled = 16;
  /// The most points that the model ranks; from larger spaces it takes a
  /// sample of this size, and climbs from its best.
  size_t ranked = 2048;
  /// Try points that the model rejects, too: the last in its order.
  bool triesRejected = false;
  /// The shard of the points that this search tries, and the number of shards:
  /// a point whose index in the order has the remainder `shard`. All shards try
  /// the default, and evolution continues from a shard's own results.
  size_t shard = 0, shards = 1;
};

/// A point to try.
struct Proposal {
  Point point;
  Estimate estimate;
  /// As TrialRecord::origin.
  std::string_view origin;
};

/// Proposes points of one space, each once. A function of the space, the
/// estimates, the options and the reported costs: with the same it proposes
/// the same in the same order. The first proposal is the default's, whatever
/// the model thinks of it. Single-threaded.
class Search {
public:
  using Estimator = std::function<Estimate(const Point &)>;

  /// Both outlive the search.
  Search(const Space &space, Estimator estimator, SearchOptions options);

  /// Computes the model's order, which takes time; otherwise the first next()
  /// does.
  void prepare();
  /// Up to `count` points to try next; fewer at the end, none when there is
  /// nothing left. What is proposed must be reported before the next call.
  std::vector<Proposal> next(size_t count);
  /// The cost of a proposed point, none if it failed.
  void report(const Point &point, std::optional<double> cost);

  /// Points that were not tried since they cannot run, by resource.
  [[nodiscard]] const std::map<std::string, size_t> &rejections() const {
    return rejected;
  }
  /// Points that the model has seen.
  [[nodiscard]] size_t estimated() const { return estimates.size(); }
  /// Proposals since the best was found.
  [[nodiscard]] size_t sinceBest() const { return trials - bestTrial; }

private:
  const Estimate &estimateOf(const Point &point);
  void rank();
  void climb(std::vector<Point> &pool);
  void order();
  std::optional<Proposal> take(const Point &point, std::string_view origin);
  void evolve(size_t count, std::vector<Proposal> &proposals);
  Point child(const std::vector<const Point *> &parents);

  const Space &space;
  Estimator estimator;
  SearchOptions options;
  Random random;
  Surrogate surrogate;
  std::map<Point, Estimate> estimates;
  std::map<std::string, size_t> rejected;
  /// What is tried without asking for results, and how far that is done.
  std::vector<std::pair<Point, std::string_view>> planned;
  size_t nextPlanned = 0;
  bool isOrdered = false;
  std::set<Point> proposed;
  /// Points that ran, by cost.
  std::multimap<double, Point> measured;
  size_t trials = 0, bestTrial = 0;
};

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_SEARCH_SEARCH_H
