//===- DotOperand.cpp - How a contraction reads its operands --------------===//
//
// In place where the operand is a load that needs no checks, else from scratch
// memory: as a dense matrix, or as panels. A panel holds what one block of
// registers reads, in the order in which it reads it: of the left side `rows`
// elements for each step of the depth, of the right side a few vectors.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/TileEmitter.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::cpu {

/// The operand's place in memory, when it is a load that needs no checks.
std::optional<MatrixSource> TileEmitter::directMatrix(Value tile) {
  // Follow the dims of the matrix back to dims of the load.
  unsigned rank = cast<RankedTensorType>(tile.getType()).getRank();
  SmallVector<DimGroup> dims;
  for (unsigned dim = 0; dim < rank; ++dim)
    dims.push_back({static_cast<int>(dim)});
  Value source = tile;
  while (true) {
    Operation *op = source.getDefiningOp();
    if (!op || buffers.contains(source))
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
  auto load = source.getDefiningOp<tile::LoadOp>();
  if (!load || load->getBlock() != tile.getParentBlock())
    return std::nullopt;
  auto loadType = cast<RankedTensorType>(load.getResult().getType());
  if (numeric::storedType(loadType.getElementType()) !=
      loadType.getElementType())
    return std::nullopt;
  if (load.getPad())
    for (int64_t d = 0; d < loadType.getRank(); ++d) {
      int64_t scale = load.getByElement() ? 1 : loadType.getDimSize(d);
      if (!isInside(load.getView(), load.getOffsets()[d], scale,
                    loadType.getDimSize(d), load.getStep(d), d))
        return std::nullopt;
    }
  Lanes origin;
  for (int64_t d = 0; d < loadType.getRank(); ++d)
    origin.index.push_back(index(0));
  Address first =
      viewAddress(load.getView(), load.getOffsets(), load.getSteps(),
                  load.getByElement(), loadType.getShape(), origin, false);
  auto stride = [&](int dim) {
    return mul(views[load.getView()].strides[dim], index(load.getStep(dim)));
  };
  // Dims that were merged must lie one in the other without gaps.
  for (const DimGroup &group : dims)
    for (size_t i = 1; i < group.size(); ++i) {
      std::optional<int64_t> outer = getConstantIntValue(stride(group[i - 1])),
                             inner = getConstantIntValue(stride(group[i]));
      if (!outer || !inner || *outer != *inner * loadType.getDimSize(group[i]))
        return std::nullopt;
    }
  auto strideOf = [&](const DimGroup &group) {
    return group.empty() ? index(0) : stride(group.back());
  };
  MatrixSource matrix;
  matrix.pointer = first.pointer;
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

/// The matrices of a buffer.
MatrixSource TileEmitter::matrixIn(const Buffer &buffer) {
  size_t rank = buffer.shape.size();
  MatrixSource matrix;
  matrix.pointer = buffer.pointer;
  matrix.rowStride = index(buffer.strides[rank - 2]);
  matrix.columnStride = index(buffer.strides[rank - 1]);
  if (rank > 2)
    matrix.batchStride = index(buffer.strides[0]);
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

/// How an operand is read. What lies in a buffer then is made now, once for all
/// matrices of a batch.
FailureOr<DotOperand> TileEmitter::operandOf(Value tile, bool isRhs,
                                             bool isUnsigned, const Buffer &acc,
                                             const RegisterBlock &registers) {
  auto type = cast<RankedTensorType>(tile.getType());
  DotOperand operand{tile, isRhs, isUnsigned, {}};
  unsigned packs = isRhs ? schedule.packrhs : schedule.packlhs;
  constexpr unsigned never = 1, always = 2;
  bool isSmall = numeric::isSmallFloat(type.getElementType());
  std::optional<MatrixSource> direct;
  if (packs != always && !isSmall)
    direct = directMatrix(tile);
  bool staysInPlace =
      direct && (!isRhs || direct->unitColumns || type.getShape().back() == 1);
  // Dims that are merged have elements in memory or in a buffer only.
  auto reshape = tile.getDefiningOp<tile::ReshapeOp>();
  if (!staysInPlace && !buffers.contains(tile) && reshape &&
      !dimsOfSource(reshape)) {
    FailureOr<Buffer> buffer = bufferOf(tile);
    if (failed(buffer))
      return failure();
    buffers[tile] = *buffer;
  }
  if (packs == always)
    return operand;
  if (isSmall) {
    FailureOr<Buffer> packed = packAs(tile, acc.element);
    if (failed(packed))
      return failure();
    operand.matrix = matrixIn(*packed);
    return operand;
  }
  if (staysInPlace) {
    bool collides =
        !isRhs && packs != never &&
        paysToPackLeft(registers, acc.shape.back(), rowBytesOf(*direct));
    if (!collides)
      operand.matrix = *direct;
    return operand;
  }
  // Elements that have to be put in order anyway are put in that of panels.
  if (packs != never && isRhs && !buffers.contains(tile))
    return operand;
  FailureOr<Buffer> buffer = isRhs ? denseBufferOf(tile) : bufferOf(tile);
  if (failed(buffer))
    return failure();
  operand.matrix = matrixIn(*buffer);
  return operand;
}

/// The matrix number `batch` of an operand; null where there is only one.
FailureOr<MatrixSource> TileEmitter::matrixOf(const DotOperand &operand,
                                              Value batch, Type accumulator,
                                              const RegisterBlock &registers) {
  FailureOr<MatrixSource> matrix;
  if (operand.matrix) {
    matrix = *operand.matrix;
    if (batch)
      matrix->pointer = address(
          matrix->pointer, mul(batch, matrix->batchStride), matrix->element);
  } else {
    matrix = packPanels(operand.tile, batch, operand.isRhs, accumulator,
                        operand.isRhs ? registers.vectors * registers.lanes
                                      : registers.rows);
  }
  if (succeeded(matrix))
    matrix->isUnsigned = operand.isUnsigned;
  return matrix;
}

} // namespace tilewright::cpu
