#include "runtime/emulator/machine/Locate.h"
#include "runtime/emulator/program/AddressMap.h"
#include "runtime/emulator/program/Form.h"
#include "support/Format.h"
#include <cassert>

namespace tilewright::emulator {

namespace {

/// One look for one lane.
class Search {
public:
  Search(Warp &warp, const Instruction &instruction,
         const MemoryAccess &memoryAccess, unsigned lane)
      : warp(warp), instruction(instruction), memoryAccess(memoryAccess),
        lane(lane) {}

  std::byte *find() {
    if (memoryAccess.address % memoryAccess.alignment)
      return reject(FaultCode::misaligned, format("expected a multiple of {}",
                                                  {memoryAccess.alignment}));
    switch (memoryAccess.space) {
    case AddressSpace::shared:
    case AddressSpace::sharedCluster:
      return inShared(memoryAccess.address);
    case AddressSpace::local:
      return inLocal(memoryAccess.address);
    case AddressSpace::param:
      return inParameters(memoryAccess.address);
    case AddressSpace::global:
    case AddressSpace::constant:
      return inGlobal();
    case AddressSpace::generic:
      break;
    }
    switch (memoryAccess.address / windowBytes) {
    case sharedWindow / windowBytes:
      return inShared(memoryAccess.address - sharedWindow);
    case localWindow / windowBytes:
      return inLocal(memoryAccess.address - localWindow);
    case paramWindow / windowBytes:
      return inParameters(memoryAccess.address - paramWindow);
    default:
      return inGlobal();
    }
  }

private:
  std::byte *reject(FaultCode code, const std::string &why) {
    std::string what(instruction.form->opcode);
    fail(warp, instruction, code,
         format("{} of {} bytes at {:#x}: {}",
                {what, memoryAccess.bytes, memoryAccess.address, why}),
         lane, memoryAccess.address);
    return nullptr;
  }

  [[nodiscard]] bool fits(uint64_t offset, uint64_t size) const {
    return offset <= size && memoryAccess.bytes <= size - offset;
  }

  std::byte *inShared(uint64_t address) {
    Block *block = blockOf(warp, address);
    if (!block)
      return reject(FaultCode::outOfBounds,
                    "expected a shared address of this cluster's blocks");
    uint64_t offset = address & sharedOffsetMask;
    if (!fits(offset, block->sharedBytes))
      return reject(
          FaultCode::outOfBounds,
          format("expected it inside the block's {} bytes of shared memory",
                 {block->sharedBytes}));
    if (block->pendingWords.touches(offset, memoryAccess.bytes)) {
      failForRace(warp, instruction, *block, offset, memoryAccess.bytes, lane,
                  memoryAccess.address);
      return nullptr;
    }
    return checked(block->shared + offset, block->sharedWritten.get(), offset);
  }

  std::byte *inLocal(uint64_t address) {
    if (!fits(address, warp.localStride))
      return reject(
          FaultCode::outOfBounds,
          format("expected it inside the thread's {} bytes of local memory",
                 {warp.localStride}));
    return warp.local.get() + uint64_t{lane} * warp.localStride + address;
  }

  std::byte *inParameters(uint64_t address) {
    std::vector<std::byte> &bytes = warp.block->launch->parameters;
    if (memoryAccess.access != Access::load)
      return reject(FaultCode::outOfBounds,
                    "expected no writing to a kernel's parameters");
    if (!fits(address, bytes.size()))
      return reject(
          FaultCode::outOfBounds,
          format("expected it inside the kernel's {} bytes of parameters",
                 {bytes.size()}));
    return bytes.data() + address;
  }

  std::byte *inGlobal() {
    const GlobalMemory::Snapshot &memory = *warp.block->launch->memory;
    Allocation *allocation = memory.find(memoryAccess.address);
    if (!allocation ||
        !allocation->contains(memoryAccess.address, memoryAccess.bytes))
      return reject(FaultCode::outOfBounds, nearest(memory));
    if (memoryAccess.access != Access::load && allocation->readOnly)
      return reject(FaultCode::outOfBounds,
                    "expected memory that may be written; this is constant");
    warp.lastAllocation = allocation;
    uint64_t offset = memoryAccess.address - allocation->address;
    return checked(allocation->host + offset, allocation->written, offset);
  }

  std::string nearest(const GlobalMemory::Snapshot &memory) {
    Allocation *near = memory.nearest(memoryAccess.address);
    std::string expected = "expected it inside an allocation of global memory";
    if (!near)
      return expected;
    uint64_t offset = memoryAccess.address - near->address;
    if (offset < near->bytes)
      return format("{}; it reaches beyond the end of the {} bytes at {:#x}",
                    {expected, near->bytes, near->address});
    return format("{}; it is {} bytes beyond the end of the {} bytes at {:#x}",
                  {expected, offset - near->bytes, near->bytes, near->address});
  }

  /// Looks at, or sets, which bytes were written.
  std::byte *checked(std::byte *host, uint8_t *written, uint64_t offset) {
    if (!written)
      return host;
    bool reads = memoryAccess.access != Access::store;
    if (reads && warp.block->launch->options.checkInitialized)
      for (uint64_t i = offset; i < offset + memoryAccess.bytes; ++i)
        if (!(written[i / 8] >> i % 8 & 1))
          return reject(
              FaultCode::uninitialized,
              format("expected that it was written before; byte {} was not",
                     {i - offset}));
    if (memoryAccess.access != Access::load)
      markWritten(written, offset, memoryAccess.bytes);
    return host;
  }

  Warp &warp;
  const Instruction &instruction;
  const MemoryAccess &memoryAccess;
  unsigned lane;
};
} // namespace

bool isPlainShared(const Block &block, uint64_t offset, uint64_t end) {
  return !block.sharedWritten &&
         !block.pendingWords.touches(offset, end - offset);
}

void failForRace(Warp &warp, const Instruction &instruction, const Block &block,
                 uint64_t offset, uint32_t bytes, unsigned lane,
                 uint64_t address) {
  const PendingCopy *copy = nullptr;
  uint32_t copier = 0;
  auto look = [&](uint32_t index, const CopyGroups &copies) {
    if (copy)
      return;
    copy = copies.find(offset, bytes);
    copier = index;
  };
  for (const std::unique_ptr<Warp> &other : block.warps)
    if (other)
      look(other->index, other->copies);
  for (const auto &[index, copies] : block.endedCopies)
    look(index, copies);
  assert(copy);
  const std::string access(instruction.form->opcode);
  fail(warp, instruction, FaultCode::race,
       format("{} of {} bytes at {:#x}: expected that warp {}, lane {} had "
              "waited for its cp.async at {}, which writes {} bytes of shared "
              "memory at {:#x}",
              {access, bytes, address, copier, copy->lane,
               printLocation(*warp.block->launch, *copy->instruction),
               copy->bytes, copy->offset}),
       lane, address);
}

Block *blockOf(Warp &warp, uint64_t sharedAddress) {
  uint64_t rank = sharedAddress >> sharedRankShift;
  if (!rank)
    return warp.block;
  auto &blocks = warp.block->cluster->blocks;
  return rank <= blocks.size() ? blocks[rank - 1].get() : nullptr;
}

SharedLocation locateShared(Warp &warp, const Instruction &instruction,
                            const MemoryAccess &memoryAccess, unsigned lane) {
  MemoryAccess inShared = memoryAccess;
  if (memoryAccess.space == AddressSpace::generic) {
    if (memoryAccess.address / windowBytes != sharedWindow / windowBytes) {
      fail(warp, instruction, FaultCode::outOfBounds,
           format("expected an address in shared memory, found {:#x}",
                  {memoryAccess.address}),
           lane, memoryAccess.address);
      return {};
    }
    inShared.space = AddressSpace::sharedCluster;
    inShared.address -= sharedWindow;
  }
  std::byte *host = locate(warp, instruction, inShared, lane);
  return {host, blockOf(warp, inShared.address),
          uint32_t(inShared.address & sharedOffsetMask)};
}

std::byte *locate(Warp &warp, const Instruction &instruction,
                  const MemoryAccess &memoryAccess, unsigned lane) {
  return Search(warp, instruction, memoryAccess, lane).find();
}

} // namespace tilewright::emulator
