//===- EmitControl.cpp - Loops and branches, and the views they carry -----===//
//
// All threads of a block take the same way: conditions are scalars, and each
// thread has the same value of a scalar.
//
//===----------------------------------------------------------------------===//
#include "codegen/nvptx/ThreadEmitter.h"

using namespace mlir;

namespace tilewright::nvptx {

//===--- Views ------------------------------------------------------------===//

ThreadEmitter::View ThreadEmitter::makeView(tile::ViewType type, Value base,
                                            llvm::function_ref<Value()> next) {
  View view;
  view.base = base;
  auto known = [&](int64_t value) {
    return ShapedType::isDynamic(value) ? next() : index(value);
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
  Value stride = index(1);
  for (size_t dim = view.sizes.size(); dim-- > 0;) {
    view.strides[dim] = stride;
    stride = b.createOrFold<arith::MulIOp>(loc, stride, view.sizes[dim]);
  }
  return view;
}

void ThreadEmitter::emitMakeView(tile::MakeViewOp op) {
  SmallVector<Value> open;
  for (Value value : op.getSizes())
    open.push_back(get(value));
  for (Value value : op.getStrides())
    open.push_back(get(value));
  auto next = open.begin();
  views[op] = makeView(op.getType(), get(op.getPtr()), [&] { return *next++; });
}

void ThreadEmitter::emitSelectView(arith::SelectOp op) {
  SmallVector<Value> chosen;
  for (auto [yes, no] :
       llvm::zip(partsOf(op.getTrueValue()), partsOf(op.getFalseValue())))
    chosen.push_back(
        arith::SelectOp::create(b, loc, get(op.getCondition()), yes, no));
  bind(op->getResults(), chosen);
}

//===--- What control flow carries ----------------------------------------===//

SmallVector<Value> ThreadEmitter::partsOf(ValueRange values) {
  SmallVector<Value> parts;
  for (Value value : values) {
    auto type = dyn_cast<tile::ViewType>(value.getType());
    if (!type) {
      parts.push_back(get(value));
      continue;
    }
    const View &view = views.at(value);
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

SmallVector<Type> ThreadEmitter::partTypesOf(TypeRange types) {
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

void ThreadEmitter::bind(ValueRange values, ValueRange parts) {
  auto next = parts.begin();
  for (Value value : values) {
    if (auto type = dyn_cast<tile::ViewType>(value.getType())) {
      Value base = *next++;
      views[value] = makeView(type, base, [&] { return *next++; });
      continue;
    }
    set(value, *next++);
  }
}

/// The block of an empty region, for what `arguments` carry; code is added to
/// it from now on.
Block *ThreadEmitter::makeBlock(Region &region, ValueRange arguments) {
  SmallVector<Type> types = partTypesOf(arguments.getTypes());
  Block *block = b.createBlock(&region, {}, types,
                               SmallVector<Location>(types.size(), loc));
  bind(arguments, block->getArguments());
  return block;
}

//===--- Loops and branches -----------------------------------------------===//

LogicalResult ThreadEmitter::emitFor(scf::ForOp op) {
  SmallVector<Value> inits = partsOf(op.getInitArgs());
  auto loop =
      scf::ForOp::create(b, loc, get(op.getLowerBound()),
                         get(op.getUpperBound()), get(op.getStep()), inits);
  {
    OpBuilder::InsertionGuard guard(b);
    // Without carried values the loop has its terminator already.
    if (inits.empty())
      loop.getBody()->getTerminator()->erase();
    b.setInsertionPointToEnd(loop.getBody());
    set(op.getInductionVar(), loop.getInductionVar());
    bind(op.getRegionIterArgs(), loop.getRegionIterArgs());
    if (failed(emitBlock(*op.getBody())))
      return failure();
  }
  bind(op.getResults(), loop.getResults());
  return success();
}

LogicalResult ThreadEmitter::emitWhile(scf::WhileOp op) {
  auto loop = scf::WhileOp::create(b, loc, partTypesOf(op.getResultTypes()),
                                   partsOf(op.getInits()));
  {
    OpBuilder::InsertionGuard guard(b);
    makeBlock(loop.getBefore(), op.getBeforeArguments());
    if (failed(emitBlock(*op.getBeforeBody())))
      return failure();
    makeBlock(loop.getAfter(), op.getAfterArguments());
    if (failed(emitBlock(*op.getAfterBody())))
      return failure();
  }
  bind(op.getResults(), loop.getResults());
  return success();
}

LogicalResult ThreadEmitter::emitIf(scf::IfOp op) {
  auto branches = scf::IfOp::create(b, loc, partTypesOf(op.getResultTypes()),
                                    get(op.getCondition()),
                                    /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
  auto fill = [&](Region &from, Block *to) -> LogicalResult {
    OpBuilder::InsertionGuard guard(b);
    to->clear();
    b.setInsertionPointToEnd(to);
    if (!from.empty())
      return emitBlock(from.front());
    scf::YieldOp::create(b, loc);
    return success();
  };
  if (failed(fill(op.getThenRegion(), branches.thenBlock())) ||
      failed(fill(op.getElseRegion(), branches.elseBlock())))
    return failure();
  bind(op.getResults(), branches.getResults());
  return success();
}

LogicalResult ThreadEmitter::emitSwitch(scf::IndexSwitchOp op) {
  auto branches = scf::IndexSwitchOp::create(
      b, loc, partTypesOf(op.getResultTypes()), get(op.getArg()), op.getCases(),
      unsigned(op.getCases().size()));
  for (auto [from, to] : llvm::zip(op->getRegions(), branches->getRegions())) {
    OpBuilder::InsertionGuard guard(b);
    makeBlock(to, {});
    if (failed(emitBlock(from.front())))
      return failure();
  }
  bind(op.getResults(), branches.getResults());
  return success();
}

} // namespace tilewright::nvptx
