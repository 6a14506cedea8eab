#include "graph/analysis/Access.h"
#include "graph/analysis/Blocks.h"
#include "graph/analysis/Grouping.h"
#include "graph/analysis/SizeValues.h"
#include "graph/transforms/Function.h"
#include "graph/transforms/Passes.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_FORMGROUPS
#include "graph/transforms/Passes.h.inc"

namespace {
/// Moves the ops of one group into a graph.group.
class Wrapper {
public:
  /// `interior`: the values of all groups that stay inside them.
  Wrapper(const Group &group, const DenseSet<Value> &interior,
          SizeValues &sizes)
      : group(group), interior(interior), sizes(sizes),
        builder(group.last->getContext()) {}
  FailureOr<GroupOp> run();

private:
  LogicalResult takeOperands(Operation *op);
  LogicalResult takeValue(Operation *reader, Value value);
  void addOperand(Value value);

  const Group &group;
  const DenseSet<Value> &interior;
  SizeValues &sizes;
  OpBuilder builder;
  IRMapping mapping;
  SmallVector<Value> inputs, scalars;
  Block body;
};
} // namespace

void Wrapper::addOperand(Value value) {
  bool isTensor = isa<TensorType>(value.getType());
  // Tensors come first.
  Value inside = isTensor ? body.insertArgument(inputs.size(), value.getType(),
                                                value.getLoc())
                          : body.addArgument(value.getType(), value.getLoc());
  (isTensor ? inputs : scalars).push_back(value);
  mapping.map(value, inside);
}

/// Makes a value from outside of the group available in the body: as a copy of
/// an op that kernels materialize, or as an argument.
LogicalResult Wrapper::takeValue(Operation *reader, Value value) {
  Operation *op = value.getDefiningOp();
  if (mapping.contains(value) || (op && group.ops.contains(op)))
    return success();
  // Kernels of its own read from memory; one of a concatenation writes down,
  // and so do one that copies what a scatter updates and what counts its
  // indices.
  auto scatter = dyn_cast<ScatterOp>(reader);
  const bool isData = scatter && scatter.getData() == value &&
                      llvm::count(scatter->getOperands(), value) == 1;
  const bool isCopied = group.isAlone && !group.isConcat && !isData &&
                        reader == group.last &&
                        isa<TensorType>(value.getType());
  if (op && isWrittenDown(op) && !isCopied) {
    if (failed(takeOperands(op)))
      return failure();
    builder.clone(*op, mapping);
    return success();
  }
  if (interior.contains(value)) {
    // Of a result that stays in another kernel only the shape is needed.
    FailureOr<Value> shape = failure();
    if (auto type = dyn_cast<RankedTensorType>(value.getType()))
      shape = sizes.emptyLike(builder, value);
    if (failed(shape))
      return reader->emitError("reads what another kernel does not store");
    Operation *empty = shape->getDefiningOp();
    if (failed(takeOperands(empty)))
      return failure();
    for (OpOperand &operand : empty->getOpOperands())
      operand.set(mapping.lookup(operand.get()));
    mapping.map(value, *shape);
    return success();
  }
  addOperand(value);
  return success();
}

LogicalResult Wrapper::takeOperands(Operation *op) {
  llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  for (Value value : used)
    if (failed(takeValue(op, value)))
      return failure();
  return success();
}

FailureOr<GroupOp> Wrapper::run() {
  builder.setInsertionPointToStart(&body);
  for (Operation *op : group.ops) {
    if (failed(takeOperands(op)))
      return failure();
    builder.clone(*op, mapping);
  }
  SmallVector<Value> results = group.results(), yielded;
  for (Value result : results)
    yielded.push_back(mapping.lookup(result));
  YieldOp::create(builder, group.last->getLoc(), yielded);
  OpBuilder outside(group.last);
  auto op = GroupOp::create(outside, group.last->getLoc(),
                            ValueRange(yielded).getTypes(), inputs, scalars,
                            DictionaryAttr());
  Block &own = op.getBody().emplaceBlock();
  own.addArguments(body.getArgumentTypes(),
                   SmallVector<Location>(body.getNumArguments(), op.getLoc()));
  for (auto [from, to] : llvm::zip(body.getArguments(), own.getArguments()))
    from.replaceAllUsesWith(to);
  own.getOperations().splice(own.end(), body.getOperations());
  for (auto [result, replacement] : llvm::zip(results, op.getResults()))
    result.replaceAllUsesWith(replacement);
  return op;
}

/// Gives each scatter indices of its own, if these are counted: its kernels
/// then need no memory for them.
static void separateIndices(func::FuncOp func) {
  for (auto scatter : graphOps<ScatterOp>(func))
    for (OpOperand &index : scatter.getIndicesMutable()) {
      Operation *op = index.get().getDefiningOp();
      if (op && isCounted(op) && !index.get().hasOneUse())
        index.set(OpBuilder(scatter).clone(*op)->getResult(0));
    }
}

namespace {
struct FormGroups : impl::FormGroupsBase<FormGroups> {
  using FormGroupsBase::FormGroupsBase;

  void runOnOperation() override {
    FailureOr<func::FuncOp> found = graphFunction(getOperation());
    if (failed(found))
      return signalPassFailure();
    func::FuncOp func = *found;
    separateIndices(func);
    SymbolicShapes shapes(func);
    SizeValues sizes(func, shapes);
    const SmallVector<Block *> blocks = graphBlocks(func);
    std::vector<Group> groups;
    for (Block *block : blocks)
      llvm::append_range(groups, formGroups(*block));
    DenseSet<Operation *> copied;
    DenseSet<Value> interior;
    for (const Group &group : groups) {
      for (Operation *op : group.ops) {
        if (!group.isGiven)
          copied.insert(op);
        if (op != group.last)
          interior.insert(op->result_begin(), op->result_end());
      }
      for (Value stored : group.alsoStored)
        interior.erase(stored);
    }
    for (const Group &group : groups) {
      Operation *op = group.last;
      if (!group.isGiven) {
        FailureOr<GroupOp> wrapped = Wrapper(group, interior, sizes).run();
        if (failed(wrapped))
          return signalPassFailure();
        op = *wrapped;
        ++groupCount;
        opCount += group.ops.size();
      }
      if (explain)
        setDecisions(op, group.decisions);
    }
    // Those that were copied into groups, and what only they read.
    for (Block *block : llvm::reverse(blocks)) {
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
        if (isOpTriviallyDead(&op) || copied.contains(&op))
          op.erase();
      // A view of what a later group stores may stand before it.
      sortTopologically(block);
    }
  }
};
} // namespace

} // namespace tilewright::graph
