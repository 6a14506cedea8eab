//===- ArgumentAccesses.cpp - What a kernel reads and writes --------------===//
#include "tileir/analysis/ArgumentAccesses.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilewright::tile {

std::optional<unsigned> argumentOf(KernelOp kernel, Value view) {
  auto argument = dyn_cast<BlockArgument>(view);
  if (!argument || argument.getOwner() != kernel.getBody())
    return std::nullopt;
  return argument.getArgNumber();
}

/// Whether a value leads to memory: a view, a pointer or a tile of pointers.
static bool isAddress(Value value) {
  return isa<ViewType, PtrType>(getElementTypeOrSelf(value.getType()));
}

namespace {
/// What is done to the memory behind an address.
struct Uses {
  bool reads = false, writes = false;
  void find(Value address);
};
} // namespace

void Uses::find(Value address) {
  for (Operation *user : address.getUsers()) {
    auto view = dyn_cast<ViewAccessOpInterface>(user);
    auto pointer = dyn_cast<PointerAccessOpInterface>(user);
    if (view || pointer) {
      const bool isWrite = view ? view.getWrittenTile() != nullptr
                                : pointer.getWrittenValue() != nullptr;
      auto ordered = dyn_cast<MemoryOrderOpInterface>(user);
      writes |= isWrite;
      reads |= !isWrite || (ordered && ordered.isAtomicUpdate());
    } else if (isPure(user) && !isa<PtrToIntOp>(user) &&
               user->getNumRegions() == 0) {
      // Sizes are read from nowhere; addresses go on.
      for (Value result : user->getResults())
        if (isAddress(result))
          find(result);
    } else {
      reads = writes = true;
    }
  }
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

ArgumentAccesses::ArgumentAccesses(KernelOp kernel)
    : read(kernel.getNumArguments()), written(kernel.getNumArguments()) {
  for (BlockArgument argument : kernel.getBody()->getArguments()) {
    if (!isAddress(argument))
      continue;
    Uses uses;
    uses.find(argument);
    read[argument.getArgNumber()] = uses.reads;
    written[argument.getArgNumber()] = uses.writes;
  }
  kernel.getBody()->walk([&](Operation *op) {
    if (op->hasTrait<OpTrait::IsTerminator>() || !writesGlobal(op))
      return;
    auto access = dyn_cast<ViewAccessOpInterface>(op);
    hasOtherWrites |= !access || !argumentOf(kernel, access.getView());
  });
}

} // namespace tilewright::tile
