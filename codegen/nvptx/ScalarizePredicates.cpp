//===- ScalarizePredicates.cpp - No vectors of i1 -------------------------===//
#include "codegen/nvptx/TileToThreads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#include <map>
#include <unordered_map>

using namespace mlir;

namespace tilewright::nvptx {

#define GEN_PASS_DEF_SCALARIZEPREDICATES
#include "codegen/nvptx/Passes.h.inc"

static bool isPredicates(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getRank() == 1 &&
         vector.getElementType().isInteger(1);
}

/// Whether an op computes vectors element by element, of predicates or from
/// them.
static bool isScalarized(Operation *op) {
  return op->getNumResults() == 1 && op->hasTrait<OpTrait::Elementwise>() &&
         isMemoryEffectFree(op) &&
         isa<VectorType>(op->getResult(0).getType()) &&
         (isPredicates(op->getResult(0).getType()) ||
          llvm::any_of(op->getOperandTypes(), isPredicates));
}

namespace {
struct ScalarizePredicates
    : impl::ScalarizePredicatesBase<ScalarizePredicates> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isScalarized(op))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      scalarize(op);
    for (Operation *op : llvm::reverse(ops))
      op->erase();
    elements.clear();
  }

private:
  /// An element of a vector, at the position of the vector or above.
  Value elementOf(Value vector, int64_t at) {
    if (auto broadcast = vector.getDefiningOp<vector::BroadcastOp>();
        broadcast && !isa<VectorType>(broadcast.getSourceType()))
      return broadcast.getSource();
    if (auto made = vector.getDefiningOp<vector::FromElementsOp>())
      return made.getElements()[size_t(at)];
    if (auto shuffle = vector.getDefiningOp<vector::ShuffleOp>()) {
      const int64_t from = shuffle.getMask()[size_t(at)];
      const int64_t first = shuffle.getV1VectorType().getNumElements();
      if (from >= 0)
        return from < first ? elementOf(shuffle.getV1(), from)
                            : elementOf(shuffle.getV2(), from - first);
    }
    // Of a splat one element is all of them.
    DenseElementsAttr constant;
    const bool isSplat =
        matchPattern(vector, m_Constant(&constant)) && constant.isSplat();
    Value &element = elements[vector][isSplat ? 0 : at];
    if (!element) {
      OpBuilder b(vector.getContext());
      b.setInsertionPointAfterValue(vector);
      element = b.createOrFold<vector::ExtractOp>(vector.getLoc(), vector, at);
    }
    return element;
  }

  void scalarize(Operation *op) {
    auto type = cast<VectorType>(op->getResult(0).getType());
    OpBuilder b(op);
    SmallVector<Value> scalars;
    // Elements of the same operands are the same.
    std::map<std::vector<const void *>, Value> known;
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      IRMapping mapping;
      std::vector<const void *> operands;
      for (Value operand : op->getOperands()) {
        Value element = isa<VectorType>(operand.getType())
                            ? elementOf(operand, i)
                            : operand;
        mapping.map(operand, element);
        operands.push_back(element.getAsOpaquePointer());
      }
      Value &scalar = known[operands];
      if (!scalar) {
        Operation *single = op->cloneWithoutRegions(mapping);
        single->getResult(0).setType(type.getElementType());
        b.insert(single);
        scalar = single->getResult(0);
      }
      scalars.push_back(scalar);
    }
    op->getResult(0).replaceAllUsesWith(
        vector::FromElementsOp::create(b, op->getLoc(), type, scalars));
  }

  /// What was extracted of vectors.
  llvm::DenseMap<Value, std::unordered_map<int64_t, Value>> elements;
};
} // namespace

} // namespace tilewright::nvptx
