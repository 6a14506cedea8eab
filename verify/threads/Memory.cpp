#include "verify/threads/Memory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright::verify::threads {

Touched &Allocation::touched(uint64_t offset) {
  const uint64_t number = offset / kPage;
  if (number != lastNumber) {
    std::unique_ptr<Touched[]> &page = pages[number];
    if (!page)
      page = std::make_unique<Touched[]>(kPage);
    lastNumber = number;
    lastPage = page.get();
  }
  return lastPage[offset % kPage];
}

//===--- Allocations ------------------------------------------------------===//

Allocation &AddressSpace::insert(Allocation allocation) {
  auto place = llvm::upper_bound(
      allocations, allocation.begin,
      [](uint64_t begin, const auto &each) { return begin < each->begin; });
  last = nullptr;
  return **allocations.insert(
      place, std::make_unique<Allocation>(std::move(allocation)));
}

void AddressSpace::map(const reference::Memory::Mapping &mapping) {
  Allocation allocation;
  allocation.name = mapping.name;
  allocation.begin = mapping.address;
  allocation.bytes = mapping.bytes;
  allocation.written = mapping.written;
  allocation.isReadOnly = mapping.readOnly;
  allocation.holdsPoison = mapping.holdsPoison;
  (void)insert(std::move(allocation));
}

Allocation &AddressSpace::allocate(std::string name, uint64_t address,
                                   uint64_t bytes, Allocation::Kind kind) {
  Allocation allocation;
  allocation.name = std::move(name);
  allocation.begin = address;
  allocation.kind = kind;
  allocation.bytes = storage.emplace_back(bytes);
  allocation.written = storage.emplace_back(bytes);
  return insert(std::move(allocation));
}

void AddressSpace::reuse(StringRef name, uint64_t address, uint64_t bytes) {
  Allocation *known = containing(address);
  if (!known || known->begin != address) {
    allocate(name.str(), address, bytes, Allocation::Kind::local);
    return;
  }
  if (known->size() != bytes) {
    known->bytes = storage.emplace_back(bytes);
    known->written = storage.emplace_back(bytes);
  }
  llvm::fill(known->written, 0);
}

uint64_t AddressSpace::freeAddress(uint64_t bytes) {
  constexpr uint64_t gap = 4096;
  const uint64_t address = nextFree;
  nextFree = llvm::alignTo(nextFree + bytes + gap, gap);
  return address;
}

Allocation *AddressSpace::containing(uint64_t address) {
  if (last && address >= last->begin && address <= last->end())
    return last;
  auto after = llvm::upper_bound(
      allocations, address,
      [](uint64_t wanted, const auto &each) { return wanted < each->begin; });
  if (after == allocations.begin())
    return nullptr;
  Allocation *found = std::prev(after)->get();
  if (address > found->end())
    return nullptr;
  return last = found;
}

Allocation *AddressSpace::find(uint64_t address, uint64_t bytes,
                               std::string &error) {
  Allocation *found = containing(address);
  if (found && address + bytes <= found->end())
    return found;
  if (address == 0) {
    error = "access through a null pointer";
    return nullptr;
  }
  if (found) {
    error = "access to bytes " + std::to_string(address - found->begin) +
            " to " + std::to_string(address - found->begin + bytes - 1) +
            " of '" + found->name + "', which has " +
            std::to_string(found->size()) + " bytes";
    return nullptr;
  }
  error = "access to address " + std::to_string(address) +
          ", where nothing is allocated";
  // Say which memory is nearest: that is what was meant.
  const Allocation *nearest = nullptr;
  uint64_t distance = uint64_t(1) << 20;
  for (const auto &each : allocations) {
    const uint64_t away =
        address < each->begin ? each->begin - address : address - each->end();
    if (away < distance)
      nearest = each.get(), distance = away;
  }
  if (nearest)
    error += "; it is byte " +
             std::to_string(int64_t(address - nearest->begin)) + " of '" +
             nearest->name + "', which has " + std::to_string(nearest->size()) +
             " bytes";
  return nullptr;
}

//===--- The order of accesses --------------------------------------------===//

static std::string unordered(const char *what, unsigned thread,
                             const char *other, unsigned otherThread,
                             const Allocation &allocation, uint64_t byte) {
  return std::string(what) + " of byte " + std::to_string(byte) + " of '" +
         allocation.name + "' by thread " + std::to_string(thread) + ", and " +
         other + " by thread " + std::to_string(otherThread) +
         " with no barrier between";
}

static std::string underWay(const Allocation &allocation, uint64_t byte) {
  return "access to byte " + std::to_string(byte) + " of '" + allocation.name +
         "', which an asynchronous copy is writing";
}

std::string AddressSpace::checkRead(Allocation &allocation, uint64_t offset,
                                    uint64_t bytes, const Accessor &accessor,
                                    Operation *&other) {
  if (!hasThreads || allocation.kind == Allocation::Kind::local ||
      allocation.isReadOnly)
    return {};
  for (uint64_t byte = offset; byte < offset + bytes; ++byte) {
    Touched &touched = allocation.touched(byte);
    if (touched.copy)
      return other = touched.copy, underWay(allocation, byte);
    if (touched.writeInterval == interval &&
        (touched.writer != accessor.thread || touched.hasWriters) &&
        !(touched.writeIsAtomic && accessor.isAtomic)) {
      other = touched.writeOp;
      return unordered("a read", accessor.thread, "a write", touched.writer,
                       allocation, byte);
    }
    const bool isFirst = touched.readInterval != interval;
    touched.hasReaders =
        !isFirst && (touched.hasReaders || touched.reader != accessor.thread);
    touched.readInterval = interval;
    touched.reader = accessor.thread;
    touched.readOp = accessor.op;
  }
  return {};
}

std::string AddressSpace::checkWrite(Allocation &allocation, uint64_t offset,
                                     uint64_t bytes, const Accessor &accessor,
                                     const uint8_t *data, Operation *&other) {
  if (!hasThreads || allocation.kind == Allocation::Kind::local)
    return {};
  for (uint64_t byte = offset; byte < offset + bytes; ++byte) {
    Touched &touched = allocation.touched(byte);
    if (touched.copy)
      return other = touched.copy, underWay(allocation, byte);
    const bool isWritten = touched.writeInterval == interval;
    if (isWritten && touched.writer != accessor.thread &&
        !(touched.writeIsAtomic && accessor.isAtomic)) {
      // The lanes of a warp may store the same value.
      const bool isSame = data && touched.writer / 32 == accessor.thread / 32 &&
                          touched.writeOp == accessor.op &&
                          allocation.bytes[byte] == data[byte - offset];
      if (!isSame) {
        other = touched.writeOp;
        return unordered("a write", accessor.thread, "a write", touched.writer,
                         allocation, byte);
      }
    }
    if (touched.readInterval == interval && !accessor.isAtomic &&
        (touched.reader != accessor.thread || touched.hasReaders)) {
      other = touched.readOp;
      return unordered("a write", accessor.thread, "a read", touched.reader,
                       allocation, byte);
    }
    touched.hasWriters =
        isWritten && (touched.hasWriters || touched.writer != accessor.thread);
    touched.writeInterval = interval;
    touched.writer = accessor.thread;
    touched.writeOp = accessor.op;
    touched.writeIsAtomic = accessor.isAtomic;
  }
  return {};
}

} // namespace tilewright::verify::threads
