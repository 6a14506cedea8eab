// Parts of tensors: slices, padding, concatenation, gather and scatter.
#include "graph/reference/Execution.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tilewright::graph::reference {

namespace {
/// A box of a tensor: element `i` along a dimension is `offset + i * stride`.
struct Box {
  Shape offsets, sizes, strides;

  /// That of a slice op, inside of `shape`; else a fault.
  template <typename Op>
  static FailureOr<Box> of(Op op, Execution &execution,
                           ArrayRef<int64_t> shape);
  LogicalResult checkInside(Operation *op, ArrayRef<int64_t> shape) const;
  /// The sizes but those of dropped dimensions.
  Shape kept(const llvm::SmallBitVector &dropped) const;
};
} // namespace

LogicalResult Box::checkInside(Operation *op, ArrayRef<int64_t> shape) const {
  for (size_t d = 0; d < shape.size(); ++d) {
    if (sizes[d] < 0)
      return numerics::errorAt(op) << "size " << d << " is " << sizes[d];
    if (sizes[d] == 0)
      continue;
    int64_t length, last;
    if (llvm::MulOverflow(sizes[d] - 1, strides[d], length) ||
        llvm::AddOverflow(offsets[d], length, last))
      last = -1;
    if (offsets[d] < 0 || offsets[d] >= shape[d] || last < 0 ||
        last >= shape[d])
      return numerics::errorAt(op)
             << "dimension " << d << " of the slice is from " << offsets[d]
             << " to " << last << ", the tensor has shape " << textOf(shape);
  }
  return success();
}

template <typename Op>
FailureOr<Box> Box::of(Op op, Execution &execution, ArrayRef<int64_t> shape) {
  FailureOr<Shape> offsets =
      execution.integers(op.getStaticOffsets(), op.getOffsets());
  FailureOr<Shape> sizes =
      execution.integers(op.getStaticSizes(), op.getSizes());
  FailureOr<Shape> strides =
      execution.integers(op.getStaticStrides(), op.getStrides());
  if (failed(offsets) || failed(sizes) || failed(strides))
    return failure();
  Box box{*offsets, *sizes, *strides};
  if (failed(box.checkInside(op, shape)))
    return failure();
  return box;
}

Shape Box::kept(const llvm::SmallBitVector &dropped) const {
  Shape shape;
  for (size_t d = 0; d < sizes.size(); ++d)
    if (!dropped.test(d))
      shape.push_back(sizes[d]);
  return shape;
}

static LogicalResult evalExtractSlice(tensor::ExtractSliceOp op,
                                      Execution &execution) {
  TensorPtr source = execution.tensor(0);
  FailureOr<Box> found = Box::of(op, execution, source->getShape());
  if (failed(found))
    return failure();
  llvm::SmallBitVector dropped = op.getDroppedDims();
  return execution.setView(0, found->kept(dropped),
                           [=, box = *found](Index index) {
                             Shape at = box.offsets;
                             for (size_t d = 0, next = 0; d < at.size(); ++d)
                               if (!dropped.test(d))
                                 at[d] += index[next++] * box.strides[d];
                             return source->at(at);
                           });
}

/// `dest` with `source` in a box of it.
template <typename Op>
static FailureOr<TensorPtr> insertSlice(Op op, Execution &execution) {
  TensorPtr source = execution.tensor(0), dest = execution.tensor(1);
  FailureOr<Box> found = Box::of(op, execution, dest->getShape());
  if (failed(found))
    return failure();
  llvm::SmallBitVector dropped = op.getDroppedDims();
  if (source->getShape() != found->kept(dropped))
    return numerics::errorAt(op)
           << "inserts a tensor of shape " << textOf(source->getShape())
           << " as one of sizes " << textOf(found->sizes);
  auto element = [=, box = *found](Index index) -> FailureOr<Scalar> {
    Shape at;
    for (size_t d = 0; d < index.size(); ++d) {
      const int64_t distance = index[d] - box.offsets[d];
      const int64_t stride = box.strides[d];
      const int64_t n = stride == 0 ? 0 : distance / stride;
      if (n * stride != distance || n < 0 || n >= box.sizes[d])
        return dest->at(index);
      if (!dropped.test(d))
        at.push_back(n);
    }
    return source->at(at);
  };
  auto result = std::make_shared<FunctionTensor>(
      dest->getElementType(), dest->getShape(), std::move(element));
  result->depth = std::max(source->depth, dest->depth) + 1;
  return TensorPtr(std::move(result));
}

static LogicalResult evalInsertSlice(tensor::InsertSliceOp op,
                                     Execution &execution) {
  FailureOr<TensorPtr> result = insertSlice(op, execution);
  return failed(result) ? failure() : execution.set(0, *result);
}

/// The tensor that an scf.forall shares has the new elements.
static LogicalResult evalParallelInsertSlice(tensor::ParallelInsertSliceOp op,
                                             Execution &execution) {
  FailureOr<TensorPtr> result = insertSlice(op, execution);
  if (failed(result))
    return failure();
  unsigned dest = execution.getInstruction().operands[1];
  execution.getFrame()[dest].tensor = std::move(*result);
  return success();
}

static LogicalResult evalPad(tensor::PadOp op, Execution &execution) {
  TensorPtr source = execution.tensor(0);
  FailureOr<Shape> low = execution.integers(op.getStaticLow(), op.getLow());
  FailureOr<Shape> high = execution.integers(op.getStaticHigh(), op.getHigh());
  if (failed(low) || failed(high))
    return failure();
  // Sizes and distances may only be known to fit when they are added up.
  Shape shape;
  for (auto [size, before, after] :
       llvm::zip_equal(source->getShape(), *low, *high)) {
    shape.push_back(
        int64_t(uint64_t(before) + uint64_t(size) + uint64_t(after)));
    if (shape.back() < 0)
      return numerics::errorAt(op)
             << "pads shape " << textOf(source->getShape()) << " by "
             << textOf(*low) << " and " << textOf(*high);
  }
  auto body = std::make_shared<LaterBody>(execution);
  return execution.setView(
      0, shape, [=, low = *low](Index index) -> FailureOr<Scalar> {
        Shape at(index);
        for (size_t d = 0; d < at.size(); ++d)
          if (llvm::SubOverflow(index[d], low[d], at[d]))
            at[d] = -1;
        return contains(source->getShape(), at) ? source->at(at)
                                                : body->at(index);
      });
}

static LogicalResult evalConcat(tensor::ConcatOp op, Execution &execution) {
  const size_t dim = op.getDim();
  std::vector<TensorPtr> inputs;
  Shape shape;
  for (unsigned n = 0; n < op->getNumOperands(); ++n) {
    inputs.push_back(execution.tensor(n));
    Shape next = inputs.back()->getShape();
    const int64_t before = n == 0 ? 0 : shape[dim];
    const int64_t size = next[dim];
    next[dim] = before;
    if (n > 0 && next != shape)
      return numerics::errorAt(op)
             << "input " << n << " has shape "
             << textOf(inputs.back()->getShape()) << ", those before it have "
             << textOf(shape);
    shape = next;
    shape[dim] = before + size;
  }
  return execution.setView(0, shape, [=](Index index) {
    Shape at(index);
    size_t n = 0;
    for (; at[dim] >= inputs[n]->getShape()[dim]; ++n)
      at[dim] -= inputs[n]->getShape()[dim];
    return inputs[n]->at(at);
  });
}

//===--- Gather and scatter -----------------------------------------------===//

/// The coordinates that a row of an index tensor says, for the dimensions
/// `dims` of `shape`; a fault if they are outside. `isOpen` becomes true if
/// one of them has several permitted values.
static FailureOr<Shape> readCoordinates(Operation *op, Tensor &indices,
                                        Index batch, ArrayRef<int64_t> dims,
                                        ArrayRef<int64_t> shape, bool &isOpen) {
  Shape coordinates, at(batch);
  at.push_back(0);
  for (int64_t dim : dims) {
    FailureOr<Scalar> element = load(op, indices, at);
    if (failed(element))
      return failure();
    if (element->isPoison())
      return poisonFault(op, *element, "an index is poison");
    isOpen |= element->hasSpread();
    const int64_t value = element->integer(indices.getElementType());
    if (value < 0 || value >= shape[dim])
      return numerics::errorAt(op)
             << "index " << value << " of dimension " << dim
             << " of a tensor of shape " << textOf(shape);
    coordinates.push_back(value);
    ++at.back();
  }
  return coordinates;
}

/// Of an element of gathered or scattered slices: the index in the tensor, the
/// dimensions in `dims` not set. The slice has these as units, or not at all.
static Shape sliceIndex(Index index, size_t batchRank, size_t rank,
                        ArrayRef<int64_t> dims) {
  Index rest = index.drop_front(batchRank);
  if (rest.size() == rank)
    return Shape(rest);
  Shape full;
  for (size_t d = 0, next = 0; d < rank; ++d)
    full.push_back(llvm::is_contained(dims, int64_t(d)) ? 0 : rest[next++]);
  return full;
}

static LogicalResult evalGather(tensor::GatherOp op, Execution &execution) {
  TensorPtr source = execution.tensor(0), indices = execution.tensor(1);
  SmallVector<int64_t> dims(op.getGatherDims());
  const size_t batchRank = indices->getShape().size() - 1;
  const Shape &sourceShape = source->getShape();
  Shape shape = indices->getShape();
  shape.pop_back();
  const bool keepsUnits =
      op.getType().getRank() == int64_t(batchRank + sourceShape.size());
  for (size_t d = 0; d < sourceShape.size(); ++d) {
    const bool isGathered = llvm::is_contained(dims, int64_t(d));
    if (!isGathered || keepsUnits)
      shape.push_back(isGathered ? 1 : sourceShape[d]);
  }
  return execution.setView(0, shape, [=](Index index) -> FailureOr<Scalar> {
    const Shape &from = source->getShape();
    bool isOpen = false;
    FailureOr<Shape> found = readCoordinates(
        op, *indices, index.take_front(batchRank), dims, from, isOpen);
    if (failed(found))
      return failure();
    Shape at = sliceIndex(index, batchRank, from.size(), dims);
    for (auto [dim, value] : llvm::zip_equal(dims, *found))
      at[dim] = value;
    FailureOr<Scalar> element = source->at(at);
    return succeeded(element) && isOpen ? element->amongAny() : element;
  });
}

/// Where each element of `dest` that is written comes from, by position.
static FailureOr<std::map<int64_t, int64_t>>
scatteredPositions(tensor::ScatterOp op, const Tensor &source,
                   const Tensor &dest, Tensor &indices, Machine &machine) {
  std::map<int64_t, int64_t> positions;
  ArrayRef<int64_t> dims = op.getScatterDims();
  const size_t batchRank = indices.getShape().size() - 1;
  for (int64_t n = 0, count = source.count(); n < count; ++n) {
    Shape index = indexOf(source.getShape(), n);
    bool isOpen = false;
    FailureOr<Shape> found =
        readCoordinates(op, indices, Index(index).take_front(batchRank), dims,
                        dest.getShape(), isOpen);
    if (failed(found))
      return failure();
    if (isOpen)
      return machine.stop(op, "an index");
    Shape at = sliceIndex(index, batchRank, dest.getShape().size(), dims);
    for (auto [dim, value] : llvm::zip_equal(dims, *found))
      at[dim] = value;
    if (!positions.emplace(positionOf(dest.getShape(), at), n).second)
      return numerics::errorAt(op)
             << "two updates of element " << textOf(at) << ", which are unique";
  }
  return positions;
}

static LogicalResult evalTensorScatter(tensor::ScatterOp op,
                                       Execution &execution) {
  TensorPtr source = execution.tensor(0), dest = execution.tensor(1);
  FailureOr<std::map<int64_t, int64_t>> positions = scatteredPositions(
      op, *source, *dest, *execution.tensor(2), execution.getMachine());
  if (failed(positions))
    return failure();
  return execution.setView(
      0, dest->getShape(), [=, positions = *positions](Index index) {
        auto found = positions.find(positionOf(dest->getShape(), index));
        return found == positions.end()
                   ? dest->at(index)
                   : source->at(indexOf(source->getShape(), found->second));
      });
}

void addSliceEvals(EvalTable &table) {
  table.add<tensor::ConcatOp>(evalConcat);
  table.add<tensor::ExtractSliceOp>(evalExtractSlice);
  table.add<tensor::GatherOp>(evalGather);
  table.add<tensor::InsertSliceOp>(evalInsertSlice);
  table.add<tensor::PadOp>(evalPad);
  table.add<tensor::ParallelInsertSliceOp>(evalParallelInsertSlice);
  table.add<tensor::ScatterOp>(evalTensorScatter);
}

} // namespace tilewright::graph::reference
