//===- AtomicErrors.h - Errors of atomic updates ----------------*- C++ -*-===//
#ifndef TILEWRIGHT_VERIFY_THREADS_ATOMICERRORS_H
#define TILEWRIGHT_VERIFY_THREADS_ATOMICERRORS_H

#include "verify/threads/Combine.h"
#include "verify/threads/ErrorRules.h"
#include "verify/threads/Thread.h"

namespace tilewright::verify::threads {

/// An atomic update of one number in memory.
struct AtomicUpdate {
  Combining combining;
  mlir::Type type;
  uint64_t address;
  /// What it is updated by, and what was there.
  Lane value;
  uint64_t oldBits;
  /// Of that, before it is overwritten.
  Mark oldMark = {};
  std::optional<ErrorMemory::Sum> sum = std::nullopt;

  void readMarks(const ErrorMemory &errors);
};

/// Marks what is there from now on. Floats may be added in any order.
void markUpdate(Thread &t, const AtomicUpdate &update);
/// Of what the update returns: for floats any of the numbers that were there.
Mark markOfOld(const AtomicUpdate &update);

} // namespace tilewright::verify::threads

#endif // TILEWRIGHT_VERIFY_THREADS_ATOMICERRORS_H
