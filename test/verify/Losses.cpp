#include "test/verify/Losses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::test {

static Type like(Value value, Type element) {
  if (auto type = dyn_cast<VectorType>(value.getType()))
    return type.clone(element);
  return element;
}

/// In lowered code: not of tensors.
static bool isSingle(Value value) {
  return isa<FloatType, VectorType>(value.getType()) &&
         getElementTypeOrSelf(value.getType()).isF32();
}

/// The value rounded to another type and back.
static Value narrowed(OpBuilder &b, Location loc, Value value, Type element) {
  Value narrow = arith::TruncFOp::create(b, loc, like(value, element), value);
  return arith::ExtFOp::create(b, loc, value.getType(), narrow);
}

/// Rounds a result for all that use it.
static void narrowResult(Value value, Type element) {
  OpBuilder b(value.getContext());
  b.setInsertionPointAfterValue(value);
  Value made = narrowed(b, value.getLoc(), value, element);
  value.replaceUsesWithIf(made, [&](OpOperand &use) {
    Operation *user = use.getOwner();
    return user != made.getDefiningOp() &&
           user != made.getDefiningOp()->getOperand(0).getDefiningOp();
  });
}

template <typename... Ops>
static SmallVector<Operation *> all(ModuleOp module) {
  SmallVector<Operation *> found;
  module.walk([&](Operation *op) {
    if (isa<Ops...>(op) && op->getNumResults() == 1 &&
        isSingle(op->getResult(0)))
      found.push_back(op);
  });
  return found;
}

static SmallVector<LLVM::CallIntrinsicOp> matrixOps(ModuleOp module) {
  SmallVector<LLVM::CallIntrinsicOp> found;
  module.walk([&](LLVM::CallIntrinsicOp op) {
    if (op.getIntrin().starts_with("llvm.nvvm.mma."))
      found.push_back(op);
  });
  return found;
}

//===--- Losses -----------------------------------------------------------===//

static bool narrowAccumulators(ModuleOp module, Type element) {
  SmallVector<Value> results;
  for (Operation *op : all<math::FmaOp, vector::FMAOp>(module))
    results.push_back(op->getResult(0));
  for (LLVM::CallIntrinsicOp op : matrixOps(module))
    for (Operation *user : op->getUsers())
      if (auto part = dyn_cast<LLVM::ExtractValueOp>(user))
        if (isSingle(part))
          results.push_back(part);
  if (results.empty())
    for (Operation *op : all<arith::AddFOp>(module))
      results.push_back(op->getResult(0));
  for (Value result : results)
    narrowResult(result, element);
  return !results.empty();
}

static bool roundProducts(ModuleOp module) {
  SmallVector<Operation *> found = all<math::FmaOp, vector::FMAOp>(module);
  for (Operation *op : found) {
    OpBuilder b(op);
    Value product = arith::MulFOp::create(b, op->getLoc(), op->getOperand(0),
                                          op->getOperand(1));
    product = narrowed(b, op->getLoc(), product, b.getBF16Type());
    op->getResult(0).replaceAllUsesWith(
        arith::AddFOp::create(b, op->getLoc(), product, op->getOperand(2)));
    op->erase();
  }
  return !found.empty();
}

/// Of three products of parts the first one is left out: the small parts of lhs
/// with rhs.
static bool loseTerm(ModuleOp module) {
  SmallVector<LLVM::CallIntrinsicOp> found = matrixOps(module);
  const bool hasParts =
      module
          .walk([](arith::AndIOp op) {
            auto mask = op.getRhs().getDefiningOp<arith::ConstantIntOp>();
            const bool isCut = mask && (uint32_t(mask.value()) == 0xffffe000 ||
                                        uint32_t(mask.value()) == 0xffff0000);
            return isCut ? WalkResult::interrupt() : WalkResult::advance();
          })
          .wasInterrupted();
  if (!hasParts)
    return false;
  for (auto [n, op] : llvm::enumerate(found)) {
    if (n % 3 != 0)
      continue;
    auto type = cast<LLVM::LLVMStructType>(op->getResult(0).getType());
    OperandRange accumulators = op.getArgs().take_back(type.getBody().size());
    for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
      auto part = cast<LLVM::ExtractValueOp>(user);
      part.replaceAllUsesWith(accumulators[size_t(part.getPosition()[0])]);
      part.erase();
    }
    op->erase();
  }
  return !found.empty();
}

static bool narrowFunctions(ModuleOp module) {
  SmallVector<Operation *> found =
      all<math::ExpOp, math::Exp2Op, math::LogOp, math::TanhOp, math::RsqrtOp,
          math::SqrtOp, math::ErfOp, math::SinOp, math::CosOp>(module);
  module.walk([&](LLVM::CallIntrinsicOp op) {
    if (op.getIntrin().contains(".approx.") && isSingle(op->getResult(0)))
      found.push_back(op);
  });
  for (Operation *op : found)
    narrowResult(op->getResult(0), Float16Type::get(module.getContext()));
  return !found.empty();
}

/// sum + part, where part is a chain of matrix instructions from zeros: the
/// chain begins with the sum instead.
static bool lengthenChunks(ModuleOp module) {
  bool any = false;
  for (Operation *op : all<arith::AddFOp>(module)) {
    auto part = op->getOperand(1).getDefiningOp<LLVM::ExtractValueOp>();
    auto chain =
        part ? part.getContainer().getDefiningOp<LLVM::CallIntrinsicOp>()
             : nullptr;
    if (!chain || !chain.getIntrin().starts_with("llvm.nvvm.mma."))
      continue;
    const auto position = size_t(part.getPosition()[0]);
    for (;;) {
      auto type = cast<LLVM::LLVMStructType>(chain->getResult(0).getType());
      const size_t first = chain.getArgs().size() - type.getBody().size();
      OpOperand &start = chain->getOpOperand(unsigned(first + position));
      auto before = start.get().getDefiningOp<LLVM::ExtractValueOp>();
      if (!before) {
        start.set(op->getOperand(0));
        break;
      }
      chain = before.getContainer().getDefiningOp<LLVM::CallIntrinsicOp>();
    }
    op->getResult(0).replaceAllUsesWith(part);
    op->erase();
    any = true;
  }
  return any;
}

bool lose(ModuleOp module, const std::string &loss) {
  MLIRContext *context = module.getContext();
  if (loss == "narrow-f16")
    return narrowAccumulators(module, Float16Type::get(context));
  if (loss == "narrow-bf16")
    return narrowAccumulators(module, BFloat16Type::get(context));
  if (loss == "product")
    return roundProducts(module);
  if (loss == "term")
    return loseTerm(module);
  if (loss == "function")
    return narrowFunctions(module);
  return loss == "chunk" && lengthenChunks(module);
}

} // namespace tilewright::test
