// Operands of wgmma in shared memory: the manual's examples and swizzles.
#include "runtime/emulator/tensor/SharedMatrix.h"
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <vector>

using namespace tilewright::emulator;
using enum ElementType;

namespace {

/// A layout as the manual writes it: (shape) : (stride), first mode fastest.
int layoutOffset(const std::vector<int> &shape, const std::vector<int> &stride,
                 int index) {
  int offset = 0;
  for (std::size_t mode = 0; mode < shape.size(); ++mode) {
    offset += index % shape[mode] * stride[mode];
    index /= shape[mode];
  }
  return offset;
}

int product(const std::vector<int> &shape) {
  int size = 1;
  for (int extent : shape)
    size *= extent;
  return size;
}

int swizzleBitsOf(int spanBytes) {
  return spanBytes == 128 ? 3 : spanBytes == 64 ? 2 : spanBytes == 32 ? 1 : 0;
}

} // namespace

TEST_CASE("the manual's five examples of layouts") {
  // PTX ISA 9.7.15.5.1.2.1.3; strides in elements.
  struct Example {
    ElementType type;
    MajorDimension major;
    int leading, stride, span;
    std::vector<int> mnShape, mnStride, kShape, kStride;
  };
  const Example examples[] = {
      {tf32, MajorDimension::k, 256, 128, 0, {8, 2}, {4, 32}, {4, 4}, {1, 64}},
      {tf32, MajorDimension::k, 0, 256, 32, {8, 2}, {8, 64}, {4, 4}, {1, 4}},
      {bf16,
       MajorDimension::mn,
       256,
       128,
       0,
       {8, 1, 2},
       {1, 8, 64},
       {8, 2},
       {8, 128}},
      {bf16,
       MajorDimension::mn,
       256,
       512,
       32,
       {8, 2, 2},
       {1, 8, 128},
       {8, 2},
       {16, 256}},
      {bf16,
       MajorDimension::mn,
       512,
       1024,
       64,
       {8, 4, 2},
       {1, 8, 256},
       {8, 2},
       {32, 512}},
  };
  for (const Example &example : examples) {
    SharedMatrix matrix = {0, static_cast<std::uint32_t>(example.leading),
                           static_cast<std::uint32_t>(example.stride), 0,
                           swizzleBitsOf(example.span)};
    int bytes = elementFacts(example.type).storageBytes;
    int wrong = 0;
    for (int mn = 0; mn < product(example.mnShape); ++mn)
      for (int k = 0; k < product(example.kShape); ++k) {
        auto offset = static_cast<std::uint32_t>(
            bytes * (layoutOffset(example.mnShape, example.mnStride, mn) +
                     layoutOffset(example.kShape, example.kStride, k)));
        wrong += elementAddress(matrix, example.major, example.type, mn, k) !=
                 swizzled(offset, matrix.swizzleBits);
      }
    CHECK(wrong == 0);
  }
}

TEST_CASE("swizzles are the manual's tables") {
  // PTX ISA 5.5.7: the 16-byte piece at each position of a line of 128 bytes;
  // narrower swizzles repeat earlier.
  const int table[8][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6},
                           {2, 3, 0, 1, 6, 7, 4, 5}, {3, 2, 1, 0, 7, 6, 5, 4},
                           {4, 5, 6, 7, 0, 1, 2, 3}, {5, 4, 7, 6, 1, 0, 3, 2},
                           {6, 7, 4, 5, 2, 3, 0, 1}, {7, 6, 5, 4, 3, 2, 1, 0}};
  for (int bits = 0; bits <= 3; ++bits)
    for (int line = 0; line < 16; ++line)
      for (int piece = 0; piece < 8; ++piece) {
        auto at = static_cast<std::uint32_t>(line * 128 + piece * 16 + 5);
        CHECK(swizzled(at, bits) ==
              static_cast<std::uint32_t>(
                  line * 128 + 16 * table[line % (1 << bits)][piece] + 5));
      }
}

TEST_CASE("fields of a descriptor") {
  std::uint64_t descriptor = std::uint64_t{0x1234} |
                             std::uint64_t{0x0abc} << 16 |
                             std::uint64_t{0x3fff} << 32 |
                             std::uint64_t{5} << 49 | std::uint64_t{2} << 62;
  SharedMatrix matrix = decodeDescriptor(descriptor);
  CHECK(matrix.start == 0x12340);
  CHECK(matrix.leadingOffset == 0xabc0);
  CHECK(matrix.strideOffset == 0x3fff0);
  CHECK(matrix.baseOffset == 5);
  CHECK(matrix.swizzleBits == 2);
  const int swizzleOfMode[] = {0, 3, 2, 1};
  for (std::uint64_t mode = 0; mode < 4; ++mode)
    CHECK(decodeDescriptor(mode << 62).swizzleBits == swizzleOfMode[mode]);
}

TEST_CASE("base offsets that hardware is known to take") {
  SharedMatrix matrix = {0x400 + 0x300, 0, 1024, 0, 3};
  CHECK(matrix.hasKnownBaseOffset());
  matrix.baseOffset = 6;
  CHECK(matrix.hasKnownBaseOffset());
  matrix.baseOffset = 2;
  CHECK_FALSE(matrix.hasKnownBaseOffset());
}

TEST_CASE("tiles that TMA writes are read back") {
  // K-major: a box as wide as the swizzle; steps along K advance the start.
  for (ElementType type : {e4m3, bf16, tf32})
    for (int bits = 1; bits <= 3; ++bits) {
      int bytes = elementFacts(type).storageBytes, span = 16 << bits;
      std::uint32_t base = 3 * 1024;
      int wrong = 0;
      for (int first = 0; first < span / bytes; first += 32 / bytes) {
        SharedMatrix matrix = {base + static_cast<std::uint32_t>(first * bytes),
                               16, static_cast<std::uint32_t>(8 * span), 0,
                               bits};
        for (int row = 0; row < 64; ++row)
          for (int k = 0; k < 32 / bytes; ++k)
            wrong += elementAddress(matrix, MajorDimension::k, type, row, k) !=
                     swizzled(base + static_cast<std::uint32_t>(
                                         row * span + (first + k) * bytes),
                              bits);
      }
      CHECK(wrong == 0);
    }
  // MN-major, 128 bytes: boxes of 64 elements, one line for each k.
  const int depth = 64;
  int wrong = 0;
  for (int first = 0; first < depth; first += 16) {
    SharedMatrix matrix = {4096 + static_cast<std::uint32_t>(first) * 128,
                           depth * 128, 1024, 0, 3};
    for (int mn = 0; mn < 128; ++mn)
      for (int k = 0; k < 16; ++k)
        wrong += elementAddress(matrix, MajorDimension::mn, f16, mn, k) !=
                 swizzled(4096 + static_cast<std::uint32_t>(
                                     mn / 64 * depth * 128 + (first + k) * 128 +
                                     mn % 64 * 2),
                          3);
  }
  CHECK(wrong == 0);
}

TEST_CASE("reading an operand follows the addresses") {
  std::vector<std::byte> shared(65536);
  for (std::size_t i = 0; i < shared.size(); ++i)
    shared[i] = static_cast<std::byte>(i * 37 + (i >> 8) * 11);
  for (MatrixRole role : {MatrixRole::a, MatrixRole::b})
    for (ElementType type : {e4m3, bf16, tf32, b1})
      for (MajorDimension major : {MajorDimension::k, MajorDimension::mn})
        for (int bits = 0; bits <= 3; ++bits) {
          if (major == MajorDimension::mn && type != bf16)
            continue;
          int first = role == MatrixRole::a ? 32 : 0, extent = 16;
          int perWord = type == b1 ? 32 : 1;
          int bytes = elementFacts(type).storageBytes;
          int depth = 32 * perWord / bytes;
          SharedMatrix matrix = {2048, 1600, 4096, 0, bits};
          std::vector<unsigned char> array(std::size_t(extent) * 32);
          REQUIRE_FALSE(readSharedMatrix(matrix, role, major, type, first,
                                         extent, depth, shared.data(), 65536,
                                         array.data()));
          int wrong = 0;
          for (int mn = 0; mn < extent; ++mn)
            for (int k = 0; k < depth; k += perWord) {
              int at = role == MatrixRole::a
                           ? k / perWord * extent + mn
                           : mn * (depth / perWord) + k / perWord;
              std::uint32_t address =
                  elementAddress(matrix, major, type, first + mn, k);
              wrong +=
                  std::memcmp(&array[at * bytes], &shared[address], bytes) != 0;
            }
          CHECK(wrong == 0);
        }
}

TEST_CASE("an operand outside shared memory is named by its address") {
  std::vector<std::byte> shared(4096);
  std::array<unsigned char, 4096> array;
  SharedMatrix matrix = {1024, 0, 1024, 0, 3};
  auto read = [&](std::uint32_t bytes) {
    return readSharedMatrix(matrix, MatrixRole::b, MajorDimension::k, f16, 0,
                            16, 16, shared.data(), bytes, array.data());
  };
  CHECK_FALSE(read(3072));
  // The last line of the second group: 1024 + 1024 + 7 * 128, swizzled by 7.
  CHECK(read(2048 + 896 + 127) == 2048u + 896 + 112);
  matrix.start = 0x3fff0;
  CHECK(read(4096) == 0x3ff80u);
}

TEST_CASE("scale -1 changes signs") {
  std::uint16_t halves[] = {0x3c00, 0x8000, 0x7fff};
  negateElements(f16, halves, 3);
  CHECK(halves[0] == 0xbc00);
  CHECK(halves[1] == 0x0000);
  CHECK(halves[2] == 0xffff);
  std::uint32_t words[] = {0x3f800000, 0};
  negateElements(tf32, words, 1);
  CHECK(words[0] == 0xbf800000);
  CHECK(words[1] == 0);
}
