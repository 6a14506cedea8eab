// Whole instructions, from registers and shared memory to registers.
#include "runtime/emulator/tensor/MatrixMultiply.h"
#include "Matrices.h"
#include "runtime/emulator/tensor/Sparse.h"
#include <catch2/catch.hpp>
#include <random>

using namespace tilewright::emulator;
using enum ElementType;

namespace {

/// Random elements of which none is an infinity or NaN.
void fill(Matrix &matrix, std::mt19937 &random) {
  ElementFacts facts = elementFacts(matrix.type);
  for (int row = 0; row < matrix.rows; ++row)
    for (int column = 0; column < matrix.columns; ++column) {
      std::uint64_t bits = std::uint64_t(random()) << 32 | random();
      int dropped = matrix.type == tf32 ? 13 : 0;
      int width = facts.isFloat() && matrix.type != b1
                      ? facts.exponentBits + facts.fractionBits + dropped
                      : 31;
      if (facts.isFloat()) {
        std::uint64_t fraction =
            bits & ((std::uint64_t{1} << (facts.fractionBits + dropped)) - 1);
        auto field = static_cast<std::uint64_t>(facts.bias());
        bits = (bits >> 63 << width) | fraction |
               field << (facts.fractionBits + dropped);
      } else if (facts.registerBits < 32 && matrix.type != b1) {
        bits &= (1u << facts.registerBits) - 1;
      }
      matrix.set(row, column, bits);
    }
}

/// A matrix of b1 has its words where others have elements.
Matrix plain(const Fragment &fragment) {
  int pack = fragment.type == b1 ? 32 : 1;
  bool isB = fragment.role == MatrixRole::b;
  return {fragment.type, fragment.rows / (isB ? pack : 1),
          fragment.columns / (isB ? 1 : pack)};
}

/// The registers that hold rows of `matrix` from `firstRow` on.
Registers registersOf(const Fragment &fragment, const Matrix &matrix,
                      int firstRow = 0) {
  Registers registers(fragment);
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < fragment.elements(); ++i) {
      MatrixIndex index = fragment.index(lane, i);
      if (fragment.type == b1) {
        bool isB = fragment.role == MatrixRole::b;
        int &k = isB ? index.row : index.column;
        int bit = k % 32;
        k /= 32;
        registers.put(fragment, lane, i,
                      matrix.get(firstRow + index.row, index.column) >> bit &
                          1);
      } else {
        int shift = fragment.type == e2m1 ? 2 : 0;
        registers.put(fragment, lane, i,
                      matrix.get(firstRow + index.row, index.column) << shift);
      }
    }
  return registers;
}

int differences(const Fragment &fragment, const Registers &registers,
                const Matrix &expected, int firstRow = 0) {
  int wrong = 0;
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < fragment.elements(); ++i) {
      MatrixIndex index = fragment.index(lane, i);
      wrong += registers.get(fragment, lane, i) !=
               expected.get(firstRow + index.row, index.column);
    }
  return wrong;
}

MatrixOperation operation(MatrixInstruction instruction, ElementType operands,
                          ElementType sums, int depth, bool sparse = false) {
  MatrixOperation op;
  op.instruction = instruction;
  op.a = op.b = operands;
  op.c = op.d = sums;
  op.depth = depth;
  op.sparse = sparse;
  return op;
}

} // namespace

TEST_CASE("mma and wmma compute what their registers hold") {
  using enum MatrixInstruction;
  struct Case {
    MatrixOperation op;
    int m, n;
  };
  std::vector<Case> cases = {
      {operation(mma, f16, f32, 16), 16, 8},
      {operation(mma, f16, f16, 8), 16, 8},
      {operation(mma, bf16, f32, 16), 16, 8},
      {operation(mma, tf32, f32, 4), 16, 8},
      {operation(mma, e4m3, f32, 32), 16, 8},
      {operation(mma, e5m2, f16, 16), 16, 8},
      {operation(mma, e2m1, f32, 32), 16, 8},
      {operation(mma, s8, s32, 16), 8, 8},
      {operation(mma, s4, s32, 64), 16, 8},
      {operation(mma, b1, s32, 256), 16, 8},
      {operation(mma, f64, f64, 4), 8, 8},
      {operation(mma, f64, f64, 16), 16, 8},
      {operation(wmma, f16, f32, 16), 16, 16},
      {operation(wmma, f16, f16, 16), 32, 8},
      {operation(wmma, bf16, f32, 16), 8, 32},
      {operation(wmma, tf32, f32, 8), 16, 16},
      {operation(wmma, u8, s32, 16), 32, 8},
      {operation(wmma, u4, s32, 32), 8, 8},
      {operation(wmma, b1, s32, 128), 8, 8},
      {operation(wmma, f64, f64, 4), 8, 8},
  };
  // C and D of different types.
  cases.push_back(cases[12]);
  cases.back().op.c = f16;
  std::mt19937 random(21);
  for (const Case &test : cases) {
    INFO(elementFacts(test.op.a).name << " m" << test.m << "n" << test.n << "k"
                                      << test.op.depth);
    auto made =
        prepareMultiply(test.op.a == e2m1 ? TensorArchitecture::rtxBlackwell
                                          : TensorArchitecture::hopper,
                        test.op, test.m, test.n);
    if (!made.ok())
      made = prepareMultiply(TensorArchitecture::ada, test.op, test.m, test.n);
    REQUIRE(made.ok());
    Matrix a = plain(made->a), b = plain(made->b);
    Matrix c = plain(made->c), d = plain(made->d);
    for (Matrix *matrix : {&a, &b, &c})
      fill(*matrix, random);
    REQUIRE(multiplyAccumulate(made->rule, test.m, test.n, a.data(), b.data(),
                               c.data(), d.data())
                .ok());
    Registers inA = registersOf(made->a, a), inB = registersOf(made->b, b);
    Registers inC = registersOf(made->c, c), out(made->d);
    REQUIRE(runMultiply(*made, {inA.list.data(), inB.list.data(),
                                inC.list.data(), out.list.data()})
                .ok());
    CHECK(differences(made->d, out, d) == 0);
    if (test.op.c != test.op.d)
      continue;
    // In place.
    REQUIRE(runMultiply(*made, {inA.list.data(), inB.list.data(),
                                inC.list.data(), inC.list.data()})
                .ok());
    CHECK(differences(made->d, inC, d) == 0);
  }
}

TEST_CASE("mma.sp computes with the elements that its metadata names") {
  std::mt19937 random(22);
  struct Case {
    ElementType type;
    int depth, registersA, registersB;
  };
  for (auto [type, depth, registersA, registersB] :
       {Case{f16, 32, 4, 4}, {tf32, 8, 2, 2}, {s8, 64, 4, 4}}) {
    auto made = prepareMultiply(TensorArchitecture::ampere,
                                operation(MatrixInstruction::mma, type,
                                          type == s8 ? s32 : f32, depth, true),
                                16, 8, true);
    REQUIRE(made.ok());
    CHECK(made->a.registers() == registersA);
    CHECK(made->b.registers() == registersB);
    Matrix a = plain(made->a), b = plain(made->b);
    Matrix c = plain(made->c), d = plain(made->d);
    for (Matrix *matrix : {&a, &b, &c})
      fill(*matrix, random);
    std::uint32_t metadata[32];
    for (std::uint32_t &word : metadata)
      word = random() % 2 ? 0x44e4e44e : 0xe4e44444;
    std::uint8_t columns[mostStoredElements];
    REQUIRE(storedColumns(type, depth, true, 0, metadata, columns).ok());
    REQUIRE(multiplyAccumulateSparse(made->rule, 8, a.data(), columns, b.data(),
                                     c.data(), d.data())
                .ok());
    Registers inA = registersOf(made->a, a), inB = registersOf(made->b, b);
    Registers inC = registersOf(made->c, c), out(made->d);
    WarpRegisters registers = {inA.list.data(), inB.list.data(),
                               inC.list.data(), out.list.data(),
                               metadata,        0};
    REQUIRE(runMultiply(*made, registers).ok());
    CHECK(differences(made->d, out, d) == 0);
    metadata[0] = 0;
    CHECK_FALSE(runMultiply(*made, registers).ok());
  }
}

namespace {

/// Shared memory with one operand of wgmma, K-major or MN-major, 128 bytes of
/// swizzle, stored at the locations that the address formula names.
void store(std::vector<std::byte> &shared, const SharedOperand &operand,
           ElementType type, const Matrix &matrix, bool isA) {
  int pack = type == b1 ? 32 : 1, bytes = elementFacts(type).storageBytes;
  SharedMatrix index = decodeDescriptor(operand.descriptor);
  for (int row = 0; row < matrix.rows; ++row)
    for (int column = 0; column < matrix.columns; ++column) {
      int mn = isA ? row : column, k = (isA ? column : row) * pack;
      std::uint64_t bits = matrix.get(row, column);
      std::memcpy(&shared[elementAddress(index, operand.major, type, mn, k)],
                  &bits, bytes);
    }
}

std::uint64_t descriptor(unsigned start, unsigned leading, unsigned stride) {
  return start >> 4 | std::uint64_t{leading >> 4} << 16 |
         std::uint64_t{stride >> 4} << 32 | std::uint64_t{1} << 62;
}

} // namespace

TEST_CASE("wgmma reads shared memory and registers") {
  std::mt19937 random(23);
  struct Case {
    MatrixOperation op;
    int n;
  };
  using enum MatrixInstruction;
  for (const Case &test : {Case{operation(wgmma, f16, f32, 16), 256},
                           Case{operation(wgmma, bf16, f32, 16), 24},
                           Case{operation(wgmma, f16, f16, 16), 64},
                           Case{operation(wgmma, tf32, f32, 8), 8},
                           Case{operation(wgmma, e4m3, f32, 32), 128},
                           Case{operation(wgmma, u8, s32, 32), 48},
                           Case{operation(wgmma, b1, s32, 256), 16},
                           Case{operation(wgmma, f16, f32, 32, true), 256},
                           Case{operation(wgmma, s8, s32, 64, true), 32}})
    for (int variant = 0; variant < 16; ++variant) {
      bool fromRegisters = variant & 1, accumulates = variant & 2;
      bool mnMajor = variant & 4 && elementFacts(test.op.a).registerBits == 16;
      bool negates = variant & 8 && elementFacts(test.op.a).isFloat();
      auto made =
          prepareMultiply(TensorArchitecture::hopper, test.op, 64, test.n);
      REQUIRE(made.ok());
      INFO(elementFacts(test.op.a).name << " n" << test.n << " variant "
                                        << variant);
      int pack = test.op.a == b1 ? 32 : 1;
      Matrix a(test.op.a, 64, made->a.columns / pack), b = plain(made->b);
      Matrix c(test.op.c, 64, test.n), d(test.op.d, 64, test.n);
      for (Matrix *matrix : {&a, &b, &c})
        fill(*matrix, random);
      std::vector<std::byte> shared(131072);
      MajorDimension major = mnMajor ? MajorDimension::mn : MajorDimension::k;
      SharedOperand inA = {descriptor(1024, 16384, 1024), major};
      SharedOperand inB = {descriptor(65536, 8192, 1024), major};
      if (mnMajor)
        inB.descriptor = descriptor(65536, 8192, 1024);
      store(shared, inA, test.op.a, a, true);
      store(shared, inB, test.op.b, b, false);
      std::uint32_t metadata[32];
      std::fill(std::begin(metadata), std::end(metadata), 0xe4e44e4e);
      for (int warp = 0; warp < 4; ++warp) {
        // The expected rows: signs by hand.
        Matrix rows(test.op.a, 16, a.columns), sums(test.op.c, 16, test.n);
        Matrix right = b, expected(test.op.d, 16, test.n);
        for (int row = 0; row < 16; ++row) {
          for (int k = 0; k < a.columns; ++k)
            rows.set(row, k, a.get(16 * warp + row, k));
          for (int column = 0; column < test.n; ++column)
            sums.set(row, column, c.get(16 * warp + row, column));
        }
        if (negates)
          for (int k = 0; k < b.rows; ++k)
            for (int column = 0; column < test.n; ++column) {
              int top = elementFacts(test.op.b).storageBytes * 8 - 1;
              right.set(k, column, b.get(k, column) ^ std::uint64_t{1} << top);
            }
        const void *start = accumulates ? sums.data() : nullptr;
        if (test.op.sparse) {
          std::uint8_t columns[mostStoredElements];
          REQUIRE(storedColumns(test.op.a, test.op.depth, false, 0, metadata,
                                columns)
                      .ok());
          REQUIRE(multiplyAccumulateSparse(made->rule, test.n, rows.data(),
                                           columns, right.data(), start,
                                           expected.data())
                      .ok());
        } else {
          REQUIRE(multiplyAccumulate(made->rule, 16, test.n, rows.data(),
                                     right.data(), start, expected.data())
                      .ok());
        }
        Registers left = registersOf(made->a, a, 16 * warp);
        Registers accumulators = registersOf(made->c, c, 16 * warp);
        WarpgroupOperands operands = {
            warp,
            fromRegisters ? left.list.data() : nullptr,
            inA,
            inB,
            shared.data(),
            131072,
            accumulates ? accumulators.list.data() : nullptr,
            accumulators.list.data(),
            false,
            negates,
            metadata,
            0};
        REQUIRE(runWarpgroupMultiply(*made, operands).ok());
        CHECK(differences(made->d, accumulators, expected) == 0);
        // -A * -B = A * B.
        if (negates && !accumulates) {
          operands.negateA = true;
          operands.negateB = false;
          REQUIRE(runWarpgroupMultiply(*made, operands).ok());
          CHECK(differences(made->d, accumulators, expected) == 0);
        }
        operands.sharedBytes = 65536 + 512;
        tilewright::Status outside = runWarpgroupMultiply(*made, operands);
        CHECK(outside.message().find("matrix B reaches shared memory at 6") ==
              0);
      }
    }
}

TEST_CASE("a sparse B wider than its swizzle is rejected") {
  auto made = prepareMultiply(
      TensorArchitecture::hopper,
      operation(MatrixInstruction::wgmma, f16, f32, 32, true), 64, 8);
  REQUIRE(made.ok());
  Registers a(made->a), d(made->d);
  std::vector<std::byte> shared(4096);
  // 3 is the mode of 32 bytes.
  SharedOperand narrow = {std::uint64_t{3} << 62, MajorDimension::k};
  WarpgroupOperands operands = {
      0,    a.list.data(), narrow,        narrow, shared.data(),
      4096, nullptr,       d.list.data(), false,  false};
  CHECK(runWarpgroupMultiply(*made, operands).message() ==
        "matrix B has 64 bytes of K in a swizzle of 32");
}

TEST_CASE("shapes that do not exist are named") {
  using enum MatrixInstruction;
  auto message = [](const MatrixOperation &op, int m, int n) {
    return prepareMultiply(TensorArchitecture::hopper, op, m, n)
        .status()
        .message();
  };
  CHECK(message(operation(mma, f16, f32, 32), 16, 8) ==
        "mma has no shape m16n8k32 for f16");
  CHECK(message(operation(mma, f16, f32, 4), 8, 8) ==
        "mma has no shape m8n8k4 for f16");
  CHECK(message(operation(mma, f16, f32, 8, true), 16, 8) ==
        "mma.sp has no shape m16n8k8 for f16");
  CHECK(message(operation(wgmma, f16, f32, 16), 64, 12) ==
        "wgmma has no shape m64n12k16 for f16");
  CHECK(message(operation(wgmma, s8, s32, 32), 64, 40) ==
        "wgmma has no shape m64n40k32 for s8");
  CHECK(message(operation(wgmma, s8, s32, 32), 64, 24).empty());
  CHECK(message(operation(wgmma, f16, f32, 16), 64, 40).empty());
  CHECK(findWmmaFragment(MatrixRole::a, f16, 16, 8, 16).status().message() ==
        "wmma has no shape m16n8k16 for f16");
  CHECK_FALSE(findWmmaFragment(MatrixRole::accumulator, f16, 16, 16, 8).ok());
  CHECK_FALSE(findWmmaFragment(MatrixRole::accumulator, s32, 8, 8, 4).ok());
}
