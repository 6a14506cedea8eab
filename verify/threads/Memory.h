//===- Memory.h - The memory of a launch, byte by byte ----------*- C++ -*-===//
//
// Allocations with bounds, bytes that know whether they were written, and the
// accesses of the threads of a block between two barriers.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_VERIFY_THREADS_MEMORY_H
#define TILEWRIGHT_VERIFY_THREADS_MEMORY_H

#include "mlir/IR/Operation.h"
#include "tileir/reference/Memory.h"
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace tilewright::verify::threads {

/// Who accesses memory, and how.
struct Accessor {
  mlir::Operation *op = nullptr;
  unsigned thread = 0;
  bool isAtomic = false;
};

/// The accesses of one byte in an interval between two barriers.
struct Touched {
  /// Of the last write, and of the last read; 0: none.
  uint64_t writeInterval = 0, readInterval = 0;
  mlir::Operation *writeOp = nullptr, *readOp = nullptr;
  unsigned writer = 0, reader = 0;
  bool writeIsAtomic = false;
  /// Written atomically, or read, by several threads.
  bool hasWriters = false, hasReaders = false;
  /// A copy that is under way writes it.
  mlir::Operation *copy = nullptr;
};

struct Allocation {
  enum class Kind : uint8_t {
    /// Of the caller: what is stored there counts.
    global,
    /// Of a block.
    shared,
    /// Of a thread.
    local
  };
  std::string name;
  uint64_t begin = 0;
  llvm::MutableArrayRef<uint8_t> bytes, written;
  Kind kind = Kind::global;
  bool isReadOnly = false;
  /// Of memory of the caller: poison may be stored there.
  bool holdsPoison = false;

  [[nodiscard]] uint64_t size() const { return bytes.size(); }
  [[nodiscard]] uint64_t end() const { return begin + bytes.size(); }

  /// By byte, in pages that are made when a byte of them is touched.
  Touched &touched(uint64_t offset);

private:
  static constexpr uint64_t kPage = 1024;
  std::unordered_map<uint64_t, std::unique_ptr<Touched[]>> pages;
  /// The page of the last byte that was asked for.
  uint64_t lastNumber = ~uint64_t(0);
  Touched *lastPage = nullptr;
};

/// All memory that a launch can access.
class AddressSpace {
public:
  /// Adds memory of the caller.
  void map(const reference::Memory::Mapping &mapping);
  /// Adds memory of our own, of which nothing was written.
  Allocation &allocate(std::string name, uint64_t address, uint64_t bytes,
                       Allocation::Kind kind);
  /// Memory of a thread at an address that it may have had memory at before.
  void reuse(llvm::StringRef name, uint64_t address, uint64_t bytes);
  /// The next free address of memory of our own, a multiple of 4096.
  uint64_t freeAddress(uint64_t bytes);

  /// The allocation of [address, address + bytes); otherwise null, and why.
  Allocation *find(uint64_t address, uint64_t bytes, std::string &error);
  /// The allocation that the address is in, or ends; null if none.
  Allocation *containing(uint64_t address);

  /// Whether accesses of threads are compared.
  bool hasThreads = false;
  /// Counts barriers.
  uint64_t interval = 1;

  /// What is wrong with an access of these bytes; empty if nothing is. Records
  /// it.
  std::string checkRead(Allocation &allocation, uint64_t offset, uint64_t bytes,
                        const Accessor &accessor, mlir::Operation *&other);
  /// `data` is what it writes: null if it is not known.
  std::string checkWrite(Allocation &allocation, uint64_t offset,
                         uint64_t bytes, const Accessor &accessor,
                         const uint8_t *data, mlir::Operation *&other);

private:
  Allocation &insert(Allocation allocation);

  // Sorted by address.
  std::vector<std::unique_ptr<Allocation>> allocations;
  Allocation *last = nullptr;
  std::deque<std::vector<uint8_t>> storage;
  uint64_t nextFree = uint64_t(1) << 36;
};

} // namespace tilewright::verify::threads

#endif // TILEWRIGHT_VERIFY_THREADS_MEMORY_H
