//===- Grouping.cpp - Which graph ops become one kernel -------------------===//
#include "graph/analysis/Grouping.h"

#include "graph/analysis/Access.h"
#include "graph/ir/Graph.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tilewright::graph {

std::string describeOp(Operation *op) {
  std::string name;
  op->getLoc()->walk([&](Location part) {
    if (auto named = dyn_cast<NameLoc>(part)) {
      name = named.getName().str();
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  if (!name.empty())
    return name;
  name = op->getName().getStringRef().str();
  if (auto line = op->getLoc()->findInstanceOf<FileLineColLoc>())
    name += ":" + std::to_string(line.getLine());
  return name;
}

std::vector<std::string> nodesOf(const Group &group) {
  std::vector<std::string> names;
  auto add = [&](Operation *op) {
    if (isa<linalg::FillOp, tensor::EmptyOp, arith::ConstantOp>(op) ||
        op->hasTrait<OpTrait::IsTerminator>())
      return;
    std::string name = describeOp(op);
    if (!llvm::is_contained(names, name))
      names.push_back(name);
  };
  for (Operation *op : group.ops)
    if (auto replaced = dyn_cast<ReplacedOp>(op))
      for (Operation &inner : replaced.getBody().front())
        add(&inner);
    else
      add(op);
  return names;
}

SmallVector<Value> Group::results() const {
  SmallVector<Value> used;
  for (OpResult result : last->getResults())
    if (!result.use_empty())
      used.push_back(result);
  if (used.empty())
    used.push_back(last->getResult(0));
  return used;
}

namespace {

using Alignment = SmallVector<int, 4>;

class Grouper {
public:
  explicit Grouper(func::FuncOp func) : func(func) {}
  std::vector<Group> run();

private:
  void place(Operation *op);
  Group *commonGroup(Operation *op, std::string &reason);
  bool mayJoin(Operation *op, Group &group, std::string &reason);
  bool mayJoinAsRoot(linalg::GenericOp op, Group &group, std::string &reason);
  bool mayJoinAsRow(linalg::GenericOp op, Group &group,
                    const llvm::SmallBitVector &repeated, std::string &reason);
  bool readsOnRootPath(Operation *op, const Group &group) const;
  std::optional<Alignment> align(Operation *op, const Group &group) const;
  llvm::SmallBitVector repeatedLoops(const Alignment &alignment,
                                     const Group &group) const;

  func::FuncOp func;
  std::vector<std::unique_ptr<Group>> groups; // in reverse program order
  DenseMap<Operation *, Group *> groupOf;
};

} // namespace

/// The op of the function's body that holds `op`.
static Operation *inFunctionBody(Operation *op, func::FuncOp func) {
  while (op->getParentOp() != func)
    op = op->getParentOp();
  return op;
}

/// Static sizes of the group's iteration space.
static ArrayRef<int64_t> groupSizes(const Group &group) {
  return cast<RankedTensorType>(group.result().getType()).getShape();
}

/// How the result of `op` lies in the group's iteration space, when all its
/// readers there agree on it.
std::optional<Alignment> Grouper::align(Operation *op,
                                        const Group &group) const {
  std::optional<Alignment> common;
  for (OpOperand &use : op->getUses()) {
    if (!readsContent(use))
      continue;
    auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
    // A reduction along a whole row reads the tile that is there anyway.
    if (reader && isReduction(reader) && reader != group.root)
      continue;
    if (!reader || !isElementwise(reader) || !reader.isDpsInput(&use))
      return std::nullopt;
    auto known = group.alignment.find(reader);
    if (known == group.alignment.end())
      return std::nullopt;
    Alignment alignment;
    for (AffineExpr subscript :
         reader.getMatchingIndexingMap(&use).getResults()) {
      if (auto dim = dyn_cast<AffineDimExpr>(subscript))
        alignment.push_back(known->second[dim.getPosition()]);
      else if (isa<AffineConstantExpr>(subscript))
        alignment.push_back(-1);
      else
        return std::nullopt;
    }
    if (common && *common != alignment)
      return std::nullopt;
    common = alignment;
  }
  return common;
}

/// Loops of the group along which a value of this alignment repeats.
llvm::SmallBitVector Grouper::repeatedLoops(const Alignment &alignment,
                                            const Group &group) const {
  ArrayRef<int64_t> sizes = groupSizes(group);
  llvm::SmallBitVector repeated(sizes.size(), true);
  for (int loop : alignment)
    if (loop >= 0)
      repeated.reset(loop);
  for (auto [loop, size] : llvm::enumerate(sizes))
    if (size == 1)
      repeated.reset(loop);
  return repeated;
}

/// The one group to which all users of `op` belong.
Group *Grouper::commonGroup(Operation *op, std::string &reason) {
  Group *common = nullptr;
  for (OpOperand &use : op->getUses()) {
    // Sizes of tensors are read from shapes, never from the data.
    if (!readsContent(use))
      continue;
    Operation *user = use.getOwner();
    if (user->getParentOp() != func) {
      reason = "it is gathered from";
      return nullptr;
    }
    auto it = groupOf.find(user);
    if (it == groupOf.end()) {
      reason = isa<func::ReturnOp>(user) ? "it is a result of the model"
                                         : "a reshape needs it in memory";
      return nullptr;
    }
    if (common && common != it->second) {
      reason = "other kernels read it too";
      return nullptr;
    }
    common = it->second;
  }
  if (common && common->isGiven) {
    reason = "the user's kernel reads it from memory";
    return nullptr;
  }
  if (common && common->isConcat) {
    reason = "a concatenation copies it";
    return nullptr;
  }
  return common;
}

/// Does an op of the group read `op`, directly or through inlined producers,
/// as an input of the group's root?
bool Grouper::readsOnRootPath(Operation *op, const Group &group) const {
  for (Operation *user : op->getUsers()) {
    user = inFunctionBody(user, func);
    if (!group.ops.contains(user))
      continue;
    if (user == group.root || !group.alignment.contains(user))
      return true;
  }
  return false;
}

bool Grouper::mayJoinAsRow(linalg::GenericOp op, Group &group,
                           const llvm::SmallBitVector &repeated,
                           std::string &reason) {
  if (group.root) {
    reason = "the kernel has a root already";
    return false;
  }
  if (windowLoops(op).any()) {
    reason = "it reduces overlapping windows";
    return false;
  }
  int64_t row = 1;
  for (auto [size, kind] :
       llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray())) {
    if (kind != utils::IteratorType::reduction)
      continue;
    row = ShapedType::isDynamic(size) ? maxRowElements + 1 : row * size;
  }
  llvm::SmallBitVector whole = group.wholeLoops;
  whole |= repeated;
  int64_t held = 1;
  for (unsigned loop : whole.set_bits()) {
    int64_t size = groupSizes(group)[loop];
    held = ShapedType::isDynamic(size) ? maxRowElements + 1 : held * size;
  }
  if (row > maxRowElements || held > maxRowElements) {
    reason = "its row is longer than a program can hold, or its length is "
             "known only at run time";
    return false;
  }
  group.wholeLoops = whole;
  reason = "each program holds the whole row";
  return true;
}

bool Grouper::mayJoinAsRoot(linalg::GenericOp op, Group &group,
                            std::string &reason) {
  std::optional<Alignment> alignment = align(op, group);
  if (!alignment) {
    reason = "its result is read again by other tiles";
    return false;
  }
  llvm::SmallBitVector repeated = repeatedLoops(*alignment, group);
  if (repeated.any() || group.wholeLoops.any()) {
    if (isContraction(op)) {
      reason = "a contraction would be computed again for each tile";
      return false;
    }
    return mayJoinAsRow(op, group, repeated, reason);
  }
  if (group.root) {
    reason = "the kernel has a root already";
    return false;
  }
  group.root = op;
  reason = "the root: its consumers work on its tile";
  return true;
}

bool Grouper::mayJoin(Operation *op, Group &group, std::string &reason) {
  if (!llvm::all_of(op->getUses(),
                    [](OpOperand &use) { return isStructuredRead(use); })) {
    reason = "it is read through subscripts that no tile load has";
    return false;
  }
  if (isa<ReplacedOp>(op)) {
    reason = "its kernel was given by the user";
    return false;
  }
  if (isa<tensor::ConcatOp>(op)) {
    reason = "its inputs are copied by kernels of their own";
    return false;
  }
  if (isReduction(op))
    return mayJoinAsRoot(cast<linalg::GenericOp>(op), group, reason);
  if (isPureCopy(op)) {
    reason = "no arithmetic: read through its indexing map";
    return true;
  }
  if (isa<tensor::PadOp, tensor::ExtractSliceOp>(op)) {
    reason = "a load with other bounds";
    return true;
  }
  bool onRootPath = group.root && readsOnRootPath(op, group);
  if (onRootPath && isContraction(group.root)) {
    reason = "each tile of the contraction would compute it again";
    return false;
  }
  if (onRootPath && windowLoops(cast<linalg::GenericOp>(group.root)).any()) {
    reason = "overlapping windows would compute it again";
    return false;
  }
  reason = onRootPath ? "computed where the reduction reads it"
                      : "same iteration space";
  return true;
}

/// The decisions of a group whose kernel the user gave: one for each of the
/// frontend's nodes in the body.
static void explainReplaced(ReplacedOp op, Group &group) {
  std::string reason =
      "replaced by @" + op.getKernel().str() + ", given by the user";
  for (const std::string &node : nodesOf(group))
    group.decisions.push_back({true, node, reason});
}

void Grouper::place(Operation *op) {
  std::string reason;
  Group *group = commonGroup(op, reason);
  if (group && mayJoin(op, *group, reason)) {
    group->ops.insert(op);
    groupOf[op] = group;
    if (std::optional<Alignment> alignment = align(op, *group))
      group->alignment[op] = *alignment;
    group->decisions.push_back({true, describeOp(op), reason});
    return;
  }
  if (group)
    group->decisions.push_back({false, describeOp(op), reason});
  groups.push_back(std::make_unique<Group>());
  Group &fresh = *groups.back();
  fresh.ops.insert(op);
  fresh.last = op;
  fresh.isConcat = isa<tensor::ConcatOp>(op);
  fresh.isGiven = isa<ReplacedOp>(op);
  if (isReduction(op))
    fresh.root = op;
  unsigned rank = groupSizes(fresh).size();
  fresh.wholeLoops.resize(rank);
  for (unsigned loop = 0; loop < rank; ++loop)
    fresh.alignment[op].push_back(loop);
  if (!group && !reason.empty())
    fresh.decisions.push_back({false, describeOp(op), reason});
  if (auto replaced = dyn_cast<ReplacedOp>(op))
    explainReplaced(replaced, fresh);
  groupOf[op] = &fresh;
}

std::vector<Group> Grouper::run() {
  for (Operation &op : llvm::reverse(func.getBody().front())) {
    if (llvm::none_of(op.getUses(), readsContent) ||
        (!isComputeOp(&op) && !isa<tensor::ConcatOp, ReplacedOp>(op)))
      continue;
    // A constant is written down where it is read.
    if (isa<linalg::FillOp>(op) &&
        llvm::all_of(op.getUsers(),
                     [](Operation *user) { return isComputeOp(user); }))
      continue;
    place(&op);
  }
  std::vector<Group> ordered;
  for (std::unique_ptr<Group> &group : llvm::reverse(groups)) {
    SmallVector<Operation *> ops = group->ops.takeVector();
    group->ops.insert(ops.rbegin(), ops.rend());
    ordered.push_back(std::move(*group));
  }
  return ordered;
}

std::vector<Group> formGroups(func::FuncOp func) { return Grouper(func).run(); }

} // namespace tilewright::graph
