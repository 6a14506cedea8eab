//===- Programs.cpp - Program indices and bounds --------------------------===//
#include "codegen/cpu/Programs.h"

#include "codegen/cpu/CpuOp.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;

namespace tilewright::cpu {

void readProgramIds(Value linear, Value grid, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  int64_t rank = e.kernel.getGridRank();
  for (int64_t d = 0; d < rank; ++d) {
    Value at =
        LLVM::GEPOp::create(b, grid.getType(), b.getI64Type(), grid,
                            ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(d)});
    e.programs.counts.push_back(arith::IndexCastOp::create(
        b, b.getIndexType(), LLVM::LoadOp::create(b, b.getI64Type(), at)));
  }
  Value rest = linear;
  for (int64_t d = 0; d < rank; ++d) {
    if (d + 1 == rank) {
      e.programs.ids.push_back(rest);
      break;
    }
    e.programs.ids.push_back(
        arith::RemUIOp::create(b, rest, e.programs.counts[d]));
    rest = arith::DivUIOp::create(b, rest, e.programs.counts[d]);
  }
}

std::optional<int64_t> maximum(Value value, Emission &e) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue() < 0
               ? std::nullopt
               : std::optional<int64_t>(constant.getSExtValue());
  if (auto loop =
          dyn_cast_or_null<scf::ForOp>(value.getParentBlock()->getParentOp());
      loop && value == loop.getInductionVar()) {
    APInt first, end, step;
    if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&first)) ||
        !matchPattern(loop.getUpperBound(), m_ConstantInt(&end)) ||
        !matchPattern(loop.getStep(), m_ConstantInt(&step)))
      return std::nullopt;
    int64_t low = first.getSExtValue(), high = end.getSExtValue();
    if (low < 0 || high <= low || !step.isStrictlyPositive())
      return std::nullopt;
    return low + (high - 1 - low) / step.getSExtValue() * step.getSExtValue();
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto id = dyn_cast<tile::ProgramIdOp>(op)) {
    AffineExpr extent =
        e.kernel.getGrid().getResult(cast<OpResult>(value).getResultNumber());
    SmallVector<AffineExpr> sizes;
    for (Type type : e.kernel.getArgumentTypes()) {
      auto view = dyn_cast<tile::ViewType>(type);
      if (!view) {
        sizes.push_back(getAffineSymbolExpr(sizes.size(), value.getContext()));
        continue;
      }
      for (int64_t size : view.getShape())
        sizes.push_back(
            ShapedType::isDynamic(size)
                ? getAffineSymbolExpr(sizes.size(), value.getContext())
                : getAffineConstantExpr(size, value.getContext()));
    }
    auto fixed = dyn_cast<AffineConstantExpr>(
        simplifyAffineExpr(extent.replaceSymbols(sizes), 0, sizes.size()));
    return fixed ? std::optional<int64_t>(fixed.getValue() - 1) : std::nullopt;
  }
  if (isa<arith::AddIOp, arith::MulIOp>(op)) {
    std::optional<int64_t> lhs = maximum(op->getOperand(0), e);
    std::optional<int64_t> rhs = maximum(op->getOperand(1), e);
    if (!lhs || !rhs)
      return std::nullopt;
    // What overflows has no bound.
    return isa<arith::AddIOp>(op) ? llvm::checkedAdd(*lhs, *rhs)
                                  : llvm::checkedMul(*lhs, *rhs);
  }
  if (auto rem = dyn_cast<arith::RemUIOp>(op))
    if (std::optional<int64_t> divisor = maximum(rem.getRhs(), e))
      return *divisor - 1;
  return std::nullopt;
}

static LogicalResult emitProgramId(tile::ProgramIdOp op, Emission &e) {
  e.scalars.map(op->getResults(), e.programs.ids);
  return success();
}

static LogicalResult emitProgramCount(tile::ProgramCountOp op, Emission &e) {
  e.scalars.map(op->getResults(), e.programs.counts);
  return success();
}

void addProgramOps(CpuOps &ops) {
  ops.add<tile::ProgramIdOp>({.emit = onOp(emitProgramId)});
  ops.add<tile::ProgramCountOp>({.emit = onOp(emitProgramCount)});
}

} // namespace tilewright::cpu
