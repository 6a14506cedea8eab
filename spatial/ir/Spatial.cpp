//===- Spatial.cpp - The rules of the spatial dialect ---------------------===//
#include "spatial/ir/Spatial.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace tilewright::spatial {

//===--- Types ------------------------------------------------------------===//

std::optional<DType> valueType(Type type) {
  if (type.isF32())
    return DType::F32;
  if (type.isF16())
    return DType::F16;
  if (type.isBF16())
    return DType::BF16;
  if (type.isSignlessInteger(32))
    return DType::I32;
  if (type.isSignlessInteger(8))
    return DType::I8;
  if (type.isUnsignedInteger(8))
    return DType::U8;
  if (type.isSignlessInteger(1))
    return DType::Bool;
  return std::nullopt;
}

Type irType(MLIRContext *context, DType type) {
  switch (type) {
  case DType::F32:
    return Float32Type::get(context);
  case DType::F16:
    return Float16Type::get(context);
  case DType::BF16:
    return BFloat16Type::get(context);
  case DType::I8:
    return IntegerType::get(context, 8);
  case DType::U8:
    return IntegerType::get(context, 8, IntegerType::Unsigned);
  case DType::Bool:
    return IntegerType::get(context, 1);
  default:
    return IntegerType::get(context, 32);
  }
}

LogicalResult VectorsType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  int64_t count, Type element) {
  if (count < 1)
    return emitError() << "expected at least 1 vector, found " << count;
  if (!valueType(element))
    return emitError() << "expected elements that are i1, i8, ui8, i32, f16, "
                          "bf16 or f32, found "
                       << element;
  return success();
}

std::string nodeOf(Location location) {
  if (auto named = location->findInstanceOf<NameLoc>())
    return named.getName().str();
  if (auto line = location->findInstanceOf<FileLineColLoc>())
    return "line " + std::to_string(line.getLine());
  return {};
}

int64_t lanesOf(Operation *op) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  if (!function)
    return 0;
  auto lanes = function->getAttrOfType<IntegerAttr>(kLanesAttr);
  return lanes ? lanes.getInt() : 0;
}

ArrayRef<int32_t> indicesOf(ArrayAttr indices, unsigned number) {
  return cast<DenseI32ArrayAttr>(indices[number]);
}

//===--- What several ops share -------------------------------------------===//

static VectorsType vectorsOf(Value value) {
  return cast<VectorsType>(value.getType());
}

static DType elementOf(Value value) {
  return *valueType(vectorsOf(value).getElement());
}

/// One list of indices for each operand, each in its operand; `rule` is named
/// in errors.
static LogicalResult verifyReads(Operation *op, OperandRange reads,
                                 ArrayAttr indices, StringRef rule) {
  if (indices.size() != reads.size())
    return op->emitOpError("expected a list of indices for each of the ")
           << reads.size() << " operands, found " << indices.size() << " ("
           << rule << ")";
  for (auto [number, read] : llvm::enumerate(reads)) {
    const int64_t count = vectorsOf(read).getCount();
    for (int32_t index : indicesOf(indices, number))
      if (index < 0 || index >= count)
        return op->emitOpError("operand ")
               << number << " has " << count << " vectors, an index is "
               << index << " (" << rule << ")";
  }
  return success();
}

static LogicalResult verifyCount(Operation *op, ArrayAttr indices,
                                 unsigned number, int64_t expected,
                                 StringRef rule) {
  const auto found = static_cast<int64_t>(indicesOf(indices, number).size());
  if (found != expected)
    return op->emitOpError("expected ")
           << expected << " indices of operand " << number << ", found "
           << found << " (" << rule << ")";
  return success();
}

//===--- The rules of each op ---------------------------------------------===//

LogicalResult ConstantOp::verify() {
  VectorsType vectors = getResult().getType();
  auto type = cast<ShapedType>(getElements().getType());
  if (!type.hasRank() || type.getRank() != 2 ||
      type.getElementType() != vectors.getElement() ||
      type.getDimSize(0) != vectors.getCount() ||
      (lanesOf(*this) && type.getDimSize(1) != lanesOf(*this))) // c1
    return emitOpError("expected elements of ")
           << vectors.getCount() << " vectors of the function's lanes, found "
           << type << " (constant_c1)";
  return success();
}

/// Whether operations on `type` take operands of `element`.
static bool widensTo(DType element, DType type) {
  return isFloat(element) == (type == DType::F32);
}

/// Whether a result that is computed in `computed` may become `element`.
static bool roundsTo(DType computed, DType element) {
  if (computed == DType::Bool)
    return element == DType::Bool;
  return widensTo(element, computed);
}

/// A bit operation is of i32, most functions are of f32.
static bool existsFor(AluOp op, DType type) {
  switch (delayClass(op)) {
  case DelayClass::logic:
  case DelayClass::shift:
    return type == DType::I32;
  case DelayClass::round:
  case DelayClass::sqrt:
  case DelayClass::rsqrt:
  case DelayClass::exp:
  case DelayClass::log:
  case DelayClass::tanh:
  case DelayClass::erf:
  case DelayClass::sin:
  case DelayClass::cos:
  case DelayClass::pow:
    return type == DType::F32;
  default:
    return true;
  }
}

LogicalResult VectorAluOp::verify() {
  std::optional<AluOp> operation = aluFromName(getName());
  ArrayAttr numbers = getNumbersAttr();
  const size_t count = numbers ? numbers.size() : getReads().size();
  if (!operation || static_cast<int>(count) != aluOperands(*operation)) // c1
    return emitOpError("expected an operation of a vector unit and its "
                       "operands, found ")
           << getName() << " of " << count << " (alu_c1)";
  std::optional<DType> type = valueType(getOperandType());
  if (!type || (*type != DType::F32 && *type != DType::I32) ||
      !existsFor(*operation, *type) ||
      !roundsTo(resultType(*operation, *type), elementOf(getResult()))) // c2
    return emitOpError() << getName() << " of " << getOperandType()
                         << " has no result of "
                         << vectorsOf(getResult()).getElement() << " (alu_c2)";
  for (auto [number, read] : llvm::enumerate(getReads())) {
    const bool isCondition = *operation == AluOp::select && number == 0 &&
                             (!numbers || isa<UnitAttr>(numbers[0]));
    const bool fits = isCondition ? elementOf(read) == DType::Bool
                                  : widensTo(elementOf(read), *type);
    if (!fits)
      return emitOpError() << getName() << " of " << getOperandType()
                           << " takes no operand of "
                           << vectorsOf(read).getElement() << " (alu_c2)";
  }
  if (failed(verifyReads(*this, getReads(), getIndices(), "alu_c3"))) // c3
    return failure();
  for (unsigned number = 0; number < getReads().size(); ++number)
    if (failed(verifyCount(*this, getIndices(), number,
                           vectorsOf(getResult()).getCount(), "alu_c3")))
      return failure();
  return success();
}

LogicalResult MultiplyOp::verify() {
  const size_t operands = getReads().size();
  if (operands != 2 && operands != 3) // c1
    return emitOpError("expected vectors, weights and perhaps what is added, "
                       "found ")
           << operands << " operands (multiply_c1)";
  if (failed(verifyReads(*this, getReads(), getIndices(), "multiply_c4")) ||
      failed(verifyCount(*this, getIndices(), 1, 1, "multiply_c1")))
    return failure();
  const DType sum =
      valueType(getOperandType()) == DType::I8 ? DType::I32 : DType::F32;
  bool fits = elementOf(getReads()[0]) == valueType(getOperandType()) &&
              elementOf(getReads()[1]) == valueType(getOperandType()) &&
              elementOf(getResult()) == sum;
  if (operands == 3)
    fits &= elementOf(getReads()[2]) == sum;
  if (!fits) // c2
    return emitOpError("products of ")
           << getOperandType() << " take operands of it, and their sums are "
           << std::string(valueTypeName(sum)) << " (multiply_c2)";
  const int64_t rows = getRows(), lanes = lanesOf(*this);
  if (rows < 1 || (lanes && rows > lanes) ||
      indicesOf(getIndices(), 1)[0] + rows >
          vectorsOf(getReads()[1]).getCount()) // c3
    return emitOpError("has ")
           << rows << " rows of weights, of " << lanes << " lanes, in "
           << vectorsOf(getReads()[1]).getCount() << " vectors (multiply_c3)";
  for (unsigned number = 0; number < operands; number += 2) // c4
    if (failed(verifyCount(*this, getIndices(), number,
                           vectorsOf(getResult()).getCount(), "multiply_c4")))
      return failure();
  return success();
}

LogicalResult MapOp::verify() {
  const size_t operands = getReads().size();
  bool fits = operands == 1 || operands == 2;
  for (Value read : getReads())
    fits &= vectorsOf(read).getElement() == vectorsOf(getResult()).getElement();
  if (!fits) // c1
    return emitOpError("expected one or two operands of the result's elements "
                       "(map_c1)");
  const auto lanes = static_cast<int64_t>(getLanes().size());
  for (int32_t lane : getLanes())
    fits &= lane >= -1 && lane < lanes * static_cast<int64_t>(operands);
  if (!fits || (lanesOf(*this) && lanes != lanesOf(*this))) // c2
    return emitOpError("expected -1 or a lane of an operand for each lane "
                       "(map_c2)");
  if (failed(verifyReads(*this, getReads(), getIndices(), "map_c3"))) // c3
    return failure();
  for (unsigned number = 0; number < operands; ++number)
    if (failed(verifyCount(*this, getIndices(), number,
                           vectorsOf(getResult()).getCount(), "map_c3")))
      return failure();
  return success();
}

LogicalResult TransposeOp::verify() {
  if (getReads().size() != 1 || vectorsOf(getReads()[0]).getElement() !=
                                    vectorsOf(getResult()).getElement()) // c1
    return emitOpError("expected one operand of the result's elements "
                       "(transpose_c1)");
  const int64_t size = getSize(), lanes = lanesOf(*this);
  if (size < 1 || (lanes && lanes % size != 0)) // c2
    return emitOpError("blocks of ")
           << size << " do not divide " << lanes << " lanes (transpose_c2)";
  if (failed(verifyReads(*this, getReads(), getIndices(), "transpose_c3")))
    return failure();
  ArrayRef<int32_t> starts = indicesOf(getIndices(), 0);
  bool fits = static_cast<int64_t>(starts.size()) * size ==
              vectorsOf(getResult()).getCount();
  for (int32_t start : starts)
    fits &= start + size <= vectorsOf(getReads()[0]).getCount();
  if (!fits) // c3
    return emitOpError("expected ")
           << size << " vectors of operand and result for each index "
           << "(transpose_c3)";
  return success();
}

LogicalResult GatherOp::verify() {
  if (getReads().size() != 2 ||
      failed(verifyReads(*this, getReads(), getIndices(), "gather_c2")) ||
      failed(verifyCount(*this, getIndices(), 0, 1, "gather_c1")))
    return emitOpError("expected a table and row numbers (gather_c1)");
  if (elementOf(getReads()[1]) != DType::I32 ||
      elementOf(getReads()[0]) != elementOf(getResult()) ||
      static_cast<int64_t>(getRows()) < 1 ||
      indicesOf(getIndices(), 0)[0] + static_cast<int64_t>(getRows()) >
          vectorsOf(getReads()[0]).getCount()) // c1
    return emitOpError("expected row numbers of i32 and ")
           << getRows() << " rows in a table of "
           << vectorsOf(getReads()[0]).getCount()
           << " vectors of the result's elements (gather_c1)";
  return verifyCount(*this, getIndices(), 1, vectorsOf(getResult()).getCount(),
                     "gather_c2"); // c2
}

LogicalResult SelectVectorsOp::verify() {
  const int64_t count = vectorsOf(getResult()).getCount();
  if (static_cast<int64_t>(getSources().size()) != count ||
      static_cast<int64_t>(getIndices().size()) != count) // c1
    return emitOpError("expected ")
           << count << " sources and indices, found " << getSources().size()
           << " and " << getIndices().size() << " (select_vectors_c1)";
  for (auto [source, index] : llvm::zip(getSources(), getIndices()))
    if (source < 0 || source >= static_cast<int64_t>(getReads().size()) ||
        index < 0 || index >= vectorsOf(getReads()[source]).getCount()) // c2
      return emitOpError("there is no vector ")
             << index << " of operand " << source << " (select_vectors_c2)";
  for (Value read : getReads())
    if (vectorsOf(read).getElement() != vectorsOf(getResult()).getElement())
      return emitOpError("expected operands of the result's elements "
                         "(select_vectors_c2)");
  return success();
}

} // namespace tilewright::spatial
