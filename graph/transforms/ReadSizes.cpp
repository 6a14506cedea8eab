//===- ReadSizes.cpp - Sizes that depend on elements ----------------------===//
#include "graph/analysis/Blocks.h"
#include "graph/analysis/SymbolicShapes.h"
#include "graph/ir/Graph.h"
#include "graph/transforms/Build.h"
#include "graph/transforms/Function.h"
#include "graph/transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_READSIZES
#include "graph/transforms/Passes.h.inc"

namespace {
/// A number that the host has to read.
struct Number {
  /// Whether it is a size by itself, and not only part of one.
  bool isSize = false;
  /// What it is a size of a slice of, if it is, and of which dimension.
  Value sliced = {};
  unsigned dimension = 0;
};

class SizeReader {
public:
  explicit SizeReader(func::FuncOp func)
      : func(func), shapes(func), dominance(func) {}

  void collect(Operation *op);
  void replaceAll();

private:
  void collect(Value value, Number use);
  Value limitOf(OpBuilder &builder, const Number &number);
  void replace(Value value, const Number &number);

  func::FuncOp func;
  SymbolicShapes shapes;
  DominanceInfo dominance;
  llvm::MapVector<Value, Number> numbers;
};
} // namespace

/// Whether the number is arithmetic on others that shape analysis follows.
static bool isArithmetic(Operation *op) {
  return isa_and_nonnull<affine::AffineApplyOp, arith::AddIOp, arith::SubIOp,
                         arith::MulIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
                         arith::MinSIOp, arith::MaxSIOp>(op);
}

void SizeReader::collect(Value value, Number use) {
  if (!value.getType().isIndex() || succeeded(shapes.exprOf(value)))
    return;
  Operation *op = value.getDefiningOp();
  if (isArithmetic(op)) {
    for (Value operand : op->getOperands())
      collect(operand, Number());
    return;
  }
  Number &known = numbers[value];
  if (use.isSize && !known.sliced)
    known = use;
}

void SizeReader::collect(Operation *op) {
  auto all = [&](ValueRange sizes) {
    for (Value size : sizes)
      collect(size, {true, {}, 0});
  };
  if (auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(op)) {
    Value source;
    if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op))
      source = extract.getSource();
    for (auto [d, size] : llvm::enumerate(slice.getMixedSizes()))
      if (auto dynamic = dyn_cast<Value>(size))
        collect(dynamic, {true, source, unsigned(d)});
  } else if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
    all(empty.getDynamicSizes());
  } else if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    all(pad.getLow());
    all(pad.getHigh());
  } else if (auto generate = dyn_cast<tensor::GenerateOp>(op)) {
    all(generate.getDynamicExtents());
  } else if (auto splat = dyn_cast<tensor::SplatOp>(op)) {
    all(splat.getDynamicSizes());
  } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    all(expand.getOutputShape());
  } else if (auto reshape = dyn_cast<tensor::ReshapeOp>(op)) {
    if (auto shape = reshape.getShape().getDefiningOp<tensor::FromElementsOp>())
      all(shape.getElements());
  }
}

/// The size of what is sliced, where it is known at the builder's position.
Value SizeReader::limitOf(OpBuilder &builder, const Number &number) {
  if (!number.sliced)
    return {};
  const Location loc = number.sliced.getLoc();
  auto type = cast<RankedTensorType>(number.sliced.getType());
  if (!type.isDynamicDim(number.dimension))
    return arith::ConstantIndexOp::create(builder, loc,
                                          type.getDimSize(number.dimension));
  Block *block = builder.getInsertionBlock();
  Block::iterator at = builder.getInsertionPoint();
  if (at == block->end() || !dominance.dominates(number.sliced, &*at))
    return {};
  return tensor::DimOp::create(builder, loc, number.sliced, number.dimension);
}

/// The memory that holds the number, which is of type index.
static Value storedNumber(OpBuilder &builder, Value value) {
  const Location loc = value.getLoc();
  auto isRead = [](Type type) {
    return type.isInteger(64) || type.isInteger(32);
  };
  auto cast = value.getDefiningOp<arith::IndexCastOp>();
  Value number =
      cast && isRead(cast.getIn().getType()) ? cast.getIn() : Value();
  if (!number)
    number =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), value);
  auto type = RankedTensorType::get({}, number.getType());
  auto extract = number.getDefiningOp<tensor::ExtractOp>();
  if (extract && extract.getTensor().getType() == type)
    return extract.getTensor();
  return tensor::FromElementsOp::create(builder, loc, type, number);
}

void SizeReader::replace(Value value, const Number &number) {
  OpBuilder builder(func.getContext());
  builder.setInsertionPointAfterValue(value);
  Value limit = limitOf(builder, number);
  const int64_t least = number.isSize ? 0 : std::numeric_limits<int64_t>::min();
  Value tensor = storedNumber(builder, value);
  auto read = SizeOp::create(builder, value.getLoc(), builder.getIndexType(),
                             tensor, least, limit);
  value.replaceUsesWithIf(read, [&](OpOperand &use) {
    Operation *user = use.getOwner();
    // Not in what was written just now, from which it is read.
    return read->getBlock() != user->getBlock() || read->isBeforeInBlock(user);
  });
}

void SizeReader::replaceAll() {
  for (auto &[value, number] : numbers)
    replace(value, number);
}

/// Writes a shape of integers that are no sizes as one of index values.
static void expandShape(tensor::ReshapeOp op) {
  Value shape = op.getShape();
  auto type = cast<RankedTensorType>(shape.getType());
  auto known = shape.getDefiningOp<tensor::FromElementsOp>();
  if (matchPattern(shape, m_Constant()) || type.isDynamicDim(0) ||
      (known && (type.getElementType().isIndex() ||
                 llvm::all_of(known.getElements(),
                              [](Value size) { return isSize(size); }))))
    return;
  OpBuilder builder(op);
  const Location loc = op.getLoc();
  SmallVector<Value> sizes;
  for (int64_t i = 0; i < type.getDimSize(0); ++i) {
    Value at = arith::ConstantIndexOp::create(builder, loc, i);
    Value size = tensor::ExtractOp::create(builder, loc, shape, at);
    if (!size.getType().isIndex())
      size = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                        size);
    sizes.push_back(size);
  }
  op.getShapeMutable().assign(tensor::FromElementsOp::create(
      builder, loc, type.clone(builder.getIndexType()), sizes));
}

namespace {
struct ReadSizes : impl::ReadSizesBase<ReadSizes> {
  void runOnOperation() override {
    FailureOr<func::FuncOp> func = graphFunction(getOperation());
    if (failed(func))
      return signalPassFailure();
    for (auto reshape : graphOps<tensor::ReshapeOp>(*func))
      expandShape(reshape);
    SizeReader reader(*func);
    {
      // What is not followed is no error yet.
      ScopedDiagnosticHandler silent(&getContext(),
                                     [](Diagnostic &) { return success(); });
      for (Operation *op : graphOps(*func))
        reader.collect(op);
    }
    reader.replaceAll();
  }
};
} // namespace

} // namespace tilewright::graph
