#include "tileir/reference/Memory.h"

#include "mlir/Support/DebugStringHelper.h"
#include "tileir/reference/Rounding.h"
#include "tilewright/mlir/Tile.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using llvm::APInt;

namespace tilewright::reference {

/// Unmapped bytes between allocations, so that a stray number hits none.
static constexpr int64_t kGap = 4096;

Pointer Memory::allocate(std::string name, int64_t bytes) {
  return allocate(std::move(name), Storage{std::vector<uint8_t>(bytes),
                                           std::vector<uint8_t>(bytes)});
}

Pointer Memory::allocate(std::string name, ArrayRef<uint8_t> contents) {
  return allocate(
      std::move(name),
      Storage{contents.vec(), std::vector<uint8_t>(contents.size(), 1)});
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
  return allocations[pointer.allocation].written[byte] != 0;
}

Status Memory::check(Pointer pointer, int64_t bytes) const {
  if (pointer.allocation < 0 && pointer.byteOffset == 0)
    return Status::invalidInput("access through a null pointer");
  const std::string byte = std::to_string(pointer.byteOffset);
  if (pointer.allocation < 0)
    return Status::invalidInput(
        "access to address " +
        std::to_string(static_cast<uint64_t>(pointer.byteOffset)) +
        ", where nothing is allocated");
  const Mapping &allocation = allocations[pointer.allocation];
  const auto size = static_cast<int64_t>(allocation.bytes.size());
  if (pointer.byteOffset < 0 || pointer.byteOffset > size - bytes)
    return Status::invalidInput("access to byte " + byte + " of '" +
                                allocation.name + "', which has " +
                                std::to_string(size) + " bytes");
  if (pointer.byteOffset % bytes != 0)
    return Status::invalidInput("access to byte " + byte + " of '" +
                                allocation.name + "' is not aligned to its " +
                                std::to_string(bytes) + " bytes");
  return Status();
}

bool Memory::isPoison(Pointer pointer, Type type) const {
  const int64_t bytes = tile::getStorageBits(type) / 8;
  if (pointer.allocation < 0 || !allocations[pointer.allocation].holdsPoison ||
      !check(pointer, bytes).ok())
    return false;
  return llvm::is_contained(
      allocations[pointer.allocation].written.slice(pointer.byteOffset, bytes),
      0);
}

Status Memory::storePoison(Pointer pointer, Type type) {
  const int64_t bytes = tile::getStorageBits(type) / 8;
  TILEWRIGHT_RETURN_IF_ERROR(check(pointer, bytes));
  Mapping &allocation = allocations[pointer.allocation];
  if (!allocation.holdsPoison)
    return Status::invalidInput("stores a poison value");
  llvm::fill(allocation.written.slice(pointer.byteOffset, bytes), 0);
  return Status();
}

StatusOr<Element> Memory::load(Pointer pointer, Type type) const {
  const int64_t bits = tile::getStorageBits(type), bytes = bits / 8;
  TILEWRIGHT_RETURN_IF_ERROR(check(pointer, bytes));
  const Mapping &allocation = allocations[pointer.allocation];
  APInt value(bits, 0);
  for (int64_t i = 0; i < bytes; ++i) {
    const int64_t byte = pointer.byteOffset + i;
    if (!allocation.written[byte])
      return Status::invalidInput("read of byte " + std::to_string(byte) +
                                  " of '" + allocation.name +
                                  "', which was never written");
    value.insertBits(allocation.bytes[byte], 8 * i, 8);
  }
  // Any value of an i1 but 0 is true.
  Element element =
      type.isInteger(1)
          ? Element::ofInt(type, value.isZero() ? 0 : 1)
          : Element::fromBits(type, value.trunc(type.getIntOrFloatBitWidth()));
  if (shadow->isEmpty())
    return element;
  return shadow->load(addressOf(pointer), bytes, std::move(element));
}

Status Memory::store(Pointer pointer, const Element &element) {
  TILEWRIGHT_RETURN_IF_ERROR(write(pointer, element));
  if (element.hasSpread() || !shadow->isEmpty())
    shadow->store(addressOf(pointer),
                  tile::getStorageBits(element.getType()) / 8, element);
  return Status();
}

StatusOr<Element> Memory::load(Pointer pointer, Type type, Type wide) const {
  TILEWRIGHT_ASSIGN_OR_RETURN(Element element, load(pointer, type));
  if (type == wide || !wide.isF128())
    return element;
  if (element.hasSpread())
    return Status::invalidInput("reads the bits of an exact number as " +
                                debugString(type));
  std::optional<llvm::APFloat> exact =
      shadow->exact(addressOf(pointer), tile::getStorageBits(type) / 8);
  return Element::ofFloat(
      wide, exact ? *std::move(exact)
                  : roundFloat(element.real(), llvm::APFloat::IEEEquad()));
}

Status Memory::store(Pointer pointer, Type type, const Element &element) {
  if (type == element.getType() || !element.getType().isF128())
    return store(pointer, element);
  TILEWRIGHT_RETURN_IF_ERROR(
      write(pointer,
            Element::ofFloat(
                type, roundFloat(element.real(),
                                 cast<FloatType>(type).getFloatSemantics()))));
  shadow->storeExact(addressOf(pointer), tile::getStorageBits(type) / 8, type,
                     element.real());
  return Status();
}

Status Memory::add(Pointer pointer, const Element &old, const Element &term,
                   const Element &sum, const FreedomOptions &options) {
  TILEWRIGHT_RETURN_IF_ERROR(write(pointer, sum));
  shadow->add(addressOf(pointer), tile::getStorageBits(sum.getType()) / 8, old,
              term, sum, options);
  return Status();
}

Status Memory::write(Pointer pointer, const Element &element) {
  const Type type = element.getType();
  const int64_t bits = tile::getStorageBits(type), bytes = bits / 8;
  TILEWRIGHT_RETURN_IF_ERROR(check(pointer, bytes));
  Mapping &allocation = allocations[pointer.allocation];
  if (allocation.readOnly)
    return Status::invalidInput("write to '" + allocation.name +
                                "', which is constant");
  const APInt value = type.isInteger(4) ? element.toBits().sext(bits)
                                        : element.toBits().zextOrTrunc(bits);
  for (int64_t i = 0; i < bytes; ++i) {
    allocation.bytes[pointer.byteOffset + i] =
        value.extractBitsAsZExtValue(8, 8 * i);
    allocation.written[pointer.byteOffset + i] = 1;
  }
  return Status();
}

uint64_t Memory::addressOf(Pointer pointer) const {
  if (pointer.allocation < 0)
    return pointer.byteOffset;
  return allocations[pointer.allocation].address + pointer.byteOffset;
}

Pointer Memory::pointerTo(uint64_t address) const {
  for (auto [number, allocation] : llvm::enumerate(allocations))
    if (address >= allocation.address &&
        address <= allocation.address + allocation.bytes.size())
      return {static_cast<int64_t>(number),
              static_cast<int64_t>(address - allocation.address)};
  return {-1, static_cast<int64_t>(address)};
}

} // namespace tilewright::reference
