#include "runtime/emulator/tensor/SharedMatrix.h"
#include <cstring>

namespace tilewright::emulator {

namespace {

/// Bytes that swizzles move as a whole.
constexpr int chunkBytes = 16;

int elementsPerChunk(ElementType type) {
  return 8 * chunkBytes / elementFacts(type).registerBits;
}

/// The address of the 16 bytes that hold element (mn, k). With T elements in a
/// chunk and W chunks in the span of the swizzle, the canonical layouts are
///   K-major, none       ((8, m), (T, 2k)) : ((1T, SBO), (1, LBO))
///   K-major, swizzled   ((8, m), (T, 2k)) : ((W T, SBO), (1, T))
///   MN-major, none      ((T, 1, m), (8, k)) : ((1, T, SBO), (1T, LBO))
///   MN-major, swizzled  ((T, W, m), (8, k)) : ((1, T, LBO), (W T, SBO))
std::uint32_t chunkAddress(const SharedMatrix &matrix, MajorDimension major,
                           int inChunk, int mn, int k) {
  std::uint32_t span = 1u << matrix.swizzleBits;
  std::uint32_t leading = matrix.leadingOffset, stride = matrix.strideOffset;
  std::uint32_t offset;
  if (major == MajorDimension::k) {
    std::uint32_t line = mn, chunk = k / inChunk;
    offset = line / 8 * stride + line % 8 * span * chunkBytes +
             chunk * (span == 1 ? leading : chunkBytes);
  } else {
    std::uint32_t line = k, chunk = mn / inChunk;
    offset = span == 1 ? line / 8 * leading + chunk * stride
                       : line / 8 * stride + chunk / span * leading;
    offset += (line % 8 * span + chunk % span) * chunkBytes;
  }
  return swizzled(matrix.start + offset, matrix.swizzleBits);
}

/// Spreads a chunk over the plain array, `stride` elements apart.
template <class Element>
void spread(const std::byte *chunk, int stride, Element *to) {
  if (stride == 1) {
    std::memcpy(to, chunk, chunkBytes);
    return;
  }
  for (std::size_t i = 0; i < chunkBytes / sizeof(Element); ++i)
    std::memcpy(to + i * stride, chunk + i * sizeof(Element), sizeof(Element));
}

void spreadElements(const std::byte *chunk, int bytes, int at, int stride,
                    void *array) {
  switch (bytes) {
  case 1:
    return spread(chunk, stride, static_cast<std::uint8_t *>(array) + at);
  case 2:
    return spread(chunk, stride, static_cast<std::uint16_t *>(array) + at);
  default:
    return spread(chunk, stride, static_cast<std::uint32_t *>(array) + at);
  }
}

} // namespace

bool SharedMatrix::hasKnownBaseOffset() const {
  int mask = (1 << swizzleBits) - 1;
  return baseOffset == 0 || baseOffset == (static_cast<int>(start >> 7) & mask);
}

SharedMatrix decodeDescriptor(std::uint64_t descriptor) {
  auto bytes = [&](int bit) {
    return static_cast<std::uint32_t>(descriptor >> bit & 0x3fff) << 4;
  };
  // The mode counts down from the widest swizzle: 1 is 128 bytes.
  int mode = static_cast<int>(descriptor >> 62);
  return {bytes(0), bytes(16), bytes(32),
          static_cast<int>(descriptor >> 49 & 7), mode ? 4 - mode : 0};
}

std::uint32_t elementAddress(const SharedMatrix &matrix, MajorDimension major,
                             ElementType type, int mn, int k) {
  int inChunk = elementsPerChunk(type);
  int within = (major == MajorDimension::k ? k : mn) % inChunk;
  return chunkAddress(matrix, major, inChunk, mn, k) +
         within * elementFacts(type).registerBits / 8;
}

std::optional<std::uint32_t>
readSharedMatrix(const SharedMatrix &matrix, MatrixRole role,
                 MajorDimension major, ElementType type, int first, int extent,
                 int depth, const std::byte *shared, std::uint32_t sharedBytes,
                 void *array) {
  int inChunk = elementsPerChunk(type), bytes = elementFacts(type).storageBytes;
  // 32 elements of b1 are one of the plain array.
  int packed = type == ElementType::b1 ? 32 : 1;
  bool alongK = major == MajorDimension::k, isA = role == MatrixRole::a;
  int mnStride = isA ? 1 : depth / packed, kStride = isA ? extent : 1;
  int mnStep = alongK ? 1 : inChunk, kStep = alongK ? inChunk : 1;
  for (int mn = 0; mn < extent; mn += mnStep)
    for (int k = 0; k < depth; k += kStep) {
      std::uint32_t address =
          chunkAddress(matrix, major, inChunk, first + mn, k);
      if (address > sharedBytes || sharedBytes - address < chunkBytes)
        return address;
      spreadElements(shared + address, bytes,
                     mn * mnStride + k / packed * kStride,
                     alongK ? kStride : mnStride, array);
    }
  return std::nullopt;
}

void negateElements(ElementType type, void *array, int count) {
  ElementFacts facts = elementFacts(type);
  auto *bytes = static_cast<unsigned char *>(array);
  // The sign is the highest bit of an element of 8, 16 or 32 bits.
  for (int i = 0; i < count; ++i)
    bytes[(i + 1) * facts.storageBytes - 1] ^= 0x80;
}

} // namespace tilewright::emulator
