// arith and math, on scalars and on all elements of tensors.
#include "graph/reference/Execution.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "tileir/reference/SetOps.h"
#include <cstring>

using namespace mlir;

namespace tilewright::graph::reference {

//===--- Elementwise ------------------------------------------------------===//

/// Element of result `number` for one element of each operand.
static FailureOr<Scalar> computeElement(const Instruction &instruction,
                                        unsigned number,
                                        ArrayRef<Scalar> operands,
                                        Machine &machine) {
  Operation *op = instruction.op;
  SmallVector<numerics::Element, 3> elements;
  for (auto [operand, value] : llvm::zip_equal(operands, op->getOperands())) {
    if (operand.isPoison())
      return operand;
    elements.push_back(operand.element(getElementTypeOrSelf(value.getType())));
  }
  const numerics::EvalElement &compute = instruction.onElements[number];
  Type type = getElementTypeOrSelf(op->getResult(number).getType());
  FailureOr<numerics::Element> result =
      machine.randomly && numerics::roundsAtRandom(op, type)
          ? machine.randomly->compute(
                elements, cast<FloatType>(type),
                [&](ArrayRef<numerics::Element> wide) {
                  return compute(op, wide, Float128Type::get(op->getContext()));
                })
          : compute(op, elements, type);
  if (failed(result))
    return failure();
  if (numerics::isOpen(elements, machine.freedom))
    result = numerics::spreadResult(op, number, elements, std::move(*result),
                                    machine.freedom);
  return Scalar::of(*result);
}

/// One element of each operand: scalars serve all elements.
static FailureOr<SmallVector<Scalar, 3>>
loadOperands(Operation *op, ArrayRef<Slot> operands, Index index) {
  SmallVector<Scalar, 3> scalars;
  for (const Slot &operand : operands) {
    if (!operand.tensor) {
      scalars.push_back(operand.scalar);
      continue;
    }
    FailureOr<Scalar> element = load(op, *operand.tensor, index);
    if (failed(element))
      return failure();
    scalars.push_back(*element);
  }
  return scalars;
}

/// The one shape of all operands that are tensors.
static FailureOr<Shape> commonShape(Operation *op, ArrayRef<Slot> operands) {
  std::optional<Shape> shape;
  for (const Slot &operand : operands) {
    if (!operand.tensor)
      continue;
    if (shape && *shape != operand.tensor->getShape())
      return numerics::errorAt(op)
             << "operands have shapes " << textOf(*shape) << " and "
             << textOf(operand.tensor->getShape());
    shape = operand.tensor->getShape();
  }
  assert(shape && "called for an op on tensors");
  return *shape;
}

static SmallVector<Slot> slotsOf(Execution &execution) {
  SmallVector<Slot> operands;
  for (unsigned n = 0; n < execution.getOp()->getNumOperands(); ++n)
    operands.push_back(execution.operand(n));
  return operands;
}

static LogicalResult evalOnScalars(Operation *op, Execution &execution) {
  SmallVector<Scalar, 3> scalars;
  for (unsigned n = 0; n < op->getNumOperands(); ++n)
    scalars.push_back(execution.scalar(n));
  for (unsigned number = 0; number < op->getNumResults(); ++number) {
    FailureOr<Scalar> result = computeElement(
        execution.getInstruction(), number, scalars, execution.getMachine());
    if (failed(result))
      return failure();
    execution.set(number, *result);
  }
  return success();
}

LogicalResult evalElementwise(Operation *op, Execution &execution) {
  if (!isa<TensorType>(op->getResult(0).getType()))
    return evalOnScalars(op, execution);
  SmallVector<Slot> operands = slotsOf(execution);
  FailureOr<Shape> shape = commonShape(op, operands);
  if (failed(shape))
    return failure();
  // The body that has the instruction lives as long as the machine.
  const Instruction *kept = &execution.getInstruction();
  Machine *machine = &execution.getMachine();
  for (unsigned number = 0; number < op->getNumResults(); ++number)
    if (failed(execution.setComputed(
            number, *shape, [=](Index index) -> FailureOr<Scalar> {
              auto scalars = loadOperands(op, operands, index);
              if (failed(scalars))
                return failure();
              return computeElement(*kept, number, *scalars, *machine);
            })))
      return failure();
  return success();
}

/// Only the chosen side counts: poison in the other one is dropped.
static LogicalResult evalSelectOf(arith::SelectOp op, Execution &execution) {
  Slot condition = execution.operand(0);
  if (!condition.tensor) {
    if (condition.scalar.isDefined())
      return execution.set(0,
                           execution.operand(condition.scalar.bits() ? 1 : 2));
    if (!execution.tensor(1)) {
      execution.set(0, choose(condition.scalar, execution.scalar(1),
                              execution.scalar(2), op.getType()));
      return success();
    }
  }
  SmallVector<Slot> operands = slotsOf(execution);
  FailureOr<Shape> shape = commonShape(op, operands);
  if (failed(shape))
    return failure();
  Type resultType = getElementTypeOrSelf(op.getType());
  return execution.setComputed(
      0, *shape, [=](Index index) -> FailureOr<Scalar> {
        FailureOr<Scalar> chooser = operands[0].tensor
                                        ? load(op, *operands[0].tensor, index)
                                        : FailureOr<Scalar>(operands[0].scalar);
        if (failed(chooser) || chooser->isPoison())
          return chooser;
        FailureOr<Scalar> chosen =
            load(op, *operands[chooser->bits() ? 1 : 2].tensor, index);
        if (failed(chosen) || !chooser->hasSpread())
          return chosen;
        FailureOr<Scalar> other =
            load(op, *operands[chooser->bits() ? 2 : 1].tensor, index);
        if (failed(other))
          return failure();
        return choose(*chooser, chooser->bits() ? *chosen : *other,
                      chooser->bits() ? *other : *chosen, resultType);
      });
}

//===--- Constants --------------------------------------------------------===//

/// The numbers of a constant whose data is held apart: whole bytes each, or
/// one of them for all.
static FailureOr<std::vector<Scalar>>
readResource(Operation *op, DenseResourceElementsAttr resource) {
  const unsigned width = numerics::widthOf(resource.getElementType());
  const unsigned bytes = llvm::divideCeil(width, 8);
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  const int64_t count = resource.getType().getNumElements();
  if (!blob || int64_t(blob->getData().size()) < count * bytes)
    return numerics::errorAt(op) << "the data of this constant is not there";
  std::vector<Scalar> elements;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, blob->getData().data() + i * bytes, bytes);
    elements.push_back(
        Scalar::ofBits(bits & llvm::maskTrailingOnes<uint64_t>(width)));
  }
  return elements;
}

static LogicalResult evalConstantOf(arith::ConstantOp op,
                                    Execution &execution) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  auto resource = dyn_cast<DenseResourceElementsAttr>(op.getValue());
  if (!type || (!dense && !resource))
    return numerics::errorAt(op) << "the reference reads integer, float and "
                                    "dense constants, found "
                                 << op.getValue();
  Type element = type.getElementType();
  Shape shape(type.getShape());
  if (dense && dense.isSplat()) {
    Scalar value = Scalar::of(
        numerics::attributeElement(element, dense.getSplatValue<Attribute>()));
    return execution.setView(0, shape, [value](Index) { return value; });
  }
  FailureOr<std::vector<Scalar>> elements = std::vector<Scalar>();
  if (resource)
    elements = readResource(op, resource);
  else
    for (Attribute attribute : dense.getValues<Attribute>())
      elements->push_back(
          Scalar::of(numerics::attributeElement(element, attribute)));
  if (failed(elements))
    return failure();
  return execution.set(0, TensorPtr(std::make_shared<StoredTensor>(
                              element, shape, std::move(*elements))));
}

static LogicalResult evalPoison(ub::PoisonOp op, Execution &execution) {
  Scalar poison = Scalar::poison(op);
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type) {
    execution.set(0, poison);
    return success();
  }
  if (!type.hasStaticShape())
    return numerics::errorAt(op) << "poison of unknown shape: " << type;
  return execution.setView(0, Shape(type.getShape()),
                           [poison](Index) { return poison; });
}

//===--- affine -----------------------------------------------------------===//

/// The results of a map for the operands of the op.
static FailureOr<Shape> applyMap(AffineMap map, Execution &execution) {
  Shape operands;
  for (unsigned n = 0; n < map.getNumInputs(); ++n) {
    FailureOr<int64_t> operand = execution.integer(n);
    if (failed(operand))
      return failure();
    operands.push_back(*operand);
  }
  ArrayRef<int64_t> all = operands;
  Shape results;
  for (AffineExpr expression : map.getResults()) {
    FailureOr<int64_t> result =
        evaluate(expression, all.take_front(map.getNumDims()),
                 all.drop_front(map.getNumDims()));
    if (failed(result))
      return numerics::errorAt(execution.getOp())
             << "divides by a number that is not positive";
    results.push_back(*result);
  }
  return results;
}

static LogicalResult evalAffineApply(affine::AffineApplyOp op,
                                     Execution &execution) {
  FailureOr<Shape> results = applyMap(op.getAffineMap(), execution);
  if (succeeded(results))
    execution.setInteger(0, results->front());
  return results;
}

static LogicalResult evalAffineMin(affine::AffineMinOp op,
                                   Execution &execution) {
  FailureOr<Shape> results = applyMap(op.getAffineMap(), execution);
  if (succeeded(results))
    execution.setInteger(0, *llvm::min_element(*results));
  return results;
}

static LogicalResult evalAffineMax(affine::AffineMaxOp op,
                                   Execution &execution) {
  FailureOr<Shape> results = applyMap(op.getAffineMap(), execution);
  if (succeeded(results))
    execution.setInteger(0, *llvm::max_element(*results));
  return results;
}

void addAffineEvals(EvalTable &table) {
  table.add<affine::AffineApplyOp>(evalAffineApply);
  table.add<affine::AffineMinOp>(evalAffineMin);
  table.add<affine::AffineMaxOp>(evalAffineMax);
}

void addScalarEvals(EvalTable &table) {
  table.add<arith::ConstantOp>(evalConstantOf);
  table.add<arith::SelectOp>(evalSelectOf);
  table.add<ub::PoisonOp>(evalPoison);
}

} // namespace tilewright::graph::reference
