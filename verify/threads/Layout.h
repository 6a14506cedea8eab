//===- Layout.h - Where scalars are in memory -------------------*- C++ -*-===//
#ifndef TILEWRIGHT_VERIFY_THREADS_LAYOUT_H
#define TILEWRIGHT_VERIFY_THREADS_LAYOUT_H

#include "verify/threads/Thread.h"

namespace tilewright::verify::threads {

/// A type in memory, as data layouts of 64-bit machines have it: scalars and
/// vectors are aligned to their sizes.
struct MemoryLayout {
  struct Field {
    /// From the first byte on.
    uint64_t bitOffset;
    unsigned bits;
  };
  /// Of the scalars, in order.
  llvm::SmallVector<Field> fields;
  /// The bytes that a store writes.
  uint64_t bytes = 0;
  uint64_t align = 1;
  /// Of each scalar, if all have the same and begin at a byte; otherwise 0.
  unsigned scalarBytes = 0;
  unsigned scalarBits = 0;

  /// The distance of elements of an array.
  [[nodiscard]] uint64_t stride() const;
};

/// The type has known scalars.
MemoryLayout layoutOf(mlir::Type type);

/// What an access of memory needs to know.
struct Access : Details {
  MemoryLayout layout;
  uint64_t align = 1;
  bool isAtomic = false;
};

/// Checks an address and what is there; null after a fault.
Allocation *accessible(const Instruction &i, Thread &t, const Lane &address,
                       uint64_t bytes, uint64_t align, bool isWrite);

/// Reads the scalars of a layout. Bytes that were never written are poison.
Outcome readMemory(const Instruction &i, Thread &t, const Lane &address,
                   const Access &access, Lane *to);
/// Writes them. Poison is a fault in the memory of the caller; elsewhere the
/// bytes are then as if they were not written.
Outcome writeMemory(const Instruction &i, Thread &t, const Lane &address,
                    const Access &access, const Lane *from);

/// Reads `bytes` (8 at most) at an address as one number, which must have been
/// written.
std::optional<uint64_t> readWord(const Instruction &i, Thread &t,
                                 uint64_t address, unsigned bytes,
                                 bool isAtomic = false);
bool writeWord(const Instruction &i, Thread &t, uint64_t address,
               unsigned bytes, uint64_t value, bool isAtomic = false);

/// An error about two accesses that nothing orders, with the other one's place.
Outcome orderFault(const Instruction &i, Thread &t, const std::string &message,
                   mlir::Operation *other);

} // namespace tilewright::verify::threads

#endif // TILEWRIGHT_VERIFY_THREADS_LAYOUT_H
