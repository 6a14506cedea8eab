//===- InlineFunctions.cpp - One function, with those it calls ------------===//
#include "graph/transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_INLINEFUNCTIONS
#include "graph/transforms/Passes.h.inc"

namespace {
struct InlineFunctions : impl::InlineFunctionsBase<InlineFunctions> {
  void runOnOperation() override;
  FailureOr<func::FuncOp> chooseEntry();
  LogicalResult check(func::FuncOp entry);
};
} // namespace

/// The function that a package runs.
FailureOr<func::FuncOp> InlineFunctions::chooseEntry() {
  ModuleOp module = getOperation();
  SmallVector<func::FuncOp> defined, entries;
  llvm::StringSet<> called;
  for (auto func : module.getOps<func::FuncOp>())
    if (!func.isExternal())
      defined.push_back(func);
  module.walk([&](func::CallOp call) { called.insert(call.getCallee()); });
  if (defined.size() == 1)
    return defined.front();
  for (func::FuncOp func : defined) {
    if (func.getName() == "main")
      return func;
    if (func.isPublic() && !called.contains(func.getName()))
      entries.push_back(func);
  }
  if (entries.size() == 1)
    return entries.front();
  SmallVector<std::string> names;
  for (func::FuncOp func : entries.empty() ? defined : entries)
    names.push_back("@" + func.getName().str());
  module.emitError("expected one function to start with: the only one, one "
                   "called main, or one public function that no other calls; "
                   "found ")
      << (names.empty() ? std::string("none") : llvm::join(names, ", "));
  return failure();
}

/// Nothing is left of calls, and the body is one block.
LogicalResult InlineFunctions::check(func::FuncOp entry) {
  if (!llvm::hasSingleElement(entry.getBody()))
    return entry.emitError("expected a function of one block, found ")
           << entry.getBody().getBlocks().size()
           << "; structured control flow (scf) is supported, branches are not";
  WalkResult found = entry.walk([&](func::CallOp call) {
    auto callee = getOperation().lookupSymbol<func::FuncOp>(call.getCallee());
    call.emitError("expected a call that can be inlined, @")
        << call.getCallee()
        << (!callee               ? " is not in the module"
            : callee.isExternal() ? " has no body"
                                  : " calls itself, directly or through "
                                    "others, or has several blocks");
    return WalkResult::interrupt();
  });
  return failure(found.wasInterrupted());
}

void InlineFunctions::runOnOperation() {
  ModuleOp module = getOperation();
  FailureOr<func::FuncOp> entry = chooseEntry();
  if (failed(entry))
    return signalPassFailure();
  entry->setPublic();
  if (!llvm::hasSingleElement(module.getOps<func::FuncOp>())) {
    OpPassManager inliner(ModuleOp::getOperationName());
    inliner.addPass(createInlinerPass({}, [](OpPassManager &) {}));
    if (failed(runPipeline(inliner, module)))
      return signalPassFailure();
  }
  if (failed(check(*entry)))
    return signalPassFailure();
  for (auto func : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (func != *entry)
      func.erase();
}

} // namespace tilewright::graph
