#include "codegen/cpu/RegisterBlock.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

using namespace tilewright::cpu;
using tilewright::schedule::CpuSchedule;

static CpuTarget target(int64_t bits, int64_t registers) {
  CpuTarget result;
  result.vectorBits = bits;
  result.vectorRegisters = registers;
  return result;
}

static CpuTarget masking(CpuTarget result) {
  result.masksLanes = true;
  return result;
}

TEST_CASE("the parts of a row cover it, each as long as it can be") {
  const CpuTarget plain = target(512, 32), masks = masking(plain);
  for (const CpuTarget &machine : {plain, masks})
    for (int64_t columns = 1; columns <= 100; ++columns) {
      std::vector<VectorPart> parts = partsOf(columns, 16, machine);
      CAPTURE(columns, machine.masksLanes);
      CHECK(int64_t(parts.size()) == vectorsOf(columns, 16, machine));
      int64_t sum = 0;
      for (const VectorPart &part : parts) {
        CHECK(part.width <= 16);
        CHECK((part.missing == 0 || part.missing < part.width / 2));
        sum += part.elements();
      }
      CHECK(sum == columns);
    }
  CHECK(vectorsOf(49, 16, plain) == 4);
  CHECK(vectorsOf(15, 16, plain) == 4);
  CHECK(vectorsOf(15, 16, masks) == 1);
  // A shorter vector needs no mask.
  CHECK(partsOf(56, 16, masks).back().missing == 0);
}

TEST_CASE("a block of bytes has as many columns as registers allow") {
  auto block = [](int64_t rows, int64_t columns, int64_t bits,
                  int64_t registers) {
    auto found = byteBlock(rows, columns, target(bits, registers));
    return found ? std::pair(found->rows, found->vectors) : std::pair(0L, 0L);
  };
  using Size = std::pair<int64_t, int64_t>;
  CHECK(block(1, 1024, 512, 32) == Size{1, 16});
  CHECK(block(2, 1024, 512, 32) == Size{2, 8});
  CHECK(block(4, 1024, 512, 32) == Size{4, 4});
  CHECK(block(1, 1024, 256, 16) == Size{1, 8});
  // Blocks of about as many rows.
  CHECK(block(9, 1024, 512, 32) == Size{3, 4});
  // No more columns than there are.
  CHECK(block(1, 100, 512, 32) == Size{1, 4});
  CHECK(block(1, 63, 512, 32) == Size{0, 0});
}

TEST_CASE("a left side is packed where its rows collide and many read it") {
  RegisterBlock block;
  block.rows = 8;
  CHECK(paysToPackLeft(block, 1024, 4096));
  CHECK(paysToPackLeft(block, 256, 8192));
  CHECK_FALSE(paysToPackLeft(block, 1024, 4160));
  CHECK_FALSE(paysToPackLeft(block, 1024, 0));
  CHECK_FALSE(paysToPackLeft(block, 128, 4096));
  block.rows = 2;
  CHECK_FALSE(paysToPackLeft(block, 1024, 4096));
}

TEST_CASE("a right side is packed where many rows read it again") {
  CHECK(paysToPackRight(128, 256, 128));
  CHECK(paysToPackRight(48, 128, 16));
  // Few rows, few steps, or one column, which is contiguous in panels anyway.
  CHECK_FALSE(paysToPackRight(32, 256, 128));
  CHECK_FALSE(paysToPackRight(128, 64, 128));
  CHECK_FALSE(paysToPackRight(128, 256, 1));
}

TEST_CASE("a block fits the registers and the matrix") {
  std::mt19937 random(1);
  auto below = [&](int64_t end) { return int64_t(random() % uint32_t(end)); };
  const CpuTarget targets[] = {target(128, 16), target(256, 16),
                               masking(target(512, 32)), target(128, 32)};
  for (int i = 0; i < 2000; ++i) {
    const CpuTarget &machine = targets[below(4)];
    int64_t rows = 1 + below(300), columns = 1 + below(300);
    int64_t bits = 8 << below(4);
    RegisterBlock block =
        chooseRegisterBlock(rows, columns, bits, CpuSchedule(), machine);
    CAPTURE(rows, columns, bits, block.rows, block.vectors);
    CHECK(block.lanes == machine.vectorBits / std::max<int64_t>(32, bits));
    CHECK(block.registers() <= machine.vectorRegisters);
    CHECK((1 <= block.rows && block.rows <= rows));
    CHECK((1 <= block.vectors &&
           block.vectors <= vectorsOf(columns, block.lanes, machine)));
  }
}

TEST_CASE("a large matrix keeps the multipliers busy") {
  // Products of a step outnumber its loads, and are enough to hide the latency
  // of eight of them.
  for (const CpuTarget &machine : {target(512, 32), target(256, 16)}) {
    RegisterBlock block =
        chooseRegisterBlock(240, 240, 32, CpuSchedule(), machine);
    CHECK(block.rows * block.vectors >= block.rows + block.vectors);
    CHECK(block.rows * block.vectors >= 8);
  }
  // Of a single row only vectors can be many.
  CHECK(chooseRegisterBlock(1, 1024, 32, CpuSchedule(), target(512, 32))
            .vectors >= 8);
}

TEST_CASE(
    "of blocks that multiply as fast, one that reads the right side less") {
  auto block = [&](int64_t rows, int64_t columns) {
    RegisterBlock found =
        chooseRegisterBlock(rows, columns, 32, {}, masking(target(512, 32)));
    return std::pair(found.rows, found.vectors);
  };
  using Block = std::pair<int64_t, int64_t>;
  CHECK(block(256, 64) == Block{6, 4});
  CHECK(block(6, 1024) == Block{6, 4});
  // Once, not twice; twice, not three or four times.
  CHECK(block(8, 1024) == Block{8, 3});
  CHECK(block(16, 512) == Block{8, 3});
}

TEST_CASE("what a schedule says holds, as far as the matrix goes") {
  CpuSchedule schedule;
  schedule.rows = 6;
  schedule.unroll = 4;
  schedule.order = 1;
  RegisterBlock block =
      chooseRegisterBlock(64, 64, 32, schedule, target(512, 32));
  CHECK(block.rows == 6);
  CHECK(block.unroll == 4);
  CHECK(block.columnsOutside);
  CHECK(chooseRegisterBlock(4, 64, 32, schedule, target(512, 32)).rows == 4);
  // Even if the registers do not suffice: the caller rejects it.
  schedule.rows = 14;
  schedule.vectors = 4;
  CHECK(chooseRegisterBlock(64, 64, 32, schedule, target(256, 16)).registers() >
        16);
}
