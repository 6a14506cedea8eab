// Making tensors, their sizes and single elements, and other shapes for them.
#include "graph/reference/Execution.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tilewright::graph::reference {

static LogicalResult checkSizes(Operation *op, ArrayRef<int64_t> sizes) {
  for (int64_t size : sizes)
    if (size < 0)
      return numerics::errorAt(op) << "a size is " << size;
  return success();
}

/// The shape of a result: dynamic sizes are operands.
static FailureOr<Shape> resultShape(Type type, OperandRange dynamics,
                                    Execution &execution) {
  FailureOr<Shape> shape =
      execution.integers(cast<RankedTensorType>(type).getShape(), dynamics);
  if (failed(shape) || failed(checkSizes(execution.getOp(), *shape)))
    return failure();
  return shape;
}

//===--- New tensors ------------------------------------------------------===//

static LogicalResult evalEmpty(tensor::EmptyOp op, Execution &execution) {
  FailureOr<Shape> shape =
      resultShape(op.getType(), op.getDynamicSizes(), execution);
  if (failed(shape))
    return failure();
  Scalar unwritten = Scalar::poison(op);
  return execution.setView(0, *shape, [=](Index) { return unwritten; });
}

static LogicalResult evalSplat(tensor::SplatOp op, Execution &execution) {
  FailureOr<Shape> shape =
      resultShape(op.getType(), op.getDynamicSizes(), execution);
  if (failed(shape))
    return failure();
  Scalar value = execution.scalar(0);
  return execution.setView(0, *shape, [=](Index) { return value; });
}

static LogicalResult evalFromElements(tensor::FromElementsOp op,
                                      Execution &execution) {
  std::vector<Scalar> elements;
  for (unsigned n = 0; n < op->getNumOperands(); ++n)
    elements.push_back(execution.scalar(n));
  return execution.set(
      0, TensorPtr(std::make_shared<StoredTensor>(
             op.getType().getElementType(), Shape(op.getType().getShape()),
             std::move(elements))));
}

static LogicalResult evalGenerate(tensor::GenerateOp op, Execution &execution) {
  FailureOr<Shape> shape =
      resultShape(op.getType(), op.getDynamicExtents(), execution);
  if (failed(shape))
    return failure();
  return execution.setComputed(
      0, *shape, [body = std::make_shared<LaterBody>(execution)](Index index) {
        return body->at(index);
      });
}

//===--- Sizes and elements -----------------------------------------------===//

static LogicalResult evalDim(tensor::DimOp op, Execution &execution) {
  FailureOr<int64_t> dim = execution.integer(1);
  if (failed(dim))
    return failure();
  const Shape &shape = execution.tensor(0)->getShape();
  if (*dim < 0 || *dim >= int64_t(shape.size()))
    return numerics::errorAt(op) << "asks for dimension " << *dim
                                 << " of a tensor of shape " << textOf(shape);
  execution.setInteger(0, shape[*dim]);
  return success();
}

static LogicalResult evalRank(tensor::RankOp op, Execution &execution) {
  execution.setInteger(0, execution.tensor(0)->getShape().size());
  return success();
}

/// Outside of the tensor there is nothing, which is no fault: a branch that
/// reads there may be one side of a select, and not be chosen.
static LogicalResult evalExtract(tensor::ExtractOp op, Execution &execution) {
  const TensorPtr &source = execution.tensor(0);
  Shape index;
  bool isOpen = false;
  for (unsigned n = 1; n < op->getNumOperands(); ++n) {
    Scalar at = execution.scalar(n);
    if (at.isPoison()) {
      execution.set(0, at);
      return success();
    }
    isOpen |= at.hasSpread();
    index.push_back(int64_t(at.bits()));
  }
  FailureOr<Scalar> element = contains(source->getShape(), index)
                                  ? source->at(index)
                                  : Scalar::poison(op);
  if (failed(element))
    return failure();
  // Any element of the tensor, or none.
  execution.set(0, isOpen ? element->amongAny() : *element);
  return success();
}

static LogicalResult evalInsert(tensor::InsertOp op, Execution &execution) {
  TensorPtr dest = execution.tensor(1);
  Shape at;
  for (unsigned n = 2; n < op->getNumOperands(); ++n) {
    FailureOr<int64_t> coordinate = execution.integer(n);
    if (failed(coordinate))
      return failure();
    at.push_back(*coordinate);
  }
  if (!contains(dest->getShape(), at))
    return numerics::errorAt(op)
           << "element " << textOf(at) << " of a tensor of shape "
           << textOf(dest->getShape());
  Scalar value = execution.scalar(0);
  return execution.setView(
      0, dest->getShape(), [=](Index index) -> FailureOr<Scalar> {
        return index == ArrayRef<int64_t>(at) ? FailureOr<Scalar>(value)
                                              : dest->at(index);
      });
}

//===--- Other shapes -----------------------------------------------------===//

/// The same elements in row-major order.
static LogicalResult setReshaped(Execution &execution, Shape shape) {
  TensorPtr source = execution.tensor(0);
  if (failed(checkSizes(execution.getOp(), shape)))
    return failure();
  if (countOf(shape) != source->count())
    return numerics::errorAt(execution.getOp())
           << "makes shape " << textOf(shape) << " of "
           << textOf(source->getShape());
  return execution.setView(0, shape, [=](Index index) {
    return source->at(indexOf(source->getShape(), positionOf(shape, index)));
  });
}

static LogicalResult evalReshape(tensor::ReshapeOp op, Execution &execution) {
  FailureOr<std::vector<Scalar>> sizes = elementsOf(op, *execution.tensor(1));
  if (failed(sizes))
    return failure();
  Type type = execution.tensor(1)->getElementType();
  Shape shape;
  for (Scalar size : *sizes) {
    if (size.isPoison())
      return poisonFault(op, size, "a size is poison");
    if (size.hasSpread())
      return execution.getMachine().stop(op, "a size");
    shape.push_back(size.integer(type));
  }
  return setReshaped(execution, shape);
}

/// Each dimension of the smaller shape is a product of dimensions of the other.
static LogicalResult checkProducts(Operation *op, ArrayRef<int64_t> small,
                                   ArrayRef<int64_t> large,
                                   ArrayRef<ReassociationIndices> groups) {
  for (auto [size, group] : llvm::zip_equal(small, groups)) {
    int64_t product = 1;
    for (int64_t d : group)
      product *= large[d];
    if (product != size)
      return numerics::errorAt(op)
             << "shape " << textOf(large) << " does not fit " << textOf(small);
  }
  return success();
}

static LogicalResult evalExpandShape(tensor::ExpandShapeOp op,
                                     Execution &execution) {
  FailureOr<Shape> shape =
      execution.integers(op.getStaticOutputShape(), op.getOutputShape());
  if (failed(shape) ||
      failed(checkProducts(op, execution.tensor(0)->getShape(), *shape,
                           op.getReassociationIndices())))
    return failure();
  return setReshaped(execution, *shape);
}

static LogicalResult evalCollapseShape(tensor::CollapseShapeOp op,
                                       Execution &execution) {
  Shape shape;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    shape.push_back(1);
    for (int64_t d : group)
      shape.back() *= execution.tensor(0)->getShape()[d];
  }
  return setReshaped(execution, shape);
}

static LogicalResult evalTensorCast(tensor::CastOp op, Execution &execution) {
  if (!isa<RankedTensorType>(op.getType()))
    return numerics::errorAt(op)
           << "expected a tensor of known rank, found " << op.getType();
  return execution.set(0, execution.tensor(0));
}

static LogicalResult evalTensorBitcast(tensor::BitcastOp op,
                                       Execution &execution) {
  TensorPtr source = execution.tensor(0);
  return execution.setView(0, source->getShape(),
                           [=](Index index) { return source->at(index); });
}

void addTensorEvals(EvalTable &table) {
  table.add<tensor::BitcastOp>(evalTensorBitcast);
  table.add<tensor::CastOp>(evalTensorCast);
  table.add<tensor::CollapseShapeOp>(evalCollapseShape);
  table.add<tensor::DimOp>(evalDim);
  table.add<tensor::EmptyOp>(evalEmpty);
  table.add<tensor::ExpandShapeOp>(evalExpandShape);
  table.add<tensor::ExtractOp>(evalExtract);
  table.add<tensor::FromElementsOp>(evalFromElements);
  table.add<tensor::GenerateOp>(evalGenerate);
  table.add<tensor::InsertOp>(evalInsert);
  table.add<tensor::RankOp>(evalRank);
  table.add<tensor::ReshapeOp>(evalReshape);
  table.add<tensor::SplatOp>(evalSplat);
}

} // namespace tilewright::graph::reference
