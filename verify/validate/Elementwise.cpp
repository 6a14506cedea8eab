#include "verify/validate/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::verify {

namespace {
/// Follows the values of one function.
class Follower {
public:
  explicit Follower(func::FuncOp function) : function(function) {}
  bool run();

private:
  bool isShape(Type type) const {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getShape() == shape;
  }
  bool follow(Operation &op);
  bool followLoops(linalg::LinalgOp op);
  /// Whether a tensor.empty has the shape of the arguments when it runs.
  bool hasShape(tensor::EmptyOp op) const;
  static bool isConstant(Value value) {
    return matchPattern(value, m_Constant());
  }
  static bool isSplat(Value value) {
    SplatElementsAttr splat;
    return matchPattern(value, m_Constant(&splat));
  }
  /// An element of it depends on those of the arguments at its index alone.
  bool isFollowed(Value value) const {
    return followed.contains(value) || isSplat(value);
  }

  func::FuncOp function;
  ArrayRef<int64_t> shape;
  DenseSet<Value> followed;
};
} // namespace

bool Follower::hasShape(tensor::EmptyOp op) const {
  unsigned next = 0;
  for (auto [d, size] : llvm::enumerate(op.getType().getShape())) {
    if (!ShapedType::isDynamic(size))
      continue;
    auto dim = op.getDynamicSizes()[next++].getDefiningOp<tensor::DimOp>();
    if (!dim || dim.getConstantIndex() != int64_t(d) ||
        !followed.contains(dim.getSource()))
      return false;
  }
  return true;
}

/// Loops over all elements, whose body sees those of one index.
bool Follower::followLoops(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() != 0)
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    const bool isNumber = !isa<ShapedType>(operand.get().getType());
    if (isNumber ? !isConstant(operand.get())
                 : !isFollowed(operand.get()) ||
                       !op.getMatchingIndexingMap(&operand).isIdentity())
      return false;
  }
  Region &body = op->getRegion(0);
  const WalkResult seen = body.walk([&](Operation *inner) {
    if (isa<linalg::IndexOp, tensor::ExtractOp>(inner))
      return WalkResult::interrupt();
    const bool isInside = llvm::all_of(inner->getOperands(), [&](Value value) {
      return body.isAncestor(value.getParentRegion()) ||
             (!isa<ShapedType>(value.getType()) && isConstant(value));
    });
    return isInside ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !seen.wasInterrupted();
}

bool Follower::follow(Operation &op) {
  if (matchPattern(&op, m_Constant()) || isa<tensor::DimOp>(op))
    return true;
  if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
    if (!isShape(empty.getType()) || !hasShape(empty))
      return false;
  } else if (auto loops = dyn_cast<linalg::LinalgOp>(op)) {
    if (!followLoops(loops))
      return false;
  } else if (!op.hasTrait<OpTrait::Elementwise>() || op.getNumRegions() != 0 ||
             !llvm::all_of(op.getOperands(),
                           [&](Value value) { return isFollowed(value); })) {
    return false;
  }
  for (Value result : op.getResults()) {
    if (!isShape(result.getType()))
      return false;
    followed.insert(result);
  }
  return true;
}

bool Follower::run() {
  if (!llvm::hasSingleElement(function.getBody()) ||
      function.getNumArguments() == 0)
    return false;
  auto first = dyn_cast<RankedTensorType>(function.getArgumentTypes()[0]);
  if (!first)
    return false;
  shape = first.getShape();
  for (Value argument : function.getArguments()) {
    if (!isShape(argument.getType()))
      return false;
    followed.insert(argument);
  }
  Block &block = function.getBody().front();
  for (Operation &op : block.without_terminator())
    if (!follow(op))
      return false;
  return llvm::all_of(block.getTerminator()->getOperands(),
                      [&](Value value) { return followed.contains(value); });
}

bool isElementwise(func::FuncOp function) { return Follower(function).run(); }

} // namespace tilewright::verify
