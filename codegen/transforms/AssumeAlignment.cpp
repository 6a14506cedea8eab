#include "codegen/transforms/ElementOrder.h"
#include "codegen/transforms/Passes.h"

using namespace mlir;

namespace tilewright::tilegpu {

#define GEN_PASS_DEF_ASSUMEALIGNMENT
#include "codegen/transforms/Passes.h.inc"

void assumeAlignment(tile::KernelOp kernel) {
  constexpr int64_t ofWorkspaces = 64;
  Builder builder(kernel.getContext());
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    const bool isView = isa<tile::ViewType>(type);
    if ((isView || kernel.getArgAttr(i, tile::TileDialect::kWorkspaceAttr)) &&
        !kernel.getArgAttr(i, tile::TileDialect::kAlignAttr))
      kernel.setArgAttr(
          i, tile::TileDialect::kAlignAttr,
          builder.getI64IntegerAttr(isView ? kWidestAccess : ofWorkspaces));
  }
}

namespace {
struct AssumeAlignment : impl::AssumeAlignmentBase<AssumeAlignment> {
  using AssumeAlignmentBase::AssumeAlignmentBase;

  void runOnOperation() override { assumeAlignment(getOperation()); }
};
} // namespace

} // namespace tilewright::tilegpu
