//===- DotOperand.cpp - How a contraction reads its operands --------------===//
//
// In place where the operand is a load that needs no checks, else from scratch
// memory: as a dense matrix, or as panels. A panel has the elements that one
// register block reads, in that order: for each step of the depth, `rows`
// elements of the left side or a few vectors of the right.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/DotOperand.h"

#include "codegen/cpu/Arithmetic.h"
#include "codegen/cpu/Buffers.h"
#include "codegen/cpu/LaneAccess.h"
#include "codegen/cpu/Memory.h"
#include "codegen/cpu/PackPanels.h"
#include "codegen/cpu/SourceDims.h"
#include "codegen/numeric/ElementTypes.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::cpu {

/// The operand's address, when it is a load that needs no checks.
static std::optional<MatrixSource> directMatrix(Value tile, Emission &e) {
  // Follow the dims of the matrix back to dims of the load.
  unsigned rank = cast<RankedTensorType>(tile.getType()).getRank();
  SmallVector<DimGroup> dims;
  for (unsigned dim = 0; dim < rank; ++dim)
    dims.push_back({static_cast<int>(dim)});
  Value source = tile;
  while (true) {
    Operation *op = source.getDefiningOp();
    if (!op || e.buffers.contains(source))
      return std::nullopt;
    std::optional<SmallVector<DimGroup>> from = dimGroupsOfSource(op);
    if (!from)
      break;
    for (DimGroup &group : dims) {
      DimGroup outer;
      std::swap(group, outer);
      for (int dim : outer)
        llvm::append_range(group, (*from)[dim]);
    }
    source = op->getOperand(0);
  }
  if (source.getParentBlock() != tile.getParentBlock())
    return std::nullopt;
  std::optional<Address> first = addressInPlace(source, e);
  if (!first)
    return std::nullopt;
  auto loadType = cast<RankedTensorType>(source.getType());
  auto stride = [&](int dim) { return strideInPlace(source, dim, e); };
  // Merged dims must be nested without gaps.
  for (const DimGroup &group : dims)
    for (size_t i = 1; i < group.size(); ++i) {
      std::optional<int64_t> outer = getConstantIntValue(stride(group[i - 1])),
                             inner = getConstantIntValue(stride(group[i]));
      if (!outer || !inner || *outer != *inner * loadType.getDimSize(group[i]))
        return std::nullopt;
    }
  auto strideOf = [&](const DimGroup &group) {
    return group.empty() ? index(e.b, 0) : stride(group.back());
  };
  MatrixSource matrix;
  matrix.pointer = first->pointer;
  matrix.rowStride = strideOf(dims[rank - 2]);
  matrix.columnStride = strideOf(dims[rank - 1]);
  if (rank > 2)
    matrix.batchStride = strideOf(dims[0]);
  matrix.element = loadType.getElementType();
  APInt unit;
  matrix.unitColumns =
      matchPattern(matrix.columnStride, m_ConstantInt(&unit)) && unit == 1;
  return matrix;
}

MatrixSource matrixIn(ImplicitLocOpBuilder &b, const Buffer &buffer) {
  size_t rank = buffer.shape.size();
  MatrixSource matrix;
  matrix.pointer = buffer.pointer;
  matrix.rowStride = index(b, buffer.strides[rank - 2]);
  matrix.columnStride = index(b, buffer.strides[rank - 1]);
  if (rank > 2)
    matrix.batchStride = index(b, buffer.strides[0]);
  matrix.unitColumns = buffer.strides[rank - 1] == 1;
  matrix.element = buffer.element;
  return matrix;
}

/// Bytes from one row of a matrix to the next; 0 if they are not known.
static int64_t rowBytesOf(const MatrixSource &matrix) {
  APInt stride;
  if (!matchPattern(matrix.rowStride, m_ConstantInt(&stride)))
    return 0;
  Type stored = numeric::storedType(matrix.element);
  return stride.getSExtValue() * (stored.getIntOrFloatBitWidth() / 8);
}

FailureOr<DotOperand> operandOf(Value tile, bool isRhs, bool isUnsigned,
                                const Buffer &acc,
                                const RegisterBlock &registers, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  auto type = cast<RankedTensorType>(tile.getType());
  DotOperand operand{tile, isRhs, isUnsigned, {}};
  unsigned packs = isRhs ? e.schedule.packrhs : e.schedule.packlhs;
  constexpr unsigned never = 1, always = 2;
  // Small floats have no instructions; halves of the left side would be widened
  // for each block of columns, one by one.
  bool isWidened = isRhs ? numeric::isSmallFloat(type.getElementType())
                         : numeric::isNarrowFloat(type.getElementType()) &&
                               type.getElementType() != acc.element;
  std::optional<MatrixSource> direct;
  if (packs != always && !isWidened)
    direct = directMatrix(tile, e);
  bool staysInPlace =
      direct && (!isRhs || direct->unitColumns || type.getShape().back() == 1);
  // Dims that are merged have elements in memory or in a buffer only.
  Operation *op = tile.getDefiningOp();
  if (!staysInPlace && !e.buffers.contains(tile) && op && mergesDims(op)) {
    FailureOr<Buffer> buffer = bufferOf(tile, e);
    if (failed(buffer))
      return failure();
    e.buffers.held[tile] = *buffer;
  }
  if (packs == always)
    return operand;
  if (isWidened) {
    FailureOr<Buffer> packed = packAs(tile, acc.element, e);
    if (failed(packed))
      return failure();
    operand.matrix = matrixIn(b, *packed);
    return operand;
  }
  if (staysInPlace) {
    ArrayRef<int64_t> product = acc.shape;
    bool pays =
        isRhs ? !(op && mergesDims(op)) &&
                    paysToPackRight(product[product.size() - 2],
                                    type.getDimSize(type.getRank() - 2),
                                    product.back())
              : paysToPackLeft(registers, product.back(), rowBytesOf(*direct));
    if (packs == never || !pays)
      operand.matrix = *direct;
    return operand;
  }
  // Elements that have to be put in order anyway are put in that of panels.
  if (packs != never && isRhs && !e.buffers.contains(tile))
    return operand;
  FailureOr<Buffer> buffer = isRhs ? denseBufferOf(tile, e) : bufferOf(tile, e);
  if (failed(buffer))
    return failure();
  operand.matrix = matrixIn(b, *buffer);
  return operand;
}

FailureOr<MatrixSource> matrixOf(const DotOperand &operand, Value batch,
                                 Type accumulator,
                                 const RegisterBlock &registers,
                                 const ProductEnds &ends, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  FailureOr<MatrixSource> matrix;
  if (operand.matrix) {
    matrix = *operand.matrix;
    if (batch)
      matrix->pointer =
          address(b, matrix->pointer, mul(b, batch, matrix->batchStride),
                  matrix->element);
  } else if (operand.isRhs) {
    matrix = packPanels(operand.tile, batch, true, accumulator,
                        registers.vectors * registers.lanes, registers.lanes,
                        ends.columns, e);
  } else {
    matrix = packPanels(operand.tile, batch, false, accumulator, registers.rows,
                        registers.rows, ends.rows, e);
  }
  if (succeeded(matrix))
    matrix->isUnsigned = operand.isUnsigned;
  return matrix;
}

} // namespace tilewright::cpu
