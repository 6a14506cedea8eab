// A plug-in of three passes over kernels: one keeps the relation that it
// declares, one does not, and one declares none and is wrong for -0.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "tilewright/mlir/Registry.h"
#include "tilewright/mlir/Tile.h"

using namespace mlir;
using namespace tilewright;

namespace {
/// Replaces each `Op` by what `rewrite` makes of it, if anything.
template <typename Op>
struct Rewrite : PassWrapper<Rewrite<Op>, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Rewrite)
  using Function = Value (*)(OpBuilder &, Op);
  explicit Rewrite(Function rewrite) : rewrite(rewrite) {}

  void runOnOperation() override {
    this->getOperation().walk([&](Op op) {
      OpBuilder b(op);
      if (Value made = rewrite(b, op)) {
        op.getResult().replaceAllUsesWith(made);
        op.erase();
      }
    });
  }

  Function rewrite;
};
} // namespace

/// x / y as x * (1 / y).
static Value multiply(OpBuilder &b, arith::DivFOp op) {
  auto type = cast<ShapedType>(op.getType());
  Value one = arith::ConstantOp::create(
      b, op.getLoc(),
      DenseElementsAttr::get(type, b.getF32FloatAttr(1).getValue()));
  Value inverse = arith::DivFOp::create(b, op.getLoc(), one, op.getRhs());
  return arith::MulFOp::create(b, op.getLoc(), op.getLhs(), inverse);
}

/// The smaller one as the larger one.
static Value exchange(OpBuilder &b, arith::MinimumFOp op) {
  return arith::MaximumFOp::create(b, op.getLoc(), op.getLhs(), op.getRhs());
}

/// x + 0 as x.
static Value dropZero(OpBuilder &, arith::AddFOp op) {
  return matchPattern(op.getRhs(), m_AnyZeroFloat()) ? op.getLhs() : Value();
}

TILEWRIGHT_PLUGIN(registry) {
  registry.addPass(
      "multiply-by-inverse",
      [] { return std::make_unique<Rewrite<arith::DivFOp>>(multiply); },
      Relation{Relation::Kind::near, 0x1p-22});
  registry.addPass(
      "exchange-minima",
      [] { return std::make_unique<Rewrite<arith::MinimumFOp>>(exchange); },
      Relation{Relation::Kind::bounded});
  registry.addPass("drop-zeros", [] {
    return std::make_unique<Rewrite<arith::AddFOp>>(dropZero);
  });
  return Status();
}
