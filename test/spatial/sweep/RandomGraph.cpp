#include "test/spatial/sweep/RandomGraph.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Verifier.h"
#include "test/spatial/sweep/GraphWriter.h"

namespace tilewright::test {

using namespace build;

/// What nobody reads, or the last few of it.
static llvm::SmallVector<FunctionResult> resultsOf(const GraphWriter &writer) {
  llvm::SmallVector<FunctionResult> results;
  for (const Known &known : llvm::reverse(writer.tensors))
    if (!known.isRead && results.size() < 3)
      results.push_back({"y" + std::to_string(results.size()), known.tensor});
  return results;
}

/// Constants that the module holds itself: passes that fold a resource release
/// it, also from the module that they were given a copy of.
static void holdConstants(mlir::ModuleOp module) {
  module.walk([](mlir::arith::ConstantOp op) {
    if (auto resource =
            mlir::dyn_cast<mlir::DenseResourceElementsAttr>(op.getValue()))
      op.setValueAttr(mlir::DenseElementsAttr::getFromRawBuffer(
          resource.getType(), resource.getData()));
  });
}

RandomGraph randomGraph(mlir::MLIRContext &context, Dice &dice) {
  RandomGraph graph;
  const std::string diagnostic;
  const auto loc = mlir::UnknownLoc::get(&context);
  for (;;) {
    graph.operators.clear();
    graph.module = mlir::ModuleOp::create(loc);
    mlir::OpBuilder builder(graph.module->getBodyRegion());
    auto function = mlir::func::FuncOp::create(
        builder, loc, "main", mlir::FunctionType::get(&context, {}, {}));
    GraphBuilder b(&context, function, diagnostic);
    GraphWriter writer(b, dice);
    writer.function = function;
    writer.addFirst();
    const int64_t wanted = dice.number(1, 8);
    int64_t found = 0;
    for (int tries = 0; tries < 40 && found < wanted; ++tries) {
      std::string name = writer.addOperator();
      if (name.empty())
        continue;
      graph.operators += (found++ ? " " : "") + name;
    }
    function.setType(
        b.builder.getFunctionType(function.front().getArgumentTypes(), {}));
    const auto results = resultsOf(writer);
    if (!found ||
        failed(finishFunction(b, function, writer.arguments, results)) ||
        failed(mlir::verify(*graph.module)))
      continue;
    holdConstants(*graph.module);
    graph.inputs = std::move(writer.inputs);
    return graph;
  }
}

} // namespace tilewright::test
