// Kernels on arrays of the host: layout, sharing, what is copied back.
#include "Semantics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "tileir/ir/Register.h"
#include "tileir/reference/HostLaunch.h"

using namespace mlir;
using namespace tilewright;
using reference::HostBuffer;

/// Parses `text` and runs its kernel @k; returns the first error, or nothing.
static std::string run(const char *text,
                       ArrayRef<reference::HostArgument> arguments) {
  DialectRegistry registry;
  registerAllDialects(registry);
  registry.insert<arith::ArithDialect>();
  MLIRContext context(registry);
  std::string error;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (error.empty())
      error = diagnostic.str();
    return success();
  });
  auto module = parseSourceString<ModuleOp>(text, &context);
  if (module)
    (void)reference::interpretOnHost(module->lookupSymbol<tile::KernelOp>("k"),
                                     arguments);
  return error;
}

static HostBuffer buffer(void *data, int64_t bytes, ArrayRef<int64_t> dims) {
  return {data, bytes, SmallVector<int64_t>(dims), {}, true};
}

TEST_CASE("host: views, numbers by value, and what is not written stays") {
  float x[3] = {1, 2, 3}, y[4] = {-1, -1, -1, -1};
  HostBuffer out = buffer(y, sizeof(y), {4});
  out.initialized = false;
  std::string error = run(R"(
    tile.kernel @k(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>, %i: index,
                   %s: f32) {
      %t = tile.load %x[%i] : !tile.view<?xf32> -> tensor<3xf32>
      %f = tile.splat %s : f32 -> tensor<3xf32>
      %r = arith.mulf %t, %f : tensor<3xf32>
      tile.store %r, %y[%i] : tensor<3xf32>, !tile.view<?xf32>
    })",
                          {buffer(x, sizeof(x), {3}), out, int64_t(0), 0.5});
  CHECK(error == "");
  CHECK(std::vector<float>(y, y + 4) == std::vector<float>{0.5, 1, 1.5, -1});
}

TEST_CASE("host: an i1 is a byte, and so is an i4, with its sign extended") {
  uint8_t flags[3] = {0, 1, 7}, fours[4] = {0x01, 0x92, 0xfd, 0x07};
  std::string error = run(R"(
    tile.kernel @k(%b: !tile.view<3xi1>, %f: !tile.view<4xi4>) {
      %0 = arith.constant 0 : index
      %x = tile.load %b[%0] : !tile.view<3xi1> -> tensor<3xi1>
      %true = arith.constant dense<true> : tensor<3xi1>
      %not = arith.xori %x, %true : tensor<3xi1>
      tile.store %not, %b[%0] : tensor<3xi1>, !tile.view<3xi1>
      %y = tile.load %f[%0] : !tile.view<4xi4> -> tensor<4xi4>
      %one = arith.constant dense<[1, 0, 0, 1]> : tensor<4xi4>
      %sum = arith.addi %y, %one : tensor<4xi4>
      tile.store %sum, %f[%0] : tensor<4xi4>, !tile.view<4xi4>
    })",
                          {buffer(flags, 3, {3}), buffer(fours, 4, {4})});
  CHECK(error == "");
  CHECK(std::vector<int>(flags, flags + 3) == std::vector<int>{1, 0, 0});
  CHECK(std::vector<int>(fours, fours + 4) ==
        std::vector<int>{0x02, 0x02, 0xfd, 0xf8});
}

TEST_CASE("host: equal arrays are one memory; a failed run changes nothing") {
  int32_t x[2] = {5, 6};
  const char *text = R"(
    tile.kernel @k(%x: !tile.view<2xi32>, %p: !tile.ptr<i32>, %n: index) {
      %one = arith.constant 1 : i32
      tile.store_ptr %one, %p : !tile.ptr<i32>
      %0 = arith.constant 0 : index
      %t = tile.load %x[%0] : !tile.view<2xi32> -> tensor<2xi32>
      %e = tile.extract %t[%0] : tensor<2xi32>
      %isone = arith.cmpi eq, %e, %one : i32
      tile.assert %isone, "not shared" : i1
      %q = tile.offset %p, %n : !tile.ptr<i32>, index
      tile.store_ptr %one, %q : !tile.ptr<i32>
    })";
  HostBuffer array = buffer(x, sizeof(x), {2});
  CHECK(run(text, {array, array, int64_t(2)}) ==
        "tile.store_ptr: access to byte 8 of 'argument 0', which has 8 bytes");
  CHECK(std::vector<int>(x, x + 2) == std::vector<int>{5, 6});
  CHECK(run(text, {array, array, int64_t(1)}) == "");
  CHECK(std::vector<int>(x, x + 2) == std::vector<int>{1, 1});
  CHECK(run(text, {array, array, 1.0}) ==
        "tile.kernel: argument 2 is 'index', found a number of another kind");
}
