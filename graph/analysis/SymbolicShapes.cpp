//===- SymbolicShapes.cpp - Sizes of graph values as expressions ----------===//
#include "graph/analysis/SymbolicShapes.h"

#include "graph/analysis/Blocks.h"
#include "graph/ir/Graph.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::graph {

/// Whether a branch or a loop yields or carries the value.
static bool isOfBranchOrLoop(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    op = cast<BlockArgument>(value).getOwner()->getParentOp();
  return op && isBranchOrLoop(op);
}

/// A symbol's name must be an identifier of the expression language.
static std::string identifier(StringRef text) {
  std::string name;
  for (char c : text)
    name += llvm::isAlnum(c) || c == '_' || c == '.' ? c : '_';
  if (name.empty() || llvm::isDigit(name.front()))
    name = "_" + name;
  return name;
}

SymbolicShapes::SymbolicShapes(func::FuncOp func)
    : func(func), arithmetic(func.getContext()) {
  for (auto [index, argument] : llvm::enumerate(func.getArguments())) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type)
      continue;
    auto given = func.getArgAttrOfType<ArrayAttr>(index, "graph.dims");
    SymbolicShape shape;
    for (int64_t d = 0; d < type.getRank(); ++d) {
      if (!type.isDynamicDim(d)) {
        shape.push_back(arithmetic.constant(type.getDimSize(d)));
        continue;
      }
      StringRef dimName;
      if (given && d < static_cast<int64_t>(given.size()))
        dimName = cast<StringAttr>(given[d]).getValue();
      shape.push_back(arithmetic.symbols.dimension(
          dimName.empty() ? ("arg" + Twine(index) + "_dim" + Twine(d)).str()
                          : identifier(dimName)));
      dimensions.try_emplace(shape.back(), ArgumentDimension{argument, d});
    }
    shapes[argument] = shape;
  }
}

/// An error where a size, or one before it, is no number of 64 bits.
LogicalResult SymbolicShapes::checkFits(Location loc) {
  if (arithmetic.fault().empty())
    return success();
  return emitError(loc, arithmetic.fault());
}

FailureOr<SymbolicShape> SymbolicShapes::shapeOf(Value value) {
  if (auto known = shapes.find(value); known != shapes.end())
    return known->second;
  FailureOr<SymbolicShape> shape = computeShape(value);
  if (failed(shape))
    return failure();
  auto type = cast<RankedTensorType>(value.getType());
  for (auto [d, size] : llvm::enumerate(*shape))
    size = type.isDynamicDim(d) ? arithmetic.canonical(size)
                                : arithmetic.constant(type.getDimSize(d));
  if (failed(checkFits(value.getLoc())))
    return failure();
  shapes[value] = *shape;
  return shape;
}

FailureOr<SymbolicShape> SymbolicShapes::computeShape(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type) {
    emitError(value.getLoc())
        << "expected a ranked tensor, found " << value.getType();
    return failure();
  }
  if (type.hasStaticShape()) {
    SymbolicShape shape;
    for (int64_t size : type.getShape())
      shape.push_back(arithmetic.constant(size));
    return shape;
  }
  if (Value outside = operandBehind(value))
    return shapeOf(outside);
  if (isOfBranchOrLoop(value))
    return sizesInRegion(value);
  Operation *op = value.getDefiningOp();
  if (!op) {
    emitError(value.getLoc(), "the size of this block argument is unknown");
    return failure();
  }
  auto fromSizes =
      [&](SmallVector<OpFoldResult> sizes) -> FailureOr<SymbolicShape> {
    SymbolicShape shape;
    for (OpFoldResult size : sizes) {
      FailureOr<AffineExpr> expr = exprOf(size);
      if (failed(expr))
        return failure();
      shape.push_back(*expr);
    }
    return shape;
  };
  return TypeSwitch<Operation *, FailureOr<SymbolicShape>>(op)
      .Case<tensor::EmptyOp>(
          [&](auto empty) { return fromSizes(empty.getMixedSizes()); })
      .Case<tensor::ExtractSliceOp>([&](tensor::ExtractSliceOp slice) {
        FailureOr<SymbolicShape> full = fromSizes(slice.getMixedSizes());
        if (failed(full))
          return full;
        llvm::SmallBitVector dropped = slice.getDroppedDims();
        SymbolicShape shape;
        for (auto [d, size] : llvm::enumerate(*full))
          if (!dropped.test(d))
            shape.push_back(size);
        return FailureOr<SymbolicShape>(shape);
      })
      .Case<tensor::CastOp>(
          [&](tensor::CastOp cast) { return shapeOf(cast.getSource()); })
      .Case<ResizeRowsOp>([&](ResizeRowsOp op) -> FailureOr<SymbolicShape> {
        FailureOr<SymbolicShape> shape = shapeOf(op.getSource());
        FailureOr<AffineExpr> rows = exprOf(op.getRows());
        if (failed(shape) || failed(rows))
          return failure();
        shape->front() = *rows;
        return shape;
      })
      .Case<tensor::ReshapeOp>([&](tensor::ReshapeOp reshape)
                                   -> FailureOr<SymbolicShape> {
        auto sizes = reshape.getShape().getDefiningOp<tensor::FromElementsOp>();
        if (!sizes) {
          reshape.emitError("expected the shape to be a tensor.from_elements "
                            "of index values");
          return failure();
        }
        return fromSizes(getAsOpFoldResult(sizes.getElements()));
      })
      .Case<tensor::PadOp>([&](tensor::PadOp pad) -> FailureOr<SymbolicShape> {
        FailureOr<SymbolicShape> shape = shapeOf(pad.getSource());
        FailureOr<SymbolicShape> low = fromSizes(pad.getMixedLowPad());
        FailureOr<SymbolicShape> high = fromSizes(pad.getMixedHighPad());
        if (failed(shape) || failed(low) || failed(high))
          return failure();
        for (auto [d, size] : llvm::enumerate(*shape))
          size = arithmetic.add(arithmetic.add(size, (*low)[d]), (*high)[d]);
        return shape;
      })
      .Case<tensor::ConcatOp>(
          [&](tensor::ConcatOp concat) -> FailureOr<SymbolicShape> {
            FailureOr<SymbolicShape> shape =
                shapeOf(concat.getInputs().front());
            if (failed(shape))
              return failure();
            for (Value input : concat.getInputs().drop_front()) {
              FailureOr<SymbolicShape> other = shapeOf(input);
              if (failed(other))
                return failure();
              AffineExpr &length = (*shape)[concat.getDim()];
              length = arithmetic.add(length, (*other)[concat.getDim()]);
            }
            return shape;
          })
      .Case<TopKOp>([&](TopKOp op) -> FailureOr<SymbolicShape> {
        FailureOr<SymbolicShape> shape = shapeOf(op.getSource());
        if (failed(shape))
          return failure();
        auto type = cast<RankedTensorType>(op.getValues().getType());
        (*shape)[op.getAxis()] =
            arithmetic.constant(type.getDimSize(op.getAxis()));
        return shape;
      })
      .Case<SortOp, ScanOp>([&](auto op) {
        return shapeOf(op.getInputs()[cast<OpResult>(value).getResultNumber()]);
      })
      .Case<DigitCountsOp>([&](DigitCountsOp op) -> FailureOr<SymbolicShape> {
        FailureOr<SymbolicShape> shape = shapeOf(op.getKeys());
        if (failed(shape))
          return failure();
        AffineExpr blocks =
            arithmetic.ceilDiv(shape->back(), int64_t(op.getBlock()));
        shape->back() = arithmetic.constant(digitValues);
        shape->push_back(blocks);
        return shape;
      })
      .Case<DigitScatterOp>([&](DigitScatterOp op) -> FailureOr<SymbolicShape> {
        FailureOr<SymbolicShape> shape = shapeOf(op.getKeys());
        if (failed(shape) || value != op.getEnds())
          return shape;
        shape->back() =
            arithmetic.ceilDiv(shape->back(), int64_t(op.getBlock()));
        shape->push_back(arithmetic.constant(digitValues));
        return shape;
      })
      .Case<ScatterOp>([&](ScatterOp op) -> FailureOr<SymbolicShape> {
        FailureOr<SymbolicShape> shape = shapeOf(op.getData());
        if (failed(shape) || value != op.getOwners())
          return shape;
        SymbolicShape owners;
        for (unsigned dim : op.getOwnedDims())
          owners.push_back((*shape)[dim]);
        return owners;
      })
      // The body defines the op, and so the sizes of its results.
      .Case<CompositeOp>([&](CompositeOp composite) {
        return shapeOf(
            composite.getYielded(cast<OpResult>(value).getResultNumber()));
      })
      .Case<GroupOp>([&](GroupOp group) {
        return shapeOf(
            group.getYielded()[cast<OpResult>(value).getResultNumber()]);
      })
      .Case<LaunchOp>([&](LaunchOp launch) {
        return shapeOf(
            launch.getWritten(cast<OpResult>(value).getResultNumber()));
      })
      .Case<DestinationStyleOpInterface>([&](DestinationStyleOpInterface dst) {
        unsigned result = cast<OpResult>(value).getResultNumber();
        return shapeOf(dst.getDpsInitOperand(result)->get());
      })
      .Default([&](Operation *other) -> FailureOr<SymbolicShape> {
        other->emitError("the sizes of this op's result are not known to the "
                         "graph level");
        return failure();
      });
}

FailureOr<AffineExpr> SymbolicShapes::exprOf(OpFoldResult size) {
  if (auto attribute = dyn_cast<Attribute>(size))
    return arithmetic.constant(cast<IntegerAttr>(attribute).getInt());
  return exprOf(cast<Value>(size));
}

FailureOr<AffineExpr> SymbolicShapes::exprOf(Value index) {
  if (auto known = exprs.find(index); known != exprs.end())
    return known->second;
  FailureOr<AffineExpr> expr = computeExpr(index);
  if (failed(expr))
    return failure();
  if (failed(checkFits(index.getLoc())))
    return failure();
  return exprs[index] = *expr;
}

/// Whether a cast gives the size that it gets. 32 bits are taken to hold sizes;
/// to widen unsigned would change a negative number.
static bool keepsSizes(Type from, Type to, bool isUnsigned) {
  auto bits = [](Type type) {
    return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  };
  return bits(from) >= 32 && bits(to) >= 32 &&
         !(isUnsigned && bits(from) < bits(to));
}

FailureOr<AffineExpr> SymbolicShapes::computeExpr(Value index) {
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant)))
    return arithmetic.constant(constant.getSExtValue());
  if (Value outside = operandBehind(index))
    return exprOf(outside);
  if (isOfBranchOrLoop(index)) {
    FailureOr<SymbolicShape> sizes = sizesInRegion(index);
    if (failed(sizes))
      return failure();
    return sizes->front();
  }
  Operation *op = index.getDefiningOp();
  if (!op) {
    emitError(index.getLoc(), "this index argument has no known value");
    return failure();
  }
  auto operand = [&](unsigned i) { return exprOf(op->getOperand(i)); };
  auto binary = [&](auto combine) -> FailureOr<AffineExpr> {
    FailureOr<AffineExpr> lhs = operand(0), rhs = operand(1);
    if (failed(lhs) || failed(rhs))
      return failure();
    return combine(*lhs, *rhs);
  };
  return TypeSwitch<Operation *, FailureOr<AffineExpr>>(op)
      .Case<tensor::DimOp>([&](tensor::DimOp dim) -> FailureOr<AffineExpr> {
        std::optional<int64_t> position = dim.getConstantIndex();
        FailureOr<SymbolicShape> shape = shapeOf(dim.getSource());
        if (failed(shape) || !position ||
            *position >= static_cast<int64_t>(shape->size()))
          return dim.emitError("expected a constant dimension in range");
        return (*shape)[*position];
      })
      .Case<affine::AffineApplyOp>(
          [&](affine::AffineApplyOp apply) -> FailureOr<AffineExpr> {
            AffineMap map = apply.getAffineMap();
            SmallVector<AffineExpr> dims, symbols;
            for (auto [i, value] : llvm::enumerate(apply.getMapOperands())) {
              FailureOr<AffineExpr> expr = exprOf(value);
              if (failed(expr))
                return failure();
              (i < map.getNumDims() ? dims : symbols).push_back(*expr);
            }
            return arithmetic.canonical(
                map.getResult(0).replaceDimsAndSymbols(dims, symbols));
          })
      .Case<arith::AddIOp>([&](auto) {
        return binary([&](Expr a, Expr b) { return arithmetic.add(a, b); });
      })
      .Case<arith::SubIOp>([&](auto) {
        return binary([&](Expr a, Expr b) { return arithmetic.sub(a, b); });
      })
      .Case<arith::MulIOp>([&](auto) {
        return binary([&](Expr a, Expr b) { return arithmetic.mul(a, b); });
      })
      .Case<arith::FloorDivSIOp>([&](auto) {
        return binary(
            [&](Expr a, Expr b) { return arithmetic.floorDiv(a, b); });
      })
      .Case<arith::CeilDivSIOp>([&](auto) {
        return binary([&](Expr a, Expr b) { return arithmetic.ceilDiv(a, b); });
      })
      .Case<arith::MinSIOp>([&](auto) {
        return binary([&](Expr a, Expr b) { return arithmetic.min(a, b); });
      })
      .Case<arith::MaxSIOp>([&](auto) {
        return binary([&](Expr a, Expr b) { return arithmetic.max(a, b); });
      })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp>(
          [&](auto cast) -> FailureOr<AffineExpr> {
            if (!keepsSizes(cast.getIn().getType(), cast.getType(),
                            isa<arith::IndexCastUIOp>(cast)))
              return cast.emitError("a size is computed by a cast that may "
                                    "change it");
            return operand(0);
          })
      .Case<SizeOp>([&](SizeOp read) { return exprOfRead(read); })
      .Default([&](Operation *other) -> FailureOr<AffineExpr> {
        other->emitError("a size is computed by an op that the graph level "
                         "cannot turn into an expression");
        return failure();
      });
}

} // namespace tilewright::graph
