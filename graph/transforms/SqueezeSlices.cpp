//===- SqueezeSlices.cpp - Slices without dimensions of one element -------===//
#include "graph/analysis/Access.h"
#include "graph/analysis/Blocks.h"
#include "graph/analysis/SymbolicShapes.h"
#include "graph/transforms/Function.h"
#include "graph/transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_SQUEEZESLICES
#include "graph/transforms/Passes.h.inc"

/// The dimensions of `from` that are left in `to`, which lacks some of one
/// element; nothing where the types differ otherwise.
static std::optional<SmallVector<unsigned>> dimsLeft(ArrayRef<int64_t> from,
                                                     ArrayRef<int64_t> to) {
  SmallVector<unsigned> left;
  for (auto [dim, size] : llvm::enumerate(from))
    if (left.size() < to.size() && to[left.size()] == size)
      left.push_back(unsigned(dim));
    else if (size != 1)
      return std::nullopt;
  return left.size() == to.size() ? std::optional(left) : std::nullopt;
}

/// Whether a reshape only drops dimensions of one element of the slice, which
/// nothing else reads. Of open sizes one follows from the others; several may
/// have changed places.
static bool isSqueeze(tensor::ReshapeOp reshape, tensor::ExtractSliceOp slice,
                      SymbolicShapes &shapes) {
  auto to = dyn_cast<RankedTensorType>(reshape.getType());
  RankedTensorType from = slice.getType();
  if (!to || to.getRank() >= from.getRank() ||
      llvm::count_if(slice->getUses(), readsContent) != 1)
    return false;
  const auto left = dimsLeft(from.getShape(), to.getShape());
  if (!left || to.getNumDynamicDims() <= 1)
    return left.has_value();
  FailureOr<SymbolicShape> before = shapes.shapeOf(slice.getResult()),
                           after = shapes.shapeOf(reshape.getResult());
  return succeeded(before) && succeeded(after) &&
         llvm::equal(*after, llvm::map_range(*left, [&](unsigned dim) {
           return (*before)[dim];
         }));
}

namespace {
struct SqueezeSlices : impl::SqueezeSlicesBase<SqueezeSlices> {
  using SqueezeSlicesBase::SqueezeSlicesBase;

  void runOnOperation() override {
    FailureOr<func::FuncOp> func = graphFunction(getOperation());
    if (failed(func))
      return signalPassFailure();
    SymbolicShapes shapes(*func);
    for (auto reshape : graphOps<tensor::ReshapeOp>(*func)) {
      auto slice = reshape.getSource().getDefiningOp<tensor::ExtractSliceOp>();
      if (!slice || !isSqueeze(reshape, slice, shapes))
        continue;
      OpBuilder b(reshape);
      shapes.forget(reshape.getResult());
      auto squeezed = tensor::ExtractSliceOp::create(
          b, slice.getLoc(), cast<RankedTensorType>(reshape.getType()),
          slice.getSource(), slice.getMixedOffsets(), slice.getMixedSizes(),
          slice.getMixedStrides());
      reshape.replaceAllUsesWith(squeezed.getResult());
      reshape.erase();
      if (slice->use_empty()) {
        shapes.forget(slice.getResult());
        slice.erase();
      }
      ++squeezedCount;
    }
  }
};
} // namespace

} // namespace tilewright::graph
