//===- Product.cpp - Products of matrices in blocks of registers ----------===//
//
// The accumulators of a block of rows and vectors of columns stay in registers
// over the whole depth; the left element is broadcast.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/Product.h"

#include "codegen/cpu/Arithmetic.h"
#include "codegen/cpu/ByteProduct.h"
#include "codegen/cpu/LaneAccess.h"
#include "codegen/cpu/Loops.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewright::cpu {

/// Brings an operand's element to the accumulator's type.
static Value widen(ImplicitLocOpBuilder &b, Value value, Type to,
                   bool isUnsigned) {
  Type from = getElementTypeOrSelf(value.getType());
  Type element = getElementTypeOrSelf(to);
  if (from == element)
    return value;
  if (isa<FloatType>(from))
    return arith::ExtFOp::create(b, to, value);
  if (isUnsigned)
    return arith::ExtUIOp::create(b, to, value);
  return arith::ExtSIOp::create(b, to, value);
}

//===----------------------------------------------------------------------===//
// The micro-kernel
//===----------------------------------------------------------------------===//

/// accumulators += the outer product of both sides at depth `k`.
static Values multiplyAt(ImplicitLocOpBuilder &b, const ProductBlock &block,
                         Value k, ValueRange accumulators) {
  const BlockOperand &lhs = block.lhs, &rhs = block.rhs;
  Type element = block.element;
  Value rightAt = mul(b, k, rhs.depthStride);
  Values right, next;
  int64_t c = 0;
  for (const VectorPart &part : block.columns) {
    Value from =
        address(b, rhs.pointer, add(b, rightAt, index(b, c)), rhs.element);
    Value value = loadLanes(b, from, {}, true, rhs.element, part.width,
                            laneMask(b, part), {});
    right.push_back(
        widen(b, value, vectorOf(element, part.width), rhs.isUnsigned));
    c += part.elements();
  }
  for (int64_t r = 0; r < block.rows; ++r) {
    Value at =
        add(b, mul(b, k, lhs.depthStride), mul(b, index(b, r), lhs.rowStride));
    Value scalar = loadLanes(b, address(b, lhs.pointer, at, lhs.element), {},
                             true, lhs.element, 1, {}, {});
    scalar = widen(b, scalar, element, lhs.isUnsigned);
    for (auto [v, part] : llvm::enumerate(block.columns)) {
      Value accumulator = accumulators[next.size()];
      Value left = splat(b, scalar, part.width);
      if (isa<FloatType>(element))
        next.push_back(math::FmaOp::create(b, left, right[v], accumulator));
      else
        next.push_back(arith::AddIOp::create(
            b, accumulator, arith::MulIOp::create(b, left, right[v])));
    }
  }
  return next;
}

/// The depth from `first` to `end`, `unroll` steps an iteration; the loop
/// carries the accumulators.
static Values multiplyFrom(ImplicitLocOpBuilder &b, const ProductBlock &block,
                           int64_t first, int64_t end, int64_t unroll,
                           Values accumulators) {
  if (end - first < unroll)
    return accumulators;
  auto steps = [&](Value k) {
    for (int64_t i = 0; i < unroll; ++i)
      accumulators = multiplyAt(b, block, add(b, k, index(b, i)), accumulators);
  };
  if (end - first == unroll) {
    steps(index(b, first));
    return accumulators;
  }
  auto loop = scf::ForOp::create(b, index(b, first), index(b, end),
                                 index(b, unroll), accumulators);
  loop->setAttr("llvm.loop_annotation", notUnrolled(b.getContext()));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  accumulators.assign(loop.getRegionIterArgs().begin(),
                      loop.getRegionIterArgs().end());
  steps(loop.getInductionVar());
  scf::YieldOp::create(b, accumulators);
  return Values(loop.getResults());
}

/// Adds a block of the product to the accumulators in memory.
static void emitMicroKernel(ImplicitLocOpBuilder &b, const ProductBlock &block,
                            int64_t depth, int64_t unroll) {
  auto forEachAccumulator = [&](auto body) {
    for (int64_t r = 0; r < block.rows; ++r)
      for (int64_t c = 0; const VectorPart &part : block.columns) {
        body(address(b, block.acc, index(b, r * block.accStride + c),
                     block.element),
             part.width, laneMask(b, part));
        c += part.elements();
      }
  };
  Values accumulators;
  forEachAccumulator([&](Value from, int64_t width, Value mask) {
    accumulators.push_back(
        loadLanes(b, from, {}, true, block.element, width, mask, {}));
  });
  int64_t whole = depth / unroll * unroll;
  accumulators = multiplyFrom(b, block, 0, whole, unroll, accumulators);
  accumulators = multiplyFrom(b, block, whole, depth, 1, accumulators);
  forEachAccumulator([&, i = 0](Value to, int64_t width, Value mask) mutable {
    storeLanes(b, accumulators[i++], to, {}, true, block.element, width, mask);
  });
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

FailureOr<RegisterBlock> registerBlock(Operation *op, int64_t rows,
                                       int64_t columns, Type element,
                                       Emission &e) {
  RegisterBlock block = chooseRegisterBlock(
      rows, columns, e.target.vectorBits / lanesFor(element, e.target),
      e.schedule, e.target);
  if (block.registers() > e.target.vectorRegisters)
    return op->emitError("schedule: a block of ")
           << block.rows << " rows and " << block.vectors << " vectors takes "
           << block.registers() << " vector registers ("
           << block.rows * block.vectors << " accumulators, " << block.vectors
           << " of the right side and 1 of the left), the machine has "
           << e.target.vectorRegisters;
  return block;
}

/// The part of an operand that a block from `start` on reads.
static BlockOperand blockOf(ImplicitLocOpBuilder &b, const MatrixSource &matrix,
                            bool isRhs, Value start, int64_t count,
                            int64_t depth) {
  BlockOperand block;
  block.element = matrix.element;
  block.isUnsigned = matrix.isUnsigned;
  if (matrix.isPanels) {
    block.pointer = address(b, matrix.pointer, mul(b, start, index(b, depth)),
                            matrix.element);
    block.depthStride = index(b, count);
    block.rowStride = index(b, 1);
    return block;
  }
  Value across = isRhs ? matrix.columnStride : matrix.rowStride;
  block.pointer =
      address(b, matrix.pointer, mul(b, start, across), matrix.element);
  block.depthStride = isRhs ? matrix.rowStride : matrix.columnStride;
  block.rowStride = across;
  return block;
}

namespace {
/// A part of a block of columns, which is a panel if the right side is packed.
struct ColumnPart {
  Value block, first;
  int64_t blockWidth = 0, width = 0;
};
} // namespace

LogicalResult emitProduct(const MatrixSource &lhs, const MatrixSource &rhs,
                          const RegisterBlock &registers, const Buffer &acc,
                          Value accBase, const ProductEnds &ends, int64_t depth,
                          Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  int64_t allRows = acc.shape[acc.shape.size() - 2], columns = acc.shape.back();
  const bool isOfBytes =
      hasContiguousRows(lhs) &&
      canMultiplyBytes(lhs.element, rhs.element, acc.element, e.target);
  // A block of rows and columns; of the remaining columns, as many vectors as
  // fit at a time.
  auto multiplyBlock = [&](Value row, int64_t height, const ColumnPart &to) {
    std::vector<VectorPart> parts =
        partsOf(to.width, registers.lanes, e.target);
    ProductBlock block{blockOf(b, lhs, false, row, height, depth),
                       blockOf(b, rhs, true, to.block, to.blockWidth, depth),
                       {},
                       columns,
                       acc.element,
                       height,
                       {}};
    Value first = add(b, mul(b, row, index(b, columns)), to.first);
    Value inBlock = sub(b, to.first, to.block);
    int64_t start = 0;
    for (ArrayRef<VectorPart> rest = parts; !rest.empty();) {
      ProductBlock part = block;
      std::optional<RegisterBlock> bytes =
          isOfBytes ? byteBlock(height, to.width - start, e.target)
                    : std::nullopt;
      // A schedule may ask for more rows than are in registers then.
      if (bytes && bytes->rows < height)
        bytes.reset();
      part.columns = llvm::to_vector(
          rest.take_front((bytes ? *bytes : registers).vectors));
      part.acc =
          address(b, accBase, add(b, first, index(b, start)), acc.element);
      part.rhs.pointer =
          address(b, block.rhs.pointer, add(b, inBlock, index(b, start)),
                  block.rhs.element);
      if (bytes)
        emitByteBlock(b, part, depth, e.target);
      else
        emitMicroKernel(b, part, depth, registers.unroll);
      rest = rest.drop_front(part.columns.size());
      for (const VectorPart &vector : part.columns)
        start += vector.elements();
    }
    return success();
  };
  int64_t wide = registers.vectors * registers.lanes, high = registers.rows;
  auto forColumns = [&](llvm::function_ref<LogicalResult(ColumnPart)> body) {
    return forEachBlock(columns, wide, e, [&](Value block, int64_t width) {
      return forObserved(block, width, unitsOf(width, registers.lanes),
                         ends.columns, e, [&](Value first, int64_t count) {
                           return body({block, first, width, count});
                         });
    });
  };
  // Rows of a panel are not beside each other. Of few rows, as many as a power
  // of two together read the right side once.
  auto unitsOfRows = [&](int64_t height) {
    SmallVector<int64_t> units;
    for (auto unit = int64_t(llvm::bit_floor(uint64_t(height - 1)));
         unit > 0 && !lhs.isPanels; unit /= 2)
      units.push_back(unit);
    return units;
  };
  auto forRows = [&](BlockBody body) {
    return forEachBlock(allRows, high, e, [&](Value row, int64_t height) {
      return forObserved(row, height, unitsOfRows(height), ends.rows, e, body);
    });
  };
  if (registers.columnsOutside)
    return forColumns([&](ColumnPart part) {
      return forRows([&](Value row, int64_t height) {
        return multiplyBlock(row, height, part);
      });
    });
  return forRows([&](Value row, int64_t height) {
    return forColumns(
        [&](ColumnPart part) { return multiplyBlock(row, height, part); });
  });
}

} // namespace tilewright::cpu
