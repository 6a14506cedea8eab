//===- SymbolicShapes.cpp - Sizes of graph values as expressions ----------===//
#include "graph/analysis/SymbolicShapes.h"

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

/// A symbol's name must be an identifier of the expression language.
static std::string identifier(StringRef text) {
  std::string name;
  for (char c : text)
    name += llvm::isAlnum(c) || c == '_' || c == '.' ? c : '_';
  if (name.empty() || llvm::isDigit(name.front()))
    name = "_" + name;
  return name;
}

SymbolicShapes::SymbolicShapes(func::FuncOp func) : context(func.getContext()) {
  llvm::StringMap<unsigned> positions;
  for (auto [index, argument] : llvm::enumerate(func.getArguments())) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type)
      continue;
    auto given = func.getArgAttrOfType<ArrayAttr>(index, "graph.dims");
    SymbolicShape shape;
    for (int64_t d = 0; d < type.getRank(); ++d) {
      if (!type.isDynamicDim(d)) {
        shape.push_back(getAffineConstantExpr(type.getDimSize(d), context));
        continue;
      }
      StringRef dimName;
      if (given && d < static_cast<int64_t>(given.size()))
        dimName = cast<StringAttr>(given[d]).getValue();
      std::string name = dimName.empty()
                             ? ("arg" + Twine(index) + "_dim" + Twine(d)).str()
                             : identifier(dimName);
      auto [it, isNew] = positions.try_emplace(name, known.size());
      if (isNew)
        known.push_back(
            {SizeSymbol::Kind::dimension, name, argument, d, {}, {}});
      shape.push_back(getAffineSymbolExpr(it->second, context));
    }
    shapes[argument] = shape;
  }
}

AffineExpr SymbolicShapes::simplify(AffineExpr expr) const {
  return simplifyAffineExpr(expr, /*numDims=*/0, known.size());
}

/// The minimum or maximum as a symbol, the same one for the same operands.
AffineExpr SymbolicShapes::extreme(SizeSymbol::Kind kind, AffineExpr lhs,
                                   AffineExpr rhs) {
  lhs = simplify(lhs);
  rhs = simplify(rhs);
  auto left = dyn_cast<AffineConstantExpr>(lhs);
  auto right = dyn_cast<AffineConstantExpr>(rhs);
  if (left && right)
    return (kind == SizeSymbol::Kind::minimum) ==
                   (left.getValue() < right.getValue())
               ? lhs
               : rhs;
  auto same = llvm::find_if(known, [&](const SizeSymbol &symbol) {
    return symbol.kind == kind && symbol.lhs == lhs && symbol.rhs == rhs;
  });
  unsigned position = same - known.begin();
  if (position == known.size())
    known.push_back({kind, "", {}, 0, lhs, rhs});
  return getAffineSymbolExpr(position, context);
}

FailureOr<SymbolicShape> SymbolicShapes::shapeOf(Value value) {
  if (auto known = shapes.find(value); known != shapes.end())
    return known->second;
  FailureOr<SymbolicShape> shape = computeShape(value);
  if (failed(shape))
    return failure();
  auto type = cast<RankedTensorType>(value.getType());
  for (auto [d, size] : llvm::enumerate(*shape))
    size = type.isDynamicDim(d)
               ? simplify(size)
               : getAffineConstantExpr(type.getDimSize(d), context);
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
      shape.push_back(getAffineConstantExpr(size, context));
    return shape;
  }
  if (Value outside = operandBehind(value))
    return shapeOf(outside);
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
          size = size + (*low)[d] + (*high)[d];
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
              (*shape)[concat.getDim()] =
                  (*shape)[concat.getDim()] + (*other)[concat.getDim()];
            }
            return shape;
          })
      // The body says what the op means, and so how large its results are.
      .Case<ReplacedOp>([&](ReplacedOp replaced) {
        return shapeOf(
            replaced.getYielded(cast<OpResult>(value).getResultNumber()));
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
    return getAffineConstantExpr(cast<IntegerAttr>(attribute).getInt(),
                                 context);
  return exprOf(cast<Value>(size));
}

FailureOr<AffineExpr> SymbolicShapes::exprOf(Value index) {
  if (auto known = exprs.find(index); known != exprs.end())
    return known->second;
  FailureOr<AffineExpr> expr = computeExpr(index);
  if (failed(expr))
    return failure();
  exprs[index] = simplify(*expr);
  return exprs[index];
}

FailureOr<AffineExpr> SymbolicShapes::computeExpr(Value index) {
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant)))
    return getAffineConstantExpr(constant.getSExtValue(), context);
  if (Value outside = operandBehind(index))
    return exprOf(outside);
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
            return map.getResult(0).replaceDimsAndSymbols(dims, symbols);
          })
      .Case<arith::AddIOp>([&](auto) {
        return binary([](AffineExpr a, AffineExpr b) { return a + b; });
      })
      .Case<arith::SubIOp>([&](auto) {
        return binary([](AffineExpr a, AffineExpr b) { return a - b; });
      })
      .Case<arith::MulIOp>([&](auto) {
        return binary([](AffineExpr a, AffineExpr b) { return a * b; });
      })
      .Case<arith::FloorDivSIOp>([&](auto) {
        return binary([](AffineExpr a, AffineExpr b) { return a.floorDiv(b); });
      })
      .Case<arith::CeilDivSIOp>([&](auto) {
        return binary([](AffineExpr a, AffineExpr b) { return a.ceilDiv(b); });
      })
      .Case<arith::MinSIOp>([&](auto) {
        return binary([&](AffineExpr a, AffineExpr b) {
          return extreme(SizeSymbol::Kind::minimum, a, b);
        });
      })
      .Case<arith::MaxSIOp>([&](auto) {
        return binary([&](AffineExpr a, AffineExpr b) {
          return extreme(SizeSymbol::Kind::maximum, a, b);
        });
      })
      .Case<arith::IndexCastOp>([&](auto) { return operand(0); })
      .Default([&](Operation *other) -> FailureOr<AffineExpr> {
        other->emitError("a size is computed by an op that the graph level "
                         "cannot turn into an expression");
        return failure();
      });
}

} // namespace tilewright::graph
