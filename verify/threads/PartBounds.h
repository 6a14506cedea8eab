//===- PartBounds.h - Bounds of the bytes of a lane -------------*- C++ -*-===//
#ifndef TILEWRIGHT_VERIFY_THREADS_PARTBOUNDS_H
#define TILEWRIGHT_VERIFY_THREADS_PARTBOUNDS_H

#include "verify/threads/Mark.h"
#include "llvm/ADT/SmallVector.h"

namespace tilewright::verify::threads {

/// One byte of a number.
struct BytePart {
  /// Of the number: its bytes, 0 if it is exact, and which of them this is.
  uint8_t bytes = 0, index = 0;
  double bound = 0;

  bool operator==(const BytePart &) const = default;
};

/// Bytes that are moved one by one, as casts, permutations, shifts and copies
/// do.
using ByteParts = llvm::SmallVector<BytePart, 16>;

/// Those of a lane of so many bytes, behind others.
void appendParts(const Mark &mark, unsigned bytes, ByteParts &to);
/// The mark of a lane with these bytes: unknown if a number is torn.
Mark markOf(llvm::ArrayRef<BytePart> parts);

} // namespace tilewright::verify::threads

#endif // TILEWRIGHT_VERIFY_THREADS_PARTBOUNDS_H
