//===- Lifetimes.cpp - Until when a tensor's layout is needed -------------===//
#include "spatial/transforms/Lifetimes.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace tilewright::spatial {

Lifetimes::Lifetimes(Tensors &tensors, Block &graph)
    : tensors(tensors), known(tensors.size()) {
  int64_t number = 0;
  for (Operation &op : graph) {
    // Bodies read tensors, too.
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        lastReader[operand] = number;
    });
    ++number;
  }
  ending.resize(number);
}

void Lifetimes::keep(int64_t tensor, int64_t until) {
  // Inputs are the program's arguments, whose layouts it says.
  if (tensors.info(tensor).argument)
    return;
  auto [at, isNew] = lastOp.try_emplace(tensor, until);
  if (!isNew && at->second >= until)
    return;
  at->second = until;
  ending[until].push_back(tensor);
}

void Lifetimes::end(Operation *op) {
  for (Value result : op->getResults()) {
    if (!tensors.has(result))
      continue;
    const int64_t number = tensors.numberOf(result);
    auto reader = lastReader.find(result);
    const int64_t until = reader == lastReader.end() ? now : reader->second;
    keep(number, until);
    llvm::DenseSet<int64_t> bases;
    for (ElementId id : tensors.info(number).view)
      if (id != noElement)
        bases.insert(tensorOf(id));
    for (int64_t base : bases)
      keep(base, until);
  }
  // Intermediate results are no tensors of the graph.
  for (; known < tensors.size(); ++known)
    if (!lastOp.contains(known) && !tensors.info(known).constant)
      tensors.release(known);
  for (int64_t tensor : ending[now])
    if (lastOp.lookup(tensor) == now)
      tensors.release(tensor);
  ++now;
}

} // namespace tilewright::spatial
