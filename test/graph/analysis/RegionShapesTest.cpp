#include "graph/analysis/Blocks.h"
#include "graph/analysis/SizeBounds.h"
#include "graph/analysis/SymbolicShapes.h"
#include "graph/ir/Graph.h"
#include "graph/pipeline/Pipelines.h"

#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

using namespace mlir;
using namespace tilewright::graph;

namespace {
/// The sizes of one function, by the names of its values' ops.
struct Fixture {
  explicit Fixture(StringRef text) {
    DialectRegistry registry;
    registerModuleDialects(registry);
    registry.insert<GraphDialect>();
    context.appendDialectRegistry(registry);
    module = parseSourceString<ModuleOp>(text, &context);
    REQUIRE(module);
    func = *module->getOps<func::FuncOp>().begin();
    shapes.emplace(func);
  }

  /// The text of the sizes that the function returns.
  std::string returned(unsigned number) {
    Value value = func.getBody().front().getTerminator()->getOperand(number);
    FailureOr<SymbolicShape> shape = shapes->shapeOf(value);
    return failed(shape) ? "?" : shapes->sizes().str(*shape);
  }
  std::string text(AffineExpr e) { return e ? shapes->sizes().str(e) : "none"; }
  /// What is known of the symbol that a returned size is.
  std::string definition(unsigned number, unsigned dim) {
    Value value = func.getBody().front().getTerminator()->getOperand(number);
    auto symbol = cast<AffineSymbolExpr>((*shapes->shapeOf(value))[dim]);
    FailureOr<SymbolDefinition> known = shapes->definitionOf(symbol);
    return failed(known) ? "?"
                         : text(known->first) + ", " + text(known->second);
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
  func::FuncOp func;
  std::optional<SymbolicShapes> shapes;
};
} // namespace

TEST_CASE("regions: a branch has the size of both sides, or one of its own") {
  Fixture f(R"(
func.func @main(%x: tensor<?x4xf32> {}, %y: tensor<?x4xf32>, %t: tensor<i1>)
    -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %c = graph.condition %t : tensor<i1>
  %r:2 = scf.if %c -> (tensor<?x4xf32>, tensor<?x4xf32>) {
    scf.yield %x, %x : tensor<?x4xf32>, tensor<?x4xf32>
  } else {
    scf.yield %x, %y : tensor<?x4xf32>, tensor<?x4xf32>
  }
  return %r#0, %r#1 : tensor<?x4xf32>, tensor<?x4xf32>
})");
  CHECK(f.returned(0) == "[arg0_dim0, 4]");
  CHECK(f.returned(1) == "[if0_result1_dim0, 4]");
  CHECK(f.definition(1, 0) == "arg0_dim0, arg1_dim0");
}

TEST_CASE("regions: what a loop carries stays as long as it was, or changes") {
  Fixture f(R"(
func.func @main(%x: tensor<?xf32>, %one: tensor<1xf32>, %t: tensor<i64>)
    -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %n = graph.size %t at_most %c9 : tensor<i64>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %g = %x)
      -> (tensor<?xf32>, tensor<?xf32>) {
    %l = tensor.concat dim(0) %g, %one
        : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
    scf.yield %a, %l : tensor<?xf32>, tensor<?xf32>
  }
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xf32>
})");
  CHECK(f.returned(0) == "[arg0_dim0]");
  CHECK(f.returned(1) == "[loop0_result1_dim0]");
  // Before the first iteration, and after one.
  CHECK(f.definition(1, 0) == "arg0_dim0, (loop0_carried1_dim0 + 1)");
  auto loop = graphOps<scf::ForOp>(f.func).front();
  Sizes &sizes = f.shapes->sizes();
  AffineExpr step = *f.shapes->exprOf(loop.getInductionVar());
  CHECK(f.text(step) == "loop0_i");
  CHECK(lowerBound(sizes, step) == 0);
  CHECK(upperBound(sizes, step) == 8);
  AffineExpr count = *f.shapes->exprOf(loop.getUpperBound());
  CHECK(f.text(count) == "size0");
  CHECK(upperBound(sizes, count) == 9);
}

TEST_CASE("regions: a count does not become less than it was") {
  Fixture f(R"(
func.func @main(%t: tensor<i1>, %n: tensor<i64>) -> tensor<?xf32> {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r:3 = scf.while (%i = %c3, %d = %c3, %u = %t)
      : (index, index, tensor<i1>) -> (index, index, tensor<i1>) {
    %c = graph.condition %u : tensor<i1>
    scf.condition(%c) %i, %d, %u : index, index, tensor<i1>
  } do {
  ^bb0(%i: index, %d: index, %u: tensor<i1>):
    %j = arith.addi %i, %c1 : index
    %e = arith.subi %d, %c1 : index
    scf.yield %j, %e, %u : index, index, tensor<i1>
  }
  %e = tensor.empty(%r#0) : tensor<?xf32>
  return %e : tensor<?xf32>
})");
  CHECK(f.returned(0) == "[loop0_result0]");
  CHECK(f.definition(0, 0) == "3, (loop0_carried0 + 1)");
  auto loop = graphOps<scf::WhileOp>(f.func).front();
  Sizes &sizes = f.shapes->sizes();
  CHECK(lowerBound(sizes, *f.shapes->exprOf(loop.getResult(0))) == 3);
  CHECK(!lowerBound(sizes, *f.shapes->exprOf(loop.getResult(1))));
}

TEST_CASE("regions: a symbol is not named like a size of the model") {
  Fixture f(R"(
func.func @main(%x: tensor<?xf32> {graph.dims = ["if0_dim0"]}, %y: tensor<?xf32>,
                %t: tensor<i1>) -> tensor<?xf32> {
  %c = graph.condition %t : tensor<i1>
  %r = scf.if %c -> tensor<?xf32> {
    scf.yield %x : tensor<?xf32>
  } else {
    scf.yield %y : tensor<?xf32>
  }
  return %r : tensor<?xf32>
})");
  CHECK(f.returned(0) == "[if0_dim0_]");
  CHECK(f.definition(0, 0) == "if0_dim0, arg1_dim0");
}
