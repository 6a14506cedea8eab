#include "autotune/search/Search.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

namespace tilewright::autotune {

static constexpr std::array<std::pair<Strategy, std::string_view>, 4>
    strategies = {{{Strategy::evolution, "evolution"},
                   {Strategy::model, "model"},
                   {Strategy::random, "random"},
                   {Strategy::exhaustive, "exhaustive"}}};

std::optional<Strategy> strategyByName(std::string_view name) {
  for (const auto &[strategy, known] : strategies)
    if (known == name)
      return strategy;
  return std::nullopt;
}

std::string_view strategyName(Strategy strategy) {
  return strategies[size_t(strategy)].second;
}

Search::Search(const Space &space, Estimator estimator, SearchOptions options)
    : space(space), estimator(std::move(estimator)),
      options(std::move(options)), random(this->options.seed),
      surrogate(space) {
  planned.emplace_back(space.defaultPoint(), "default");
  for (const Point &point : this->options.transferred)
    planned.emplace_back(point, "transfer");
}

const Estimate &Search::estimateOf(const Point &point) {
  auto [known, isNew] = estimates.try_emplace(point);
  if (isNew) {
    known->second = estimator(point);
    if (known->second.rejection)
      ++rejected[known->second.rejection->resource];
  }
  return known->second;
}

/// The points to model: all, or a sample and the improvements around its best.
void Search::climb(std::vector<Point> &pool) {
  constexpr size_t starts = 8;
  auto modelled = [&](const Point &point) {
    const Estimate &estimate = estimateOf(point);
    return std::pair(estimate.rejection.has_value(), estimate.nanoseconds);
  };
  std::vector<Point> best = pool;
  std::ranges::sort(best, {}, [&](const Point &point) {
    return std::pair(modelled(point), point);
  });
  best.resize(std::min(best.size(), starts));
  for (Point at : best)
    while (true) {
      std::vector<Point> around = space.neighbours(at);
      auto least = std::ranges::min_element(around, {}, modelled);
      if (least == around.end() || !(modelled(*least) < modelled(at)))
        break;
      at = *least;
      pool.insert(pool.end(), around.begin(), around.end());
    }
}

/// Plans the model's order.
void Search::rank() {
  std::vector<Point> pool;
  if (space.size() <= options.ranked) {
    for (uint64_t i = 0; i < space.size(); ++i)
      pool.push_back(space.at(i));
  } else {
    pool.push_back(space.defaultPoint());
    while (pool.size() < options.ranked)
      pool.push_back(space.random(random));
    // Models kernels of equal tunables, the first parameters, consecutively.
    std::ranges::sort(pool);
    climb(pool);
  }
  std::ranges::sort(pool);
  pool.erase(std::unique(pool.begin(), pool.end()), pool.end());
  if (!options.triesRejected)
    std::erase_if(pool, [&](const Point &point) {
      return estimateOf(point).rejection.has_value();
    });
  std::ranges::sort(pool, {}, [&](const Point &point) {
    const Estimate &estimate = estimateOf(point);
    return std::tuple(estimate.rejection.has_value(), estimate.nanoseconds,
                      point);
  });
  // Points of equal cost do not differ for the model, and most of them not at
  // all: others come first.
  std::set<double> seen = {estimateOf(space.defaultPoint()).nanoseconds};
  std::vector<Point> alike;
  std::erase_if(pool, [&](const Point &point) {
    bool isAlike = !seen.insert(estimateOf(point).nanoseconds).second;
    if (isAlike)
      alike.push_back(point);
    return isAlike;
  });
  pool.insert(pool.end(), alike.begin(), alike.end());
  if (options.strategy == Strategy::evolution)
    pool.resize(std::min(pool.size(), options.modelled * options.shards));
  for (Point &point : pool)
    planned.emplace_back(std::move(point), "model");
}

/// Plans what is tried without asking for results.
void Search::order() {
  std::vector<std::pair<Point, std::string_view>> first = std::move(planned);
  planned.clear();
  switch (options.strategy) {
  case Strategy::evolution:
  case Strategy::model:
    rank();
    break;
  case Strategy::random: {
    // In a large space a point may come twice; the second time counts for
    // nothing.
    uint64_t count = std::min<uint64_t>(space.size(), options.ranked);
    bool isWhole = count == space.size();
    for (uint64_t i = 0; i < count; ++i)
      planned.emplace_back(isWhole ? space.at(i) : space.random(random),
                           "random");
    for (size_t i = planned.size(); isWhole && i > 1; --i)
      std::swap(planned[i - 1], planned[random.below(i)]);
    break;
  }
  case Strategy::exhaustive:
    for (uint64_t i = 0; i < space.size(); ++i)
      planned.emplace_back(space.at(i), "exhaustive");
    break;
  }
  std::vector<std::pair<Point, std::string_view>> own;
  for (size_t i = 0; i < planned.size(); ++i)
    if (i % options.shards == options.shard)
      own.push_back(std::move(planned[i]));
  planned = std::move(first);
  planned.insert(planned.end(), own.begin(), own.end());
}

/// The proposal of a point that is new and can run.
std::optional<Proposal> Search::take(const Point &point,
                                     std::string_view origin) {
  if (proposed.contains(point))
    return std::nullopt;
  const Estimate &estimate = estimateOf(point);
  if (estimate.rejection && origin != "default" && !options.triesRejected)
    return std::nullopt;
  proposed.insert(point);
  return Proposal{point, estimate, origin};
}

void Search::prepare() {
  if (!isOrdered)
    order();
  isOrdered = true;
}

std::vector<Proposal> Search::next(size_t count) {
  std::vector<Proposal> proposals;
  prepare();
  while (proposals.size() < count && nextPlanned < planned.size()) {
    const auto &[point, origin] = planned[nextPlanned++];
    if (std::optional<Proposal> proposal = take(point, origin))
      proposals.push_back(std::move(*proposal));
  }
  // Planned points are returned before any result is needed.
  if (proposals.empty() && options.strategy == Strategy::evolution)
    evolve(count, proposals);
  return proposals;
}

void Search::report(const Point &point, std::optional<double> cost) {
  ++trials;
  if (!cost)
    return;
  if (measured.empty() || *cost < measured.begin()->first)
    bestTrial = trials;
  measured.emplace(*cost, point);
  double modelled = estimateOf(point).nanoseconds;
  if (modelled > 0 && *cost > 0)
    surrogate.add(point, modelled, *cost);
}

/// A point made of one or two that ran, with some values changed.
Point Search::child(const std::vector<const Point *> &parents) {
  const Point &mother = *parents[random.below(parents.size())];
  const Point &father = *parents[random.below(parents.size())];
  Point point = mother;
  for (size_t parameter = 0; parameter < point.size(); ++parameter)
    if (random.below(2))
      point[parameter] = father[parameter];
  size_t changes = 1 + random.below(2);
  for (size_t i = 0; i < changes && !point.empty(); ++i) {
    size_t parameter = random.below(point.size());
    size_t values = space.parameters()[parameter].values.size();
    size_t at = point[parameter];
    // Mostly to a neighbouring value, sometimes to any.
    if (random.below(3) == 0)
      at = random.below(values);
    else if (random.below(2))
      at = std::min(at + 1, values - 1);
    else
      at -= at > 0;
    point[parameter] = at;
  }
  return point;
}

/// Children and neighbours of the best, those that the surrogate expects most
/// of; one in eight is any point, so that what the surrogate has wrong is
/// found out.
void Search::evolve(size_t count, std::vector<Proposal> &proposals) {
  constexpr size_t parentCount = 12, childCount = 192, explore = 8;
  if (measured.empty())
    return;
  surrogate.fit();
  std::vector<const Point *> parents;
  for (const auto &[cost, point] : measured)
    if (parents.size() < parentCount)
      parents.push_back(&point);
  std::map<Point, std::string_view> children;
  for (const Point &point : space.neighbours(*parents.front()))
    children.try_emplace(point, "neighbour");
  for (size_t i = 0; i < childCount; ++i)
    children.try_emplace(child(parents), "evolution");
  std::vector<std::pair<double, const Point *>> order;
  for (const auto &[point, origin] : children)
    if (!proposed.contains(point) && !estimateOf(point).rejection)
      order.emplace_back(
          surrogate.predict(point, estimateOf(point).nanoseconds), &point);
  std::ranges::sort(order, {}, [](const auto &entry) {
    return std::pair(entry.first, *entry.second);
  });
  size_t next = 0;
  // A space that is nearly exhausted yields nothing new after some tries.
  for (size_t tries = 0; proposals.size() < count && tries < 64 * count;
       ++tries) {
    std::optional<Proposal> proposal;
    if ((trials + proposals.size()) % explore == explore - 1 ||
        next >= order.size())
      proposal = take(space.random(random), "random");
    else {
      const Point &point = *order[next++].second;
      proposal = take(point, children.at(point));
    }
    if (proposal)
      proposals.push_back(std::move(*proposal));
  }
}

} // namespace tilewright::autotune
