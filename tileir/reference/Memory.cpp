#include "tileir/reference/Memory.h"

#include "tilewright/mlir/Tile.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using llvm::APInt;

namespace tilewright::reference {

/// Unmapped bytes between allocations, so that a stray number hits none.
static constexpr int64_t kGap = 4096;

/// Both halves of a byte hold a value.
static constexpr uint8_t kBothHalves = 3;

Pointer Memory::allocate(std::string name, int64_t bytes) {
  return allocate(std::move(name), Storage{std::vector<uint8_t>(bytes),
                                           std::vector<uint8_t>(bytes)});
}

Pointer Memory::allocate(std::string name, ArrayRef<uint8_t> contents) {
  return allocate(std::move(name),
                  Storage{contents.vec(),
                          std::vector<uint8_t>(contents.size(), kBothHalves)});
}

Pointer Memory::allocate(std::string name, Storage contents) {
  uint64_t address = nextAddress;
  nextAddress = llvm::alignTo(nextAddress + contents.bytes.size() + kGap, kGap);
  Storage &kept = storage.emplace_back(std::move(contents));
  return map({std::move(name), address, kept.bytes, kept.written});
}

Pointer Memory::map(Mapping mapping) {
  assert(mapping.bytes.size() == mapping.written.size() && "a flag a byte");
  allocations.push_back(std::move(mapping));
  return {static_cast<int64_t>(allocations.size()) - 1, 0};
}

ArrayRef<uint8_t> Memory::bytes(Pointer pointer) const {
  return allocations[pointer.allocation].bytes;
}

bool Memory::isInitialized(Pointer pointer, int64_t byte) const {
  return allocations[pointer.allocation].written[byte] == kBothHalves;
}

Status Memory::check(Pointer pointer, int64_t bits) const {
  if (pointer.allocation < 0 && pointer.bitOffset == 0)
    return Status::invalidInput("access through a null pointer");
  if (pointer.allocation < 0)
    return Status::invalidInput(
        "access to address " +
        std::to_string(static_cast<uint64_t>(pointer.bitOffset) / 8) +
        ", where nothing is allocated");
  const Mapping &allocation = allocations[pointer.allocation];
  int64_t end = 8 * static_cast<int64_t>(allocation.bytes.size());
  if (pointer.bitOffset < 0 || pointer.bitOffset + bits > end) {
    int64_t byte = llvm::divideFloorSigned(pointer.bitOffset, 8);
    return Status::invalidInput(
        "access to byte " + std::to_string(byte) + " of '" + allocation.name +
        "', which has " + std::to_string(allocation.bytes.size()) + " bytes");
  }
  if (pointer.bitOffset % bits != 0)
    return Status::invalidInput(
        "access to byte " + std::to_string(pointer.bitOffset / 8) + " of '" +
        allocation.name + "' is not aligned to its " +
        std::to_string(bits / 8) + " bytes");
  return Status();
}

StatusOr<Element> Memory::load(Pointer pointer, Type type) const {
  int64_t bits = tile::getStorageBits(type);
  TILEWRIGHT_RETURN_IF_ERROR(check(pointer, bits));
  const Mapping &allocation = allocations[pointer.allocation];
  APInt value(bits, 0);
  for (int64_t bit = 0; bit < bits; bit += 4) {
    int64_t half = (pointer.bitOffset + bit) / 4;
    if (!(allocation.written[half / 2] >> (half % 2) & 1))
      return Status::invalidInput("read of byte " + std::to_string(half / 2) +
                                  " of '" + allocation.name +
                                  "', which was never written");
    uint64_t nibble = (allocation.bytes[half / 2] >> (4 * (half % 2))) & 15;
    value.insertBits(nibble, bit, 4);
  }
  // An i1 takes a byte; any value but 0 is true.
  if (type.isInteger(1))
    return Element::ofInt(type, value.isZero() ? 0 : 1);
  return Element::fromBits(type, value);
}

Status Memory::store(Pointer pointer, const Element &element) {
  int64_t bits = tile::getStorageBits(element.getType());
  TILEWRIGHT_RETURN_IF_ERROR(check(pointer, bits));
  Mapping &allocation = allocations[pointer.allocation];
  if (allocation.readOnly)
    return Status::invalidInput("write to '" + allocation.name +
                                "', which is constant");
  APInt value = element.toBits().zextOrTrunc(bits);
  for (int64_t bit = 0; bit < bits; bit += 4) {
    int64_t half = (pointer.bitOffset + bit) / 4;
    int shift = 4 * (half % 2);
    uint8_t &byte = allocation.bytes[half / 2];
    byte = (byte & ~(15 << shift)) |
           (value.extractBitsAsZExtValue(4, bit) << shift);
    allocation.written[half / 2] |= 1 << (half % 2);
  }
  return Status();
}

uint64_t Memory::addressOf(Pointer pointer) const {
  if (pointer.allocation < 0)
    return pointer.bitOffset / 8;
  return allocations[pointer.allocation].address + pointer.bitOffset / 8;
}

Pointer Memory::pointerTo(uint64_t address) const {
  for (auto [number, allocation] : llvm::enumerate(allocations))
    if (address >= allocation.address &&
        address <= allocation.address + allocation.bytes.size())
      return {static_cast<int64_t>(number),
              static_cast<int64_t>(address - allocation.address) * 8};
  return {-1, static_cast<int64_t>(address) * 8};
}

} // namespace tilewright::reference
