// Assumptions, assertions, inline PTX, tunables.
#include "tileir/ir/Support.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilewright::tile;
using support::opError;
using support::shapeOf;
using support::shapeText;

LogicalResult AssumeOp::verify() {
  Type element = getElementTypeOrSelf(getValue());
  // assume_c1
  if (!getDivisor() && !getRange())
    return opError(*this) << "assumes nothing; expected divisible or range "
                             "(assume_c1)";
  // assume_c2
  if (isa<FloatType>(element) || (getRange() && isa<PtrType>(element)))
    return opError(*this) << "elements " << element
                          << "; divisible is for integers, index and "
                             "pointers, range for the former two (assume_c2)";
  // assume_c3
  if (getDivisor() && static_cast<int64_t>(*getDivisor()) < 1)
    return opError(*this) << "the divisor is "
                          << static_cast<int64_t>(*getDivisor())
                          << ", expected at least 1 (assume_c3)";
  // assume_c4
  if (getRange() &&
      (getRange()->size() != 2 || (*getRange())[0] > (*getRange())[1]))
    return opError(*this) << "range [" << *getRange()
                          << "]; expected the least and the greatest value "
                             "(assume_c4)";
  return success();
}

LogicalResult AssertOp::canonicalize(AssertOp op, PatternRewriter &rewriter) {
  bool isTrue = matchPattern(op.getCondition(), m_One());
  if (!isTrue)
    return rewriter.notifyMatchFailure(op, "the condition is not known");
  rewriter.eraseOp(op);
  return success();
}

void InlinePtxOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (getIsPure())
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult InlinePtxOp::verify() {
  // inline_ptx_c1
  SmallVector<Type> types(getOperandTypes());
  llvm::append_range(types, getResultTypes());
  for (Type type : types)
    if (shapeOf(type) != shapeOf(types.front()))
      return opError(*this)
             << "operands and results are " << shapeText(shapeOf(types.front()))
             << " and " << shapeText(shapeOf(type))
             << ", expected equal shapes (inline_ptx_c1)";
  // inline_ptx_c2
  SmallVector<StringRef> constraints;
  getConstraints().split(constraints, ',', /*MaxSplit=*/-1,
                         /*KeepEmpty=*/false);
  size_t outputs = llvm::count_if(
      constraints, [](StringRef text) { return text.starts_with("="); });
  size_t clobbers = llvm::count_if(
      constraints, [](StringRef text) { return text.starts_with("~"); });
  if (outputs != getNumResults() ||
      constraints.size() - outputs - clobbers != getNumOperands())
    return opError(*this) << "constraints \"" << getConstraints() << "\" name "
                          << outputs << " results and "
                          << constraints.size() - outputs - clobbers
                          << " operands, found " << getNumResults() << " and "
                          << getNumOperands() << " (inline_ptx_c2)";
  return success();
}

LogicalResult TunableOp::verify() {
  // tunable_c1
  SmallVector<int64_t> sorted(getValues());
  llvm::sort(sorted);
  if (sorted.empty() || llvm::adjacent_find(sorted) != sorted.end())
    return opError(*this) << '"' << getName() << "\" has values ["
                          << getValues()
                          << "]; expected one or more different numbers "
                             "(tunable_c1)";
  // tunable_c2
  auto function = (*this)->getParentOfType<FunctionOpInterface>();
  if (!function)
    return success();
  TunableOp other;
  function->walk([&](TunableOp op) {
    if (op.getName() == getName() && op.getValues() != getValues())
      other = op;
  });
  if (!other)
    return success();
  InFlightDiagnostic diagnostic =
      opError(*this) << '"' << getName() << "\" has values [" << getValues()
                     << "] here and [" << other.getValues()
                     << "] elsewhere (tunable_c2)";
  diagnostic.attachNote(other.getLoc()) << "the other one is here";
  return diagnostic;
}
