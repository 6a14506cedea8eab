//===- BankConflicts.cpp - What a shared memory access costs --------------===//
#include "codegen/layout/BankConflicts.h"

#include <algorithm>
#include <vector>

namespace tilewright::layout {

unsigned lanesPerPhase(unsigned bytes) {
  return 32 / std::max(1u, bytes / bankBytes);
}

unsigned wavefronts(const LinearMap &lanes, unsigned bytes) {
  unsigned phase = std::min(log2Floor(lanesPerPhase(bytes)), lanes.inBits());
  // The words of one lane are in different banks, so its first word will do.
  Subspace words, hitBanks;
  for (unsigned lane = 0; lane < phase; ++lane) {
    words.insert(lanes.column(lane) / bankBytes);
    hitBanks.insert(lanes.column(lane) / bankBytes % banks);
  }
  unsigned conflicts = 1u << (words.dimension() - hitBanks.dimension());
  return conflicts << (lanes.inBits() - phase);
}

unsigned countWavefronts(std::span<const int64_t> addresses, unsigned bytes) {
  unsigned total = 0, phase = lanesPerPhase(bytes);
  for (size_t first = 0; first < addresses.size(); first += phase) {
    std::vector<int64_t> words;
    for (int64_t address : addresses.subspan(
             first, std::min<size_t>(phase, addresses.size() - first)))
      for (unsigned byte = 0; address >= 0 && byte < bytes; byte += bankBytes)
        words.push_back((address + byte) / bankBytes);
    std::ranges::sort(words);
    words.erase(std::unique(words.begin(), words.end()), words.end());
    std::array<unsigned, banks> load{};
    for (int64_t word : words)
      ++load[word % banks];
    total += *std::ranges::max_element(load);
  }
  return total;
}

} // namespace tilewright::layout
