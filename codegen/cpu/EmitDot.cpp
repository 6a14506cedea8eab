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

/// One matrix of a buffer; `batch` is null where there is only one.
MatrixSource TileEmitter::matrixIn(const Buffer &buffer, Value batch) {
  size_t rank = buffer.shape.size();
  MatrixSource matrix;
  matrix.pointer = buffer.pointer;
  matrix.rowStride = index(buffer.strides[rank - 2]);
  matrix.columnStride = index(buffer.strides[rank - 1]);
  matrix.unitColumns = buffer.strides[rank - 1] == 1;
  matrix.element = buffer.element;
  if (batch)
    matrix.pointer = address(
        buffer.pointer, mul(batch, index(buffer.strides[0])), buffer.element);
  return matrix;
}

/// An operand of two dimensions, in place if the product can read it there.
FailureOr<MatrixSource> TileEmitter::matrixOf(Value tile, bool isRhs,
                                              Type accumulator) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (numeric::isSmallFloat(type.getElementType())) {
    FailureOr<Buffer> packed = packAs(tile, accumulator);
    if (failed(packed))
      return failure();
    return matrixIn(*packed, {});
  }
  if (std::optional<MatrixSource> direct = directMatrix(tile))
    if (!isRhs || direct->unitColumns || type.getShape().back() == 1)
      return *direct;
  FailureOr<Buffer> buffer = isRhs ? denseBufferOf(tile) : bufferOf(tile);
  if (failed(buffer))
    return failure();
  return matrixIn(*buffer, {});
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
                                  int64_t depth) {
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
          widen(b, loc, value, vectorOf(element, width), rhs.isUnsigned));
      c += width;
    }
    Values next;
    for (int64_t r = 0; r < rows; ++r) {
      Value at =
          add(mul(add(row, index(r)), lhs.rowStride), mul(k, lhs.columnStride));
      Value scalar = loadLanes(address(lhs.pointer, at, lhs.element), {}, true,
                               lhs.element, 1, {}, {});
      scalar = widen(b, loc, scalar, element, lhs.isUnsigned);
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

/// acc += lhs * rhs for one pair of matrices, in blocks of registers.
void TileEmitter::emitProduct(const MatrixSource &lhs, const MatrixSource &rhs,
                              const Buffer &acc, Value accBase, int64_t depth) {
  int64_t rows = acc.shape[acc.shape.size() - 2], columns = acc.shape.back();
  int64_t lanes = lanesFor(acc.element);
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
      emitMicroKernel(lhs, rhs, acc, accBase, row, count, index(start), block,
                      depth);
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
}

/// Where the product is added up: in place where the old value has no other
/// reader, and in f32 where the accumulator is narrower.
FailureOr<Buffer> TileEmitter::accumulatorOf(tile::DotOp op) {
  auto type = cast<RankedTensorType>(op.getAcc().getType());
  Type element = type.getElementType();
  if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32)
    return packAs(op.getAcc(), b.getF32Type());
  auto owned = buffers.find(op.getAcc());
  if (owned != buffers.end() && op.getAcc().hasOneUse() &&
      !sharedBuffers.contains(owned->second.root) &&
      op.getAcc().getParentBlock() == op->getBlock())
    return owned->second;
  Buffer acc = allocate(type.getShape(), element);
  if (failed(materializeInto(op.getAcc(), acc)))
    return failure();
  return acc;
}

LogicalResult TileEmitter::emitDot(tile::DotOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  int64_t depth =
      cast<RankedTensorType>(op.getLhs().getType()).getShape().back();
  FailureOr<Buffer> acc = accumulatorOf(op);
  if (failed(acc))
    return failure();
  auto multiply = [&](MatrixSource lhs, MatrixSource rhs, Value accBase) {
    lhs.isUnsigned = op.getLhsUnsigned();
    rhs.isUnsigned = op.getRhsUnsigned();
    emitProduct(lhs, rhs, *acc, accBase, depth);
  };
  if (type.getRank() == 2) {
    FailureOr<MatrixSource> lhs = matrixOf(op.getLhs(), false, acc->element);
    FailureOr<MatrixSource> rhs = matrixOf(op.getRhs(), true, acc->element);
    if (failed(lhs) || failed(rhs))
      return failure();
    multiply(*lhs, *rhs, acc->pointer);
  } else {
    // Operands are packed once, before the loop over the batch.
    auto pack = [&](Value operand) {
      Type element = cast<RankedTensorType>(operand.getType()).getElementType();
      return numeric::isSmallFloat(element) ? packAs(operand, acc->element)
                                            : denseBufferOf(operand);
    };
    FailureOr<Buffer> lhs = pack(op.getLhs()), rhs = pack(op.getRhs());
    if (failed(lhs) || failed(rhs))
      return failure();
    auto loop = scf::ForOp::create(b, loc, index(0), index(type.getDimSize(0)),
                                   index(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value batch = loop.getInductionVar();
    multiply(matrixIn(*lhs, batch), matrixIn(*rhs, batch),
             address(acc->pointer, mul(batch, index(acc->strides[0])),
                     acc->element));
  }
  if (acc->element == type.getElementType()) {
    buffers[op.getResult()] = *acc;
    return success();
  }
  return roundInto(op.getResult(), *acc);
}

/// Gives `result` a buffer with the elements of a wider one, rounded.
LogicalResult TileEmitter::roundInto(Value result, const Buffer &wide) {
  auto type = cast<RankedTensorType>(result.getType());
  auto element = cast<FloatType>(type.getElementType());
  Buffer narrow = allocate(type.getShape(), element);
  buffers[result] = narrow;
  return forEachVector(type.getShape(), wide.element, [&](const Lanes &at) {
    writeBuffer(
        narrow, at,
        numeric::FloatBits(b, loc).round(readBuffer(wide, at), element));
    return success();
  });
}

/// An operand times the scale of its block along `dim`, exactly, in f64.
FailureOr<Buffer> TileEmitter::scaled(Value tile, Value scale, int64_t block,
                                      unsigned dim) {
  auto type = cast<RankedTensorType>(tile.getType());
  Type from = type.getElementType(), f64 = b.getF64Type();
  Type scaleType = getElementTypeOrSelf(scale.getType());
  Buffer result = allocate(type.getShape(), f64);
  FailureOr<Buffer> scales = bufferOf(scale);
  if (failed(scales))
    return failure();
  LogicalResult done =
      forEachElement(type.getShape(), [&](const Lanes &at) -> LogicalResult {
        FailureOr<Value> value = eval(tile, at);
        if (failed(value))
          return failure();
        Lanes where = at;
        where.index[dim] =
            arith::DivUIOp::create(b, loc, at.index[dim], index(block));
        Value factor = numeric::FloatBits(b, loc).toFloat(
            readBuffer(*scales, where), scaleType, f64);
        writeBuffer(result, at,
                    arith::MulFOp::create(
                        b, loc,
                        numeric::FloatBits(b, loc).toFloat(*value, from, f64),
                        factor));
        return success();
      });
  if (failed(done))
    return failure();
  return result;
}

LogicalResult TileEmitter::emitScaledDot(tile::ScaledDotOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  unsigned rank = type.getRank();
  FailureOr<Buffer> acc = packAs(op.getAcc(), b.getF64Type());
  FailureOr<Buffer> lhs =
      scaled(op.getLhs(), op.getLhsScale(), op.getBlockSize(), rank - 1);
  FailureOr<Buffer> rhs =
      scaled(op.getRhs(), op.getRhsScale(), op.getBlockSize(), rank - 2);
  if (failed(acc) || failed(lhs) || failed(rhs))
    return failure();
  int64_t depth = lhs->shape.back();
  if (rank == 2) {
    emitProduct(matrixIn(*lhs, {}), matrixIn(*rhs, {}), *acc, acc->pointer,
                depth);
  } else {
    auto loop = scf::ForOp::create(b, loc, index(0), index(type.getDimSize(0)),
                                   index(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value batch = loop.getInductionVar();
    emitProduct(
        matrixIn(*lhs, batch), matrixIn(*rhs, batch), *acc,
        address(acc->pointer, mul(batch, index(acc->strides[0])), acc->element),
        depth);
  }
  return roundInto(op.getResult(), *acc);
}

} // namespace tilewright::cpu
