//===- Pbqp.h - Choices whose costs depend on pairs -------------*- C++ -*-===//
//
// A partitioned Boolean quadratic problem: each node takes one of its
// alternatives. The cost of a solution is the sum of the costs of the chosen
// alternatives and, for each edge, of the chosen pair. (Scholz and Eckstein,
// Register Allocation for Irregular Architectures, 2002)
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_TRANSFORMS_PBQP_H
#define TILEWRIGHT_CODEGEN_TRANSFORMS_PBQP_H

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace tilewright::tilegpu {

class Pbqp {
public:
  struct Solution {
    /// For each node its alternative.
    std::vector<unsigned> chosen;
    int64_t cost = 0;
    /// Whether no solution costs less.
    bool isExact = true;
  };

  /// A node with one cost, of at least 0, for each alternative; at least one.
  /// Returns its number: nodes count from 0.
  unsigned addNode(std::vector<int64_t> costs);
  /// Adds costs of pairs: that of alternatives i of `a` and j of `b` is
  /// pairs[i * alternatives of b + j]. Edges between the same nodes add up.
  void addEdge(unsigned a, unsigned b, std::span<const int64_t> pairs);

  [[nodiscard]] unsigned nodeCount() const { return unsigned(nodes.size()); }
  [[nodiscard]] unsigned alternativesOf(unsigned node) const {
    return unsigned(nodes[node].size());
  }
  /// The cost of a choice for each node.
  [[nodiscard]] int64_t costOf(std::span<const unsigned> chosen) const;

  /// Removes nodes with at most two neighbours, which loses nothing. Where
  /// there are others only, it tries each alternative of the one with the most
  /// neighbours, as long as the cases are at most `cases` in all; beyond that
  /// it takes the alternative that is cheapest with the best of each neighbour.
  /// Of alternatives with equal cost the first one is taken.
  [[nodiscard]] Solution solve(int64_t cases = 4096) const;

private:
  friend class PbqpReduction;
  using Matrix = std::vector<int64_t>;
  std::vector<std::vector<int64_t>> nodes;
  /// By the two nodes, the smaller one first.
  std::map<std::pair<unsigned, unsigned>, Matrix> edges;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_CODEGEN_TRANSFORMS_PBQP_H
