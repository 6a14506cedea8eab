#include "tileir/reference/ChosenPrograms.h"

#include <numeric>
#include <random>
#include <set>

namespace tilewright::reference {

llvm::SmallVector<int64_t> chosenPrograms(int64_t count, int64_t most) {
  if (most <= 0 || most >= count) {
    llvm::SmallVector<int64_t> all(count);
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  std::set<int64_t> chosen = {0};
  if (most > 1)
    chosen.insert(count - 1);
  for (std::mt19937_64 random; int64_t(chosen.size()) < most;)
    chosen.insert(int64_t(random() % uint64_t(count)));
  return {chosen.begin(), chosen.end()};
}

} // namespace tilewright::reference
