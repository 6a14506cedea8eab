//===- DeviceMemory.cpp - What the interpreter device allocates -----------===//
#include "verify/device/DeviceMemory.h"

#include "runtime/core/HostStream.h"
#include <algorithm>
#include <cstring>
#include <iterator>

namespace tilewright::verify {

/// Both halves of a byte hold a value.
static constexpr uint8_t kWritten = 3;

StatusOr<std::shared_ptr<Block>> Block::allocate(size_t bytes) {
  // Behind it, so that a stray address hits no other block.
  constexpr size_t gap = 4096;
  auto block = std::make_shared<Block>();
  TILEWRIGHT_ASSIGN_OR_RETURN(block->memory,
                              runtime::HostBuffer::allocate(bytes + gap));
  block->count = bytes;
  block->flags.reset(
      static_cast<uint8_t *>(std::calloc(bytes == 0 ? 1 : bytes, 1)));
  if (!block->flags)
    return Status::resourceExhausted("no memory for the flags of a buffer of " +
                                     std::to_string(bytes) + " bytes");
  return block;
}

std::span<uint8_t> Block::bytes() const {
  return {reinterpret_cast<uint8_t *>(memory->hostPointer()), size()};
}

void Block::write(size_t offset, const void *source, size_t bytes) {
  if (bytes == 0)
    return;
  std::memcpy(this->bytes().data() + offset, source, bytes);
  std::memset(flags.get() + offset, kWritten, bytes);
}

void Block::read(void *target, size_t offset, size_t bytes) const {
  if (bytes != 0)
    std::memcpy(target, this->bytes().data() + offset, bytes);
}

void Block::copy(size_t offset, const Block &source, size_t sourceOffset,
                 size_t bytes) {
  // Source and target may overlap.
  std::memmove(this->bytes().data() + offset,
               source.bytes().data() + sourceOffset, bytes);
  std::memmove(flags.get() + offset, source.flags.get() + sourceOffset, bytes);
}

const runtime::MemorySpace *BlockBuffer::space() const {
  return &memory->space;
}

StatusOr<std::shared_ptr<Block>> DeviceMemory::allocate(size_t bytes) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::shared_ptr<Block> block,
                              Block::allocate(bytes));
  std::lock_guard lock(mutex);
  std::erase_if(blocks, [](const auto &each) { return each.expired(); });
  blocks.push_back(block);
  return block;
}

StatusOr<std::shared_ptr<Block>>
DeviceMemory::constant(std::span<const std::byte> contents) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::shared_ptr<Block> block,
                              allocate(contents.size()));
  block->write(0, contents.data(), contents.size());
  block->readOnly = true;
  return block;
}

/// Takes [first, last) out of ranges.
static void forget(std::map<uint64_t, uint64_t> &ranges, uint64_t first,
                   uint64_t last) {
  auto next = ranges.lower_bound(first);
  if (next != ranges.begin()) {
    const auto before = std::prev(next);
    const uint64_t end = before->second;
    before->second = std::min(end, first);
    if (end > last)
      ranges[last] = end;
  }
  while (next != ranges.end() && next->first < last) {
    if (next->second > last)
      ranges[last] = next->second;
    next = ranges.erase(next);
  }
}

void DeviceMemory::noteHostRead(const void *target, const Block &block,
                                size_t offset, size_t bytes) {
  const auto first = uint64_t(target);
  forget(unwrittenOnHost, first, first + bytes);
  const std::span<uint8_t> written = block.written().subspan(offset, bytes);
  for (size_t i = 0; i < bytes;) {
    const size_t start = i;
    while (i < bytes && !written[i])
      ++i;
    if (i > start)
      unwrittenOnHost[first + start] = first + i;
    while (i < bytes && written[i])
      ++i;
  }
}

void DeviceMemory::noteOwnErrors(
    const std::string &kernel,
    std::span<const std::shared_ptr<Block>> written) {
  double greatest = 0;
  for (const std::shared_ptr<Block> &block : written)
    greatest =
        std::max(greatest, errors.greatest(block->address(), block->size()));
  ownErrors.emplace_back(kernel, greatest);
}

bool DeviceMemory::isWrittenOnHost(const void *host, size_t bytes) const {
  const auto address = uint64_t(host);
  const auto next = unwrittenOnHost.lower_bound(address);
  if (next != unwrittenOnHost.end() && next->first < address + bytes)
    return false;
  return next == unwrittenOnHost.begin() || std::prev(next)->second <= address;
}

std::vector<std::shared_ptr<Block>> DeviceMemory::snapshot() {
  std::lock_guard lock(mutex);
  std::vector<std::shared_ptr<Block>> alive;
  for (const std::weak_ptr<Block> &each : blocks)
    if (std::shared_ptr<Block> block = each.lock())
      alive.push_back(std::move(block));
  return alive;
}

} // namespace tilewright::verify
