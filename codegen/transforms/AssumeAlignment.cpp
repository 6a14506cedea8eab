#include "codegen/transforms/MemoryOrder.h"
#include "codegen/transforms/Passes.h"

using namespace mlir;

namespace tilewright::gpu {

#define GEN_PASS_DEF_ASSUMEALIGNMENT
#include "codegen/transforms/Passes.h.inc"

void assumeAlignment(tile::KernelOp kernel) {
  IntegerAttr assumption =
      Builder(kernel.getContext()).getI64IntegerAttr(kWidestAccess);
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes()))
    if (isa<tile::ViewType>(type) &&
        !kernel.getArgAttr(i, tile::TileDialect::kAlignAttr))
      kernel.setArgAttr(i, tile::TileDialect::kAlignAttr, assumption);
}

namespace {
struct AssumeAlignment : impl::AssumeAlignmentBase<AssumeAlignment> {
  using AssumeAlignmentBase::AssumeAlignmentBase;

  void runOnOperation() override { assumeAlignment(getOperation()); }
};
} // namespace

} // namespace tilewright::gpu
