//===- Outline.cpp - A group as a function of its own ---------------------===//
#include "graph/lowering/Outline.h"

#include "graph/analysis/Access.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tilewright::graph {

OwningOpRef<ModuleOp> outline(GroupOp group) {
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  if (hasOwnKernels(group.getYielded().front().getDefiningOp()) ||
      !llvm::all_of(group->getOperandTypes(), isStatic) ||
      !llvm::all_of(group->getResultTypes(), isStatic))
    return nullptr;
  OpBuilder builder(group.getContext());
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToStart(module->getBody());
  auto func =
      func::FuncOp::create(builder, loc, "group",
                           builder.getFunctionType(group->getOperandTypes(),
                                                   group->getResultTypes()));
  Block *entry = func.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  IRMapping mapping;
  mapping.map(group.getBody().getArguments(), entry->getArguments());
  for (Operation &op : group.getBody().front().without_terminator())
    builder.clone(op, mapping);
  SmallVector<Value> results;
  for (Value yielded : group.getYielded())
    results.push_back(mapping.lookup(yielded));
  func::ReturnOp::create(builder, loc, results);
  return module;
}

std::string outlinedText(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

} // namespace tilewright::graph
