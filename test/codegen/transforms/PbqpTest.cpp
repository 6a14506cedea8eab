// Choices with costs of pairs: what is removed loses nothing, and what is
// tried is the best.
#include "test/codegen/transforms/LeastCost.h"

#include <catch2/catch.hpp>
#include <random>

using tilewright::tilegpu::Pbqp, tilewright::tilegpu::test::leastCost;

/// A problem of 1 to 9 nodes with 1 to 4 alternatives, and edges between two
/// nodes in three.
static Pbqp randomProblem(std::mt19937 &random) {
  auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  auto costs = [&](unsigned count) {
    std::vector<int64_t> result(count);
    for (int64_t &cost : result)
      cost = pick(0, 3) ? pick(0, 20) : 0;
    return result;
  };
  Pbqp problem;
  const int nodes = pick(1, 9);
  for (int node = 0; node < nodes; ++node)
    problem.addNode(costs(unsigned(pick(1, 4))));
  for (unsigned a = 0; a < problem.nodeCount(); ++a)
    for (unsigned b = 0; b < problem.nodeCount(); ++b)
      if (pick(0, 2))
        problem.addEdge(
            a, b, costs(problem.alternativesOf(a) * problem.alternativesOf(b)));
  return problem;
}

TEST_CASE("pbqp: solutions are the best of all") {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    CAPTURE(round);
    const Pbqp problem = randomProblem(random);
    const Pbqp::Solution solution = problem.solve(int64_t(1) << 20);
    CHECK(solution.isExact);
    CHECK(solution.cost == problem.costOf(solution.chosen));
    CHECK(solution.cost == leastCost(problem));
  }
}

TEST_CASE("pbqp: without cases a search says that it is not exact") {
  std::mt19937 random(2);
  int inexact = 0, worse = 0;
  for (int round = 0; round < 200; ++round) {
    const Pbqp problem = randomProblem(random);
    const Pbqp::Solution solution = problem.solve(0);
    CHECK(solution.cost == problem.costOf(solution.chosen));
    inexact += !solution.isExact;
    if (solution.cost != leastCost(problem)) {
      ++worse;
      CHECK(!solution.isExact);
    }
  }
  CHECK(inexact > 0);
  // The heuristic is mostly right, and not always.
  CHECK(worse > 0);
  CHECK(worse < 60);
}

TEST_CASE("pbqp: of equal alternatives the first is taken") {
  Pbqp problem;
  const unsigned a = problem.addNode({2, 2, 2}), b = problem.addNode({1, 1});
  problem.addEdge(b, a, std::vector<int64_t>{0, 0, 0, 0, 0, 0});
  CHECK(problem.solve().chosen == std::vector<unsigned>{0, 0});
}

TEST_CASE("pbqp: pairs are those of the nodes as they are given") {
  Pbqp problem;
  const unsigned a = problem.addNode({0, 0}), b = problem.addNode({0, 0, 0});
  // Alternative i of b and j of a cost 10 i + j.
  problem.addEdge(b, a, std::vector<int64_t>{0, 1, 10, 11, 20, 21});
  CHECK(problem.costOf(std::vector<unsigned>{1, 2}) == 21);
  CHECK(problem.costOf(std::vector<unsigned>{0, 1}) == 10);
  // To itself, a node pays the diagonal.
  problem.addEdge(a, a, std::vector<int64_t>{100, 5, 5, 200});
  CHECK(problem.costOf(std::vector<unsigned>{1, 0}) == 201);
}
