//===- BodyVectors.cpp - The body of an op, on vectors --------------------===//
#include "spatial/transforms/BodyVectors.h"

#include "mlir/IR/Matchers.h"
#include "spatial/transforms/LowerOps.h"

using namespace mlir;

namespace tilewright::spatial {

//===--- Leaves -----------------------------------------------------------===//

FailureOr<VectorScalar> BodyVectors::constant(TypedAttr value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return AluBuilder::number(number.getValueAsDouble(), DType::F32);
  auto integer = cast<IntegerAttr>(value);
  VectorScalar scalar;
  if (integer.getType().isInteger(1)) {
    scalar.dtype = DType::Bool;
    scalar.known = {integer.getValue().getBoolValue() ? 1 : 0};
    return scalar;
  }
  std::optional<int64_t> held = integer.getInt();
  if (integer.getType().isInteger(64))
    held = heldInteger(integer.getInt());
  if (!held) {
    emitError(op.getLoc())
        << "has the constant " << integer.getInt()
        << ", which does not fit i32, in which a machine holds i64";
    return failure();
  }
  scalar.dtype = DType::I32;
  scalar.known = {*held};
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
  Element element;
  element.tensor = tensors.numberOf(extract.getTensor());
  auto type = cast<RankedTensorType>(extract.getTensor().getType());
  element.shape.assign(type.getShape().begin(), type.getShape().end());
  for (auto [dim, index] : llvm::enumerate(extract.getIndices())) {
    FailureOr<VectorScalar> known = scalar(index);
    if (failed(known))
      return failure();
    if (!known->isKnown())
      element.unknown.push_back(static_cast<unsigned>(dim));
    element.indices.push_back(*known);
  }
  if (element.unknown.empty())
    return elements(op.getLoc(), rowsOfChoice(element, 0), extract.getType());
  if (element.unknown.size() == 1 && isSameInLanes(extract, element))
    return gather(extract, element);
  return select(extract, element);
}

/// The elements of which the unknown indices are those of choice number
/// `choice`, in row-major order.
Rows BodyVectors::rowsOfChoice(const Element &element, int64_t choice) const {
  SmallVector<int64_t> unknown(element.shape.size(), 0);
  for (unsigned dim : llvm::reverse(element.unknown)) {
    unknown[dim] = choice % element.shape[dim];
    choice /= element.shape[dim];
  }
  Rows rows{points.lanes, {}};
  rows.ids.reserve(points.numbers.size());
  for (auto [slot, point] : llvm::enumerate(points.numbers)) {
    if (point < 0) {
      rows.ids.push_back(noElement);
      continue;
    }
    int64_t number = 0;
    for (auto [dim, index] : llvm::enumerate(element.indices)) {
      const int64_t at = index.isKnown()
                             ? index.known[index.known.size() == 1 ? 0 : slot]
                             : unknown[dim];
      number = number * element.shape[dim] + at;
    }
    rows.ids.push_back(tensors.resolve(element.tensor, number));
  }
  return rows;
}

/// One of all elements that the indices may mean, by comparing them with each.
FailureOr<VectorScalar> BodyVectors::select(tensor::ExtractOp extract,
                                            const Element &element) {
  constexpr int64_t mostOperations = 1 << 20;
  int64_t choices = 1;
  VectorScalar number = AluBuilder::integerNumber(0);
  for (unsigned dim : element.unknown) {
    number = choices == 1
                 ? element.indices[dim]
                 : alu.integer(AluOp::add,
                               {alu.integer(AluOp::mul,
                                            {number, AluBuilder::integerNumber(
                                                         element.shape[dim])}),
                                element.indices[dim]});
    choices *= element.shape[dim];
  }
  if (choices * points.count() > mostOperations) {
    emitError(op.getLoc())
        << "reads one of " << choices
        << " elements by an index that is data and differs between the lanes "
           "of "
        << points.count()
        << " vectors: so many comparisons have no lowering to vectors";
    return failure();
  }
  const DType dtype = *scalarType(extract.getType());
  std::optional<VectorScalar> result;
  for (int64_t choice = 0; choice < choices; ++choice) {
    FailureOr<VectorScalar> there =
        elements(op.getLoc(), rowsOfChoice(element, choice), extract.getType());
    if (failed(there))
      return failure();
    if (result) {
      const VectorScalar isIt =
          alu(AluOp::eq, DType::I32,
              {number, AluBuilder::integerNumber(choice)}, DType::Bool);
      *there = alu(AluOp::select, isFloat(dtype) ? DType::F32 : DType::I32,
                   {isIt, *there, *result}, dtype);
    }
    result = *there;
  }
  return *result;
}

void collectLoops(linalg::GenericOp op, Value value,
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

/// Whether the unknown index is the same in all lanes of each vector.
bool BodyVectors::isSameInLanes(tensor::ExtractOp extract,
                                const Element &element) const {
  llvm::SmallSetVector<unsigned, 4> loops;
  collectLoops(op, extract.getIndices()[element.unknown.front()], loops);
  for (int64_t row = 0; row < points.count(); ++row) {
    int64_t first = -1;
    for (int64_t lane = 0; lane < points.lanes; ++lane) {
      const int64_t point = points.numbers[row * points.lanes + lane];
      if (point < 0)
        continue;
      if (first < 0)
        first = point;
      for (unsigned loop : loops)
        if (points.index(point, loop) != points.index(first, loop))
          return false;
    }
  }
  return true;
}

/// Rows of a table: the index is data, and the same in all lanes of a vector.
FailureOr<VectorScalar> BodyVectors::gather(tensor::ExtractOp extract,
                                            const Element &element) {
  Location where = op.getLoc();
  const unsigned unknown = element.unknown.front();
  const int64_t depth = element.shape[unknown], lanes = points.lanes;
  int64_t stride = 1;
  for (size_t dim = unknown + 1; dim < element.shape.size(); ++dim)
    stride *= element.shape[dim];
  // The point that each vector's index belongs to, in lane 0.
  Points first{points.extents, lanes,
               std::vector<int64_t>(points.numbers.size(), -1)};
  // What a table's rows hold, by the other indices: where its first row is.
  llvm::StringMap<int64_t> patterns;
  SmallVector<Rows> tables;
  SmallVector<int64_t> tableOf;
  for (int64_t row = 0; row < points.count(); ++row) {
    SmallVector<ElementId> pattern(lanes, noElement);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      const int64_t slot = row * lanes + lane;
      const int64_t point = points.numbers[slot];
      if (point < 0)
        continue;
      if (first.numbers[row * lanes] < 0)
        first.numbers[row * lanes] = point;
      int64_t number = 0;
      for (auto [dim, index] : llvm::enumerate(element.indices)) {
        const int64_t at =
            dim == unknown ? 0
                           : index.known[index.known.size() == 1 ? 0 : slot];
        number = number * element.shape[dim] + at;
      }
      pattern[lane] = number;
    }
    StringRef key(reinterpret_cast<const char *>(pattern.data()),
                  pattern.size() * sizeof(ElementId));
    auto [entry, isNew] =
        patterns.insert({key, static_cast<int64_t>(tables.size())});
    tableOf.push_back(entry->second);
    if (!isNew)
      continue;
    Rows table{lanes, {}};
    for (int64_t index = 0; index < depth; ++index)
      for (ElementId number : pattern)
        table.ids.push_back(
            number == noElement
                ? noElement
                : tensors.resolve(element.tensor, number + index * stride));
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
