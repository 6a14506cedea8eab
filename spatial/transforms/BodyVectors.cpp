//===- BodyVectors.cpp - The body of an op, on vectors --------------------===//
#include "spatial/transforms/BodyVectors.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tilewright::spatial {

/// The type of a scalar on the machine; nothing if it has none.
static std::optional<DType> scalarType(Type type) {
  if (type.isInteger(64) || type.isIndex() || type.isSignlessInteger(16))
    return DType::I32;
  return valueType(type);
}

//===--- Leaves -----------------------------------------------------------===//

VectorScalar BodyVectors::number(double value, DType dtype) const {
  VectorScalar scalar;
  scalar.operand.number = value;
  scalar.dtype = dtype;
  return scalar;
}

FailureOr<VectorScalar> BodyVectors::constant(TypedAttr value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return this->number(number.getValueAsDouble(), DType::F32);
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
    return number(std::bit_cast<float>(tensors.constantLane(first)),
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

//===--- Known integers ---------------------------------------------------===//

/// The integer that an op of a body gives; nothing if it is another one.
static std::optional<int64_t> foldInteger(Operation *op, ArrayRef<int64_t> in) {
  StringRef name = op->getName().stripDialect();
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return arith::applyCmpPredicate(
        compare.getPredicate(), APInt(64, in[0], true), APInt(64, in[1], true));
  if (isa<arith::SelectOp>(op))
    return in[0] ? in[1] : in[2];
  if (isa<arith::DivSIOp, arith::RemSIOp, arith::DivUIOp, arith::RemUIOp>(op) &&
      in[1] == 0)
    return std::nullopt;
  if (in.size() == 1) {
    if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
            arith::ExtUIOp>(op))
      return in[0];
    if (isa<arith::TruncIOp>(op)) {
      const unsigned bits = op->getResult(0).getType().getIntOrFloatBitWidth();
      return bits == 1 ? in[0] & 1 : llvm::SignExtend64(in[0], bits);
    }
    return std::nullopt;
  }
  if (in.size() != 2)
    return std::nullopt;
  Type type = op->getOperand(0).getType();
  const uint64_t mask = type.isInteger(32) ? ~uint32_t(0) : ~uint64_t(0);
  const uint64_t a = in[0] & mask, b = in[1] & mask;
  return llvm::StringSwitch<std::optional<int64_t>>(name)
      .Case("addi", in[0] + in[1])
      .Case("subi", in[0] - in[1])
      .Case("muli", in[0] * in[1])
      .Case("maxsi", std::max(in[0], in[1]))
      .Case("minsi", std::min(in[0], in[1]))
      .Case("andi", in[0] & in[1])
      .Case("ori", in[0] | in[1])
      .Case("xori", in[0] ^ in[1])
      .Case("divsi", in[1] ? in[0] / in[1] : 0)
      .Case("remsi", in[1] ? in[0] % in[1] : 0)
      .Case("divui", b ? static_cast<int64_t>(a / b) : 0)
      .Case("remui", b ? static_cast<int64_t>(a % b) : 0)
      .Case("floordivsi", in[1] ? std::optional<int64_t>(
                                      llvm::divideFloorSigned(in[0], in[1]))
                                : std::nullopt)
      .Default(std::nullopt);
}

static std::optional<std::vector<int64_t>>
foldKnown(Operation *op, ArrayRef<VectorScalar> operands) {
  size_t size = 1;
  for (const VectorScalar &operand : operands) {
    if (!operand.isKnown())
      return std::nullopt;
    size = std::max(size, operand.known.size());
  }
  std::vector<int64_t> known(size);
  for (size_t i = 0; i < size; ++i) {
    SmallVector<int64_t, 3> in;
    for (const VectorScalar &operand : operands)
      in.push_back(operand.known[operand.known.size() == 1 ? 0 : i]);
    std::optional<int64_t> result = foldInteger(op, in);
    if (!result)
      return std::nullopt;
    known[i] = *result;
  }
  return known;
}

//===--- Operations of the vector unit ------------------------------------===//

Tensors::Operand BodyVectors::operandOf(Location where,
                                        const VectorScalar &scalar) {
  if (!scalar.isKnown())
    return scalar.operand;
  Tensors::Operand operand;
  const bool isUniform = llvm::all_of(scalar.known, [&](int64_t value) {
    return value == scalar.known.front();
  });
  if (isUniform) {
    operand.number =
        static_cast<double>(static_cast<int32_t>(scalar.known.front()));
    return operand;
  }
  std::vector<uint32_t> lanes;
  lanes.reserve(scalar.known.size());
  for (int64_t value : scalar.known)
    lanes.push_back(static_cast<uint32_t>(value));
  operand.reads = tensors.constants(where, lanes, scalar.dtype);
  return operand;
}

VectorScalar BodyVectors::alu(Operation *inner, AluOp operation, DType type,
                              ArrayRef<VectorScalar> operands, DType result) {
  SmallVector<Tensors::Operand> list;
  for (const VectorScalar &operand : operands)
    list.push_back(operandOf(op.getLoc(), operand));
  VectorScalar scalar;
  scalar.dtype = result;
  scalar.operand.reads.value =
      tensors.alu(op.getLoc(), operation, type, list, points.count(), result);
  auto range = llvm::seq<int32_t>(0, static_cast<int32_t>(points.count()));
  scalar.operand.reads.indices.assign(range.begin(), range.end());
  return scalar;
}

/// Ops that are one operation on f32 or i32, with the operands as they are.
static std::optional<std::pair<AluOp, DType>> directOperation(Operation *op) {
  using Entry = std::pair<AluOp, DType>;
  const DType f = DType::F32, i = DType::I32;
  return llvm::StringSwitch<std::optional<Entry>>(op->getName().getStringRef())
      .Case("arith.addf", Entry(AluOp::add, f))
      .Case("arith.subf", Entry(AluOp::sub, f))
      .Case("arith.mulf", Entry(AluOp::mul, f))
      .Case("arith.divf", Entry(AluOp::divide, f))
      .Case("arith.maximumf", Entry(AluOp::max, f))
      .Case("arith.minimumf", Entry(AluOp::min, f))
      .Case("arith.addi", Entry(AluOp::add, i))
      .Case("arith.subi", Entry(AluOp::sub, i))
      .Case("arith.muli", Entry(AluOp::mul, i))
      .Case("arith.divsi", Entry(AluOp::divide, i))
      .Case("arith.maxsi", Entry(AluOp::max, i))
      .Case("arith.minsi", Entry(AluOp::min, i))
      .Case("arith.andi", Entry(AluOp::logicalAnd, i))
      .Case("arith.ori", Entry(AluOp::logicalOr, i))
      .Case("arith.xori", Entry(AluOp::logicalXor, i))
      .Case("math.absf", Entry(AluOp::abs, f))
      .Case("math.absi", Entry(AluOp::abs, i))
      .Case("math.sqrt", Entry(AluOp::sqrt, f))
      .Case("math.rsqrt", Entry(AluOp::rsqrt, f))
      .Case("math.exp", Entry(AluOp::exp, f))
      .Case("math.log", Entry(AluOp::log, f))
      .Case("math.tanh", Entry(AluOp::tanh, f))
      .Case("math.erf", Entry(AluOp::erf, f))
      .Case("math.sin", Entry(AluOp::sin, f))
      .Case("math.cos", Entry(AluOp::cos, f))
      .Case("math.powf", Entry(AluOp::pow, f))
      .Case("math.fma", Entry(AluOp::fma, f))
      .Case("math.floor", Entry(AluOp::floor, f))
      .Case("math.ceil", Entry(AluOp::ceil, f))
      .Case("math.trunc", Entry(AluOp::trunc, f))
      .Case("math.roundeven", Entry(AluOp::round, f))
      .Default(std::nullopt);
}

/// A comparison that is true or false with NaN, and whether it is inverted.
static std::optional<std::pair<AluOp, bool>>
comparisonOf(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  using Entry = std::pair<AluOp, bool>;
  switch (predicate) {
  case P::OEQ:
    return Entry(AluOp::eq, false);
  case P::UNE:
    return Entry(AluOp::ne, false);
  case P::OLT:
    return Entry(AluOp::lt, false);
  case P::OLE:
    return Entry(AluOp::le, false);
  case P::OGT:
    return Entry(AluOp::gt, false);
  case P::OGE:
    return Entry(AluOp::ge, false);
  case P::ULT:
    return Entry(AluOp::ge, true);
  case P::ULE:
    return Entry(AluOp::gt, true);
  case P::UGT:
    return Entry(AluOp::le, true);
  case P::UGE:
    return Entry(AluOp::lt, true);
  default:
    return std::nullopt;
  }
}

static std::optional<AluOp> comparisonOf(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq:
    return AluOp::eq;
  case P::ne:
    return AluOp::ne;
  case P::slt:
    return AluOp::lt;
  case P::sle:
    return AluOp::le;
  case P::sgt:
    return AluOp::gt;
  case P::sge:
    return AluOp::ge;
  default:
    return std::nullopt;
  }
}

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
  return onVectors(inner, operands);
}

FailureOr<VectorScalar>
BodyVectors::onVectors(Operation *inner, ArrayRef<VectorScalar> operands) {
  const DType result = *scalarType(inner->getResult(0).getType());
  const DType f = DType::F32, i = DType::I32;
  if (auto direct = directOperation(inner))
    return alu(inner, direct->first, direct->second, operands, result);
  if (isa<arith::SelectOp>(inner))
    return alu(inner, AluOp::select, isFloat(result) ? f : i, operands, result);
  if (auto compare = dyn_cast<arith::CmpFOp>(inner))
    if (auto entry = comparisonOf(compare.getPredicate())) {
      VectorScalar truth = alu(inner, entry->first, f, operands, DType::Bool);
      return entry->second
                 ? alu(inner, AluOp::logicalNot, i, {truth}, DType::Bool)
                 : truth;
    }
  if (auto compare = dyn_cast<arith::CmpIOp>(inner))
    if (auto comparison = comparisonOf(compare.getPredicate()))
      return alu(inner, *comparison, i, operands, DType::Bool);
  if (isa<arith::NegFOp>(inner))
    return alu(inner, AluOp::mul, f, {operands[0], number(-1, f)}, result);
  // Widening is what operands do.
  if (isa<arith::ExtFOp, arith::IndexCastOp, arith::IndexCastUIOp>(inner))
    return operands[0];
  if (isa<arith::TruncFOp>(inner))
    return alu(inner, AluOp::move, f, operands, result);
  if (isa<arith::ExtSIOp, arith::ExtUIOp>(inner)) {
    if (operands[0].dtype == i || operands[0].dtype == result)
      return operands[0];
    if (isa<arith::ExtUIOp>(inner) || operands[0].dtype != DType::Bool)
      return alu(inner, AluOp::move, i, operands, result);
  }
  if (isa<arith::TruncIOp>(inner) && result == i)
    return operands[0];
  if (isa<arith::FPToSIOp>(inner) && result == i)
    return alu(inner, AluOp::convert, f, operands, result);
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(inner) &&
      (operands[0].dtype != DType::Bool || isa<arith::UIToFPOp>(inner)))
    return alu(inner, AluOp::convert, i, operands, result);
  if (isa<arith::RemSIOp>(inner)) {
    VectorScalar quotient = alu(inner, AluOp::divide, i, operands, i);
    VectorScalar whole = alu(inner, AluOp::mul, i, {quotient, operands[1]}, i);
    return alu(inner, AluOp::sub, i, {operands[0], whole}, i);
  }
  emitError(op.getLoc()) << inner->getName() << " has no lowering to vectors";
  return failure();
}

FailureOr<Reads> BodyVectors::vectors(Value value, DType dtype) {
  FailureOr<VectorScalar> scalar = this->scalar(value);
  if (failed(scalar))
    return failure();
  Location where = op.getLoc();
  Tensors::Operand operand = operandOf(where, *scalar);
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
