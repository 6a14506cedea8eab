#include "runtime/cpu/ElfRelocations.h"
#include "support/Format.h"
#include <cstring>
#include <elf.h>
#include <limits>
#include <string_view>

namespace tilewright::runtime {

void writeStub(ElfMachine machine, std::span<std::byte> bytes,
               uint64_t target) {
  // jmp *[rip + 2]; the address is at offset 8.
  static constexpr uint8_t x86[8] = {0xff, 0x25, 0x02, 0, 0, 0, 0xcc, 0xcc};
  // ldr x16, #8; br x16.
  static constexpr uint8_t aarch64[8] = {0x50, 0x00, 0x00, 0x58,
                                         0x00, 0x02, 0x1f, 0xd6};
  std::memcpy(bytes.data(), machine == ElfMachine::x86_64 ? x86 : aarch64, 8);
  std::memcpy(bytes.data() + 8, &target, 8);
}

template <typename T> static Status write(const RelocationSite &site, T value) {
  if (site.bytes.size() < sizeof(T))
    return Status::invalidInput("corrupted object: a relocation is not in its "
                                "section");
  std::memcpy(site.bytes.data(), &value, sizeof(T));
  return {};
}

static Status outOfRange(std::string_view type, int64_t value) {
  return Status::unsupported(
      format("relocation {} does not reach: the value {} is out of range; "
             "compile position-independent code (-fPIC)",
             {type, value}));
}

static bool fitsSigned(int64_t value, unsigned bits) {
  return value >= -(int64_t{1} << (bits - 1)) &&
         value < (int64_t{1} << (bits - 1));
}

//===----------------------------------------------------------------------===//
// x86-64: System V psABI, table "Relocation Types"
//===----------------------------------------------------------------------===//

static Status write32Signed(const RelocationSite &site, std::string_view type,
                            uint64_t value) {
  if (!fitsSigned(int64_t(value), 32))
    return outOfRange(type, int64_t(value));
  return write(site, static_cast<uint32_t>(value));
}

Status relocateX86(uint32_t type, const RelocationSite &site) {
  uint64_t value = site.S + uint64_t(site.A);
  switch (type) {
  case R_X86_64_NONE:
    return {};
  case R_X86_64_64:
    return write(site, value);
  case R_X86_64_PC64:
    return write(site, value - site.P);
  case R_X86_64_PC32:
    return write32Signed(site, "R_X86_64_PC32", value - site.P);
  case R_X86_64_PLT32:
    if (!fitsSigned(int64_t(value - site.P), 32))
      value = site.stub + uint64_t(site.A);
    return write32Signed(site, "R_X86_64_PLT32", value - site.P);
  case R_X86_64_GOTPCREL:
  case R_X86_64_GOTPCRELX:
  case R_X86_64_REX_GOTPCRELX:
    return write32Signed(site, "R_X86_64_GOTPCREL",
                         site.got + uint64_t(site.A) - site.P);
  case R_X86_64_32:
    if (value > std::numeric_limits<uint32_t>::max())
      return outOfRange("R_X86_64_32", int64_t(value));
    return write(site, static_cast<uint32_t>(value));
  case R_X86_64_32S:
    return write32Signed(site, "R_X86_64_32S", value);
  default:
    return Status::unsupported(format("relocation type {} of x86-64", {type}));
  }
}

//===----------------------------------------------------------------------===//
// AArch64: ELF for the Arm 64-bit Architecture, "Relocation"
//===----------------------------------------------------------------------===//

/// Replaces the bits of `mask` in the instruction at the location.
static Status patch(const RelocationSite &site, uint32_t mask, uint32_t bits) {
  uint32_t instruction = 0;
  if (site.bytes.size() < sizeof(instruction))
    return write(site, instruction);
  std::memcpy(&instruction, site.bytes.data(), sizeof(instruction));
  return write(site, (instruction & ~mask) | (bits & mask));
}

/// The immediate of adr and adrp: two low bits at 29, the rest at 5.
static Status patchAdr(const RelocationSite &site, std::string_view type,
                       int64_t value) {
  if (!fitsSigned(value, 21))
    return outOfRange(type, value);
  auto bits = static_cast<uint32_t>(value);
  return patch(site, 0x60ffffe0, (bits & 3) << 29 | ((bits >> 2) << 5));
}

/// The 12-bit unsigned offset of a load or store of 2^scale bytes.
static Status patchLow12(const RelocationSite &site, uint64_t address,
                         unsigned scale) {
  uint32_t low = address & 0xfff;
  if (low & ((1u << scale) - 1))
    return Status::invalidInput(
        format("corrupted object: a load or store of {} bytes is misaligned",
               {1u << scale}));
  return patch(site, 0xfffu << 10, (low >> scale) << 10);
}

static Status patchBranch(const RelocationSite &site) {
  auto distance = int64_t(site.S + uint64_t(site.A) - site.P);
  if (!fitsSigned(distance, 28))
    distance = int64_t(site.stub + uint64_t(site.A) - site.P);
  if (!fitsSigned(distance, 28) || distance & 3)
    return outOfRange("R_AARCH64_CALL26", distance);
  return patch(site, 0x03ffffff, static_cast<uint32_t>(distance >> 2));
}

static int64_t pageDistance(uint64_t to, uint64_t from) {
  return int64_t((to & ~uint64_t{0xfff}) - (from & ~uint64_t{0xfff})) >> 12;
}

Status relocateAArch64(uint32_t type, const RelocationSite &site) {
  uint64_t value = site.S + uint64_t(site.A);
  uint64_t relative = value - site.P;
  switch (type) {
  case R_AARCH64_NONE:
    return {};
  case R_AARCH64_ABS64:
    return write(site, value);
  case R_AARCH64_PREL64:
    return write(site, relative);
  case R_AARCH64_PREL32:
    if (!fitsSigned(int64_t(relative), 32))
      return outOfRange("R_AARCH64_PREL32", int64_t(relative));
    return write(site, static_cast<uint32_t>(relative));
  case R_AARCH64_CALL26:
  case R_AARCH64_JUMP26:
    return patchBranch(site);
  case R_AARCH64_ADR_PREL_PG_HI21:
    return patchAdr(site, "R_AARCH64_ADR_PREL_PG_HI21",
                    pageDistance(value, site.P));
  case R_AARCH64_ADR_GOT_PAGE:
    return patchAdr(site, "R_AARCH64_ADR_GOT_PAGE",
                    pageDistance(site.got + uint64_t(site.A), site.P));
  case R_AARCH64_ADD_ABS_LO12_NC:
  case R_AARCH64_LDST8_ABS_LO12_NC:
    return patchLow12(site, value, 0);
  case R_AARCH64_LDST16_ABS_LO12_NC:
    return patchLow12(site, value, 1);
  case R_AARCH64_LDST32_ABS_LO12_NC:
    return patchLow12(site, value, 2);
  case R_AARCH64_LDST64_ABS_LO12_NC:
    return patchLow12(site, value, 3);
  case R_AARCH64_LDST128_ABS_LO12_NC:
    return patchLow12(site, value, 4);
  case R_AARCH64_LD64_GOT_LO12_NC:
    return patchLow12(site, site.got + uint64_t(site.A), 3);
  default:
    return Status::unsupported(format("relocation type {} of AArch64", {type}));
  }
}

} // namespace tilewright::runtime
