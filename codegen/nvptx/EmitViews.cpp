//===- EmitViews.cpp - Views, and what control flow carries ---------------===//
#include "codegen/nvptx/Views.h"

#include "codegen/nvptx/Elements.h"
#include "codegen/nvptx/GpuOpTable.h"
#include "codegen/nvptx/Values.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright::nvptx {

View makeView(Emission &e, tile::ViewType type, Value base,
              llvm::function_ref<Value()> next) {
  ImplicitLocOpBuilder &b = e.b;
  View view;
  view.base = base;
  auto known = [&](int64_t value) {
    return ShapedType::isDynamic(value) ? next() : index(b, value);
  };
  for (int64_t size : type.getShape())
    view.sizes.push_back(known(size));
  if (type.hasExplicitStrides()) {
    for (int64_t stride : type.getStrides())
      view.strides.push_back(known(stride));
    return view;
  }
  // Row-major.
  view.strides.resize(view.sizes.size());
  Value stride = index(b, 1);
  for (size_t dim = view.sizes.size(); dim-- > 0;) {
    view.strides[dim] = stride;
    stride = b.createOrFold<arith::MulIOp>(stride, view.sizes[dim]);
  }
  return view;
}

//===--- What control flow carries ----------------------------------------===//

SmallVector<Value> partsOf(Emission &e, ValueRange values) {
  SmallVector<Value> parts;
  for (Value value : values) {
    auto type = dyn_cast<tile::ViewType>(value.getType());
    if (!type) {
      parts.push_back(e.get(value));
      continue;
    }
    const View &view = e.views.at(value);
    parts.push_back(view.base);
    for (auto [known, size] : llvm::zip(type.getShape(), view.sizes))
      if (ShapedType::isDynamic(known))
        parts.push_back(size);
    if (!type.hasExplicitStrides())
      continue;
    for (auto [known, stride] : llvm::zip(type.getStrides(), view.strides))
      if (ShapedType::isDynamic(known))
        parts.push_back(stride);
  }
  return parts;
}

SmallVector<Type> partTypesOf(Emission &e, TypeRange types) {
  ImplicitLocOpBuilder &b = e.b;
  SmallVector<Type> parts;
  for (Type type : types) {
    auto view = dyn_cast<tile::ViewType>(type);
    parts.push_back(view ? b.getI64Type() : typeOf(type));
    if (view)
      parts.append(view.getNumDynamicDims() + view.getNumDynamicStrides(),
                   b.getIndexType());
  }
  return parts;
}

void bind(Emission &e, ValueRange values, ValueRange parts) {
  auto next = parts.begin();
  for (Value value : values) {
    if (auto type = dyn_cast<tile::ViewType>(value.getType())) {
      Value base = *next++;
      e.views[value] = makeView(e, type, base, [&] { return *next++; });
      continue;
    }
    e.set(value, *next++);
  }
}

//===--- Ops --------------------------------------------------------------===//

static void emitMakeView(tile::MakeViewOp op, Emission &e) {
  SmallVector<Value> open;
  for (Value value : op.getSizes())
    open.push_back(e.get(value));
  for (Value value : op.getStrides())
    open.push_back(e.get(value));
  auto next = open.begin();
  e.views[op] =
      makeView(e, op.getType(), e.get(op.getPtr()), [&] { return *next++; });
}

/// Of views: their parts.
static void emitSelect(arith::SelectOp op, Emission &e) {
  if (!isa<tile::ViewType>(op.getType()))
    return emitElementwise(op, e);
  ImplicitLocOpBuilder &b = e.b;
  SmallVector<Value> chosen;
  for (auto [yes, no] :
       llvm::zip(partsOf(e, op.getTrueValue()), partsOf(e, op.getFalseValue())))
    chosen.push_back(
        arith::SelectOp::create(b, e.get(op.getCondition()), yes, no));
  bind(e, op->getResults(), chosen);
}

static void emitDim(tile::DimOp op, Emission &e) {
  e.set(op, e.views.at(op->getOperand(0)).sizes[op.getDim()]);
}

static void emitStride(tile::StrideOp op, Emission &e) {
  e.set(op, e.views.at(op->getOperand(0)).strides[op.getDim()]);
}

static void emitCount(tile::CountOp op, Emission &e) {
  const View &view = e.views.at(op->getOperand(0));
  e.set(op, arith::CeilDivSIOp::create(e.b, view.sizes[op.getDim()],
                                       index(e.b, op.getExtent())));
}

static void emitBase(tile::BaseOp op, Emission &e) {
  e.set(op, e.views.at(op->getOperand(0)).base);
}

void addViewOps(GpuOps &ops) {
  add(ops, emitMakeView);
  add(ops, emitSelect);
  add(ops, emitDim);
  add(ops, emitStride);
  add(ops, emitCount);
  add(ops, emitBase);
}

} // namespace tilewright::nvptx
