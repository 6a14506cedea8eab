//===- OracleKernel.cpp - A kernel, or a program of it, to interpret ------===//
#include "autotune/task/OracleKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tileir/ir/Programs.h"

using namespace mlir;

namespace tilewright::autotune {

std::array<int64_t, 3> gridOf(tile::KernelOp kernel,
                              ArrayRef<TaskArgument> arguments,
                              ArrayRef<TaskTensor> tensors) {
  Builder builder(kernel.getContext());
  SmallVector<Attribute> sizes;
  for (auto [type, argument] : llvm::zip(kernel.getArgumentTypes(), arguments))
    if (isa<tile::ViewType>(type))
      for (int64_t size : tensors[*argument.tensor].shape)
        sizes.push_back(builder.getIndexAttr(size));
    else if (type.isIntOrIndex())
      sizes.push_back(builder.getIndexAttr(argument.scalar));
  std::array<int64_t, 3> grid = {1, 1, 1};
  SmallVector<Attribute> counts;
  if (succeeded(kernel.getGrid().constantFold(sizes, counts)))
    for (auto [i, count] : llvm::enumerate(counts))
      grid[i] = cast<IntegerAttr>(count).getInt();
  return grid;
}

void isolateProgram(tile::KernelOp kernel, const std::array<int64_t, 3> &grid,
                    int64_t program) {
  const std::array<int64_t, 3> ids = {program % grid[0],
                                      program / grid[0] % grid[1],
                                      program / grid[0] / grid[1]};
  auto builder = OpBuilder::atBlockBegin(kernel.getBody());
  auto constants = [&](const std::array<int64_t, 3> &numbers) {
    SmallVector<Value> values;
    for (int64_t dim = 0; dim < kernel.getGridRank(); ++dim)
      values.push_back(arith::ConstantIndexOp::create(builder, kernel.getLoc(),
                                                      numbers[dim]));
    return values;
  };
  tile::replaceProgram(kernel, constants(ids), constants(grid));
  unsigned symbols = kernel.getGrid().getNumSymbols();
  AffineExpr one = getAffineConstantExpr(1, kernel.getContext());
  kernel.setGrid(AffineMap::get(0, symbols, one, kernel.getContext()));
}

bool programsAreIndependent(tile::KernelOp kernel,
                            ArrayRef<TaskTensor> tensors) {
  if (llvm::any_of(tensors, [](const TaskTensor &tensor) {
        return tensor.isRead && tensor.isWritten;
      }))
    return false;
  return !kernel
              .walk([](Operation *op) {
                auto access = dyn_cast<tile::MemoryOrderOpInterface>(op);
                return access && (access.isAtomicUpdate() ||
                                  !isa<tile::PointerAccessOpInterface>(op))
                           ? WalkResult::interrupt()
                           : WalkResult::advance();
              })
              .wasInterrupted();
}

} // namespace tilewright::autotune
