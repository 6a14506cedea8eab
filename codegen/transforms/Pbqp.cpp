//===- Pbqp.cpp - Choices whose costs depend on pairs ---------------------===//
#include "codegen/transforms/Pbqp.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace tilewright::tilegpu {

unsigned Pbqp::addNode(std::vector<int64_t> costs) {
  assert(!costs.empty() && "a node has at least one alternative");
  nodes.push_back(std::move(costs));
  return unsigned(nodes.size() - 1);
}

void Pbqp::addEdge(unsigned a, unsigned b, std::span<const int64_t> pairs) {
  const unsigned columns = alternativesOf(b);
  assert(pairs.size() == size_t(alternativesOf(a)) * columns);
  if (a == b) {
    for (unsigned i = 0; i < columns; ++i)
      nodes[a][i] += pairs[i * columns + i];
    return;
  }
  Matrix &matrix = edges[std::minmax(a, b)];
  matrix.resize(pairs.size(), 0);
  const unsigned rows = alternativesOf(a);
  for (unsigned i = 0; i < rows; ++i)
    for (unsigned j = 0; j < columns; ++j)
      matrix[a < b ? i * columns + j : j * rows + i] += pairs[i * columns + j];
}

int64_t Pbqp::costOf(std::span<const unsigned> chosen) const {
  int64_t cost = 0;
  for (unsigned node = 0; node < nodeCount(); ++node)
    cost += nodes[node][chosen[node]];
  for (const auto &[ends, matrix] : edges)
    cost += matrix[chosen[ends.first] * alternativesOf(ends.second) +
                   chosen[ends.second]];
  return cost;
}

/// A problem from which nodes are removed one after the other.
class PbqpReduction {
public:
  explicit PbqpReduction(const Pbqp &problem)
      : problem(problem), costs(problem.nodes), neighbours(problem.nodeCount()),
        isRemoved(problem.nodeCount(), false) {
    for (const auto &[ends, matrix] : problem.edges)
      add(ends.first, ends.second, matrix);
  }

  Pbqp::Solution solve(int64_t cases);

private:
  using Matrix = Pbqp::Matrix;
  /// What is needed to choose for a node, once its neighbours are chosen.
  struct Removed {
    unsigned node;
    std::vector<int64_t> costs;
    std::map<unsigned, Matrix> neighbours;
  };

  [[nodiscard]] unsigned count(unsigned node) const {
    return unsigned(costs[node].size());
  }
  void add(unsigned a, unsigned b, const Matrix &pairs);
  Removed remove(unsigned node);
  void fold(const Removed &removed);
  void fix(unsigned node, unsigned alternative);
  void reduce();
  [[nodiscard]] int mostNeighbours() const;
  [[nodiscard]] unsigned locallyBest(unsigned node) const;
  void complete(Pbqp::Solution &solution) const;

  const Pbqp &problem;
  std::vector<std::vector<int64_t>> costs;
  /// Of each node, its matrices by neighbour: rows are its own alternatives.
  std::vector<std::map<unsigned, Matrix>> neighbours;
  std::vector<bool> isRemoved;
  std::vector<Removed> order;
};

/// Adds costs of pairs to an edge; both ends keep a matrix with their own
/// alternatives as rows.
void PbqpReduction::add(unsigned a, unsigned b, const Matrix &pairs) {
  Matrix &forward = neighbours[a][b], &backward = neighbours[b][a];
  forward.resize(pairs.size(), 0);
  backward.resize(pairs.size(), 0);
  for (unsigned i = 0; i < count(a); ++i)
    for (unsigned j = 0; j < count(b); ++j) {
      forward[i * count(b) + j] += pairs[i * count(b) + j];
      backward[j * count(a) + i] += pairs[i * count(b) + j];
    }
}

PbqpReduction::Removed PbqpReduction::remove(unsigned node) {
  Removed removed{node, costs[node], std::move(neighbours[node])};
  for (const auto &[other, matrix] : removed.neighbours)
    neighbours[other].erase(node);
  neighbours[node].clear();
  isRemoved[node] = true;
  return removed;
}

/// Adds what a removed node costs at best to its one or two neighbours.
void PbqpReduction::fold(const Removed &removed) {
  if (removed.neighbours.empty())
    return;
  auto first = removed.neighbours.begin(), second = std::next(first);
  const bool isPair = second != removed.neighbours.end();
  const unsigned rows = count(first->first);
  const unsigned columns = isPair ? count(second->first) : 1;
  Matrix best(size_t(rows) * columns, std::numeric_limits<int64_t>::max());
  for (unsigned own = 0; own < removed.costs.size(); ++own)
    for (unsigned i = 0; i < rows; ++i)
      for (unsigned j = 0; j < columns; ++j) {
        int64_t &cell = best[i * columns + j];
        cell = std::min(cell,
                        removed.costs[own] + first->second[own * rows + i] +
                            (isPair ? second->second[own * columns + j] : 0));
      }
  if (isPair)
    return add(first->first, second->first, best);
  for (unsigned i = 0; i < rows; ++i)
    costs[first->first][i] += best[i];
}

/// Removes a node that takes an alternative whatever the others take.
void PbqpReduction::fix(unsigned node, unsigned alternative) {
  Removed removed = remove(node);
  for (const auto &[other, matrix] : removed.neighbours)
    for (unsigned j = 0; j < count(other); ++j)
      costs[other][j] += matrix[alternative * count(other) + j];
  // So that the choice is this one later.
  for (unsigned i = 0; i < removed.costs.size(); ++i)
    removed.costs[i] = i == alternative ? 0 : 1;
  removed.neighbours.clear();
  order.push_back(std::move(removed));
}

/// Removes all nodes that have at most two neighbours then.
void PbqpReduction::reduce() {
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned node = 0; node < costs.size(); ++node)
      if (!isRemoved[node] && neighbours[node].size() <= 2) {
        order.push_back(remove(node));
        fold(order.back());
        changed = true;
      }
  }
}

/// -1 where no node is left.
int PbqpReduction::mostNeighbours() const {
  int most = -1;
  for (unsigned node = 0; node < costs.size(); ++node)
    if (!isRemoved[node] &&
        (most < 0 || neighbours[node].size() > neighbours[most].size()))
      most = int(node);
  return most;
}

unsigned PbqpReduction::locallyBest(unsigned node) const {
  std::vector<int64_t> total = costs[node];
  for (const auto &[other, matrix] : neighbours[node])
    for (unsigned i = 0; i < total.size(); ++i) {
      int64_t best = std::numeric_limits<int64_t>::max();
      for (unsigned j = 0; j < count(other); ++j)
        best = std::min(best, matrix[i * count(other) + j] + costs[other][j]);
      total[i] += best;
    }
  return unsigned(std::ranges::min_element(total) - total.begin());
}

/// Chooses for the removed nodes, the last one first.
void PbqpReduction::complete(Pbqp::Solution &solution) const {
  solution.chosen.assign(costs.size(), 0);
  for (auto removed = order.rbegin(); removed != order.rend(); ++removed) {
    std::vector<int64_t> total = removed->costs;
    for (const auto &[other, matrix] : removed->neighbours)
      for (unsigned i = 0; i < total.size(); ++i)
        total[i] += matrix[i * count(other) + solution.chosen[other]];
    solution.chosen[removed->node] =
        unsigned(std::ranges::min_element(total) - total.begin());
  }
}

Pbqp::Solution PbqpReduction::solve(int64_t cases) {
  Pbqp::Solution best;
  reduce();
  const int left = mostNeighbours();
  if (left < 0) {
    complete(best);
    best.cost = problem.costOf(best.chosen);
    return best;
  }
  const unsigned node = unsigned(left);
  if (cases < count(node)) {
    fix(node, locallyBest(node));
    best = solve(cases);
    best.isExact = false;
    return best;
  }
  bool isExact = true;
  for (unsigned alternative = 0; alternative < count(node); ++alternative) {
    PbqpReduction fixed = *this;
    fixed.fix(node, alternative);
    Pbqp::Solution solution = fixed.solve(cases / count(node));
    isExact &= solution.isExact;
    if (alternative == 0 || solution.cost < best.cost)
      best = std::move(solution);
  }
  best.isExact = isExact;
  return best;
}

Pbqp::Solution Pbqp::solve(int64_t cases) const {
  return PbqpReduction(*this).solve(cases);
}

} // namespace tilewright::tilegpu
