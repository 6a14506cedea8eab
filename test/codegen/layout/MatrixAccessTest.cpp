#include "codegen/layout/MatrixAccess.h"
#include "codegen/layout/Families.h"
#include "test/codegen/layout/Layouts.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::layout;
using namespace tilewright::layout::test;

/// Executes ldmatrix as PTX says, on a memory in which each element is its own
/// offset, and compares what each register gets with the layouts.
static void check(const Layout &registers, const Layout &memory,
                  const MatrixAccess &access, unsigned elementBits) {
  int64_t perWord = 32 / elementBits, perRow = 128 / elementBits;
  std::vector<int> filled(registers.items(), 0);
  int64_t warps = registers.size(HardwareDim::warp);
  for (size_t i = 0; i < access.instructions.size(); ++i)
    for (int64_t warp = 0; warp < warps; ++warp) {
      auto rowOf = [&](int64_t matrix, int64_t row) {
        Bits thread = Bits(8 * matrix + row) | Bits(warp) << 5;
        int64_t offset = (int64_t(access.threadOffset.apply(thread)) ^
                          access.instructions[i].xorOffset) +
                         access.instructions[i].addOffset;
        REQUIRE(offset % perRow == 0);
        return offset;
      };
      for (int64_t matrix = 0; matrix < access.count; ++matrix)
        for (int64_t lane = 0; lane < 32; ++lane)
          for (int64_t part = 0; part < perWord; ++part) {
            int64_t offset =
                access.transposed
                    ? rowOf(matrix, 2 * (lane % 4) + part) + lane / 4
                    : rowOf(matrix, lane / 4) + lane % 4 * perWord + part;
            int32_t reg = access.registers[i * access.perInstruction +
                                           matrix * perWord + part];
            if (reg < 0)
              continue;
            filled[reg] = 1;
            if (!(memory.apply(inMemory(offset)) ==
                  registers.apply(inRegister(reg, lane, warp))))
              FAIL("register " << reg << " of lane " << lane);
          }
    }
  std::vector<int32_t> copies = registerCopies(registers);
  for (size_t reg = 0; reg < filled.size(); ++reg)
    REQUIRE(filled[copies[reg]] == 1);
}

TEST_CASE("ldmatrix fills fragments from shared memory") {
  struct Case {
    std::string registers, memory;
    unsigned bits, count;
    bool transposed;
    int64_t wavefrontsEach;
  };
  // A row-major; B as [k][n] is transposed on the way, as [n][k] it is not.
  for (const Case &each :
       {Case{"mma.m16n8k16.a f16", "row-major 16x16", 16, 4, false, 8},
        Case{"mma.m16n8k16.b f16", "row-major 16x8", 16, 2, true, 2},
        Case{"mma.m16n8k16.b f16", "column-major 16x8", 16, 2, false, 4},
        Case{"mma.m16n8k8.b f16", "row-major 8x8", 16, 1, true, 1},
        Case{"mma.m16n8k32.a i8", "row-major 16x32", 8, 4, false, 8},
        Case{"mma.m16n8k8.a tf32", "row-major 16x8", 32, 4, false, 8},
        Case{"mma.m16n8k16.a f16 shape=64x64 warps=2x2",
             "swizzle 128B 64x64 f16", 16, 4, false, 4},
        Case{"mma.m16n8k16.a f16 shape=96x64 warps=2x2",
             "swizzle 128B 96x64 f16", 16, 4, false, 4},
        Case{"mma.m16n8k16.b f16 shape=64x64 warps=2x2",
             "swizzle 128B 64x64 f16", 16, 4, true, 4},
        Case{"wgmma.m64n8k16.a f16", "row-major 64x16", 16, 4, false, 8},
        Case{"mma.m16n8k16.c f16 shape=64x64 warps=2x2", // stmatrix
             "swizzle 128B 64x64 f16", 16, 4, false, 4}}) {
    Layout registers = parsed(each.registers), memory = parsed(each.memory);
    StatusOr<MatrixAccess> access = matrixAccess(registers, memory, each.bits);
    INFO(each.registers << " in " << each.memory << ": "
                        << access.status().message());
    REQUIRE(access.ok());
    CHECK(access->count == each.count);
    CHECK(access->transposed == each.transposed);
    CHECK(access->wavefronts ==
          each.wavefrontsEach * int64_t(access->instructions.size()));
    check(registers, memory, *access, each.bits);
  }
}

TEST_CASE("matrices move whatever fits them, among all families") {
  size_t good = 0, rejected = 0;
  std::vector<Named> memories = memoryLayouts();
  for (Dims shape : {Dims{16, 16}, Dims{16, 8}, Dims{48, 32}, Dims{32, 8}})
    for (Dims order : {Dims{1, 0}, Dims{0, 1}})
      memories.push_back({"dense", *dense(shape, order)});
  for (const Named &each : registerLayouts())
    for (const Named &memory : memories)
      for (unsigned bits : {8u, 16u, 32u}) {
        if (!(memory.layout.shape() == each.layout.shape()))
          continue;
        StatusOr<MatrixAccess> access =
            matrixAccess(each.layout, memory.layout, bits);
        good += access.ok();
        rejected += !access.ok();
        INFO(each.name << " in " << memory.name);
        if (access)
          check(each.layout, memory.layout, *access, bits);
      }
  CHECK(good > 20);
  CHECK(rejected > 100);
}

TEST_CASE("matrix accesses say what does not fit") {
  CHECK(matrixAccess(parsed("mma.m16n8k8.b tf32"), parsed("row-major 8x8"), 32)
            .status()
            .message() ==
        "matrix access: lane bits 0 and 1 do not go on along 16 bytes");
  CHECK(matrixAccess(parsed("blocked shape=16x16 lanes=2x16"),
                     parsed("row-major 16x16"), 16)
            .status()
            .message() ==
        "matrix access: registers do not pack neighbours of a row; with "
        ".trans, lane bits 2 to 4 do not go along 16 bytes");
  CHECK(matrixAccess(parsed("mma.m8n8k4.a f64"), parsed("row-major 8x4"), 64)
            .status()
            .message() ==
        "matrix access: expected 32 lanes and elements of at most 32 bits");
}
