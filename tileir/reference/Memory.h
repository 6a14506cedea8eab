// Global memory: named allocations that know their bounds, and which of their
// bytes hold a value.
#pragma once

#include "tileir/reference/Shadow.h"
#include "tilewright/support/Status.h"
#include "llvm/ADT/ArrayRef.h"
#include <deque>
#include <memory>
#include <vector>

namespace tilewright::reference {

/// All memory that a launch can access. Not safe for use from several threads.
class Memory {
public:
  Memory() = default;
  Memory(Memory &&) = default;
  Memory &operator=(Memory &&) = default;

  /// Adds an allocation and returns its pointer. `name` is for messages.
  /// Reading it before it is written is an error.
  Pointer allocate(std::string name, int64_t bytes);
  /// Adds an allocation with these `contents`.
  Pointer allocate(std::string name, llvm::ArrayRef<uint8_t> contents);

  /// Memory of the caller, which outlives this.
  struct Mapping {
    std::string name;
    /// What programs see as its address.
    uint64_t address = 0;
    llvm::MutableArrayRef<uint8_t> bytes;
    /// A flag for each byte: it was written.
    llvm::MutableArrayRef<uint8_t> written;
    /// Writing is an error.
    bool readOnly = false;
    /// Poison may be stored there, and what was never written may be read,
    /// which is poison: memory between kernels. Otherwise both are errors.
    bool holdsPoison = false;
  };
  /// Adds an allocation in `mapping`. Nothing is copied.
  Pointer map(Mapping mapping);

  /// The bytes of the allocation that `pointer` was made from.
  llvm::ArrayRef<uint8_t> bytes(Pointer pointer) const;
  /// Whether byte number `byte` of that allocation was written.
  bool isInitialized(Pointer pointer, int64_t byte) const;

  /// The sets of elements in memory, from launches with freedom. Another memory
  /// of the same addresses may take it.
  const std::shared_ptr<Shadow> &getShadow() const { return shadow; }
  void setShadow(std::shared_ptr<Shadow> other) { shadow = std::move(other); }

  /// Reads an element of `type`, with its set. Errors name the allocation, the
  /// bytes and the bounds.
  StatusOr<Element> load(Pointer pointer, mlir::Type type) const;
  /// Writes an element, which must not be poison.
  Status store(Pointer pointer, const Element &element);
  /// The same of an element that has `type` in memory. In exact arithmetic its
  /// number is of `wide`, f128: the memory has it rounded, the shadow as it is.
  StatusOr<Element> load(Pointer pointer, mlir::Type type,
                         mlir::Type wide) const;
  Status store(Pointer pointer, mlir::Type type, const Element &element);
  /// Whether an element of `type` there is poison: in memory that holds it.
  bool isPoison(Pointer pointer, mlir::Type type) const;
  /// Writes poison; an error where memory does not hold it.
  Status storePoison(Pointer pointer, mlir::Type type);
  /// Writes `sum`, which an atomic has made of `old` in memory and `term`.
  Status add(Pointer pointer, const Element &old, const Element &term,
             const Element &sum, const FreedomOptions &options);

  /// The pointer as a program's number, and back. A number inside no allocation
  /// becomes a null pointer.
  uint64_t addressOf(Pointer pointer) const;
  Pointer pointerTo(uint64_t address) const;

private:
  /// The bytes and flags of an allocation of our own.
  struct Storage {
    std::vector<uint8_t> bytes, written;
  };

  Pointer allocate(std::string name, Storage contents);
  Status check(Pointer pointer, int64_t bytes) const;

  Status write(Pointer pointer, const Element &element);

  std::vector<Mapping> allocations;
  std::shared_ptr<Shadow> shadow = std::make_shared<Shadow>();
  std::deque<Storage> storage;
  uint64_t nextAddress = 1 << 20;
};

} // namespace tilewright::reference
