#include "mlir/IR/IRMapping.h"
#include "tileir/transforms/Passes.h"

using namespace mlir;

namespace tilewright::tile {

#define GEN_PASS_DEF_INLINECALLS
#include "tileir/transforms/Passes.h.inc"

static void inlineCall(CallOp call, FuncOp callee) {
  Block &body = callee.getRegion().front();
  IRMapping mapping;
  mapping.map(body.getArguments(), call.getOperands());
  OpBuilder builder(call);
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  for (auto [result, returned] :
       llvm::zip(call.getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookupOrDefault(returned));
  call.erase();
}

int64_t inlineCalls(Operation *function, Operation *symbols) {
  int64_t count = 0;
  SmallVector<CallOp> calls;
  auto collect = [&] {
    calls.clear();
    function->walk([&](CallOp call) { calls.push_back(call); });
    return !calls.empty();
  };
  // Ends, as no function calls itself (func_c2).
  while (collect())
    for (CallOp call : calls) {
      auto callee = SymbolTable::lookupNearestSymbolFrom<FuncOp>(
          symbols, call.getCalleeAttr());
      inlineCall(call, callee);
      ++count;
    }
  return count;
}

void isolate(KernelOp kernel) {
  inlineCalls(kernel, kernel->getParentOp());
  for (Operation &op : llvm::make_early_inc_range(*kernel->getBlock()))
    if (&op != kernel)
      op.erase();
}

namespace {
struct InlineCalls : impl::InlineCallsBase<InlineCalls> {
  using InlineCallsBase::InlineCallsBase;

  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      if (isa<KernelOp, FuncOp>(op))
        numInlined += inlineCalls(op, op->getParentOp());
    });
  }
};
} // namespace

} // namespace tilewright::tile
