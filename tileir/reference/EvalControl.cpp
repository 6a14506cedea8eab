// Kernels' surroundings and control flow: scf, calls, program ids, affine.
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tileir/reference/ProgramInstance.h"

using namespace mlir;

namespace tilewright::reference {

static TileValue indexValue(MLIRContext *context, int64_t value) {
  return TileValue::scalar(Element::ofInt(IndexType::get(context), value));
}

//===--- scf --------------------------------------------------------------===//

static LogicalResult evalFor(scf::ForOp op, ProgramInstance &program) {
  FailureOr<int64_t> lower = program.scalar(op, op.getLowerBound());
  FailureOr<int64_t> upper = program.scalar(op, op.getUpperBound());
  FailureOr<int64_t> step = program.scalar(op, op.getStep());
  if (failed(lower) || failed(upper) || failed(step))
    return failure();
  if (*step <= 0)
    return errorAt(op) << "the step is " << *step << ", expected more than 0";
  bool isUnsigned = op.getUnsignedCmp();
  SmallVector<Value> carried;
  for (mlir::Value initial : op.getInitArgs())
    carried.push_back(program.get(initial));
  Type type = op.getInductionVar().getType();
  int64_t i = *lower;
  auto isBelow = [&] {
    return isUnsigned ? uint64_t(i) < uint64_t(*upper) : i < *upper;
  };
  while (isBelow()) {
    SmallVector<Value> arguments = {TileValue::scalar(Element::ofInt(type, i))};
    arguments.append(carried);
    FailureOr<SmallVector<Value>> next = program.run(*op.getBody(), arguments);
    if (failed(next))
      return failure();
    carried = std::move(*next);
    if (llvm::AddOverflow(i, *step, i))
      break;
  }
  program.setAll(op.getResults(), carried);
  return success();
}

static LogicalResult evalIf(scf::IfOp op, ProgramInstance &program) {
  FailureOr<int64_t> condition = program.scalar(op, op.getCondition());
  if (failed(condition))
    return failure();
  Region &region = *condition ? op.getThenRegion() : op.getElseRegion();
  if (region.empty())
    return success();
  FailureOr<SmallVector<Value>> results = program.run(region.front());
  if (failed(results))
    return failure();
  program.setAll(op.getResults(), *results);
  return success();
}

static LogicalResult evalIndexSwitch(scf::IndexSwitchOp op,
                                     ProgramInstance &program) {
  FailureOr<int64_t> chosen = program.scalar(op, op.getArg());
  if (failed(chosen))
    return failure();
  Block *block = &op.getDefaultBlock();
  for (auto [number, value] : llvm::enumerate(op.getCases()))
    if (value == *chosen)
      block = &op.getCaseBlock(number);
  FailureOr<SmallVector<Value>> results = program.run(*block);
  if (failed(results))
    return failure();
  program.setAll(op.getResults(), *results);
  return success();
}

static LogicalResult evalWhile(scf::WhileOp op, ProgramInstance &program) {
  SmallVector<Value> carried;
  for (mlir::Value initial : op.getInits())
    carried.push_back(program.get(initial));
  while (true) {
    FailureOr<SmallVector<Value>> before =
        program.run(*op.getBeforeBody(), carried);
    if (failed(before))
      return failure();
    // The first operand of scf.condition decides, the rest is passed on.
    scf::ConditionOp end = op.getConditionOp();
    FailureOr<int64_t> goesOn = program.scalar(end, end.getCondition());
    if (failed(goesOn))
      return failure();
    ArrayRef<Value> passed = ArrayRef<Value>(*before).drop_front();
    if (!*goesOn) {
      program.setAll(op.getResults(), passed);
      return success();
    }
    FailureOr<SmallVector<Value>> after =
        program.run(*op.getAfterBody(), passed);
    if (failed(after))
      return failure();
    carried = std::move(*after);
  }
}

//===--- calls ------------------------------------------------------------===//

static LogicalResult evalCall(tile::CallOp op, ProgramInstance &program) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<tile::FuncOp>(
      op, op.getCalleeAttr());
  SmallVector<Value> arguments;
  for (mlir::Value operand : op.getOperands())
    arguments.push_back(program.get(operand));
  ProgramInstance inner(program.getLaunch(), program.getIds());
  FailureOr<SmallVector<Value>> results =
      inner.run(*callee.getBody(), arguments);
  if (failed(results))
    return failure();
  program.setAll(op.getResults(), *results);
  return success();
}

static LogicalResult evalProgramId(tile::ProgramIdOp op,
                                   ProgramInstance &program) {
  for (auto [result, id] : llvm::zip_equal(op.getIds(), program.getIds()))
    (void)program.set(result, indexValue(op.getContext(), id));
  return success();
}

static LogicalResult evalProgramCount(tile::ProgramCountOp op,
                                      ProgramInstance &program) {
  for (auto [result, count] :
       llvm::zip_equal(op.getCounts(), program.getLaunch().grid))
    (void)program.set(result, indexValue(op.getContext(), count));
  return success();
}

//===--- affine -----------------------------------------------------------===//

/// The results of `map` for the operands of `op`.
static FailureOr<SmallVector<int64_t>> evalMap(Operation *op, AffineMap map,
                                               ValueRange operands,
                                               ProgramInstance &program) {
  SmallVector<Attribute> constants;
  for (mlir::Value operand : operands) {
    FailureOr<int64_t> value = program.scalar(op, operand);
    if (failed(value))
      return failure();
    constants.push_back(
        IntegerAttr::get(IndexType::get(op->getContext()), *value));
  }
  SmallVector<int64_t> results;
  (void)map.partialConstantFold(constants, &results);
  if (results.size() != map.getNumResults())
    return errorAt(op) << "divides by zero";
  return results;
}

static LogicalResult evalApply(affine::AffineApplyOp op,
                               ProgramInstance &program) {
  auto results = evalMap(op, op.getAffineMap(), op.getMapOperands(), program);
  if (failed(results))
    return failure();
  return program.set(op, indexValue(op.getContext(), results->front()));
}

static LogicalResult evalMin(affine::AffineMinOp op, ProgramInstance &program) {
  auto results = evalMap(op, op.getAffineMap(), op.getOperands(), program);
  if (failed(results))
    return failure();
  return program.set(op,
                     indexValue(op.getContext(), *llvm::min_element(*results)));
}

static LogicalResult evalMax(affine::AffineMaxOp op, ProgramInstance &program) {
  auto results = evalMap(op, op.getAffineMap(), op.getOperands(), program);
  if (failed(results))
    return failure();
  return program.set(op,
                     indexValue(op.getContext(), *llvm::max_element(*results)));
}

void addControlOps(OpTable &table) {
  table.add<scf::ForOp>(evalFor);
  table.add<scf::IfOp>(evalIf);
  table.add<scf::IndexSwitchOp>(evalIndexSwitch);
  table.add<scf::WhileOp>(evalWhile);
  table.add<tile::CallOp>(evalCall);
  table.add<tile::ProgramIdOp>(evalProgramId);
  table.add<tile::ProgramCountOp>(evalProgramCount);
  table.add<affine::AffineApplyOp>(evalApply);
  table.add<affine::AffineMinOp>(evalMin);
  table.add<affine::AffineMaxOp>(evalMax);
}

} // namespace tilewright::reference
