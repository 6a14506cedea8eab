//===- Summary.h - What many cases came to ----------------------*- C++ -*-===//
#ifndef TILEWRIGHT_TEST_FUZZ_TILE_SUMMARY_H
#define TILEWRIGHT_TEST_FUZZ_TILE_SUMMARY_H

#include "CheckCase.h"

#include <map>

namespace tilewright::fuzz {

class Summary {
public:
  void add(const CaseResult &caseResult);
  [[nodiscard]] unsigned faults() const { return faultyCases; }
  /// Counts by target, ops by the kernels that have them, ops of the tile
  /// dialect that none has, and rejections by reason.
  [[nodiscard]] std::string text() const;

private:
  unsigned cases = 0, faultyCases = 0;
  std::map<std::string, std::map<Result, unsigned>> byTarget;
  std::map<std::string, unsigned> ops;
  /// By reason, without the numbers in it: how many, and the seed of one.
  std::map<std::string, std::pair<unsigned, uint64_t>> rejections;
};

} // namespace tilewright::fuzz

#endif // TILEWRIGHT_TEST_FUZZ_TILE_SUMMARY_H
