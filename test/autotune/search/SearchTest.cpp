#include "autotune/search/Search.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

using namespace tilewright;
using namespace tilewright::autotune;

static Space grid(size_t parameters, size_t values) {
  std::vector<Parameter> all;
  for (size_t parameter = 0; parameter < parameters; ++parameter) {
    all.push_back({"k" + std::to_string(parameter), {}, values / 2});
    for (size_t value = 0; value < values; ++value)
      all.back().values.push_back(int64_t(value));
  }
  return Space(all);
}

/// A bowl with its bottom at a corner of the last parameters.
static double trueCost(const Point &point) {
  double cost = 100;
  for (size_t parameter = 0; parameter < point.size(); ++parameter) {
    double best = parameter % 2 ? 1 : 5;
    cost *= 1 + 0.1 * std::fabs(double(point[parameter]) - best);
  }
  return cost;
}

/// A model that is right about the first parameter only.
static Estimate poorModel(const Point &point) {
  Estimate estimate;
  estimate.nanoseconds = 50 * (1 + 0.1 * std::fabs(double(point[0]) - 5));
  return estimate;
}

static Estimate rejecting(const Point &point) {
  Estimate estimate = poorModel(point);
  if (point[1] == 0)
    estimate.rejection = Rejection{"registers", "too many"};
  else if (point[2] == 0)
    estimate.rejection = Rejection{"shared memory", "too much"};
  return estimate;
}

/// Runs a search to `trials` trials; returns its proposals.
static std::vector<Point> drive(Search &search, size_t trials,
                                size_t batch = 8) {
  std::vector<Point> order;
  while (order.size() < trials) {
    std::vector<Proposal> proposals =
        search.next(std::min(batch, trials - order.size()));
    if (proposals.empty())
      break;
    for (const Proposal &proposal : proposals) {
      order.push_back(proposal.point);
      search.report(proposal.point, trueCost(proposal.point));
    }
  }
  return order;
}

static double best(const std::vector<Point> &points) {
  double least = 1e30;
  for (const Point &point : points)
    least = std::min(least, trueCost(point));
  return least;
}

TEST_CASE("evolution finds what the model does not know") {
  Space space = grid(6, 8); // 262,144 points
  SearchOptions options;
  Search search(space, poorModel, options);
  std::vector<Point> evolved = drive(search, 150);
  options.strategy = Strategy::random;
  Search random(space, poorModel, options);
  std::vector<Point> sampled = drive(random, 150);
  CHECK(best(evolved) <= 110);
  CHECK(best(sampled) > 1.1 * best(evolved));
}

TEST_CASE("a point is proposed once, and the default's first") {
  Space space = grid(3, 4);
  for (Strategy strategy : {Strategy::evolution, Strategy::model,
                            Strategy::random, Strategy::exhaustive}) {
    SearchOptions options;
    options.strategy = strategy;
    Search search(space, poorModel, options);
    std::vector<Point> order = drive(search, 1000);
    CHECK(order.front() == space.defaultPoint());
    CHECK(std::set<Point>(order.begin(), order.end()).size() == order.size());
    // Evolution may leave some out; the others try all.
    if (strategy == Strategy::evolution)
      CHECK(order.size() > 48);
    else
      CHECK(order.size() == space.size());
  }
}

TEST_CASE("the model's first choices differ in cost") {
  Space space = grid(3, 4);
  // The model depends on the first parameter only.
  auto model = [](const Point &point) {
    Estimate estimate;
    estimate.nanoseconds = 100 + double(point[0]);
    return estimate;
  };
  SearchOptions options;
  options.strategy = Strategy::model;
  Search search(space, model, options);
  std::vector<Point> order = drive(search, 1000);
  REQUIRE(order.size() == space.size());
  std::set<size_t> first;
  for (size_t i = 0; i < 4; ++i)
    first.insert(order[i][0]);
  CHECK(first.size() == 4);
  // The rest follows in the model's order.
  for (size_t i = 5; i < order.size(); ++i)
    CHECK(order[i - 1][0] <= order[i][0]);
}

TEST_CASE("the same seed proposes the same in the same order") {
  Space space = grid(5, 6);
  SearchOptions options;
  options.seed = GENERATE(1, 77);
  Search first(space, poorModel, options), second(space, poorModel, options);
  CHECK(drive(first, 120) == drive(second, 120));
  SearchOptions otherSeed = options;
  otherSeed.seed += 1;
  Search a(space, poorModel, options), b(space, poorModel, otherSeed);
  CHECK(drive(a, 120) != drive(b, 120));
}

TEST_CASE("strategies that ask for no results go their way whatever comes") {
  Space space = grid(5, 6);
  SearchOptions options;
  options.strategy = Strategy::model;
  options.ranked = 300;
  Search first(space, poorModel, options), second(space, poorModel, options);
  std::vector<Point> one = drive(first, 100), two;
  while (two.size() < 100)
    for (const Proposal &proposal : second.next(5)) {
      two.push_back(proposal.point);
      second.report(proposal.point, std::nullopt);
    }
  two.resize(100);
  CHECK(one == two);
}

TEST_CASE("what the model rejects is counted by reason and not tried") {
  Space space = grid(3, 4);
  SearchOptions options;
  options.strategy = Strategy::exhaustive;
  Search search(space, rejecting, options);
  std::vector<Point> order = drive(search, 1000);
  CHECK(order.size() == 4 * 3 * 3);
  CHECK(search.rejections().at("registers") == 16);
  CHECK(search.rejections().at("shared memory") == 12);
  options.triesRejected = true;
  Search all(space, rejecting, options);
  CHECK(drive(all, 1000).size() == space.size());
}

TEST_CASE("shards try the default each, and the rest once among them") {
  Space space = grid(3, 4);
  Strategy strategy =
      GENERATE(Strategy::model, Strategy::random, Strategy::exhaustive);
  std::multiset<Point> tried;
  for (size_t shard = 0; shard < 3; ++shard) {
    SearchOptions options;
    options.strategy = strategy;
    options.shard = shard;
    options.shards = 3;
    Search search(space, poorModel, options);
    for (const Point &point : drive(search, 1000))
      tried.insert(point);
  }
  CHECK(tried.count(space.defaultPoint()) == 3);
  CHECK(tried.size() == space.size() + 2);
}

TEST_CASE("transferred schedules come right after the default") {
  Space space = grid(3, 4);
  SearchOptions options;
  options.transferred = {{0, 0, 0}, {3, 3, 3}};
  Search search(space, poorModel, options);
  std::vector<Proposal> proposals = search.next(3);
  REQUIRE(proposals.size() == 3);
  CHECK(proposals[1].point == Point{0, 0, 0});
  CHECK(proposals[1].origin == "transfer");
  CHECK(proposals[2].point == Point{3, 3, 3});
}

TEST_CASE("strategies have names") {
  for (std::string_view name : {"evolution", "model", "random", "exhaustive"}) {
    std::optional<Strategy> strategy = strategyByName(name);
    REQUIRE(strategy);
    CHECK(strategyName(*strategy) == name);
  }
  CHECK_FALSE(strategyByName("genetic"));
}
