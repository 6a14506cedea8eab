#include "codegen/transforms/Passes.h"

using namespace mlir;

namespace tilewright::gpu {

#define GEN_PASS_DEF_ASSUMEALIGNMENT
#include "codegen/transforms/Passes.h.inc"

namespace {
struct AssumeAlignment : impl::AssumeAlignmentBase<AssumeAlignment> {
  using AssumeAlignmentBase::AssumeAlignmentBase;

  /// In bytes: what the widest access of a thread takes.
  static constexpr int64_t viewAlignment = 16;

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    IntegerAttr assumption =
        Builder(&getContext()).getI64IntegerAttr(viewAlignment);
    for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes()))
      if (isa<tile::ViewType>(type) &&
          !kernel.getArgAttr(i, tile::TileDialect::kAlignAttr))
        kernel.setArgAttr(i, tile::TileDialect::kAlignAttr, assumption);
  }
};
} // namespace

} // namespace tilewright::gpu
