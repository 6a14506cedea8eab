//===- WrittenArguments.cpp - Where a kernel writes -----------------------===//
#include "codegen/transforms/WrittenArguments.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilewright::gpu {

std::optional<unsigned> argumentOf(tile::KernelOp kernel, Value view) {
  auto argument = dyn_cast<BlockArgument>(view);
  if (!argument || argument.getOwner() != kernel.getBody())
    return std::nullopt;
  return argument.getArgNumber();
}

/// Whether the op itself may write memory that other programs see.
static bool writesGlobal(Operation *op) {
  if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return false;
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface)
    return true;
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  return llvm::any_of(effects, [](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Write>(effect.getEffect()) &&
           effect.getResource() == SideEffects::DefaultResource::get();
  });
}

WrittenArguments::WrittenArguments(tile::KernelOp kernel)
    : arguments(kernel.getNumArguments()) {
  kernel.getBody()->walk([&](Operation *op) {
    if (op->hasTrait<OpTrait::IsTerminator>() || !writesGlobal(op))
      return;
    auto access = dyn_cast<tile::ViewAccessOpInterface>(op);
    std::optional<unsigned> argument =
        access ? argumentOf(kernel, access.getView()) : std::nullopt;
    if (argument)
      arguments.set(*argument);
    else
      hasOthers = true;
  });
}

} // namespace tilewright::gpu
