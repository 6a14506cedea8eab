#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tileir/transforms/Passes.h"

using namespace mlir;

namespace tilewright::tile {

#define GEN_PASS_DEF_GUARDFOLDERS
#include "tileir/transforms/Passes.h.inc"

static Value splatOf(ImplicitLocOpBuilder &b, Type type, double number) {
  TypedAttr value = b.getFloatAttr(getElementTypeOrSelf(type), number);
  if (auto tile = dyn_cast<RankedTensorType>(type))
    value = DenseElementsAttr::get(tile, Attribute(value));
  return arith::ConstantOp::create(b, value);
}

static void guardZeros(math::Atan2Op op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value y = op.getLhs(), x = op.getRhs(), zero = splatOf(b, x.getType(), 0);
  Value areZero = arith::AndIOp::create(
      b, arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, y, zero),
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, x, zero));
  Value one = math::CopySignOp::create(b, splatOf(b, x.getType(), 1), x);
  op.getRhsMutable().assign(arith::SelectOp::create(b, areZero, one, x));
}

namespace {
struct GuardFolders : impl::GuardFoldersBase<GuardFolders> {
  using GuardFoldersBase::GuardFoldersBase;
  void runOnOperation() override { getOperation().walk(guardZeros); }
};
} // namespace

} // namespace tilewright::tile
