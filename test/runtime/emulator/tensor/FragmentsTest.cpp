// Which lane holds which element: each formula as the PTX manual writes it.
#include "Matrices.h"
#include "runtime/emulator/tensor/MatrixMultiply.h"
#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <random>
#include <set>
#include <vector>

using namespace tilewright::emulator;
using enum ElementType;
using enum MatrixRole;

namespace {

/// (g, t, i) -> location, with g = lane / 4 and t = lane % 4.
using Formula = std::function<MatrixIndex(int g, int t, int i)>;

struct Documented {
  const char *name;
  MatrixRole role;
  ElementType type;
  int rows, columns;
  Formula formula;
};

/// PTX ISA 9.7.14.5.1 to .13, as written there (rows of B are its k).
std::vector<Documented> documented() {
  auto eight = [](bool high) { return high ? 8 : 0; };
  auto rowFrom = [=](int g, bool high) { return g + eight(high); };
  return {
      {"m16n8k16 f16 A", a, f16, 16, 16,
       [=](int g, int t, int i) -> MatrixIndex {
         return {rowFrom(g, !(i < 2 || (4 <= i && i < 6))),
                 t * 2 + (i & 1) + eight(i >= 4)};
       }},
      {"m16n8k16 bf16 B", b, bf16, 16, 8,
       [=](int g, int t, int i) -> MatrixIndex {
         return {t * 2 + (i & 1) + eight(i >= 2), g};
       }},
      {"m16n8k8 bf16 A", a, bf16, 16, 8,
       [=](int g, int t, int i) -> MatrixIndex {
         return {rowFrom(g, i >= 2), t * 2 + (i & 1)};
       }},
      {"m16n8k8 f16 B", b, f16, 8, 8,
       [](int g, int t, int i) -> MatrixIndex { return {t * 2 + i, g}; }},
      {"m16n8k8 tf32 A", a, tf32, 16, 8,
       [=](int g, int t, int i) -> MatrixIndex {
         return {rowFrom(g, i == 1 || i == 3), t + (i >= 2 ? 4 : 0)};
       }},
      {"m16n8k8 tf32 B", b, tf32, 8, 8,
       [](int g, int t, int i) -> MatrixIndex { return {t + 4 * i, g}; }},
      {"m16n8k4 tf32 A", a, tf32, 16, 4,
       [=](int g, int t, int i) -> MatrixIndex {
         return {rowFrom(g, i == 1), t};
       }},
      {"m16n8k4 tf32 B", b, tf32, 4, 8,
       [](int g, int t, int) -> MatrixIndex { return {t, g}; }},
      {"m16n8k32 e4m3 A", a, e4m3, 16, 32,
       [=](int g, int t, int i) -> MatrixIndex {
         return {rowFrom(g, !(i < 4 || (8 <= i && i < 12))),
                 t * 4 + (i & 3) + (i >= 8 ? 16 : 0)};
       }},
      {"m16n8k32 s8 B", b, s8, 32, 8,
       [](int g, int t, int i) -> MatrixIndex {
         return {t * 4 + (i & 3) + (i >= 4 ? 16 : 0), g};
       }},
      {"m16n8k16 s8 A", a, s8, 16, 16,
       [=](int g, int t, int i) -> MatrixIndex {
         return {rowFrom(g, i >= 4), t * 4 + (i & 3)};
       }},
      {"m16n8k16 u8 B", b, u8, 16, 8,
       [](int g, int t, int i) -> MatrixIndex { return {t * 4 + i, g}; }},
      {"m8n8k16 s8 A", a, s8, 8, 16,
       [](int g, int t, int i) -> MatrixIndex { return {g, t * 4 + i}; }},
      {"m16n8k64 s4 A", a, s4, 16, 64,
       [=](int g, int t, int i) -> MatrixIndex {
         return {rowFrom(g, !(i < 8 || (16 <= i && i < 24))),
                 t * 8 + (i & 7) + (i >= 16 ? 32 : 0)};
       }},
      {"m16n8k64 u4 B", b, u4, 64, 8,
       [](int g, int t, int i) -> MatrixIndex {
         return {t * 8 + (i & 7) + (i >= 8 ? 32 : 0), g};
       }},
      {"m16n8k32 s4 A", a, s4, 16, 32,
       [=](int g, int t, int i) -> MatrixIndex {
         return {rowFrom(g, i >= 8), t * 8 + (i & 7)};
       }},
      {"m8n8k32 u4 A", a, u4, 8, 32,
       [](int g, int t, int i) -> MatrixIndex { return {g, t * 8 + i}; }},
      {"m8n8k32 s4 B", b, s4, 32, 8,
       [](int g, int t, int i) -> MatrixIndex { return {t * 8 + i, g}; }},
      {"m8n8k128 b1 A", a, b1, 8, 128,
       [](int g, int t, int i) -> MatrixIndex { return {g, t * 32 + i}; }},
      {"m16n8k128 b1 A", a, b1, 16, 128,
       [=](int g, int t, int i) -> MatrixIndex {
         return {rowFrom(g, i >= 32), t * 32 + (i & 31)};
       }},
      {"m16n8k256 b1 A", a, b1, 16, 256,
       [=](int g, int t, int i) -> MatrixIndex {
         return {rowFrom(g, !(i < 32 || (64 <= i && i < 96))),
                 t * 32 + (i & 31) + (i >= 64 ? 128 : 0)};
       }},
      {"m16n8k256 b1 B", b, b1, 256, 8,
       [](int g, int t, int i) -> MatrixIndex {
         return {t * 32 + (i & 31) + (i >= 32 ? 128 : 0), g};
       }},
      {"m8n8k4 f64 A", a, f64, 8, 4,
       [](int g, int t, int) -> MatrixIndex { return {g, t}; }},
      {"m8n8k4 f64 B", b, f64, 4, 8,
       [](int g, int t, int) -> MatrixIndex { return {t, g}; }},
      {"m16n8k4 f64 A", a, f64, 16, 4,
       [=](int g, int t, int i) -> MatrixIndex {
         return {rowFrom(g, i == 1), t};
       }},
      {"m16n8k8 f64 A", a, f64, 16, 8,
       [=](int g, int t, int i) -> MatrixIndex {
         return {rowFrom(g, i == 1 || i == 3), t + (i >= 2 ? 4 : 0)};
       }},
      {"m16n8k16 f64 A", a, f64, 16, 16,
       [=](int g, int t, int i) -> MatrixIndex {
         return {rowFrom(g, i % 2 == 1), i % 2 ? i * 2 - 2 + t : i * 2 + t};
       }},
      {"m16n8k16 f64 B", b, f64, 16, 8,
       [](int g, int t, int i) -> MatrixIndex { return {t + i * 4, g}; }},
      {"m16n8 f32 C", accumulator, f32, 16, 8,
       [=](int g, int t, int i) -> MatrixIndex {
         return {rowFrom(g, i >= 2), t * 2 + (i & 1)};
       }},
      {"m16n8 f16 C", accumulator, f16, 16, 8,
       [=](int g, int t, int i) -> MatrixIndex {
         return {rowFrom(g, i >= 2), t * 2 + (i & 1)};
       }},
      {"m16n8 f64 C", accumulator, f64, 16, 8,
       [=](int g, int t, int i) -> MatrixIndex {
         return {rowFrom(g, i >= 2), t * 2 + (i & 1)};
       }},
      {"m8n8 s32 C", accumulator, s32, 8, 8,
       [](int g, int t, int i) -> MatrixIndex { return {g, t * 2 + i}; }},
      // 9.7.14.6.2: sparse A as it is stored, B of the full depth.
      {"m16n8k32.sp f16 B", b, f16, 32, 8,
       [=](int g, int t, int i) -> MatrixIndex {
         return {t * 2 + (i & 1) + i / 2 * 8, g};
       }},
      {"m16n8k16.sp tf32 B", b, tf32, 16, 8,
       [](int g, int t, int i) -> MatrixIndex { return {t + i * 4, g}; }},
      {"m16n8k64.sp s8 B", b, s8, 64, 8,
       [](int g, int t, int i) -> MatrixIndex {
         return {t * 4 + (i & 3) + i / 4 * 16, g};
       }},
      {"m16n8k128.sp s4 B", b, s4, 128, 8,
       [](int g, int t, int i) -> MatrixIndex {
         return {t * 8 + (i & 7) + i / 8 * 32, g};
       }},
      // 9.7.15.5.1.1: one warp of wgmma.
      {"m64n256 f32 D", accumulator, f32, 16, 256,
       [=](int g, int t, int i) -> MatrixIndex {
         return {rowFrom(g, i >> 1 & 1), 8 * (i >> 2) + 2 * t + (i & 1)};
       }},
      {"m64n8 f16 D", accumulator, f16, 16, 8,
       [=](int g, int t, int i) -> MatrixIndex {
         return {rowFrom(g, i >> 1 & 1), 8 * (i >> 2) + 2 * t + (i & 1)};
       }},
      {"m64k16 f16 A", a, f16, 16, 16,
       [=](int g, int t, int i) -> MatrixIndex {
         return {rowFrom(g, i >> 1 & 1), 8 * (i >> 2) + 2 * t + (i & 1)};
       }},
      {"m64k8 tf32 A", a, tf32, 16, 8,
       [=](int g, int t, int i) -> MatrixIndex {
         return {rowFrom(g, i & 1), t + 4 * (i >> 1)};
       }},
      {"m64k32 u8 A", a, u8, 16, 32,
       [=](int g, int t, int i) -> MatrixIndex {
         return {rowFrom(g, i >> 2 & 1), 4 * t + (i & 3) + 16 * (i >> 3)};
       }},
  };
}

/// All shapes that instructions have.
std::vector<MatrixMultiply> allInstructions() {
  struct Shape {
    MatrixInstruction instruction;
    bool sparse;
    std::vector<ElementType> types;
    int m, n, k;
  };
  auto enumSet = [](auto... types) {
    return std::vector<ElementType>{types...};
  };
  using enum MatrixInstruction;
  const std::vector<Shape> shapes = {
#define MATRIX_SHAPE(INSTRUCTION, SPARSE, TYPES, M, N, K)                      \
  {INSTRUCTION, SPARSE, TYPES, M, N, K},
#include "runtime/emulator/tensor/MatrixShapes.inc"
#undef MATRIX_SHAPE
  };
  std::vector<MatrixMultiply> all;
  for (const Shape &shape : shapes)
    for (ElementType type : shape.types)
      for (ElementType sums : {f16, f32, s32, f64})
        for (int n : {8, 32, 256})
          for (auto architecture :
               {TensorArchitecture::ampere, TensorArchitecture::hopper,
                TensorArchitecture::rtxBlackwell}) {
            MatrixOperation op;
            op.instruction = shape.instruction;
            op.sparse = shape.sparse;
            op.a = op.b = type;
            op.c = op.d = sums;
            op.depth = shape.k;
            auto made = prepareMultiply(architecture, op, shape.m,
                                        shape.n ? shape.n : n);
            if (made.ok())
              all.push_back(*made);
          }
  return all;
}

/// The bits of an element in a plain array; b1 by its bit.
std::uint64_t arrayElement(const Fragment &fragment,
                           const std::vector<unsigned char> &array,
                           MatrixIndex index) {
  if (fragment.type == b1) {
    bool isB = fragment.role == b;
    int k = isB ? index.row : index.column;
    int word = isB ? index.column * (fragment.rows / 32) + k / 32
                   : k / 32 * fragment.rows + index.row;
    return array[word * 4 + k % 32 / 8] >> k % 8 & 1;
  }
  int bytes = elementFacts(fragment.type).storageBytes;
  std::uint64_t bits = 0;
  std::memcpy(&bits,
              array.data() + (index.column * fragment.rows + index.row) * bytes,
              bytes);
  return bits;
}

} // namespace

TEST_CASE("places are those of the manual") {
  for (const Documented &entry : documented()) {
    INFO(entry.name);
    Fragment fragment =
        makeFragment(entry.role, entry.type, entry.rows, entry.columns);
    REQUIRE(fragment.elements() * 32 == entry.rows * entry.columns);
    int wrong = 0;
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < fragment.elements(); ++i)
        wrong +=
            fragment.index(lane, i) != entry.formula(lane / 4, lane % 4, i);
    CHECK(wrong == 0);
  }
}

TEST_CASE("a fragment holds each element once, or as often as it says") {
  std::vector<MatrixMultiply> all = allInstructions();
  REQUIRE(all.size() > 100);
  for (const MatrixMultiply &made : all)
    for (const Fragment &fragment : {made.a, made.b, made.c, made.d}) {
      INFO(instructionName(made.rule.operation.instruction)
           << " " << elementFacts(fragment.type).name << " " << fragment.rows
           << " x " << fragment.columns);
      std::multiset<std::pair<int, int>> indices;
      for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < fragment.elements(); ++i) {
          MatrixIndex index = fragment.index(lane, i);
          indices.insert({index.row, index.column});
        }
      int wrong = 0;
      for (int row = 0; row < fragment.rows; ++row)
        for (int column = 0; column < fragment.columns; ++column)
          wrong += indices.count({row, column}) !=
                   static_cast<std::size_t>(fragment.copies);
      CHECK(wrong == 0);
    }
}

TEST_CASE("register counts are those of the manual") {
  struct Count {
    MatrixRole role;
    ElementType type;
    int m, n, k, registers;
  };
  // PTX ISA 9.7.14.4.1.
  for (const Count &count :
       std::initializer_list<Count>{{a, f16, 16, 16, 16, 8},
                                    {b, f16, 16, 16, 16, 8},
                                    {a, f16, 8, 32, 16, 8},
                                    {b, f16, 32, 8, 16, 8},
                                    {a, bf16, 16, 16, 16, 4},
                                    {b, bf16, 16, 16, 16, 4},
                                    {a, bf16, 32, 8, 16, 8},
                                    {b, bf16, 32, 8, 16, 2},
                                    {a, bf16, 8, 32, 16, 2},
                                    {b, bf16, 8, 32, 16, 8},
                                    {a, tf32, 16, 16, 8, 4},
                                    {b, tf32, 16, 16, 8, 4},
                                    {a, s8, 16, 16, 16, 2},
                                    {b, s8, 16, 16, 16, 2},
                                    {a, u8, 32, 8, 16, 4},
                                    {b, u8, 32, 8, 16, 1},
                                    {a, s8, 8, 32, 16, 1},
                                    {b, s8, 8, 32, 16, 4},
                                    {a, s4, 8, 8, 32, 1},
                                    {b, u4, 8, 8, 32, 1},
                                    {a, b1, 8, 8, 128, 1},
                                    {b, b1, 8, 8, 128, 1},
                                    {a, f64, 8, 8, 4, 1},
                                    {b, f64, 8, 8, 4, 1},
                                    {accumulator, f16, 16, 16, 16, 4},
                                    {accumulator, f32, 16, 16, 16, 8},
                                    {accumulator, f32, 8, 32, 16, 8},
                                    {accumulator, f32, 16, 16, 8, 8},
                                    {accumulator, s32, 32, 8, 16, 8},
                                    {accumulator, s32, 8, 8, 128, 2},
                                    {accumulator, f64, 8, 8, 4, 2}}) {
    INFO(elementFacts(count.type).name << " m" << count.m << "n" << count.n);
    auto found =
        findWmmaFragment(count.role, count.type, count.m, count.n, count.k);
    REQUIRE(found.ok());
    CHECK(found->registers() == count.registers);
  }
  CHECK(makeFragment(accumulator, f32, 16, 256).registers() == 128);
  CHECK(makeFragment(accumulator, f16, 16, 64).registers() == 16);
}

TEST_CASE("collecting and distributing follow the places") {
  std::mt19937 random(7);
  for (const MatrixMultiply &made : allInstructions())
    for (const Fragment &fragment : {made.a, made.b, made.d}) {
      ElementFacts facts = elementFacts(fragment.type);
      INFO(facts.name << " " << fragment.rows << " x " << fragment.columns);
      Registers registers(fragment);
      // The same element has the same bits in all copies.
      std::vector<std::uint64_t> matrix(fragment.rows * fragment.columns);
      int numberBits = facts.isFloat()
                           ? 1 + facts.exponentBits + facts.fractionBits
                           : facts.registerBits;
      if (fragment.type == tf32)
        numberBits = 32;
      int inRegister = fragment.type == e2m1 ? 2 : 0;
      for (std::uint64_t &element : matrix)
        element =
            (std::uint64_t(random()) << 32 | random()) >> (64 - numberBits);
      for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < fragment.elements(); ++i) {
          MatrixIndex index = fragment.index(lane, i);
          registers.put(fragment, lane, i,
                        matrix[index.row * fragment.columns + index.column]
                            << inRegister);
        }
      std::vector<unsigned char> array(std::size_t(fragment.rows) *
                                       fragment.columns * facts.storageBytes /
                                       (fragment.type == b1 ? 32 : 1));
      collectFragment(fragment, registers.list.data(), array.data());
      int wrong = 0;
      for (int row = 0; row < fragment.rows; ++row)
        for (int column = 0; column < fragment.columns; ++column)
          wrong += arrayElement(fragment, array, {row, column}) !=
                   matrix[row * fragment.columns + column];
      CHECK(wrong == 0);
      if (fragment.type == e2m1 || fragment.type == e2m3 ||
          fragment.type == e3m2)
        continue;
      Registers back(fragment);
      for (std::uint64_t &word : back.storage)
        word = random();
      std::vector<std::uint64_t> before = back.storage;
      distributeFragment(fragment, array.data(), back.list.data());
      // Registers of 32 bits fill the first half of their room.
      int words = registers.bits == 64 ? 32 : 16;
      for (int i = 0; i < fragment.registers(); ++i) {
        std::size_t at = std::size_t(i) * 32;
        CHECK(std::memcmp(&back.storage[at], &registers.storage[at],
                          words * 8) == 0);
        CHECK(std::memcmp(&back.storage[at + words], &before[at + words],
                          (32 - words) * 8) == 0);
      }
    }
}

TEST_CASE("six-bit elements leave the other bits of their bytes aside") {
  Fragment fragment = makeFragment(a, e2m1, 16, 32);
  Registers registers(fragment);
  for (std::uint64_t &word : registers.storage)
    word = 0xffffffffffffffff;
  std::vector<unsigned char> array(512);
  collectFragment(fragment, registers.list.data(), array.data());
  CHECK(array == std::vector<unsigned char>(512, 0xf));
  fragment.type = e3m2;
  collectFragment(fragment, registers.list.data(), array.data());
  CHECK(array == std::vector<unsigned char>(512, 0x3f));
}

TEST_CASE("places in the memory of wmma.load and wmma.store") {
  CHECK(elementOffset({3, 5}, false, 100) == 305);
  CHECK(elementOffset({3, 5}, true, 100) == 503);
  CHECK(elementOffset({3, 1 << 20}, true, 1 << 20) ==
        (std::int64_t{1} << 40) + 3);
}
