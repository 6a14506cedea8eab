// Loops as the compiler pipelines them, with one op of their copies taken out
// or weakened: the interpreter or the check of barriers finds each.
#include "codegen/tilegpu/TileGpu.h"
#include "test/codegen/kernels/Harness.h"
#include "tilewright/mlir/Compile.h"
#include "verify/barriers/BarrierCheck.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include <catch2/catch.hpp>
#include <map>
#include <random>

using namespace mlir;
using namespace tilewright;

namespace {
/// A product whose loop is pipelined, perhaps again and again.
struct Product {
  std::string type = "f16";
  int64_t columns = 32, depth = 80;
  bool isNested = true, isTransposed = false;
  unsigned stages = 2, warps = 4;

  std::string text() const;
};

/// What becomes of the ops that order a product's copies, one after the other.
struct Faults {
  size_t all = 0, foundByCheck = 0, foundByInterpreter = 0;
  /// Ops whose fault nobody finds.
  std::vector<std::string> missed;
};
} // namespace

std::string Product::text() const {
  const std::string n = std::to_string(columns), k = std::to_string(depth);
  const std::string bView = "!tile.view<" +
                            (isTransposed ? n + "x" + k : k + "x" + n) + "x" +
                            type + ">";
  const std::string right = "tensor<16x" + n + "x" + type + ">";
  const std::string sums = "tensor<32x" + n + "xf32>";
  std::string load =
      "%y = tile.load %b at [%k, %c0] : " + bView + " -> " + right;
  if (isTransposed)
    load = "%z = tile.load %b at [%c0, %k] : " + bView + " -> tensor<" + n +
           "x16x" + type + ">\n%y = tile.transpose %z [1, 0] : tensor<" + n +
           "x16x" + type + "> -> " + right;
  return "tile.kernel @k(%c: !tile.view<32x" + n + "xf32>, %a: !tile.view<32x" +
         k + "x" + type + ">, %b: " + bView +
         ") grid affine_map<()[m, n, m1, k, k1, n1] -> (1)> {\n"
         "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
         "%again = arith.constant " +
         std::to_string(isNested ? 2 : 1) +
         " : index\n%step = arith.constant 16 : index\n"
         "%depth = arith.constant " +
         k + " : index\n%zero = arith.constant dense<0.0> : " + sums +
         "\n%sum = scf.for %i = %c0 to %again step %c1 iter_args(%total = "
         "%zero) "
         "-> (" +
         sums +
         ") {\n%inner = scf.for %k = %c0 to %depth step %step iter_args(%acc = "
         "%total) -> (" +
         sums + ") {\n%x = tile.load %a at [%c0, %k] : !tile.view<32x" + k +
         "x" + type + "> -> tensor<32x16x" + type + ">\n" + load +
         "\n%next = tile.dot %x, %y, %acc : tensor<32x16x" + type + ">, " +
         right + " -> " + sums + "\nscf.yield %next : " + sums +
         "\n}\nscf.yield %inner : " + sums +
         "\n}\ntile.store %sum, %c[%c0, %c0] : " + sums + ", !tile.view<32x" +
         n + "xf32>\n}\n";
}

/// Takes an op away; of a commit, its first copy. Whether there is such a
/// fault.
static bool breakOp(Operation *op) {
  if (auto commit = dyn_cast<tilegpu::CommitOp>(op)) {
    if (commit.getCopies().empty())
      return false;
    op->eraseOperand(0);
    return true;
  }
  if (!isa<tilegpu::WaitOp, tilegpu::BarrierOp, tilegpu::AcquireOp,
           tilegpu::ReleaseOp>(op))
    return false;
  op->erase();
  return true;
}

static Faults faultsOf(const Product &product) {
  Faults faults;
  kerneltest::Comparison comparison(product.text(), {}, 1);
  INFO(product.text());
  REQUIRE(comparison.error() == "");
  CompileOptions options;
  options.wantText = true;
  options.schedule.emplace().stages = product.stages;
  options.schedule->warps = product.warps;
  StatusOr<KernelImage> image =
      compile(comparison.kernel(), *target::findGpuTarget("sm_80"), options);
  REQUIRE(image.ok());
  INFO(image->scheduled);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      image->scheduled, &kerneltest::kernelContext());
  REQUIRE(module);
  auto errorOf = [&](ModuleOp of, bool copiesLandLate) {
    return comparison
        .run(of.lookupSymbol<tile::KernelOp>("k"), {.absolute = 1e-2},
             copiesLandLate)
        .error;
  };
  auto findings = [&](ModuleOp of) {
    return verify::findUnordered(of.lookupSymbol<tile::KernelOp>("k")).size();
  };
  for (bool late : {false, true})
    CHECK(errorOf(*module, late) == "");
  CHECK(findings(*module) == 0);
  size_t copies = 0, ops = 0;
  module->walk([&](Operation *op) {
    copies += isa<tilegpu::CopyOp>(op);
    ++ops;
  });
  REQUIRE(copies >= product.stages);
  for (size_t which = 0; which < ops; ++which) {
    OwningOpRef<ModuleOp> edited = module->clone();
    Operation *op = nullptr;
    size_t at = 0;
    edited->walk([&](Operation *each) {
      if (at++ == which)
        op = each;
    });
    if (!isa<tilegpu::TileGpuDialect>(op->getDialect()))
      continue;
    std::string name = op->getName().getStringRef().str();
    if (isa_and_nonnull<scf::ForOp, tilegpu::WaitOp>(op->getPrevNode()))
      name += " behind a loop";
    if (!breakOp(op))
      continue;
    ++faults.all;
    const bool isFound = findings(*edited) > 0;
    const bool isError = !errorOf(*edited, true).empty();
    faults.foundByCheck += isFound;
    faults.foundByInterpreter += isError;
    if (!isFound && !isError)
      faults.missed.push_back(name);
  }
  return faults;
}

TEST_CASE("copies: ops taken out of pipelined products") {
  for (Product product :
       {Product{}, Product{.type = "f32", .isTransposed = true, .stages = 3},
        Product{.columns = 16, .depth = 48, .stages = 4, .warps = 2}}) {
    const Faults faults = faultsOf(product);
    CHECK(faults.missed == std::vector<std::string>());
    CHECK(faults.foundByCheck > 0);
    CHECK(faults.foundByInterpreter > faults.foundByCheck / 2);
  }
}

// By hand, for it takes minutes: `tilewright-verify-test "[many]"`.
TEST_CASE("copies: ops taken out of fifty pipelined products", "[.][many]") {
  std::mt19937_64 random(1);
  auto one = [&](std::initializer_list<int64_t> of) {
    return of.begin()[random() % of.size()];
  };
  std::map<std::string, size_t> missed;
  Faults sum;
  for (int i = 0; i < 50; ++i) {
    Product product{.type = random() % 2 ? "f16" : "f32",
                    .columns = one({16, 32, 48}),
                    .depth = one({32, 48, 80, 112}),
                    .isNested = random() % 2 == 0,
                    .isTransposed = random() % 2 == 0,
                    .stages = unsigned(one({2, 3, 4, 5})),
                    .warps = unsigned(one({1, 2, 3, 4, 8}))};
    const Faults faults = faultsOf(product);
    sum.all += faults.all;
    sum.foundByCheck += faults.foundByCheck;
    sum.foundByInterpreter += faults.foundByInterpreter;
    for (const std::string &name : faults.missed)
      ++missed[name];
  }
  for (const auto &[name, count] : missed)
    WARN(name << ": " << count << " missed");
  WARN(sum.all << " faults, " << sum.foundByCheck << " found by the check, "
               << sum.foundByInterpreter << " by the interpreter");
}
