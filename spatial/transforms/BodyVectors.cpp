//===- BodyVectors.cpp - The body of an op, on vectors --------------------===//
#include "spatial/transforms/BodyVectors.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilewright::spatial {

//===--- Leaves -----------------------------------------------------------===//

FailureOr<VectorScalar> BodyVectors::constant(TypedAttr value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return AluBuilder::number(number.getValueAsDouble(), DType::F32);
  VectorScalar scalar;
  auto integer = cast<IntegerAttr>(value);
  scalar.known.push_back(integer.getType().isInteger(1)
                             ? integer.getValue().getZExtValue()
                             : integer.getValue().getSExtValue());
  scalar.dtype = integer.getType().isInteger(1) ? DType::Bool : DType::I32;
  return scalar;
}

/// Elements that are read: known ones of integers, or vectors.
FailureOr<VectorScalar> BodyVectors::elements(Location where, const Rows &rows,
                                              Type type) {
  VectorScalar scalar;
  scalar.dtype = *scalarType(type);
  bool isConstant = true, isUniform = true;
  ElementId first = noElement;
  for (ElementId id : rows.ids) {
    if (id == noElement)
      continue;
    isConstant &= tensors.isConstant(id);
    if (!isConstant)
      break;
    if (first == noElement)
      first = id;
    isUniform =
        isUniform && tensors.constantLane(id) == tensors.constantLane(first);
  }
  if (isConstant && first != noElement && isFloat(scalar.dtype) && isUniform)
    return AluBuilder::number(std::bit_cast<float>(tensors.constantLane(first)),
                              scalar.dtype);
  if (isConstant && !isFloat(scalar.dtype)) {
    scalar.known.reserve(rows.ids.size());
    for (ElementId id : rows.ids)
      scalar.known.push_back(
          id == noElement ? 0 : static_cast<int32_t>(tensors.constantLane(id)));
    return scalar;
  }
  FailureOr<Reads> reads = tensors.read(where, rows, scalar.dtype);
  if (failed(reads))
    return failure();
  scalar.operand.reads = *reads;
  return scalar;
}

FailureOr<VectorScalar> BodyVectors::argument(BlockArgument argument) {
  OpOperand &operand = op->getOpOperand(argument.getArgNumber());
  return elements(op.getLoc(), rowsOf(tensors, operand, points),
                  argument.getType());
}

FailureOr<VectorScalar> BodyVectors::scalar(Value value) {
  if (auto found = scalars.find(value); found != scalars.end())
    return found->second;
  FailureOr<VectorScalar> result = compute(value);
  if (succeeded(result))
    scalars[value] = *result;
  return result;
}

FailureOr<VectorScalar> BodyVectors::compute(Value value) {
  if (!scalarType(value.getType())) {
    emitError(op.getLoc()) << "has elements of " << value.getType()
                           << "; vectors have i1, i8, ui8, i32, i64 that fit "
                              "i32, f16, bf16 or f32";
    return failure();
  }
  TypedAttr literal;
  if (matchPattern(value, m_Constant(&literal)))
    return constant(literal);
  if (auto blockArgument = dyn_cast<BlockArgument>(value))
    return argument(blockArgument);
  Operation *inner = value.getDefiningOp();
  if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
    VectorScalar scalar;
    scalar.dtype = DType::I32;
    for (int64_t point : points.numbers)
      scalar.known.push_back(
          point < 0
              ? 0
              : points.index(point, static_cast<unsigned>(index.getDim())));
    return scalar;
  }
  if (auto read = dyn_cast<tensor::ExtractOp>(inner))
    return extract(read);
  return operation(inner);
}

//===--- Elements by index ------------------------------------------------===//

FailureOr<VectorScalar> BodyVectors::extract(tensor::ExtractOp extract) {
  SmallVector<VectorScalar> indices;
  std::optional<unsigned> unknown;
  for (auto [dim, index] : llvm::enumerate(extract.getIndices())) {
    FailureOr<VectorScalar> known = scalar(index);
    if (failed(known))
      return failure();
    indices.push_back(*known);
    if (known->isKnown())
      continue;
    if (unknown) {
      emitError(op.getLoc()) << "reads elements by two indices that are data, "
                                "which has no lowering to vectors";
      return failure();
    }
    unknown = static_cast<unsigned>(dim);
  }
  if (unknown)
    return gather(extract, indices, *unknown);
  auto type = cast<RankedTensorType>(extract.getTensor().getType());
  const int64_t tensor = tensors.numberOf(extract.getTensor());
  Rows rows{points.lanes, {}};
  for (auto [slot, point] : llvm::enumerate(points.numbers)) {
    int64_t element = 0;
    for (auto [dim, index] : llvm::enumerate(indices)) {
      const int64_t at = index.known[index.known.size() == 1 ? 0 : slot];
      element = element * type.getDimSize(static_cast<unsigned>(dim)) + at;
    }
    rows.ids.push_back(point < 0 ? noElement
                                 : tensors.resolve(tensor, element));
  }
  return elements(op.getLoc(), rows, extract.getType());
}

/// The loops that a scalar depends on.
static void collectLoops(linalg::GenericOp op, Value value,
                         llvm::SmallSetVector<unsigned, 4> &loops) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    AffineMap map =
        op.getMatchingIndexingMap(&op->getOpOperand(argument.getArgNumber()));
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (map.isFunctionOfDim(loop))
        loops.insert(loop);
    return;
  }
  Operation *inner = value.getDefiningOp();
  if (auto index = dyn_cast<linalg::IndexOp>(inner))
    loops.insert(static_cast<unsigned>(index.getDim()));
  for (Value operand : inner->getOperands())
    if (!isa<TensorType>(operand.getType()))
      collectLoops(op, operand, loops);
}

/// Rows of a table: the index is data, and the same in all lanes of a vector.
FailureOr<VectorScalar> BodyVectors::gather(tensor::ExtractOp extract,
                                            ArrayRef<VectorScalar> indices,
                                            unsigned unknown) {
  Location where = op.getLoc();
  llvm::SmallSetVector<unsigned, 4> loops;
  collectLoops(op, extract.getIndices()[unknown], loops);
  auto type = cast<RankedTensorType>(extract.getTensor().getType());
  const int64_t tensor = tensors.numberOf(extract.getTensor());
  const int64_t depth = type.getDimSize(unknown), lanes = points.lanes;
  // The point that each vector's index belongs to, in lane 0.
  Points first{points.extents, lanes,
               std::vector<int64_t>(points.numbers.size(), -1)};
  // What a table's rows hold, by the other indices: where its first row is.
  llvm::StringMap<int64_t> patterns;
  SmallVector<Rows> tables;
  SmallVector<int64_t> tableOf;
  for (int64_t row = 0; row < points.count(); ++row) {
    SmallVector<ElementId> pattern(lanes, noElement);
    int64_t representative = -1;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      const int64_t point = points.numbers[row * lanes + lane];
      if (point < 0)
        continue;
      if (representative < 0)
        representative = point;
      for (unsigned loop : loops)
        if (points.index(point, loop) != points.index(representative, loop)) {
          emitError(where) << "reads elements by an index that is data and "
                              "differs between the lanes of a vector, which "
                              "has no lowering to vectors";
          return failure();
        }
      int64_t element = 0;
      for (auto [dim, index] : llvm::enumerate(indices)) {
        int64_t at = 0;
        if (dim != unknown)
          at = index.known[index.known.size() == 1 ? 0 : row * lanes + lane];
        element = element * type.getDimSize(static_cast<unsigned>(dim)) + at;
      }
      pattern[lane] = element;
    }
    first.numbers[row * lanes] = representative;
    StringRef key(reinterpret_cast<const char *>(pattern.data()),
                  pattern.size() * sizeof(ElementId));
    auto [entry, isNew] =
        patterns.insert({key, static_cast<int64_t>(tables.size())});
    tableOf.push_back(entry->second);
    if (!isNew)
      continue;
    int64_t stride = 1;
    for (int64_t dim = type.getRank() - 1; dim > unknown; --dim)
      stride *= type.getDimSize(static_cast<unsigned>(dim));
    Rows table{lanes, {}};
    for (int64_t index = 0; index < depth; ++index)
      for (ElementId element : pattern)
        table.ids.push_back(
            element == noElement
                ? noElement
                : tensors.resolve(tensor, element + index * stride));
    tables.push_back(std::move(table));
  }
  BodyVectors rowNumbers(tensors, op, std::move(first));
  FailureOr<Reads> numbers =
      rowNumbers.vectors(extract.getIndices()[unknown], DType::I32);
  if (failed(numbers))
    return failure();
  VectorScalar result;
  result.dtype = *scalarType(extract.getType());
  std::vector<Tensors::Vector> found(points.count());
  OpBuilder &builder = tensors.builder;
  for (auto [number, table] : llvm::enumerate(tables)) {
    FailureOr<Reads> rows = tensors.read(where, table, result.dtype, depth);
    if (failed(rows))
      return failure();
    SmallVector<int32_t> which, places;
    for (auto [row, of] : llvm::enumerate(tableOf))
      if (of == static_cast<int64_t>(number)) {
        which.push_back(numbers->indices[row]);
        places.push_back(static_cast<int32_t>(row));
      }
    Value value = GatherOp::create(
        builder, where,
        tensors.vectorsType(static_cast<int64_t>(which.size()), result.dtype),
        depth, ValueRange{rows->value, numbers->value},
        builder.getArrayAttr(
            {builder.getDenseI32ArrayAttr({rows->indices.front()}),
             builder.getDenseI32ArrayAttr(which)}));
    for (auto [i, row] : llvm::enumerate(places))
      found[row] = {value, static_cast<int32_t>(i)};
  }
  result.operand.reads = tensors.collect(where, found);
  return result;
}

//===--- Operations -------------------------------------------------------===//

FailureOr<VectorScalar> BodyVectors::operation(Operation *inner) {
  SmallVector<VectorScalar, 3> operands;
  for (Value operand : inner->getOperands()) {
    FailureOr<VectorScalar> scalar = this->scalar(operand);
    if (failed(scalar))
      return failure();
    operands.push_back(*scalar);
  }
  if (std::optional<std::vector<int64_t>> known = foldKnown(inner, operands)) {
    VectorScalar scalar;
    scalar.known = std::move(*known);
    scalar.dtype = *scalarType(inner->getResult(0).getType());
    return scalar;
  }
  if (std::optional<VectorScalar> found = lowerOperation(alu, inner, operands))
    return *found;
  emitError(op.getLoc()) << inner->getName() << " has no lowering to vectors";
  return failure();
}

FailureOr<Reads> BodyVectors::vectors(Value value, DType dtype) {
  FailureOr<VectorScalar> scalar = this->scalar(value);
  if (failed(scalar))
    return failure();
  Location where = op.getLoc();
  Tensors::Operand operand = alu.operandOf(*scalar);
  if (!operand.reads.value) {
    // A number in all lanes of one vector.
    const DType type = isFloat(dtype) ? DType::F32 : DType::I32;
    operand.reads.value =
        tensors.alu(where, AluOp::move, type, {operand}, 1, dtype);
    operand.reads.indices.assign(points.count(), 0);
  }
  std::vector<Tensors::Vector> vectors;
  for (int32_t index : operand.reads.indices)
    vectors.push_back({operand.reads.value, index});
  tensors.convert(where, dtype, vectors);
  return tensors.collect(where, vectors);
}

} // namespace tilewright::spatial
