// Launches in which the order of sums is open: which results are permitted.
#include "Semantics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "tileir/ir/Register.h"
#include "tileir/reference/Interpreter.h"

using namespace mlir;
using namespace tilewright;
using reference::Permitted;

namespace {
/// Runs @k of a module on one array of f32 that it reads and one that it
/// writes, which holds zeros.
class OpenLaunch {
public:
  OpenLaunch(const std::string &text, const std::vector<float> &input,
             int64_t outputs,
             reference::Freedom freedom = reference::Freedom::order)
      : context(dialects()) {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      error += diagnostic.str();
      return success();
    });
    auto module = parseSourceString<ModuleOp>(text, &context);
    INFO(error);
    REQUIRE(module);
    auto kernel = module->lookupSymbol<tile::KernelOp>("k");
    Type f32 = Float32Type::get(&context);
    SmallVector<reference::Value> arguments;
    for (bool isOutput : {false, true}) {
      const auto *bytes = reinterpret_cast<const uint8_t *>(input.data());
      const std::vector<uint8_t> zeros(size_t(outputs) * 4);
      const int64_t count = isOutput ? outputs : int64_t(input.size());
      auto pointer = isOutput ? memory.allocate("y", zeros)
                              : memory.allocate("x", {bytes, input.size() * 4});
      arguments.push_back(reference::ViewValue{pointer, f32, {count}, {1}});
      output = pointer;
    }
    reference::LaunchOptions options;
    options.freedom.freedom = freedom;
    options.undetermined = &undetermined;
    hasRun = succeeded(
        reference::interpretKernel(kernel, arguments, memory, options));
  }

  reference::Element element(int64_t index) {
    INFO(error);
    REQUIRE(hasRun);
    auto found = memory.load({output.allocation, output.byteOffset + 4 * index},
                             Float32Type::get(&context));
    REQUIRE(found.ok());
    return *found;
  }
  Permitted permitted(int64_t index) { return element(index).permitted(); }

  std::string error;
  reference::Undetermined undetermined;
  bool hasRun = false;

private:
  static DialectRegistry dialects() {
    DialectRegistry registry;
    registerAllDialects(registry);
    registry.insert<arith::ArithDialect, math::MathDialect, scf::SCFDialect>();
    return registry;
  }

  MLIRContext context;
  reference::Memory memory;
  reference::Pointer output;
};
} // namespace

static void checkSingle(OpenLaunch &launch, int64_t index, double number) {
  CHECK(launch.element(index).toDouble() == number);
  CHECK_FALSE(launch.element(index).hasSpread());
}

TEST_CASE("order: reductions and scans of a tile") {
  const std::string kernel = R"(
    tile.kernel @k(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>) {
      %0 = arith.constant 0 : index
      %1 = arith.constant 1 : index
      %t = tile.load %x[%0] : !tile.view<?xf32> -> tensor<3xf32>
      %s = tile.reduce %t axis 0 {
      ^bb0(%a: f32, %b: f32):
        %r = arith.addf %a, %b : f32
        tile.yield %r : f32
      } : tensor<3xf32> -> tensor<f32>
      %one = tile.reshape %s : tensor<f32> -> tensor<1xf32>
      %m = tile.reduce %t axis 0 {
      ^bb0(%a: f32, %b: f32):
        %r = arith.maximumf %a, %b : f32
        tile.yield %r : f32
      } : tensor<3xf32> -> tensor<f32>
      %most = tile.reshape %m : tensor<f32> -> tensor<1xf32>
      %p = tile.scan %t axis 0 {
      ^bb0(%a: f32, %b: f32):
        %r = arith.addf %a, %b : f32
        tile.yield %r : f32
      } : tensor<3xf32> -> tensor<3xf32>
      tile.store %p, %y[%0] : tensor<3xf32>, !tile.view<?xf32>
      %3 = arith.constant 3 : index
      %4 = arith.constant 4 : index
      tile.store %one, %y[%3] : tensor<1xf32>, !tile.view<?xf32>
      tile.store %most, %y[%4] : tensor<1xf32>, !tile.view<?xf32>
    })";
  OpenLaunch open(kernel, {16777216, 1, 1}, 5);
  checkSingle(open, 0, 16777216);
  checkSingle(open, 1, 16777216);
  for (int64_t sum : {2, 3}) {
    CHECK(open.permitted(sum).contains(16777216));
    CHECK(open.permitted(sum).contains(16777218));
    CHECK(open.permitted(sum).greatest <= 16777220);
    CHECK(open.permitted(sum).least >= 16777216);
  }
  checkSingle(open, 4, 16777216);
  OpenLaunch exact(kernel, {3, 4, -2}, 5);
  checkSingle(exact, 2, 5);
  checkSingle(exact, 3, 5);
}

TEST_CASE("order: a combination of several floats may be any") {
  OpenLaunch open(R"(
    tile.kernel @k(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>) {
      %0 = arith.constant 0 : index
      %t = tile.load %x[%0] : !tile.view<?xf32> -> tensor<2xf32>
      %s = tile.reduce %t axis 0 {
      ^bb0(%a: f32, %b: f32):
        %d = arith.mulf %a, %a : f32
        %r = arith.addf %d, %b : f32
        tile.yield %r : f32
      } : tensor<2xf32> -> tensor<f32>
      %one = tile.reshape %s : tensor<f32> -> tensor<1xf32>
      tile.store %one, %y[%0] : tensor<1xf32>, !tile.view<?xf32>
    })",
                  {3, 4}, 1);
  CHECK(open.permitted(0).isAny);
}

TEST_CASE("order: of equal elements, a reduction may find any") {
  const std::string kernel = R"(
    tile.kernel @k(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>) {
      %0 = arith.constant 0 : index
      %t = tile.load %x[%0] : !tile.view<?xf32> -> tensor<3xf32>
      %n = arith.constant dense<[0.0, 1.0, 2.0]> : tensor<3xf32>
      %m, %i = tile.reduce %t, %n axis 0 {
      ^bb0(%a: f32, %p: f32, %b: f32, %q: f32):
        %g = arith.cmpf oge, %a, %b : f32
        %v = arith.select %g, %a, %b : f32
        %w = arith.select %g, %p, %q : f32
        tile.yield %v, %w : f32, f32
      } : tensor<3xf32>, tensor<3xf32> -> tensor<f32>, tensor<f32>
      %one = tile.reshape %i : tensor<f32> -> tensor<1xf32>
      tile.store %one, %y[%0] : tensor<1xf32>, !tile.view<?xf32>
    })";
  OpenLaunch different(kernel, {1, 5, 3}, 1);
  checkSingle(different, 0, 1);
  OpenLaunch equal(kernel, {5, 1, 5}, 1);
  CHECK(equal.permitted(0).contains(0));
  CHECK(equal.permitted(0).contains(2));
}

/// A dot of two rows of x, 4 numbers each, as `type`.
static std::string dotKernel(const std::string &type,
                             const std::string &precision) {
  const std::string cast =
      type == "f32" ? "tensor<8xf32>" : "tensor<8x" + type + ">";
  return R"(
    tile.kernel @k(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>) {
      %0 = arith.constant 0 : index
      %t = tile.load %x[%0] : !tile.view<?xf32> -> tensor<8xf32>
      %c = tile.convert %t : tensor<8xf32> -> )" +
         cast + R"(
      %l = tile.slice %c [0] : )" +
         cast + " -> tensor<4x" + type + R"(>
      %r = tile.slice %c [4] : )" +
         cast + " -> tensor<4x" + type + R"(>
      %a = tile.reshape %l : tensor<4x)" +
         type + "> -> tensor<1x4x" + type + R"(>
      %b = tile.reshape %r : tensor<4x)" +
         type + "> -> tensor<4x1x" + type + R"(>
      %z = arith.constant dense<0.0> : tensor<1x1xf32>
      %d = tile.dot %a, %b, %z )" +
         precision + " : tensor<1x4x" + type + ">, tensor<4x1x" + type +
         R"(> -> tensor<1x1xf32>
      %o = tile.reshape %d : tensor<1x1xf32> -> tensor<1xf32>
      tile.store %o, %y[%0] : tensor<1xf32>, !tile.view<?xf32>
    })";
}

TEST_CASE("order: dots, by the bounds of their operands and precision") {
  // 1 * 5 + 2 * 6 + 3 * 7 + 4 * 8.
  const std::vector<float> small = {1, 2, 3, 4, 5, 6, 7, 8};
  for (const char *type : {"f32", "f16", "bf16"}) {
    OpenLaunch exact(dotKernel(type, ""), small, 1);
    checkSingle(exact, 0, 70);
  }
  const std::vector<float> numbers = {0.0137f, 2.3f, -3.7f, 4.9f,
                                      5.3f,    6.1f, 7.7f,  8.3f};
  // The sum of magnitudes is 83.3: 11 * 2^-24 times that in f16, (K + 1) *
  // 2^-24 times that in f32, and 2^-9 times that in tf32.
  auto widthOf = [&](const char *type, const char *precision) {
    OpenLaunch open(dotKernel(type, precision), numbers, 1);
    const Permitted set = open.permitted(0);
    CHECK(set.contains(open.element(0).toDouble()));
    return set.greatest - set.least;
  };
  const double f16 = widthOf("f16", ""), f32 = widthOf("f32", "");
  const double tf32 = widthOf("f32", "precision tf32");
  CHECK(f16 > 2 * 11 * 0x1p-24 * 80);
  CHECK(f16 < 2 * 12 * 0x1p-24 * 90);
  CHECK(f32 > 0);
  CHECK(f32 < 2 * 6 * 0x1p-24 * 90);
  CHECK(tf32 > 2 * 0x1p-9 * 83);
  CHECK(tf32 < 2 * 0x1p-9 * 84);
}

TEST_CASE("order: a sum may begin with a rounded product") {
  // The product is between two numbers, and the other one brings it to the
  // upper one if it is still there.
  const float x = 1 + 0x1p-12f;
  const std::vector<float> numbers = {x, 1, 0, 0, x, 0x1p-24f, 0, 0};
  OpenLaunch open(dotKernel("f32", ""), numbers, 1);
  CHECK(open.permitted(0).contains(1 + 0x1p-11));
  CHECK(open.permitted(0).contains(1 + 0x1p-11 + 0x1p-23));
}

/// Programs 0 to 2 each add their number to y.
static const char *const kAtomics = R"(
    tile.kernel @k(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>) grid affine_map<()[s0, s1] -> (s0)> {
      %0 = arith.constant 0 : index
      %i = tile.program_id
      %t = tile.load %x[%i] : !tile.view<?xf32> -> tensor<1xf32>
      tile.atomic_reduce add relaxed device %t, %y[%0]
          : tensor<1xf32>, !tile.view<?xf32>
    })";

TEST_CASE("order: atomics that add come in any order") {
  OpenLaunch open(kAtomics, {16777216, 1, 1}, 1);
  CHECK(open.permitted(0).contains(16777216));
  CHECK(open.permitted(0).contains(16777218));
  CHECK(open.permitted(0).greatest <= 16777220);
  OpenLaunch exact(kAtomics, {1, 2, 3}, 1);
  checkSingle(exact, 0, 6);
}

TEST_CASE("roundings: a tile's sums, products and conversions") {
  const std::string kernel = R"(
    tile.kernel @k(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>) {
      %0 = arith.constant 0 : index
      %t = tile.load %x[%0] : !tile.view<?xf32> -> tensor<3xf32>
      %p = arith.mulf %t, %t : tensor<3xf32>
      %h = tile.convert %p : tensor<3xf32> -> tensor<3xbf16>
      %w = tile.convert %h : tensor<3xbf16> -> tensor<3xf32>
      %s = tile.reduce %w axis 0 {
      ^bb0(%a: f32, %b: f32):
        %r = arith.addf %a, %b : f32
        tile.yield %r : f32
      } : tensor<3xf32> -> tensor<f32>
      %one = tile.reshape %s : tensor<f32> -> tensor<1xf32>
      tile.store %one, %y[%0] : tensor<1xf32>, !tile.view<?xf32>
    })";
  const std::vector<float> numbers = {1.01f, 2.02f, -0.7f};
  double exact = 0;
  for (double x : numbers)
    exact += x * x;
  OpenLaunch open(kernel, numbers, 1, reference::Freedom::roundings);
  const Permitted set = open.permitted(0);
  CHECK(set.contains(exact));
  CHECK(set.contains(open.element(0).toDouble()));
  // Half a unit in the last place of bf16 below 2, below 8 and below 1/2.
  const double halves = 0x1p-8 + 0x1p-6 + 0x1p-10;
  CHECK(set.greatest - set.least > 2 * halves * 0.99);
  CHECK(set.greatest - set.least < 2 * halves * 1.01);
  OpenLaunch single(kernel, {1, 2, 0.5}, 1, reference::Freedom::roundings);
  checkSingle(single, 0, 5.25);
}

TEST_CASE("order: a loop that a sum would end is not determined") {
  const std::string kernel = R"(
    tile.kernel @k(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>) {
      %0 = arith.constant 0 : index
      %t = tile.load %x[%0] : !tile.view<?xf32> -> tensor<3xf32>
      %s = tile.reduce %t axis 0 {
      ^bb0(%a: f32, %b: f32):
        %r = arith.addf %a, %b : f32
        tile.yield %r : f32
      } : tensor<3xf32> -> tensor<f32>
      %n = tile.extract %s[] : tensor<f32>
      %limit = arith.constant 16777216.0 : f32
      %above = arith.cmpf ogt, %n, %limit : f32
      scf.if %above {
        %one = tile.splat %limit : f32 -> tensor<1xf32>
        tile.store %one, %y[%0] : tensor<1xf32>, !tile.view<?xf32>
      }
    })";
  OpenLaunch open(kernel, {16777216, 1, 1}, 1);
  CHECK_FALSE(open.hasRun);
  CHECK(open.undetermined.what == "an address, a bound or a condition");
  CHECK(open.error.empty());
  OpenLaunch decided(kernel, {1, 2, 3}, 1);
  checkSingle(decided, 0, 0);
}
