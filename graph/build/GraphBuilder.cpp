#include "graph/build/GraphBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace tilewright::build {

GraphBuilder::GraphBuilder(MLIRContext *context, func::FuncOp function,
                           const std::string &diagnostic)
    : sizes(context), builder(context), loc(function.getLoc()),
      indices(builder, loc, sizes, function.addEntryBlock()),
      diagnostic(diagnostic) {
  builder.setInsertionPointToEnd(&function.getBody().front());
}

LogicalResult GraphBuilder::fail(const Twine &message) {
  if (error.empty())
    error = message.str();
  return failure();
}

LogicalResult GraphBuilder::verifyAfter(Operation *last) {
  Block *block = builder.getInsertionBlock();
  auto from = last ? std::next(last->getIterator()) : block->begin();
  for (Operation &op : llvm::make_range(from, block->end()))
    if (failed(verify(&op)))
      return fail("its operands do not go together: " + diagnostic);
  return success();
}

} // namespace tilewright::build
