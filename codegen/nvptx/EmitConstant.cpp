//===- EmitConstant.cpp - Constants, and data of the module ---------------===//
#include "codegen/nvptx/Constants.h"

#include "codegen/numeric/ElementTypes.h"
#include "codegen/nvptx/GpuOpTable.h"
#include "codegen/nvptx/TileAccess.h"
#include "codegen/nvptx/Values.h"
#include "codegen/tilegpu/TileGpu.h"
#include "codegen/transforms/ElementOrder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tilewright::nvptx {

Value dataOf(Emission &e, Attribute data, Type type) {
  ImplicitLocOpBuilder &b = e.b;
  LLVM::GlobalOp global;
  auto globals = e.module.getOps<LLVM::GlobalOp>();
  for (LLVM::GlobalOp other : globals)
    if (other.getValueAttr() == data && other.getType() == type)
      global = other;
  if (!global) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(e.module.getBody());
    std::string name = (e.kernel.getSymName() + "_data" +
                        Twine(std::distance(globals.begin(), globals.end())))
                           .str();
    global = LLVM::GlobalOp::create(b, type, /*isConstant=*/true,
                                    LLVM::Linkage::Internal, name, data,
                                    /*alignment=*/16, /*addrSpace=*/1);
  }
  return LLVM::AddressOfOp::create(b, global);
}

/// The elements in the module's data, row-major.
static View viewOf(Emission &e, DenseElementsAttr elements) {
  ImplicitLocOpBuilder &b = e.b;
  DenseElementsAttr data = numeric::inMemory(elements);
  auto array =
      LLVM::LLVMArrayType::get(data.getElementType(), data.getNumElements());
  View view;
  view.base =
      LLVM::PtrToIntOp::create(b, b.getI64Type(), dataOf(e, data, array));
  int64_t stride = 1;
  for (int64_t size : llvm::reverse(elements.getType().getShape())) {
    view.sizes.insert(view.sizes.begin(), index(b, size));
    view.strides.insert(view.strides.begin(), index(b, stride));
    stride *= size;
  }
  return view;
}

/// A load of a view of the module's data.
static LogicalResult emitConstantTile(arith::ConstantOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  auto tile = cast<RankedTensorType>(op.getType());
  if (failed(checkSeparable(op, tile)))
    return failure();
  View view = viewOf(e, cast<DenseElementsAttr>(op.getValue()));
  TileAccess access;
  access.view = &view;
  access.layout = tilegpu::layoutOf(tile);
  access.shape.assign(tile.getShape().begin(), tile.getShape().end());
  access.steps.assign(tile.getRank(), 1);
  access.first.assign(tile.getRank(), index(b, 0));
  tilegpu::ElementOrder memory;
  memory.order = layout::rowMajorOrder(tile.getRank());
  if (tile.getRank()) {
    int64_t row = tile.getShape().back();
    int64_t most = 128 / tilegpu::elementBits(tile.getElementType());
    memory.contiguous = std::min(row & -row, most);
  }
  complete(e, access, tile, memory);
  e.set(op, loadTile(e, access, {}));
  return success();
}

static LogicalResult emitConstant(arith::ConstantOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  auto tile = dyn_cast<RankedTensorType>(op.getType());
  if (!tile) {
    e.set(op, arith::ConstantOp::create(b, numeric::inRegister(op.getValue())));
    return success();
  }
  auto elements = cast<DenseElementsAttr>(op.getValue());
  if (!elements.isSplat())
    return emitConstantTile(op, e);
  Attribute element = numeric::inRegister(elements.getSplatValue<TypedAttr>());
  e.set(op, arith::ConstantOp::create(
                b, DenseElementsAttr::get(cast<VectorType>(typeOf(tile)),
                                          element)));
  return success();
}

void addConstantOps(GpuOps &ops) { add(ops, emitConstant); }

} // namespace tilewright::nvptx
