//===- Build.cpp - What the passes to graph form make ops with ------------===//
#include "graph/transforms/Build.h"

#include "graph/analysis/SymbolicShapes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tilewright::graph {

Value buildEmpty(OpBuilder &builder, Location loc, RankedTensorType type,
                 ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> dynamic;
  for (auto [d, size] : llvm::enumerate(sizes))
    if (type.isDynamicDim(d))
      dynamic.push_back(getValueOrCreateConstantIndexOp(builder, loc, size));
  return tensor::EmptyOp::create(builder, loc, type, dynamic);
}

Value buildElementwise(OpBuilder &builder, Location loc, RankedTensorType type,
                       ArrayRef<OpFoldResult> sizes, ArrayRef<Read> reads,
                       ElementBuilder element) {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (const Read &read : reads) {
    inputs.push_back(read.tensor);
    maps.push_back(read.map);
  }
  maps.push_back(builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> kinds(type.getRank(),
                                         utils::IteratorType::parallel);
  Value init = buildEmpty(builder, loc, type, sizes);
  auto generic = linalg::GenericOp::create(
      builder, loc, type, inputs, init, maps, kinds,
      [&](OpBuilder &b, Location at, ValueRange elements) {
        linalg::YieldOp::create(b, at, element(b, at, elements.drop_back()));
      });
  return generic.getResult(0);
}

AffineMap readDims(MLIRContext *context, unsigned loops,
                   ArrayRef<unsigned> dims) {
  SmallVector<AffineExpr> subscripts;
  for (unsigned dim : dims)
    subscripts.push_back(getAffineDimExpr(dim, context));
  return AffineMap::get(loops, 0, subscripts, context);
}

SmallVector<Value> buildIndices(OpBuilder &builder, Location loc,
                                unsigned count) {
  SmallVector<Value> indices;
  for (unsigned loop = 0; loop < count; ++loop)
    indices.push_back(linalg::IndexOp::create(builder, loc, loop));
  return indices;
}

SmallVector<Value> cloneBody(OpBuilder &builder, Block &block,
                             IRMapping &mapping) {
  for (Operation &op : block.without_terminator())
    builder.clone(op, mapping);
  SmallVector<Value> yielded;
  for (Value value : block.getTerminator()->getOperands())
    yielded.push_back(mapping.lookupOrDefault(value));
  return yielded;
}

Inside buildInside(OpBuilder &builder, Location loc, Value index,
                   OpFoldResult offset, OpFoldResult size) {
  Value start = getValueOrCreateConstantIndexOp(builder, loc, offset);
  Value count = getValueOrCreateConstantIndexOp(builder, loc, size);
  Value position = arith::SubIOp::create(builder, loc, index, start);
  // One unsigned comparison covers both ends.
  return {arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                position, count),
          position};
}

bool isSize(Value value) {
  if (matchPattern(value, m_Constant()))
    return true;
  if (!value.getType().isIntOrIndex())
    return false;
  auto func = value.getParentRegion()->getParentOfType<func::FuncOp>();
  if (!func)
    return false;
  ScopedDiagnosticHandler silent(value.getContext(),
                                 [](Diagnostic &) { return success(); });
  SymbolicShapes shapes(func);
  return succeeded(shapes.exprOf(value));
}

bool isSize(OpFoldResult value) {
  return isa<Attribute>(value) || isSize(cast<Value>(value));
}

LogicalResult rewriteAll(ModuleOp module, RewritePatternSet patterns) {
  GreedyRewriteConfig config;
  config.enableFolding(false).enableConstantCSE(false);
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  FrozenRewritePatternSet frozen(std::move(patterns));
  for (auto func : module.getOps<func::FuncOp>())
    if (failed(applyPatternsGreedily(func, frozen, config)))
      return failure();
  return success();
}

Value combine(OpBuilder &builder, Location loc, Operation *combiner, Value a,
              Value b) {
  OperationState state(loc, combiner->getName());
  state.addOperands({a, b});
  state.propertiesAttr = combiner->getPropertiesAsAttribute();
  state.addTypes(a.getType());
  return builder.create(state)->getResult(0);
}

} // namespace tilewright::graph
