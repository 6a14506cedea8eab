// The costs of ops by which layouts are chosen and the tuner models launches.
#include "codegen/transforms/OpCosts.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "test/codegen/kernels/Harness.h"

#include <catch2/catch.hpp>

using namespace tilewright;

TEST_CASE("op costs: by class, words and approximation") {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      R"(tile.kernel @k(%x: f32, %y: f64, %n: i32, %i: index) {
           %0 = arith.addf %x, %x : f32
           %1 = arith.addf %y, %y : f64
           %2 = arith.addi %i, %i : index
           %3 = math.exp %x : f32
           %4 = math.exp %x fastmath<afn> : f32
           %5 = math.exp %y fastmath<afn> : f64
           %6 = math.expm1 %x fastmath<afn> : f32
           %7 = arith.remsi %n, %n : i32
           %8 = arith.bitcast %n : i32 to f32
         })",
      &kerneltest::kernelContext());
  REQUIRE(module);
  std::vector<int64_t> slots;
  module->walk([&](tile::KernelOp kernel) {
    for (mlir::Operation &op : *kernel.getBody())
      if (op.getNumResults())
        slots.push_back(tilegpu::costOf(&op).slots);
  });
  using tile::OpClass;
  auto slotsOf = [](OpClass kind) { return tilegpu::costOf(kind).slots; };
  const int64_t exponential = slotsOf(OpClass::exponential);
  const int64_t approximate = slotsOf(OpClass::squareRoot);
  CHECK(approximate < exponential);
  CHECK(slots == std::vector<int64_t>{1, 2, 2, exponential, approximate,
                                      2 * exponential, exponential,
                                      slotsOf(OpClass::integerDivide), 0});
}
