//===- Elements.cpp - Elements of tiles, one vector at a time -------------===//
#include "codegen/cpu/Elements.h"

#include "codegen/cpu/Arithmetic.h"
#include "codegen/cpu/Blocks.h"
#include "codegen/cpu/Buffers.h"
#include "codegen/cpu/Loops.h"
#include "codegen/cpu/Views.h"
#include "codegen/numeric/Elementwise.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::cpu {

static bool sameIndex(Value x, Value y) {
  if (x == y)
    return true;
  APInt a, b;
  return matchPattern(x, m_ConstantInt(&a)) &&
         matchPattern(y, m_ConstantInt(&b)) && a == b;
}

Value createElementwise(ImplicitLocOpBuilder &b, OpResult result,
                        ValueRange operands, int64_t width) {
  Operation *op = result.getOwner();
  return lookupOp(op)->compute(op, operands, width,
                               b)[result.getResultNumber()];
}

static FailureOr<Value> evalElementwise(OpResult result, const Lanes &at,
                                        Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  Operation *op = result.getOwner();
  if (!isElementwise(op))
    return op->emitError("this op is not lowered for the cpu target");
  Values operands;
  for (Value operand : op->getOperands()) {
    if (!isa<RankedTensorType>(operand.getType())) {
      Value scalar = e.scalars.lookup(operand);
      // The condition of a select is one for all; a pointer is not.
      operands.push_back(isa<arith::SelectOp>(op) ? scalar
                                                  : splat(b, scalar, at.width));
      continue;
    }
    FailureOr<Value> value = eval(operand, at, e);
    if (failed(value))
      return failure();
    operands.push_back(*value);
  }
  return createElementwise(b, result, operands, at.width);
}

static FailureOr<Value> evalUncached(Value tile, const Lanes &at, Emission &e) {
  if (const Buffer *buffer = e.buffers.find(tile))
    return readBuffer(e.b, *buffer, at);
  Operation *op = tile.getDefiningOp();
  if (!op) {
    emitError(e.b.getLoc(),
              "a tile argument of a region is not lowered for the cpu target");
    return failure();
  }
  if (const CpuOp *known = lookupOp(op); known && known->eval)
    return known->eval(op, at, e);
  return evalElementwise(cast<OpResult>(tile), at, e);
}

FailureOr<Value> eval(Value tile, const Lanes &at, Emission &e) {
  for (const KnownElements &known : e.memo)
    if (known.tile == tile && known.at.width == at.width &&
        known.at.missing == at.missing && known.at.lane == at.lane &&
        llvm::all_of(llvm::zip(known.at.index, at.index), [](auto pair) {
          return sameIndex(std::get<0>(pair), std::get<1>(pair));
        }))
      return known.value;
  FailureOr<Value> value = evalUncached(tile, at, e);
  if (succeeded(value))
    e.memo.push_back({tile, at, *value});
  return value;
}

FailureOr<Values> evalAll(ValueRange tiles, const Lanes &at, Emission &e) {
  Values values;
  LogicalResult done = inNewScope(e, [&]() -> LogicalResult {
    for (Value tile : tiles) {
      FailureOr<Value> value = eval(tile, at, e);
      if (failed(value))
        return failure();
      values.push_back(*value);
    }
    return success();
  });
  if (failed(done))
    return failure();
  return values;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static FailureOr<Value> evalConstant(arith::ConstantOp op, const Lanes &at,
                                     Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements)
    return op.emitError("this kind of constant is not lowered for the cpu "
                        "target");
  if (elements.isSplat()) {
    auto value = cast<TypedAttr>(elements.getSplatValue<Attribute>());
    return splat(b, constantOf(b, value), at.width);
  }
  // An array in the object's read-only data.
  auto type = cast<RankedTensorType>(elements.getType());
  Type stored = numeric::storedType(type.getElementType());
  std::string &name = e.data.constants[op];
  if (name.empty()) {
    name =
        (e.kernel.getSymName() + "_constant" + Twine(e.data.constants.size()))
            .str();
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(e.data.module.getBody());
    auto array = LLVM::LLVMArrayType::get(stored, type.getNumElements());
    LLVM::GlobalOp::create(b, array, /*isConstant=*/true,
                           LLVM::Linkage::Private, name,
                           numeric::inMemory(elements), 64);
  }
  Value pointer = LLVM::AddressOfOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext()), name);
  Buffer buffer{pointer, pointer, SmallVector<int64_t>(type.getShape()),
                computeStrides(type.getShape()), type.getElementType()};
  return readBuffer(b, buffer, at);
}

static LogicalResult emitSelect(arith::SelectOp op, Emission &e) {
  if (!isa<tile::ViewType>(op.getType()))
    return emitLazy(op, e);
  ImplicitLocOpBuilder &b = e.b;
  Values yes, no, chosen;
  appendScalars(op.getTrueValue(), yes, e);
  appendScalars(op.getFalseValue(), no, e);
  Value condition = e.scalars.lookup(op.getCondition());
  for (auto [left, right] : llvm::zip(yes, no))
    chosen.push_back(
        arith::SelectOp::create(b, op.getLoc(), condition, left, right));
  bindScalars(op.getResult(), chosen, e);
  return success();
}

/// A scalar; elements of a tile are evalConstant's.
static Values computeConstant(arith::ConstantOp op, ValueRange, int64_t width,
                              ImplicitLocOpBuilder &b) {
  return {splat(b, constantOf(b, op.getValue()), width)};
}

static Values computeArithmetic(Operation *op, ValueRange operands, int64_t,
                                ImplicitLocOpBuilder &b) {
  return numeric::Elementwise(b, b.getLoc()).emit(op, operands);
}

constexpr int64_t kDivisionCost = 4, kFunctionCost = 20;

const CpuOp *arithmeticOp(Operation *op) {
  static const CpuOp simple{.compute = computeArithmetic};
  static const CpuOp function{.compute = computeArithmetic,
                              .cost = kFunctionCost};
  if (!numeric::isElementwise(op))
    return nullptr;
  return op->getName().getDialectNamespace() == "arith" ? &simple : &function;
}

void addElementOps(CpuOps &ops) {
  ops.add<arith::ConstantOp>({.eval = onOp(evalConstant),
                              .compute = onOp(computeConstant),
                              .cost = 0});
  ops.add<arith::SelectOp>(
      {.emit = onOp(emitSelect), .compute = computeArithmetic});
  ops.add<arith::DivFOp>({.compute = computeArithmetic, .cost = kDivisionCost});
}

} // namespace tilewright::cpu
