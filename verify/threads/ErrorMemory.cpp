#include "verify/threads/ErrorMemory.h"

using namespace mlir;

namespace tilewright::verify::threads {

/// Null where all bytes of the page are exact.
const BytePart *ErrorMemory::find(uint64_t address) const {
  auto found = pages.find(address / kPage);
  return found == pages.end() ? nullptr : &(*found->second)[address % kPage];
}

void ErrorMemory::set(uint64_t address, const BytePart &part) {
  std::unique_ptr<Page> &page = pages[address / kPage];
  if (!page)
    page = std::make_unique<Page>();
  (*page)[address % kPage] = part;
}

ByteParts ErrorMemory::parts(uint64_t address, uint64_t bytes) const {
  ByteParts parts(bytes);
  if (!pages.empty())
    for (uint64_t n = 0; n < bytes; ++n)
      if (const BytePart *part = find(address + n))
        parts[n] = *part;
  return parts;
}

Mark ErrorMemory::read(uint64_t address, unsigned bytes) const {
  if (!find(address) && !find(address + bytes - 1))
    return {};
  const ByteParts all = parts(address, bytes);
  const bool isExact =
      llvm::all_of(all, [](const BytePart &part) { return part.bytes == 0; });
  return isExact ? Mark() : markOf(all);
}

void ErrorMemory::setParts(uint64_t address, uint64_t bytes,
                           ArrayRef<BytePart> parts) {
  clear(address, bytes);
  for (auto [n, part] : llvm::enumerate(parts))
    if (part.bytes)
      set(address + n, part);
}

void ErrorMemory::erase(uint64_t address, uint64_t bytes) {
  if (pages.empty() || bytes == 0)
    return;
  const BytePart torn = {1, 0, std::numeric_limits<double>::infinity()};
  const BytePart *first = find(address);
  for (unsigned n = first ? first->index : 0; n > 0; --n)
    set(address - n, torn);
  const BytePart *last = find(address + bytes - 1);
  for (unsigned n = 1; last && n + last->index < last->bytes; ++n)
    set(address + bytes - 1 + n, torn);
  for (uint64_t at = address; at < address + bytes;) {
    const uint64_t end = std::min(address + bytes, (at / kPage + 1) * kPage);
    if (find(at))
      for (uint64_t byte = at; byte < end; ++byte)
        set(byte, {});
    at = end;
  }
}

void ErrorMemory::write(uint64_t address, unsigned bytes, const Mark &mark) {
  clear(address, bytes);
  if (mark.isExact() || mark.isPoison())
    return;
  ByteParts parts;
  appendParts(mark, bytes, parts);
  for (auto [n, part] : llvm::enumerate(parts))
    if (part.bytes)
      set(address + n, part);
}

void ErrorMemory::clear(uint64_t address, uint64_t bytes) {
  erase(address, bytes);
  if (sums.empty())
    return;
  // Sums are of numbers of 8 bytes at most.
  if (bytes <= 8)
    for (uint64_t at = address; at < address + bytes; ++at)
      sums.erase(at);
  else
    std::erase_if(sums, [&](const auto &sum) {
      return sum.first >= address && sum.first < address + bytes;
    });
}

double ErrorMemory::greatest(uint64_t address, uint64_t bytes) const {
  double greatest = 0;
  for (const auto &[number, page] : pages)
    for (uint64_t n = 0; n < kPage; ++n) {
      const uint64_t at = number * kPage + n;
      if (at >= address && at < address + bytes)
        greatest = std::max(greatest, (*page)[n].bound);
    }
  return greatest;
}

std::optional<ErrorMemory::Sum> ErrorMemory::findSum(uint64_t address) const {
  auto found = sums.find(address);
  return found == sums.end() ? std::nullopt : std::optional(found->second);
}

void ErrorMemory::copy(uint64_t target, uint64_t source, uint64_t bytes) {
  clear(target, bytes);
  if (pages.empty())
    return;
  for (uint64_t n = 0; n < bytes;) {
    const uint64_t end = std::min(bytes, n + kPage - (source + n) % kPage);
    if (find(source + n))
      for (; n < end; ++n)
        if (const BytePart part = *find(source + n); part.bytes)
          set(target + n, part);
    n = end;
  }
}

} // namespace tilewright::verify::threads
