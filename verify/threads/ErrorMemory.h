//===- ErrorMemory.h - Bounds of errors in memory ---------------*- C++ -*-===//
#ifndef TILEWRIGHT_VERIFY_THREADS_ERRORMEMORY_H
#define TILEWRIGHT_VERIFY_THREADS_ERRORMEMORY_H

#include "verify/threads/PartBounds.h"
#include <memory>
#include <optional>
#include <unordered_map>

namespace tilewright::verify::threads {

/// By address, by how much the numbers in memory may differ from exact ones. It
/// outlives a launch and is given to the next one. Addresses may be those of
/// the host, for what was copied there. Not safe from several threads.
class ErrorMemory {
public:
  /// Of `bytes` (8 at most) that are read as one lane.
  [[nodiscard]] Mark read(uint64_t address, unsigned bytes) const;
  /// A lane was written. Poison is exact here.
  void write(uint64_t address, unsigned bytes, const Mark &mark);
  /// Of bytes that are read to be written elsewhere.
  [[nodiscard]] ByteParts parts(uint64_t address, uint64_t bytes) const;
  /// They were written; bytes behind them are exact.
  void setParts(uint64_t address, uint64_t bytes,
                llvm::ArrayRef<BytePart> parts);
  /// What was written is exact.
  void clear(uint64_t address, uint64_t bytes);
  /// Of all numbers there.
  [[nodiscard]] double greatest(uint64_t address, uint64_t bytes) const;
  /// `bytes` were copied; source and target do not overlap.
  void copy(uint64_t target, uint64_t source, uint64_t bytes);

  /// The terms that atomics added to a number in memory: how many, and the
  /// bounds of their own errors and of their magnitudes, added up.
  struct Sum {
    int64_t terms = 0;
    double errors = 0, magnitude = 0;
    /// All are multiples of it.
    double unit = 0x1p1000;
  };
  /// None where the number was written by another access.
  [[nodiscard]] std::optional<Sum> findSum(uint64_t address) const;
  void keepSum(uint64_t address, const Sum &sum) { sums[address] = sum; }

private:
  static constexpr uint64_t kPage = 1024;
  using Page = std::array<BytePart, kPage>;
  [[nodiscard]] const BytePart *find(uint64_t address) const;
  void set(uint64_t address, const BytePart &part);
  /// Exact bytes; what is left of a number that was there is unknown.
  void erase(uint64_t address, uint64_t bytes);

  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages;
  std::unordered_map<uint64_t, Sum> sums;
};

} // namespace tilewright::verify::threads

#endif // TILEWRIGHT_VERIFY_THREADS_ERRORMEMORY_H
