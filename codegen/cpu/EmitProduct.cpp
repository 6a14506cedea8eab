//===- EmitProduct.cpp - Products of matrices in blocks of registers ------===//
//
// The accumulators of a block of rows and vectors of columns stay in registers
// over the whole depth; the left element is broadcast.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/TileEmitter.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tilewright::cpu {

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

//===----------------------------------------------------------------------===//
// The micro-kernel
//===----------------------------------------------------------------------===//

/// sums += the outer product of both sides at depth `k`.
TileEmitter::Values TileEmitter::multiplyAt(const ProductBlock &block, Value k,
                                            ValueRange sums) {
  const BlockOperand &lhs = block.lhs, &rhs = block.rhs;
  Type element = block.element;
  Value rightAt = mul(k, rhs.depthStride);
  Values right, next;
  int64_t c = 0;
  for (const VectorPart &part : block.columns) {
    Value from = address(rhs.pointer, add(rightAt, index(c)), rhs.element);
    Value value =
        loadLanes(from, {}, true, rhs.element, part.width, laneMask(part), {});
    right.push_back(
        widen(b, loc, value, vectorOf(element, part.width), rhs.isUnsigned));
    c += part.elements();
  }
  for (int64_t r = 0; r < block.rows; ++r) {
    Value at = add(mul(k, lhs.depthStride), mul(index(r), lhs.rowStride));
    Value scalar = loadLanes(address(lhs.pointer, at, lhs.element), {}, true,
                             lhs.element, 1, {}, {});
    scalar = widen(b, loc, scalar, element, lhs.isUnsigned);
    for (auto [v, part] : llvm::enumerate(block.columns)) {
      Value sum = sums[next.size()];
      Value left = splat(scalar, part.width);
      if (isa<FloatType>(element))
        next.push_back(math::FmaOp::create(b, loc, left, right[v], sum));
      else
        next.push_back(arith::AddIOp::create(
            b, loc, sum, arith::MulIOp::create(b, loc, left, right[v])));
    }
  }
  return next;
}

/// Tells LLVM to leave a loop as it is: what it would unroll spills.
static Attribute notUnrolled(MLIRContext *context) {
  auto disable = BoolAttr::get(context, true);
  auto unroll =
      LLVM::LoopUnrollAttr::get(context, disable, {}, {}, {}, {}, {}, {});
  return LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unroll, {}, {}, {},
                                       {}, {}, {}, {}, {}, {}, {}, {});
}

/// The depth from `first` to `end`, `unroll` steps a turn; the loop carries the
/// accumulators.
TileEmitter::Values TileEmitter::multiplyFrom(const ProductBlock &block,
                                              int64_t first, int64_t end,
                                              int64_t unroll, Values sums) {
  if (end - first < unroll)
    return sums;
  auto steps = [&](Value k) {
    for (int64_t i = 0; i < unroll; ++i)
      sums = multiplyAt(block, add(k, index(i)), sums);
  };
  if (end - first == unroll) {
    steps(index(first));
    return sums;
  }
  auto loop =
      scf::ForOp::create(b, loc, index(first), index(end), index(unroll), sums);
  loop->setAttr("llvm.loop_annotation", notUnrolled(b.getContext()));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  sums.assign(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
  steps(loop.getInductionVar());
  scf::YieldOp::create(b, loc, sums);
  return Values(loop.getResults());
}

/// Adds a block of the product to the accumulators in memory.
void TileEmitter::emitMicroKernel(const ProductBlock &block, int64_t depth,
                                  int64_t unroll) {
  auto forEachSum = [&](auto body) {
    for (int64_t r = 0; r < block.rows; ++r)
      for (int64_t c = 0; const VectorPart &part : block.columns) {
        body(address(block.acc, index(r * block.accStride + c), block.element),
             part.width, laneMask(part));
        c += part.elements();
      }
  };
  Values sums;
  forEachSum([&](Value from, int64_t width, Value mask) {
    sums.push_back(loadLanes(from, {}, true, block.element, width, mask, {}));
  });
  int64_t whole = depth / unroll * unroll;
  sums = multiplyFrom(block, 0, whole, unroll, sums);
  sums = multiplyFrom(block, whole, depth, 1, sums);
  forEachSum([&, i = 0](Value to, int64_t width, Value mask) mutable {
    storeLanes(sums[i++], to, {}, true, block.element, width, mask);
  });
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

FailureOr<RegisterBlock> TileEmitter::registerBlock(Operation *op, int64_t rows,
                                                    int64_t columns,
                                                    Type element) {
  RegisterBlock block = chooseRegisterBlock(
      rows, columns, target.vectorBits / lanesFor(element), schedule, target);
  if (block.registers() > target.vectorRegisters)
    return op->emitError("schedule: a block of ")
           << block.rows << " rows and " << block.vectors << " vectors takes "
           << block.registers() << " vector registers ("
           << block.rows * block.vectors << " accumulators, " << block.vectors
           << " of the right side and 1 of the left), the machine has "
           << target.vectorRegisters;
  return block;
}

/// Runs `body` for blocks of `size` out of `total`, in a loop if there are
/// several whole ones, then for what remains.
LogicalResult TileEmitter::forEachBlock(int64_t total, int64_t size,
                                        BlockBody body) {
  int64_t whole = total / size * size;
  auto run = [&](Value start, int64_t count) {
    return inNewScope([&] { return body(start, count); });
  };
  if (whole == size) {
    if (failed(run(index(0), size)))
      return failure();
  } else if (whole > 0) {
    auto loop = scf::ForOp::create(b, loc, index(0), index(whole), index(size));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    if (failed(run(loop.getInductionVar(), size)))
      return failure();
  }
  return total > whole ? run(index(whole), total - whole) : success();
}

/// The part of an operand that a block from `start` on reads.
BlockOperand TileEmitter::blockOf(const MatrixSource &matrix, bool isRhs,
                                  Value start, int64_t count, int64_t depth) {
  BlockOperand block;
  block.element = matrix.element;
  block.isUnsigned = matrix.isUnsigned;
  if (matrix.isPanels) {
    block.pointer =
        address(matrix.pointer, mul(start, index(depth)), matrix.element);
    block.depthStride = index(count);
    block.rowStride = index(1);
    return block;
  }
  Value across = isRhs ? matrix.columnStride : matrix.rowStride;
  block.pointer = address(matrix.pointer, mul(start, across), matrix.element);
  block.depthStride = isRhs ? matrix.rowStride : matrix.columnStride;
  block.rowStride = across;
  return block;
}

/// acc += lhs * rhs for one pair of matrices.
LogicalResult TileEmitter::emitProduct(const MatrixSource &lhs,
                                       const MatrixSource &rhs,
                                       const RegisterBlock &registers,
                                       const Buffer &acc, Value accBase,
                                       int64_t depth) {
  int64_t rows = acc.shape[acc.shape.size() - 2], columns = acc.shape.back();
  // A block of rows and columns; of what remains at the right, as many vectors
  // as fit at a time.
  auto emitBlock = [&](Value row, int64_t height, Value column, int64_t width) {
    std::vector<VectorPart> parts = partsOf(width, registers.lanes, target);
    ProductBlock block{blockOf(lhs, false, row, height, depth),
                       blockOf(rhs, true, column, width, depth),
                       {},
                       columns,
                       acc.element,
                       height,
                       {}};
    Value first = add(mul(row, index(columns)), column);
    int64_t start = 0;
    for (ArrayRef<VectorPart> rest = parts; !rest.empty();) {
      ProductBlock part = block;
      part.columns = llvm::to_vector(rest.take_front(registers.vectors));
      part.acc = address(accBase, add(first, index(start)), acc.element);
      part.rhs.pointer =
          address(block.rhs.pointer, index(start), block.rhs.element);
      emitMicroKernel(part, depth, registers.unroll);
      rest = rest.drop_front(part.columns.size());
      for (const VectorPart &vector : part.columns)
        start += vector.elements();
    }
    return success();
  };
  int64_t wide = registers.vectors * registers.lanes, high = registers.rows;
  auto forColumns = [&](BlockBody body) {
    return forEachBlock(columns, wide, body);
  };
  auto forRows = [&](BlockBody body) { return forEachBlock(rows, high, body); };
  if (registers.columnsOutside)
    return forColumns([&](Value column, int64_t width) {
      return forRows([&](Value row, int64_t height) {
        return emitBlock(row, height, column, width);
      });
    });
  return forRows([&](Value row, int64_t height) {
    return forColumns([&](Value column, int64_t width) {
      return emitBlock(row, height, column, width);
    });
  });
}

} // namespace tilewright::cpu
