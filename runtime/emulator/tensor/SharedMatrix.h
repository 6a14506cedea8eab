// Operands of wgmma in shared memory: descriptors, layouts, swizzles.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_SHAREDMATRIX_H
#define TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_SHAREDMATRIX_H

#include "runtime/emulator/tensor/Fragments.h"
#include <cstddef>
#include <optional>

namespace tilewright::emulator {

/// A matrix descriptor (PTX ISA 9.7.15.5.1.2.2). Addresses and offsets are in
/// bytes of the block's shared memory.
struct SharedMatrix {
  std::uint32_t start;
  /// Between groups along the dimension that is contiguous (K-major without
  /// swizzle: along K).
  std::uint32_t leadingOffset;
  std::uint32_t strideOffset;
  /// (address of the swizzle pattern's start >> 7) & 7, from the program.
  int baseOffset;
  /// Address bits that are exchanged: 0 (none), 1 (32 bytes), 2 (64), 3 (128).
  int swizzleBits;

  /// Whether baseOffset is 0 or what `start` implies. What hardware does with
  /// another one is not known; addresses here never depend on it.
  [[nodiscard]] bool hasKnownBaseOffset() const;
};

/// The fields of a descriptor.
[[nodiscard]] SharedMatrix decodeDescriptor(std::uint64_t descriptor);

inline namespace TILEWRIGHT_ISA {

/// `address` with bits 7.. exchanged into bits 4.. (PTX ISA 5.5.7); TMA's
/// 32-, 64- and 128-byte swizzles are the same, with 1, 2 and 3 bits.
[[nodiscard]] constexpr std::uint32_t swizzled(std::uint32_t address,
                                               int swizzleBits) {
  return address ^ ((address >> 7 & ((1u << swizzleBits) - 1)) << 4);
}

} // namespace TILEWRIGHT_ISA

/// Which dimension of an operand is contiguous in memory.
enum class MajorDimension : std::uint8_t {
  k,
  /// M of A, N of B: imm-trans = 1, for 16-bit types alone.
  mn,
};

/// The byte address of element (mn, k) of one instruction's operand, by the
/// canonical layouts of PTX ISA 9.7.15.5.1.2.1.3. 16 bytes along the major
/// dimension are contiguous, from each multiple of 16 bytes of elements on. For
/// b1, of the byte with the element.
[[nodiscard]] std::uint32_t elementAddress(const SharedMatrix &matrix,
                                           MajorDimension major,
                                           ElementType type, int mn, int k);

/// Reads `extent` lines of an operand, from line `first` on, to a plain array
/// stored by columns, as multiplyAccumulate takes it: A with `extent` rows and
/// `depth` columns, or B with `depth` rows and `extent` columns. `shared` is
/// the block's shared memory of `sharedBytes`. Returns the first address of 16
/// bytes that are not all inside it, or nothing if it succeeds. mn-major only
/// for types of 16 bits; `first` and `extent` are multiples of 8 then.
[[nodiscard]] std::optional<std::uint32_t>
readSharedMatrix(const SharedMatrix &matrix, MatrixRole role,
                 MajorDimension major, ElementType type, int first, int extent,
                 int depth, const std::byte *shared, std::uint32_t sharedBytes,
                 void *array);

/// imm-scale-a, imm-scale-b = -1 (PTX ISA 9.7.15.5.2): the other sign for
/// `count` floating-point elements of a plain array.
void negateElements(ElementType type, void *array, int count);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_SHAREDMATRIX_H
