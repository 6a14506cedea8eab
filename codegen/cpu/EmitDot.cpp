//===- EmitDot.cpp - Contractions in register blocks ----------------------===//
//
// acc[M, N] += lhs[M, K] * rhs[K, N]. The accumulators of a block of rows and
// vectors of columns stay in registers over the whole depth; the left element
// is broadcast. Operands are read in place where their rows are contiguous in
// memory, else packed into scratch first.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/TileEmitter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::cpu {

/// The operand's place in memory, when it is a load that needs no checks.
std::optional<MatrixSource> TileEmitter::directMatrix(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (type.getRank() != 2)
    return std::nullopt;
  // Follow the two dims of the matrix back to dims of the load.
  int rowDim = 0, columnDim = 1;
  Value source = tile;
  while (true) {
    Operation *op = source.getDefiningOp();
    if (!op || buffers.contains(source))
      return std::nullopt;
    if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
      rowDim = rowDim < 0 ? -1 : transpose.getPermutation()[rowDim];
      columnDim = columnDim < 0 ? -1 : transpose.getPermutation()[columnDim];
      source = transpose.getSource();
      continue;
    }
    if (auto reshape = dyn_cast<tile::ReshapeOp>(op)) {
      auto from = cast<RankedTensorType>(reshape.getSource().getType());
      auto to = cast<RankedTensorType>(reshape.getResult().getType());
      SmallVector<int> fromDims, toDims;
      for (int64_t d = 0; d < from.getRank(); ++d)
        if (from.getDimSize(d) != 1)
          fromDims.push_back(d);
      for (int64_t d = 0; d < to.getRank(); ++d)
        if (to.getDimSize(d) != 1)
          toDims.push_back(d);
      if (fromDims.size() != toDims.size())
        return std::nullopt;
      for (auto [x, y] : llvm::zip(fromDims, toDims))
        if (from.getDimSize(x) != to.getDimSize(y))
          return std::nullopt;
      auto follow = [&](int dim) {
        auto *at = llvm::find(toDims, dim);
        return at == toDims.end() ? -1 : fromDims[at - toDims.begin()];
      };
      rowDim = follow(rowDim);
      columnDim = follow(columnDim);
      source = reshape.getSource();
      continue;
    }
    break;
  }
  auto load = source.getDefiningOp<tile::LoadOp>();
  if (!load || load->getBlock() != tile.getParentBlock())
    return std::nullopt;
  auto loadType = cast<RankedTensorType>(load.getResult().getType());
  if (storageType(loadType.getElementType()) != loadType.getElementType())
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
    if (dim < 0)
      return index(0);
    return mul(views[load.getView()].strides[dim], index(load.getStep(dim)));
  };
  MatrixSource matrix{first.pointer, stride(rowDim), stride(columnDim), false,
                      loadType.getElementType()};
  APInt unit;
  matrix.unitColumns =
      matchPattern(matrix.columnStride, m_ConstantInt(&unit)) && unit == 1;
  return matrix;
}

FailureOr<MatrixSource> TileEmitter::matrixOf(Value tile, bool isRhs,
                                              Value batch) {
  auto type = cast<RankedTensorType>(tile.getType());
  int64_t columns = type.getShape().back();
  if (!batch)
    if (std::optional<MatrixSource> direct = directMatrix(tile))
      if (!isRhs || direct->unitColumns || columns == 1)
        return *direct;
  FailureOr<Buffer> buffer = bufferOf(tile);
  if (failed(buffer))
    return failure();
  MatrixSource matrix{buffer->pointer, index(columns), index(1), true,
                      buffer->element};
  if (batch)
    matrix.pointer = address(
        buffer->pointer,
        mul(batch, index(columns * type.getDimSize(type.getRank() - 2))),
        buffer->element);
  return matrix;
}

/// Brings an operand's element to the accumulator's type.
static Value widen(OpBuilder &b, Location loc, Value value, Type to,
                   bool isUnsigned) {
  Type from = getElementTypeOrSelf(value.getType());
  Type element = getElementTypeOrSelf(to);
  if (from == element)
    return value;
  if (isa<FloatType>(from))
    return arith::ExtFOp::create(b, loc, to, value);
  if (isUnsigned)
    return arith::ExtUIOp::create(b, loc, to, value);
  return arith::ExtSIOp::create(b, loc, to, value);
}

/// `rows` x `widths` accumulators in registers over the whole depth.
void TileEmitter::emitMicroKernel(const MatrixSource &lhs,
                                  const MatrixSource &rhs, const Buffer &acc,
                                  Value accBase, Value row, int64_t rows,
                                  Value column, ArrayRef<int64_t> widths,
                                  int64_t depth, tile::DotOp op) {
  int64_t columns = acc.shape.back();
  Type element = acc.element;
  auto accAddress = [&](int64_t r, int64_t c) {
    Value at =
        add(mul(add(row, index(r)), index(columns)), add(column, index(c)));
    return address(accBase, at, element);
  };
  Values sums;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0, v = 0; v < static_cast<int64_t>(widths.size());
         c += widths[v++])
      sums.push_back(
          loadLanes(accAddress(r, c), {}, true, element, widths[v], {}, {}));
  auto loop =
      scf::ForOp::create(b, loc, index(0), index(depth), index(1), sums);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value k = loop.getInductionVar();
    Values right;
    int64_t c = 0;
    for (int64_t width : widths) {
      Value at = add(mul(k, rhs.rowStride),
                     mul(add(column, index(c)), rhs.columnStride));
      Value value = loadLanes(address(rhs.pointer, at, rhs.element), {}, true,
                              rhs.element, width, {}, {});
      right.push_back(
          widen(b, loc, value, vectorOf(element, width), op.getRhsUnsigned()));
      c += width;
    }
    Values next;
    for (int64_t r = 0; r < rows; ++r) {
      Value at =
          add(mul(add(row, index(r)), lhs.rowStride), mul(k, lhs.columnStride));
      Value scalar = loadLanes(address(lhs.pointer, at, lhs.element), {}, true,
                               lhs.element, 1, {}, {});
      scalar = widen(b, loc, scalar, element, op.getLhsUnsigned());
      for (auto [v, width] : llvm::enumerate(widths)) {
        Value sum = loop.getRegionIterArg(r * widths.size() + v);
        Value left = splat(scalar, width);
        if (isa<FloatType>(element))
          next.push_back(math::FmaOp::create(b, loc, left, right[v], sum));
        else
          next.push_back(arith::AddIOp::create(
              b, loc, sum, arith::MulIOp::create(b, loc, left, right[v])));
      }
    }
    scf::YieldOp::create(b, loc, next);
  }
  for (int64_t r = 0, i = 0; r < rows; ++r)
    for (int64_t c = 0, v = 0; v < static_cast<int64_t>(widths.size());
         c += widths[v++])
      storeLanes(loop.getResult(i++), accAddress(r, c), {}, true, element,
                 widths[v], {});
}

LogicalResult TileEmitter::emitDot(tile::DotOp op) {
  auto accType = cast<RankedTensorType>(op.getAcc().getType());
  auto lhsType = cast<RankedTensorType>(op.getLhs().getType());
  int64_t rank = accType.getRank();
  int64_t rows = accType.getDimSize(rank - 2);
  int64_t columns = accType.getDimSize(rank - 1);
  int64_t depth = lhsType.getDimSize(rank - 1);
  Type element = accType.getElementType();

  // Accumulate in place where the old value has no other reader.
  Buffer acc;
  auto owned = buffers.find(op.getAcc());
  if (owned != buffers.end() && op.getAcc().hasOneUse() &&
      !sharedBuffers.contains(owned->second.pointer) &&
      op.getAcc().getParentBlock() == op->getBlock()) {
    acc = owned->second;
  } else {
    acc = allocate(accType.getShape(), element);
    if (failed(materializeInto(op.getAcc(), acc)))
      return failure();
  }
  OpBuilder::InsertionGuard guard(b);
  Value batch, accBase = acc.pointer;
  if (rank == 3) {
    // Operands are packed once, before the loop over the batch.
    for (Value operand : {op.getLhs(), op.getRhs()}) {
      FailureOr<Buffer> packed = bufferOf(operand);
      if (failed(packed))
        return failure();
      buffers[operand] = *packed;
    }
    auto loop = scf::ForOp::create(b, loc, index(0),
                                   index(accType.getDimSize(0)), index(1));
    b.setInsertionPointToStart(loop.getBody());
    batch = loop.getInductionVar();
    accBase = address(acc.pointer, mul(batch, index(rows * columns)), element);
  }
  FailureOr<MatrixSource> lhs = matrixOf(op.getLhs(), false, batch);
  FailureOr<MatrixSource> rhs = matrixOf(op.getRhs(), true, batch);
  if (failed(lhs) || failed(rhs))
    return failure();

  int64_t lanes = lanesFor(element);
  bool manyRegisters = target.vectorRegisters >= 32;
  int64_t rowBlock = manyRegisters ? 8 : 4;
  int64_t vectorBlock = manyRegisters ? 3 : 2;
  // Columns as blocks of whole vectors, then what remains in shorter ones.
  SmallVector<int64_t> pieces(columns / lanes, lanes);
  for (int64_t rest = columns % lanes; rest > 0;) {
    pieces.push_back(llvm::bit_floor(static_cast<uint64_t>(rest)));
    rest -= pieces.back();
  }
  auto emitColumns = [&](Value row, int64_t count) {
    int64_t start = 0;
    ArrayRef<int64_t> rest = pieces;
    while (!rest.empty()) {
      ArrayRef<int64_t> block = rest.take_front(vectorBlock);
      rest = rest.drop_front(block.size());
      emitMicroKernel(*lhs, *rhs, acc, accBase, row, count, index(start), block,
                      depth, op);
      for (int64_t width : block)
        start += width;
    }
  };
  int64_t wholeRows = rows / rowBlock * rowBlock;
  if (wholeRows > 0) {
    auto loop =
        scf::ForOp::create(b, loc, index(0), index(wholeRows), index(rowBlock));
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPointToStart(loop.getBody());
    emitColumns(loop.getInductionVar(), rowBlock);
  }
  if (rows > wholeRows)
    emitColumns(index(wholeRows), rows - wholeRows);
  buffers[op.getResult()] = acc;
  return success();
}

} // namespace tilewright::cpu
