// Global memory: named allocations that know their bounds, and which of their
// bytes hold a value.
#pragma once

#include "tileir/reference/Element.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace tilewright::reference {

/// All memory a launch can reach. Not safe for use from several threads.
class Memory {
public:
  /// Adds an allocation and returns its pointer. `name` is for messages.
  /// Reading it before it is written is an error.
  Pointer allocate(std::string name, int64_t bytes);
  /// Adds an allocation that holds `contents`.
  Pointer allocate(std::string name, llvm::ArrayRef<uint8_t> contents);

  /// The bytes of the allocation that `pointer` was made from.
  llvm::ArrayRef<uint8_t> bytes(Pointer pointer) const;
  /// Whether byte number `byte` of that allocation was written; of two packed
  /// elements, whether both were.
  bool isInitialized(Pointer pointer, int64_t byte) const;

  /// Reads an element of `type`. Errors name the allocation, the bytes and
  /// the bounds.
  llvm::Expected<Element> load(Pointer pointer, mlir::Type type) const;
  /// Writes an element, which must not be poison.
  llvm::Error store(Pointer pointer, const Element &element);

  /// The pointer as the number that a program sees, and back. A number inside
  /// no allocation gives a null pointer.
  uint64_t addressOf(Pointer pointer) const;
  Pointer pointerTo(uint64_t address) const;

private:
  struct Allocation {
    std::string name;
    uint64_t address = 0;
    std::vector<uint8_t> bytes;
    /// One flag per half byte, because two 4-bit elements share a byte.
    std::vector<bool> written;
  };

  llvm::Error check(Pointer pointer, int64_t bits) const;

  std::vector<Allocation> allocations;
  uint64_t nextAddress = 1 << 20;
};

} // namespace tilewright::reference
