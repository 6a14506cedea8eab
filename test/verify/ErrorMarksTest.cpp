// Marks of lanes and of memory: bounds survive moves, rounded up at most.
#include "verify/threads/ErrorMemory.h"

#include <catch2/catch.hpp>

#include <random>

namespace tilewright::verify::threads {

static constexpr double kInf = std::numeric_limits<double>::infinity();

TEST_CASE("error marks: bounds are rounded up, by little") {
  std::mt19937_64 random(1);
  for (unsigned n = 0; n < 2000; ++n) {
    double bounds[8];
    for (double &bound : bounds)
      bound = random() % 8 == 0 ? 0
                                : std::ldexp(double(random() % 1000 + 1) / 1000,
                                             int(random() % 80) - 60);
    CHECK(Mark::error(bounds[0]).bound(0) >= bounds[0]);
    CHECK(Mark::error(bounds[0]).bound(0) <= bounds[0] * (1 + 0x1p-40));
    for (size_t count : {2, 4, 8}) {
      const Mark mark = Mark::parts(llvm::ArrayRef(bounds, count));
      CHECK(!mark.isPoison());
      for (unsigned part = 0; part < count && !mark.isClear(); ++part) {
        CHECK(mark.count() == count);
        CHECK(mark.bound(part) >= bounds[part]);
        CHECK(mark.bound(part) <= 2 * bounds[part]);
      }
    }
    const Mark half = Mark::half(bounds[0], true, Mark::Where::lower);
    CHECK(half.bound(0) >= bounds[0]);
    CHECK((half.isUpperHalf() && half.where() == Mark::Where::lower));
    const Mark upper =
        Mark::upperBits({bounds[0], bounds[1]}, {bounds[2], bounds[3]});
    for (unsigned part : {0, 1}) {
      CHECK(upper.bound(part) >= bounds[part]);
      CHECK(upper.rest(part) >= bounds[part + 2]);
    }
  }
}

TEST_CASE("error marks: no bound, and the greatest ones") {
  CHECK(Mark().isExact());
  CHECK(Mark::error(0).isClear());
  CHECK(Mark::error(0x1p-1074).bound(0) > 0);
  CHECK(Mark::error(kInf).bound(0) == kInf);
  CHECK(Mark::error(std::numeric_limits<double>::quiet_NaN()).bound(0) == kInf);
  CHECK(Mark::error(1e308).bound(0) >= 1e308);
  CHECK(Mark::parts({0x1p-300, 0}).bound(0) > 0);
  CHECK(Mark::parts({0x1p200, 0}).bound(0) == kInf);
  CHECK(!Mark::upperBits({0.0}, {0.0}).isPoison());
  CHECK(Mark::upperBits({0.0}, {1.0}).isExact());
}

TEST_CASE("error marks: memory") {
  ErrorMemory memory;
  CHECK(memory.read(4096, 8).isClear());
  memory.write(4096, 4, Mark::error(0.5));
  memory.write(4100, 4, Mark::parts({0.25, 0}));
  CHECK(memory.read(4096, 4).bound(0) == 0.5);
  CHECK(memory.read(4100, 2).bound(0) == 0.25);
  CHECK(memory.read(4102, 2).isExact());
  SECTION("two numbers in one word") {
    memory.write(4100, 4, Mark::error(0.25));
    const Mark both = memory.read(4096, 8);
    CHECK(both.count() == 2);
    CHECK(both.bound(0) == 0.5);
    CHECK(both.bound(1) == 0.25);
  }
  SECTION("numbers of different sizes in one word") {
    CHECK(memory.read(4096, 8).bound(0) == kInf);
  }
  SECTION("a part of a number") {
    CHECK(memory.read(4096, 2).isHalf());
    CHECK(memory.read(4097, 1).bound(0) == kInf);
    CHECK(memory.read(4095, 4).bound(0) == kInf);
  }
  SECTION("halves that are put together") {
    memory.write(5000, 2, memory.read(4096, 2));
    memory.write(5002, 2, memory.read(4098, 2));
    CHECK(memory.read(5000, 4).bound(0) == 0.5);
    memory.write(5000, 2, Mark());
    CHECK(memory.read(5002, 1).bound(0) == kInf);
  }
  SECTION("what is left of a number is unknown") {
    memory.clear(4098, 1);
    CHECK(memory.read(4096, 2).bound(0) == kInf);
    CHECK(memory.read(4098, 1).isExact());
    CHECK(memory.read(4099, 1).bound(0) == kInf);
  }
  SECTION("copies") {
    memory.copy(1 << 20, 4096, 4000);
    CHECK(memory.read(1 << 20, 4).bound(0) == 0.5);
    CHECK(memory.read((1 << 20) + 4, 2).bound(0) == 0.25);
    memory.clear(1 << 20, 4000);
    CHECK(memory.read(1 << 20, 8).isExact());
  }
}

} // namespace tilewright::verify::threads
