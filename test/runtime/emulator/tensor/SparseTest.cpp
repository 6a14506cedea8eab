// Sparse A: the position and meaning of the metadata, and the results.
#include "runtime/emulator/tensor/Sparse.h"
#include "Matrices.h"
#include <catch2/catch.hpp>
#include <random>
#include <set>

using namespace tilewright::emulator;
using enum ElementType;
using Catch::Matchers::Contains;

namespace {

/// A row's metadata as one number, its first chunk in the low bits, made the
/// operand of a warp: how kernels load it with ldmatrix from arrays that are
/// reordered for that. For 16- and 32-bit types, arrays of 16-bit pieces: the
/// word of lane 4 * g + t has piece t % 2 of row g and, above, of row g + 8;
/// t / 2 is the selector. For smaller types, arrays of 32-bit pieces: lane
/// 4 * g + t has piece t / 2 of row g + 8 * (t % 2).
struct Operand {
  std::uint32_t lanes[32] = {};

  Operand(ElementType type, int depth, int selector,
          const std::uint64_t rows[16]) {
    bool wide = elementFacts(type).registerBits >= 16;
    int elements = elementFacts(type).registerBits == 32   ? 8
                   : elementFacts(type).registerBits == 16 ? 16
                   : elementFacts(type).registerBits == 8  ? 32
                                                           : 64;
    int pieces = depth / elements;
    for (int g = 0; g < 8; ++g)
      for (int piece = 0; piece < pieces; ++piece)
        if (wide) {
          auto low = static_cast<std::uint16_t>(rows[g] >> 16 * piece);
          auto high = static_cast<std::uint16_t>(rows[g + 8] >> 16 * piece);
          lanes[4 * g + selector * pieces + piece] =
              low | static_cast<std::uint32_t>(high) << 16;
        } else {
          for (int upper = 0; upper < 2; ++upper)
            lanes[4 * g + selector * 2 * pieces + 2 * piece + upper] =
                static_cast<std::uint32_t>(rows[g + 8 * upper] >> 32 * piece);
        }
  }
};

struct Shape {
  ElementType type;
  int depth;
  int selectors;
};
/// PTX ISA 9.7.14.6.1, with the values that a selector may have.
constexpr Shape shapes[] = {{f16, 16, 4},  {bf16, 32, 2}, {tf32, 8, 4},
                            {tf32, 16, 2}, {s8, 32, 2},   {u8, 64, 1},
                            {s4, 64, 2},   {u4, 128, 1},  {e4m3, 64, 1}};

/// Random metadata, and which columns of each row it stores.
struct RandomMetadata {
  std::uint64_t rows[16] = {};
  std::vector<int> stored[16];

  RandomMetadata(const Shape &shape, bool ordered, std::mt19937 &random) {
    int bits = elementFacts(shape.type).registerBits;
    int size = bits == 32 ? 2 : bits == 4 ? 8 : 4;
    for (int row = 0; row < 16; ++row)
      for (int chunk = 0; chunk < shape.depth / size; ++chunk) {
        unsigned first = random() % 4, second = (first + 1 + random() % 3) % 4;
        if (ordered && first > second)
          std::swap(first, second);
        int base = chunk * size;
        if (size == 2) {
          bool upper = random() % 2;
          first = upper ? 2 : 0, second = upper ? 3 : 1;
          stored[row].push_back(base + upper);
        } else if (size == 4) {
          for (unsigned index : {first, second})
            stored[row].push_back(base + static_cast<int>(index));
        } else {
          for (unsigned index : {first, second})
            for (int of = 0; of < 2; ++of)
              stored[row].push_back(base + static_cast<int>(index) * 2 + of);
        }
        rows[row] |= std::uint64_t(first | second << 2) << 4 * chunk;
      }
  }
};

} // namespace

TEST_CASE("metadata selects the elements of A") {
  std::mt19937 random(3);
  for (const Shape &shape : shapes)
    for (bool ordered : {false, true})
      for (int selector = 0; selector < shape.selectors; ++selector) {
        INFO(elementFacts(shape.type).name << " k" << shape.depth
                                           << " selector " << selector);
        CHECK(sparsitySelectors(shape.type, shape.depth) == shape.selectors);
        RandomMetadata metadata(shape, ordered, random);
        Operand operand(shape.type, shape.depth, selector, metadata.rows);
        std::uint8_t columns[mostStoredElements];
        REQUIRE(storedColumns(shape.type, shape.depth, ordered,
                              static_cast<std::uint32_t>(selector),
                              operand.lanes, columns)
                    .ok());
        int wrong = 0;
        for (int row = 0; row < 16; ++row)
          for (int k = 0; k < shape.depth / 2; ++k)
            wrong += columns[16 * k + row] !=
                     metadata.stored[row][static_cast<std::size_t>(k)];
        CHECK(wrong == 0);
      }
}

TEST_CASE("all selectors together use each bit of metadata once") {
  for (const Shape &shape : shapes) {
    std::set<std::pair<int, int>> bits;
    int chunks = shape.depth / sparseChunk(shape.type);
    for (int selector = 0; selector < shape.selectors; ++selector)
      for (int row = 0; row < 16; ++row)
        for (int chunk = 0; chunk < chunks; ++chunk) {
          MetadataIndex index =
              metadataIndex(shape.type, shape.depth, selector, row, chunk);
          CHECK(index.bit % 4 == 0);
          bits.insert({index.lane, index.bit});
        }
    CHECK(bits.size() == 32 * 32 / 4);
  }
}

TEST_CASE("metadata that PTX leaves undefined is an error") {
  std::uint8_t columns[mostStoredElements];
  std::uint32_t lanes[32];
  auto expand = [&](ElementType type, int depth, bool ordered,
                    std::uint32_t selector) {
    return storedColumns(type, depth, ordered, selector, lanes, columns)
        .message();
  };
  std::fill(std::begin(lanes), std::end(lanes), 0x44444444);
  CHECK(expand(f16, 16, true, 3).empty());
  CHECK(expand(f16, 16, true, 4) ==
        "the sparsity selector is 4, the most for this shape is 3");
  CHECK(expand(s8, 64, true, 1) ==
        "the sparsity selector is 1, the most for this shape is 0");
  lanes[4 * 2 + 3] = 0x44544444;
  CHECK(expand(f16, 16, false, 3) ==
        "sparsity metadata of lane 11, bits 23:20 (row 10, chunk 1) is 0b0101: "
        "both indices are the same");
  lanes[4 * 2 + 3] = 0x44444414;
  CHECK(expand(f16, 16, false, 3).empty());
  CHECK_THAT(expand(f16, 16, true, 3),
             Contains("(row 2, chunk 1) is 0b0001: the indices of ordered "
                      "metadata must ascend"));
  lanes[4 * 2 + 3] = 0x44444494;
  CHECK_THAT(expand(tf32, 8, false, 3), Contains("is 0b1001: tf32 knows"));
  // Bits of lanes that the selector excludes do not matter.
  CHECK(expand(tf32, 8, false, 2).empty());
}

namespace {

/// Random finite elements of a floating-point type, or any of another.
std::uint32_t randomElement(ElementType type, std::mt19937 &random) {
  ElementFacts facts = elementFacts(type);
  auto bits = static_cast<std::uint32_t>(random());
  if (!facts.isFloat())
    return bits & ((1u << facts.registerBits) - 1);
  auto field = static_cast<std::uint32_t>(facts.bias()) - bits % 4;
  std::uint32_t value = (bits >> 8 & ((1u << facts.fractionBits) - 1)) |
                        field << facts.fractionBits;
  value |= bits >> 31 << (facts.fractionBits + facts.exponentBits);
  return type == tf32 ? value << 13 : value;
}

} // namespace

TEST_CASE("a sparse operation is the dense one of the expanded A") {
  std::mt19937 random(4);
  for (const Shape &shape : shapes)
    for (int target : {80, 89, 90})
      for (int variant = 0; variant < 40; ++variant) {
        bool infinite = variant & 1, half = variant & 2;
        MatrixOperation op;
        op.a = op.b = shape.type;
        op.c = op.d = !elementFacts(shape.type).isFloat() ? s32
                      : half                              ? f16
                                                          : f32;
        op.depth = shape.depth;
        op.sparse = true;
        auto rule = findRule(*tensorArchitecture(target), op);
        if (!rule.ok() || (op.d == s32 && infinite))
          continue;
        INFO(elementFacts(shape.type).name << " k" << shape.depth << " sm_"
                                           << target);
        RandomMetadata metadata(shape, false, random);
        Operand operand(shape.type, shape.depth, 0, metadata.rows);
        std::uint8_t columns[mostStoredElements];
        REQUIRE(storedColumns(shape.type, shape.depth, false, 0, operand.lanes,
                              columns)
                    .ok());
        Matrix stored(op.a, 16, op.depth / 2), dense(op.a, 16, op.depth);
        Matrix b(op.b, op.depth, 8), c(op.c, 16, 8), d(op.d, 16, 8);
        for (int row = 0; row < 16; ++row)
          for (int k = 0; k < op.depth / 2; ++k) {
            stored.set(row, k, randomElement(op.a, random));
            dense.set(row, columns[16 * k + row], stored.get(row, k));
          }
        for (int at = 0; at < op.depth * 8; ++at)
          b.set(at % op.depth, at / op.depth, randomElement(op.b, random));
        for (int at = 0; at < 128; ++at)
          c.set(at % 16, at / 16,
                op.c == s32 ? random() : randomElement(op.c, random));
        // An infinity in column 3 counts where a row of A meets it.
        const int where = 5;
        if (infinite)
          b.set(where, 3,
                shape.type == e4m3   ? 0x7f
                : shape.type == f16  ? 0x7c00
                : shape.type == bf16 ? 0x7f80
                                     : 0x7f800000);
        REQUIRE(multiplyAccumulateSparse(*rule, 8, stored.data(), columns,
                                         b.data(), c.data(), d.data())
                    .ok());
        for (int at = 0; at < 128; ++at) {
          int row = at % 16, column = at / 16;
          auto found = static_cast<std::uint32_t>(d.get(row, column));
          if (infinite && column == 3) {
            bool meets = false;
            for (int k = 0; k < op.depth / 2; ++k)
              meets |= columns[16 * k + row] == where;
            std::uint32_t special = op.d == f16 ? 0x7c00 : 0x7f800000;
            CHECK(((found & special) == special) == meets);
            if (meets)
              continue;
          }
          Matrix finite = b;
          if (infinite)
            finite.set(where, 3, 0);
          std::uint32_t expected = 0;
          if (op.d != s32) {
            expected =
                dotProduct(*rule, dense.row(row), finite.column(column),
                           static_cast<std::uint32_t>(c.get(row, column)));
          } else {
            expected = static_cast<std::uint32_t>(c.get(row, column));
            for (int k = 0; k < op.depth; ++k) {
              auto value = [](ElementType type, std::uint64_t bits) {
                int width = elementFacts(type).registerBits;
                bool isSigned = type == s8 || type == s4;
                auto number = static_cast<std::int32_t>(bits);
                return isSigned && bits >> (width - 1) ? number - (1 << width)
                                                       : number;
              };
              expected += static_cast<std::uint32_t>(
                  value(op.a, dense.get(row, k)) *
                  value(op.b, finite.get(k, column)));
            }
          }
          CHECK(found == expected);
        }
      }
}
