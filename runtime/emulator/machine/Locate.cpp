#include "runtime/emulator/machine/Locate.h"
#include "runtime/emulator/program/AddressMap.h"
#include "runtime/emulator/program/Form.h"
#include "support/Format.h"

namespace tilewright::emulator {

namespace {

/// One look for one lane.
class Search {
public:
  Search(Warp &warp, const Instruction &instruction, const Touch &touch,
         unsigned lane)
      : warp(warp), instruction(instruction), touch(touch), lane(lane) {}

  std::byte *find() {
    if (touch.address % touch.alignment)
      return refuse(FaultCode::misaligned,
                    format("expected a multiple of {}", {touch.alignment}));
    switch (touch.space) {
    case AddressSpace::shared:
    case AddressSpace::sharedCluster:
      return inShared(touch.address);
    case AddressSpace::local:
      return inLocal(touch.address);
    case AddressSpace::param:
      return inParameters(touch.address);
    case AddressSpace::global:
    case AddressSpace::constant:
      return inGlobal();
    case AddressSpace::generic:
      break;
    }
    switch (touch.address / windowBytes) {
    case sharedWindow / windowBytes:
      return inShared(touch.address - sharedWindow);
    case localWindow / windowBytes:
      return inLocal(touch.address - localWindow);
    case paramWindow / windowBytes:
      return inParameters(touch.address - paramWindow);
    default:
      return inGlobal();
    }
  }

private:
  std::byte *refuse(FaultCode code, const std::string &why) {
    std::string what(instruction.form->opcode);
    fail(warp, instruction, code,
         format("{} of {} bytes at {:#x}: {}",
                {what, touch.bytes, touch.address, why}),
         lane, touch.address);
    return nullptr;
  }

  [[nodiscard]] bool fits(uint64_t offset, uint64_t size) const {
    return offset <= size && touch.bytes <= size - offset;
  }

  std::byte *inShared(uint64_t address) {
    Block *block = blockOf(warp, address);
    if (!block)
      return refuse(FaultCode::outOfBounds,
                    "expected a shared address of this cluster's blocks");
    uint64_t offset = address & sharedOffsetMask;
    if (!fits(offset, block->sharedBytes))
      return refuse(
          FaultCode::outOfBounds,
          format("expected it inside the block's {} bytes of shared memory",
                 {block->sharedBytes}));
    return checked(block->shared + offset, block->sharedWritten.get(), offset);
  }

  std::byte *inLocal(uint64_t address) {
    if (!fits(address, warp.localStride))
      return refuse(
          FaultCode::outOfBounds,
          format("expected it inside the thread's {} bytes of local memory",
                 {warp.localStride}));
    return warp.local.data() + uint64_t{lane} * warp.localStride + address;
  }

  std::byte *inParameters(uint64_t address) {
    std::vector<std::byte> &bytes = warp.block->launch->parameters;
    if (touch.access != Access::load)
      return refuse(FaultCode::outOfBounds,
                    "expected no writing to a kernel's parameters");
    if (!fits(address, bytes.size()))
      return refuse(
          FaultCode::outOfBounds,
          format("expected it inside the kernel's {} bytes of parameters",
                 {bytes.size()}));
    return bytes.data() + address;
  }

  std::byte *inGlobal() {
    const GlobalMemory::Snapshot &memory = *warp.block->launch->memory;
    Allocation *allocation = memory.find(touch.address);
    if (!allocation || !allocation->contains(touch.address, touch.bytes))
      return refuse(FaultCode::outOfBounds, nearest(memory));
    if (touch.access != Access::load && allocation->readOnly)
      return refuse(FaultCode::outOfBounds,
                    "expected memory that may be written; this is constant");
    warp.lastAllocation = allocation;
    uint64_t offset = touch.address - allocation->address;
    return checked(allocation->host + offset, allocation->written, offset);
  }

  std::string nearest(const GlobalMemory::Snapshot &memory) {
    Allocation *near = memory.nearest(touch.address);
    std::string expected = "expected it inside an allocation of global memory";
    if (!near)
      return expected;
    uint64_t offset = touch.address - near->address;
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
    bool reads = touch.access != Access::store;
    if (reads && warp.block->launch->options.checkInitialized)
      for (uint64_t i = offset; i < offset + touch.bytes; ++i)
        if (!(written[i / 8] >> i % 8 & 1))
          return refuse(
              FaultCode::uninitialized,
              format("expected that it was written before; byte {} was not",
                     {i - offset}));
    if (touch.access != Access::load)
      markWritten(written, offset, touch.bytes);
    return host;
  }

  Warp &warp;
  const Instruction &instruction;
  const Touch &touch;
  unsigned lane;
};
} // namespace

Block *blockOf(Warp &warp, uint64_t sharedAddress) {
  uint64_t rank = sharedAddress >> sharedRankShift;
  if (!rank)
    return warp.block;
  auto &blocks = warp.block->cluster->blocks;
  return rank <= blocks.size() ? blocks[rank - 1].get() : nullptr;
}

SharedPlace locateShared(Warp &warp, const Instruction &instruction,
                         const Touch &touch, unsigned lane) {
  Touch inShared = touch;
  if (touch.space == AddressSpace::generic) {
    if (touch.address / windowBytes != sharedWindow / windowBytes) {
      fail(warp, instruction, FaultCode::outOfBounds,
           format("expected an address in shared memory, found {:#x}",
                  {touch.address}),
           lane, touch.address);
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
                  const Touch &touch, unsigned lane) {
  return Search(warp, instruction, touch, lane).find();
}

} // namespace tilewright::emulator
