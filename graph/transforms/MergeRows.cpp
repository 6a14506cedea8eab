//===- MergeRows.cpp - Rows of products in one dimension ------------------===//
#include "graph/analysis/Access.h"
#include "graph/analysis/Blocks.h"
#include "graph/analysis/Group.h"
#include "graph/analysis/SizeValues.h"
#include "graph/transforms/Function.h"
#include "graph/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_MERGEROWS
#include "graph/transforms/Passes.h.inc"

namespace {
/// Two neighbouring dimensions of a group's tensors that become one.
class Merge {
public:
  explicit Merge(GroupOp group) : group(group) {}
  /// Whether dimensions `dim` and `dim + 1` of `tensor` can be one, and with
  /// them two loops of each op that has them.
  bool follow(Value tensor, unsigned dim);
  /// The group with merged dimensions; it replaces the old one.
  FailureOr<GroupOp> apply(SymbolicShapes &shapes, SizeValues &sizes);

private:
  /// The second loop is the next one of the first in all tensors.
  using Loops = std::pair<unsigned, unsigned>;

  bool followUse(OpOperand &use, unsigned dim);
  bool followOp(linalg::GenericOp op, Loops pair);
  bool followOperand(linalg::GenericOp op, OpOperand &operand, Loops pair);
  std::optional<unsigned> dimOf(Value tensor) const;
  RankedTensorType typeOf(Value tensor) const;
  FailureOr<AffineExpr> sizeOf(OpFoldResult size, SymbolicShapes &shapes) const;
  void rewrite(linalg::GenericOp op, Loops pair) const;
  LogicalResult rewrite(tensor::EmptyOp op, SymbolicShapes &shapes,
                        SizeValues &sizes);
  FailureOr<SmallVector<Value>> mergedInputs(SymbolicShapes &shapes,
                                             SizeValues &sizes);
  LogicalResult rewriteBody(SymbolicShapes &shapes, SizeValues &sizes);

  GroupOp group;
  /// The first of the two.
  llvm::MapVector<Value, unsigned> merged;
  llvm::MapVector<Operation *, Loops> loops;
  SmallVector<Value> addedSizes;
};
} // namespace

std::optional<unsigned> Merge::dimOf(Value tensor) const {
  auto found = merged.find(tensor);
  return found == merged.end() ? std::nullopt : std::optional(found->second);
}

/// Whether the op's elements do not depend on the indices of these loops, nor
/// on the order of its loops.
static bool isIndependent(linalg::GenericOp op, unsigned first,
                          unsigned second) {
  auto isIndex = [&](linalg::IndexOp index) {
    return index.getDim() == first || index.getDim() == second;
  };
  return !partsLoop(op) &&
         llvm::none_of(op.getBody()->getOps<linalg::IndexOp>(), isIndex);
}

bool Merge::followOperand(linalg::GenericOp op, OpOperand &operand,
                          Loops pair) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!map.isFunctionOfDim(pair.first) && !map.isFunctionOfDim(pair.second))
    return true;
  auto first =
           map.getResultPosition(getAffineDimExpr(pair.first, op.getContext())),
       second = map.getResultPosition(
           getAffineDimExpr(pair.second, op.getContext()));
  if (!first || !second || *second != *first + 1)
    return false;
  for (auto [dim, subscript] : llvm::enumerate(map.getResults()))
    if (dim != *first && dim != *second &&
        (subscript.isFunctionOfDim(pair.first) ||
         subscript.isFunctionOfDim(pair.second)))
      return false;
  return follow(operand.get(), *first) &&
         (!op.isDpsInit(&operand) ||
          follow(op.getTiedOpResult(&operand), *first));
}

bool Merge::followOp(linalg::GenericOp op, Loops pair) {
  auto [known, isNew] = loops.insert({op, pair});
  if (!isNew)
    return known->second == pair;
  const auto kinds = op.getIteratorTypesArray();
  return kinds[pair.first] == utils::IteratorType::parallel &&
         kinds[pair.second] == utils::IteratorType::parallel &&
         isIndependent(op, pair.first, pair.second) &&
         llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
           return followOperand(op, operand, pair);
         });
}

/// The loops of the op that the operand's dimensions `dim` and `dim + 1` are.
static std::optional<std::pair<unsigned, unsigned>>
loopsAt(linalg::GenericOp op, OpOperand &operand, unsigned dim) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  auto first = dyn_cast<AffineDimExpr>(map.getResult(dim)),
       second = dyn_cast<AffineDimExpr>(map.getResult(dim + 1));
  if (!first || !second || first == second)
    return std::nullopt;
  return std::pair(first.getPosition(), second.getPosition());
}

bool Merge::followUse(OpOperand &use, unsigned dim) {
  Operation *op = use.getOwner();
  if (isa<YieldOp>(op))
    return true;
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return follow(fill.getResult(0), dim);
  auto generic = dyn_cast<linalg::GenericOp>(op);
  auto pair = generic ? loopsAt(generic, use, dim) : std::nullopt;
  return pair && followOp(generic, *pair);
}

bool Merge::follow(Value tensor, unsigned dim) {
  auto [known, isNew] = merged.insert({tensor, dim});
  if (!isNew)
    return known->second == dim;
  Operation *op = tensor.getDefiningOp();
  if (auto fill = dyn_cast_or_null<linalg::FillOp>(op)) {
    if (!follow(fill.getDpsInits()[0], dim))
      return false;
  } else if (auto generic = dyn_cast_or_null<linalg::GenericOp>(op)) {
    OpOperand *init =
        generic.getDpsInitOperand(cast<OpResult>(tensor).getResultNumber());
    auto pair = loopsAt(generic, *init, dim);
    if (!pair || !followOp(generic, *pair))
      return false;
  } else if (op && !isa<tensor::EmptyOp>(op)) {
    return false;
  }
  return llvm::all_of(tensor.getUses(),
                      [&](OpOperand &use) { return followUse(use, dim); });
}

/// The tensor's type with the two dimensions in one.
RankedTensorType Merge::typeOf(Value tensor) const {
  auto type = cast<RankedTensorType>(tensor.getType());
  std::optional<unsigned> dim = dimOf(tensor);
  if (!dim)
    return type;
  SmallVector<int64_t> shape(type.getShape());
  shape[*dim] = ShapedType::kDynamic;
  shape.erase(shape.begin() + *dim + 1);
  return RankedTensorType::get(shape, type.getElementType());
}

/// One loop instead of two.
void Merge::rewrite(linalg::GenericOp op, Loops pair) const {
  Builder b(op.getContext());
  const unsigned count = op.getNumLoops();
  SmallVector<AffineExpr> numbers;
  for (unsigned loop = 0; loop < count; ++loop)
    numbers.push_back(b.getAffineDimExpr(loop - (loop > pair.second)));
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    SmallVector<AffineExpr> subscripts(map.getResults());
    if (std::optional<unsigned> dim = dimOf(operand.get()))
      subscripts.erase(subscripts.begin() + *dim + 1);
    maps.push_back(AffineMap::get(count, 0, subscripts, op.getContext())
                       .replaceDimsAndSymbols(numbers, {}, count - 1, 0));
  }
  for (auto index : op.getBody()->getOps<linalg::IndexOp>())
    index.setDim(index.getDim() - (index.getDim() > pair.second));
  SmallVector<Attribute> kinds(op.getIteratorTypes().getValue());
  kinds.erase(kinds.begin() + pair.second);
  op.setIndexingMapsAttr(b.getAffineMapArrayAttr(maps));
  op.setIteratorTypesAttr(b.getArrayAttr(kinds));
}

/// A size in the group as an expression over the function's symbols.
FailureOr<AffineExpr> Merge::sizeOf(OpFoldResult size,
                                    SymbolicShapes &shapes) const {
  auto value = dyn_cast<Value>(size);
  if (auto argument = dyn_cast_or_null<BlockArgument>(value))
    value = group->getOperand(argument.getArgNumber());
  return value ? shapes.exprOf(value) : shapes.exprOf(size);
}

LogicalResult Merge::rewrite(tensor::EmptyOp op, SymbolicShapes &shapes,
                             SizeValues &sizes) {
  const unsigned dim = *dimOf(op.getResult());
  SmallVector<OpFoldResult> all = op.getMixedSizes();
  FailureOr<AffineExpr> first = sizeOf(all[dim], shapes),
                        second = sizeOf(all[dim + 1], shapes);
  if (failed(first) || failed(second))
    return failure();
  addedSizes.push_back(sizes.valueOf(shapes.sizes().mul(*first, *second)));
  all[dim] = group.getBody().front().addArgument(
      IndexType::get(op.getContext()), op.getLoc());
  all.erase(all.begin() + dim + 1);
  OpBuilder b(op);
  Value made = tensor::EmptyOp::create(b, op.getLoc(), all,
                                       op.getType().getElementType());
  op.getResult().replaceAllUsesWith(made);
  op.erase();
  return success();
}

/// The tensor in another shape; what it is a reshape of, if that has this one.
static Value reshaped(OpBuilder &b, Value tensor, RankedTensorType type,
                      ArrayRef<AffineExpr> sizes, SymbolicShapes &shapes,
                      SizeValues &values) {
  if (auto before = tensor.getDefiningOp<tensor::ReshapeOp>();
      before && before.getSource().getType() == type) {
    FailureOr<SymbolicShape> shape = shapes.shapeOf(before.getSource());
    if (succeeded(shape) && ArrayRef<AffineExpr>(*shape) == sizes)
      return before.getSource();
  }
  SmallVector<Value> shape;
  for (AffineExpr size : sizes)
    shape.push_back(values.valueOf(size));
  Value all = tensor::FromElementsOp::create(
      b, tensor.getLoc(),
      RankedTensorType::get(int64_t(shape.size()), b.getIndexType()), shape);
  return tensor::ReshapeOp::create(b, tensor.getLoc(), type, tensor, all);
}

/// The group's inputs with the two dimensions of some in one.
FailureOr<SmallVector<Value>> Merge::mergedInputs(SymbolicShapes &shapes,
                                                  SizeValues &sizes) {
  OpBuilder b(group);
  SmallVector<Value> inputs(group.getInputs());
  for (auto [number, input] : llvm::enumerate(inputs)) {
    Value argument = group.getBody().getArgument(unsigned(number));
    std::optional<unsigned> dim = dimOf(argument);
    if (!dim)
      continue;
    FailureOr<SymbolicShape> shape = shapes.shapeOf(input);
    if (failed(shape))
      return failure();
    SymbolicShape joined = *shape;
    joined[*dim] = shapes.sizes().mul(joined[*dim], joined[*dim + 1]);
    joined.erase(joined.begin() + *dim + 1);
    input = reshaped(b, input, typeOf(argument), joined, shapes, sizes);
  }
  return inputs;
}

/// The body with one loop instead of two.
LogicalResult Merge::rewriteBody(SymbolicShapes &shapes, SizeValues &sizes) {
  for (auto [op, pair] : loops)
    rewrite(cast<linalg::GenericOp>(op), pair);
  SmallVector<tensor::EmptyOp> empties;
  for (auto [tensor, dim] : merged) {
    shapes.forget(tensor);
    if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>())
      empties.push_back(empty);
    else
      tensor.setType(typeOf(tensor));
  }
  return success(llvm::all_of(empties, [&](tensor::EmptyOp op) {
    return succeeded(rewrite(op, shapes, sizes));
  }));
}

FailureOr<GroupOp> Merge::apply(SymbolicShapes &shapes, SizeValues &sizes) {
  OpBuilder b(group);
  FailureOr<SmallVector<Value>> inputs = mergedInputs(shapes, sizes);
  if (failed(inputs))
    return failure();
  SmallVector<Type> types;
  SmallVector<SymbolicShape> shapesOfResults;
  for (auto [yielded, result] :
       llvm::zip(group.getYielded(), group.getResults())) {
    types.push_back(typeOf(yielded));
    FailureOr<SymbolicShape> shape = shapes.shapeOf(result);
    if (failed(shape))
      return failure();
    shapesOfResults.push_back(*shape);
  }
  if (failed(rewriteBody(shapes, sizes)))
    return failure();
  SmallVector<Value> all(group.getSizes());
  llvm::append_range(all, addedSizes);
  auto made = GroupOp::create(b, group.getLoc(), types, *inputs, all,
                              group.getSchedulesAttr());
  made->setDiscardableAttrs(group->getDiscardableAttrDictionary());
  for (auto [old, result, shape] :
       llvm::zip(group.getResults(), made.getResults(), shapesOfResults))
    old.replaceAllUsesWith(result.getType() == old.getType()
                               ? Value(result)
                               : reshaped(b, result,
                                          cast<RankedTensorType>(old.getType()),
                                          shape, shapes, sizes));
  made.getBody().takeBody(group.getBody());
  for (Value old : group.getResults())
    shapes.forget(old);
  group.erase();
  return made;
}

/// The merge of two neighbouring dimensions of the group's product that are
/// rows, or columns, of which the inner one is known at run time only.
static std::optional<Merge> mergeOfRows(GroupOp op) {
  const Group group = Group::of(op);
  if (!group.root || !isContraction(group.root) || group.attention)
    return std::nullopt;
  auto root = cast<linalg::GenericOp>(group.root);
  AffineMap map = root.getIndexingMapsArray().back();
  const SmallVector<int64_t> ranges = root.getStaticLoopRanges();
  for (unsigned side : {0, 1}) {
    const SmallVector<unsigned> own = ownLoops(root, side);
    auto isOwn = [&](AffineExpr subscript) {
      auto loop = dyn_cast<AffineDimExpr>(subscript);
      return loop && llvm::is_contained(own, loop.getPosition());
    };
    for (unsigned dim = 0; dim + 1 < map.getNumResults(); ++dim) {
      if (!isOwn(map.getResult(dim)) || !isOwn(map.getResult(dim + 1)) ||
          !ShapedType::isDynamic(ranges[map.getDimPosition(dim + 1)]))
        continue;
      Merge merge(op);
      if (merge.follow(root->getResult(0), dim))
        return merge;
    }
  }
  return std::nullopt;
}

namespace {
struct MergeRows : impl::MergeRowsBase<MergeRows> {
  using MergeRowsBase::MergeRowsBase;

  void runOnOperation() override {
    FailureOr<func::FuncOp> func = graphFunction(getOperation());
    if (failed(func))
      return signalPassFailure();
    SymbolicShapes shapes(*func);
    SizeValues sizes(*func, shapes);
    for (GroupOp group : graphOps<GroupOp>(*func))
      while (std::optional<Merge> merge = mergeOfRows(group)) {
        FailureOr<GroupOp> made = merge->apply(shapes, sizes);
        if (failed(made))
          return signalPassFailure();
        group = *made;
        ++mergedCount;
      }
    for (auto reshape : graphOps<tensor::ReshapeOp>(*func))
      if (reshape.use_empty())
        reshape.erase();
  }
};
} // namespace

} // namespace tilewright::graph
