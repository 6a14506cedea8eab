//===- EmitElements.cpp - Element by element ------------------------------===//
#include "codegen/nvptx/Elements.h"

#include "codegen/nvptx/Approximations.h"
#include "codegen/nvptx/Float8.h"
#include "codegen/nvptx/GpuOpTable.h"
#include "codegen/nvptx/Threads.h"
#include "codegen/nvptx/Values.h"
#include "codegen/tilegpu/TileGpu.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright::nvptx {

using tilegpu::layoutOf;

numeric::Hardware hardwareOf(const target::GpuTarget &target) {
  return {.halves = true,
          .float8 = target.convertsFloat8 ? &float8Conversions() : nullptr,
          .approximations = &approximations()};
}

void emitElementwise(Operation *op, Emission &e) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(e.get(operand));
  numeric::Elementwise elementwise(e.b, e.b.getLoc(), hardwareOf(e.target));
  for (auto [result, value] :
       llvm::zip(op->getResults(), elementwise.emit(op, operands)))
    e.set(result, value);
}

static void emitAffine(Operation *op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(e.get(operand));
  Operation *made = b.clone(*op);
  made->setOperands(operands);
  e.set(op->getResult(0), made->getResult(0));
}

static void emitIota(tile::IotaOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  Value numbers = coordinates(e, layoutOf(op.getType()), 0);
  Type type = typeOf(op.getType());
  Type element = getElementTypeOrSelf(type);
  if (element.isIndex())
    numbers = arith::IndexCastUIOp::create(b, type, numbers);
  else if (element.getIntOrFloatBitWidth() > 32)
    numbers = arith::ExtUIOp::create(b, type, numbers);
  else if (element.getIntOrFloatBitWidth() < 32)
    numbers = arith::TruncIOp::create(b, type, numbers);
  e.set(op, numbers);
}

static void emitCoordinate(tilegpu::CoordinateOp op, Emission &e) {
  e.set(op, coordinates(e, layoutOf(op.getType()), op.getAxis()));
}

static void emitAssume(tile::AssumeOp op, Emission &e) {
  e.set(op, e.get(op.getValue()));
}

void addElementOps(GpuOps &ops) {
  addAll<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(
      ops, emitAffine);
  add(ops, emitIota);
  add(ops, emitCoordinate);
  add(ops, emitAssume);
}

} // namespace tilewright::nvptx
