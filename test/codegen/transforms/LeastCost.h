// The solution of a problem by trying all.
#ifndef TILEWRIGHT_TEST_CODEGEN_TRANSFORMS_LEASTCOST_H
#define TILEWRIGHT_TEST_CODEGEN_TRANSFORMS_LEASTCOST_H

#include "codegen/transforms/Pbqp.h"
#include <algorithm>

namespace tilewright::tilegpu::test {

/// The least cost of all combinations.
inline int64_t leastCost(const Pbqp &problem) {
  std::vector<unsigned> chosen(problem.nodeCount(), 0);
  int64_t least = problem.costOf(chosen);
  for (size_t node = 0; node < chosen.size();) {
    if (++chosen[node] < problem.alternativesOf(unsigned(node))) {
      least = std::min(least, problem.costOf(chosen));
      node = 0;
    } else {
      chosen[node++] = 0;
    }
  }
  return least;
}

} // namespace tilewright::tilegpu::test

#endif // TILEWRIGHT_TEST_CODEGEN_TRANSFORMS_LEASTCOST_H
