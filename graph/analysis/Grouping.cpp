//===- Grouping.cpp - Which graph ops become one kernel -------------------===//
#include "graph/analysis/Grouping.h"
#include "graph/analysis/Blocks.h"

#include "graph/analysis/Access.h"
#include "graph/analysis/Recomputation.h"
#include "graph/analysis/StoredResults.h"
#include "graph/analysis/Targets.h"
#include "graph/ir/Graph.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tilewright::graph {

namespace {
/// Who reads an op, among what was placed so far.
struct Readers {
  /// The kernel that reads tiles of the op before any other kernel runs that
  /// reads it; null where none does.
  Group *first = nullptr;
  /// Why others need it in memory; empty where none does.
  std::string inMemory;
};

class Grouper {
public:
  /// `refusals`: what no kernel stores because it reads it; null: nothing is.
  Grouper(Block &block, const StoreRefusals *refusals)
      : block(block), refusals(refusals),
        isForCpus(
            isForCpusAlone(block.getParentOp()->getParentOfType<ModuleOp>())) {}
  std::vector<Group> run();

private:
  void place(Operation *op);
  Readers readersOf(Operation *op) const;
  bool mayJoin(Operation *op, const Group &group, std::string &reason) const;
  bool joinsConcat(Operation *op, const Group &group,
                   std::string &reason) const;
  bool joinsStored(Operation *op, const Group &group,
                   std::string &reason) const;
  bool isRefused(Operation *op, std::string &reason) const;
  bool isWorthTiles(Operation *op, const Group &group, bool isStored,
                    std::string &reason);
  bool readsOnRootPath(Operation *op, const Group &group) const;

  Block &block;
  const StoreRefusals *refusals;
  /// Threads of a GPU would copy what they share of a step as it is.
  const bool isForCpus;
  std::vector<std::unique_ptr<Group>> groups; // in reverse program order
  DenseMap<Operation *, Group *> groupOf;
  DenseMap<const Group *, GroupTiles> tilesOf;
};
} // namespace

/// Whether a scatter reads indices that its kernels compute themselves.
static bool isCountedIndex(OpOperand &use) {
  auto scatter = dyn_cast<ScatterOp>(use.getOwner());
  return scatter && llvm::is_contained(scatter.getIndices(), use.get()) &&
         isCounted(use.get().getDefiningOp());
}

/// Why this reader of a result needs all of it in memory; empty for one that
/// reads it tile by tile.
static StringRef reasonForMemory(Operation *reader, bool isNested,
                                 const Group *group) {
  if (isBranchOrLoop(reader))
    return "a branch or a loop reads it from memory";
  if (isNested)
    return "it is gathered from";
  if (isa<func::ReturnOp>(reader))
    return "it is a result of the model";
  if (reader->hasTrait<OpTrait::IsTerminator>())
    return "a branch or a loop yields it";
  if (!group)
    return "a reshape needs it in memory";
  if (group->isAlone && !group->isConcat)
    return "a kernel of its own reads it from memory";
  return group->isGiven ? "the user's kernel reads it from memory" : "";
}

Readers Grouper::readersOf(Operation *op) const {
  Readers readers;
  llvm::SmallPtrSet<Group *, 4> byTile, fromMemory;
  // The first branch or loop that reads it: it is in memory by then.
  Operation *region = nullptr;
  // The op, then the views through which its memory is read.
  SmallVector<Operation *> pending{op};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!pending.empty()) {
    Operation *read = pending.pop_back_val();
    for (OpOperand &use : read->getUses()) {
      // Sizes of tensors are read from shapes, never from the data.
      if (!readsContent(use))
        continue;
      Operation *user = block.findAncestorOpInBlock(*use.getOwner());
      Group *group = groupOf.lookup(user);
      if (!group && seen.insert(user).second)
        pending.push_back(user);
      if (isBranchOrLoop(user) && (!region || user->isBeforeInBlock(region)))
        region = user;
      StringRef reason =
          isCountedIndex(use)
              ? ""
              : reasonForMemory(user, user != use.getOwner(), group);
      if (read == op && !reason.empty() && readers.inMemory.empty())
        readers.inMemory = reason;
      if (group)
        (read == op && reason.empty() ? byTile : fromMemory).insert(group);
    }
  }
  auto isBefore = [](Group *group, Group *other) {
    return group != other && group->last->isBeforeInBlock(other->last);
  };
  for (Group *group : byTile)
    if (!readers.first || isBefore(group, readers.first))
      readers.first = group;
  if (byTile.size() > 1 && readers.inMemory.empty())
    readers.inMemory = "other kernels read it too";
  if (readers.first &&
      ((region && !readers.first->last->isBeforeInBlock(region)) ||
       !llvm::all_of(fromMemory, [&](Group *group) {
         return isBefore(readers.first, group);
       })))
    readers.first = nullptr;
  return readers;
}

std::optional<int64_t> elementsHeld(ArrayRef<int64_t> sizes) {
  int64_t elements = 1;
  for (int64_t size : sizes) {
    if (ShapedType::isDynamic(size) || size > maxRowElements ||
        elements * size > maxRowElements)
      return std::nullopt;
    elements *= size;
  }
  return elements;
}

std::optional<int64_t> rowElements(linalg::GenericOp op) {
  SmallVector<int64_t> reduced;
  for (auto [size, kind] :
       llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction)
      reduced.push_back(size);
  return elementsHeld(reduced);
}

/// Does an op of the group read `op`, directly or through inlined producers,
/// as an input of the group's root?
bool Grouper::readsOnRootPath(Operation *op, const Group &group) const {
  for (Operation *user : op->getUsers()) {
    user = block.findAncestorOpInBlock(*user);
    if (!group.ops.contains(user))
      continue;
    if (user == group.root || !group.alignment.contains(user))
      return true;
  }
  return false;
}

/// Whether there are programs enough if each takes whole rows along `whole`. A
/// number that is known only at run time counts for many.
static bool hasManyRows(const Group &group, const llvm::SmallBitVector &whole) {
  int64_t rows = 1;
  for (auto [loop, size] : llvm::enumerate(group.sizes()))
    if (!whole.test(loop))
      rows *= ShapedType::isDynamic(size) ? manyRows : std::min(size, manyRows);
  return rows >= manyRows;
}

/// Whether each program may take the rows along which `op` reduces.
static bool mayJoinAsRow(linalg::GenericOp op, const Group &group,
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
  llvm::SmallBitVector whole = group.wholeLoops;
  whole |= repeated;
  if (rowElements(op) && elementsHeld(group.sizesOf(whole))) {
    reason = "each program holds the whole row";
    return true;
  }
  if (matchAccumulation(op) && hasManyRows(group, whole) &&
      llvm::all_of(group.ops, [](Operation *other) {
        return !isReduction(other) ||
               matchAccumulation(cast<linalg::GenericOp>(other));
      })) {
    reason = "each program walks whole rows piece by piece";
    return true;
  }
  reason = "its row is longer than a program can hold, or its length is known "
           "only at run time";
  return false;
}

/// For each dimension of the op's result the loop of the root that it follows,
/// -1 for one of size 1: where the root reads it, itself or through elementwise
/// ops. Nothing where readers differ, or others read it.
static std::optional<Alignment> loopsOfRoot(Operation *op, const Group &group) {
  std::optional<Alignment> common;
  for (OpOperand &use : op->getUses()) {
    if (!readsContent(use))
      continue;
    auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!reader || !group.ops.contains(reader) || !reader.isDpsInput(&use))
      return std::nullopt;
    // Behind the root it is read where the result is.
    if (reader != group.root && group.alignment.contains(reader))
      continue;
    std::optional<Alignment> ofReader;
    if (reader == group.root)
      ofReader = llvm::to_vector<4>(llvm::seq<int>(0, reader.getNumLoops()));
    else if (isElementwise(reader))
      if (std::optional<Alignment> result = loopsOfRoot(reader, group))
        ofReader = loopsBehind(reader, *result);
    std::optional<Alignment> own =
        ofReader
            ? alignBySubscripts(reader.getMatchingIndexingMap(&use), *ofReader)
            : std::nullopt;
    if (!own || (common && *common != *own))
      return std::nullopt;
    common = own;
  }
  return common;
}

/// Whether `op` and the root may both reduce whole rows, which one program
/// holds.
static bool mayReduceRows(linalg::GenericOp op, const Group &group) {
  auto root = dyn_cast_or_null<linalg::GenericOp>(group.root);
  return root && group.wholeLoops.none() &&
         llvm::all_of(ArrayRef({root, op}), [](linalg::GenericOp each) {
           return matchAccumulation(each) && rowElements(each) &&
                  !isContraction(each) && windowLoops(each).none() &&
                  !matchPrefixes(each);
         });
}

/// Whether the root reads a value of each row that `op` reduces before it
/// reduces the row itself: one program holds whole rows for both.
static bool mayJoinBeforeRoot(linalg::GenericOp op, const Group &group) {
  if (!mayReduceRows(op, group))
    return false;
  std::optional<Alignment> loops = loopsOfRoot(op, group);
  SmallVector<utils::IteratorType> kinds =
      cast<linalg::GenericOp>(group.root).getIteratorTypesArray();
  return loops && llvm::all_of(*loops, [&](int loop) {
           return loop < 0 || kinds[loop] == utils::IteratorType::parallel;
         });
}

static bool mayJoinAsRoot(linalg::GenericOp op, const Group &group,
                          std::string &reason) {
  std::optional<Alignment> alignment = group.align(op);
  if (!alignment) {
    const bool holdsRows = mayJoinBeforeRoot(op, group);
    reason = holdsRows ? "each program holds the whole row"
                       : "its result is read again by other tiles";
    return holdsRows;
  }
  llvm::SmallBitVector repeated = group.repeatedLoops(*alignment);
  if (repeated.any() || group.wholeLoops.any()) {
    if (matchPrefixes(op)) {
      reason = "its rows are scanned by a kernel of its own";
      return false;
    }
    if (isContraction(op)) {
      reason = "a contraction would be computed again for each tile";
      return false;
    }
    return mayJoinAsRow(op, group, repeated, reason);
  }
  if (group.root) {
    // A program that held whole columns would read few neighbours.
    const bool holdsRows =
        mayReduceRows(op, group) && reducesNeighbours(op) &&
        reducesNeighbours(cast<linalg::GenericOp>(group.root));
    reason = holdsRows ? "each program holds the whole row"
                       : "the kernel has a root already";
    return holdsRows;
  }
  reason = isContraction(op) && !isMatrixProduct(op)
               ? "the root, multiplied and added as it is no product of "
                 "matrices: its consumers work on its tile"
               : "the root: its consumers work on its tile";
  return true;
}

/// Whether an elementwise op, or what it reads likewise, reads each element of
/// a reduction's result once, as nothing else does: the reduction's kernel
/// could store this op's result in its place.
static bool continuesReduction(Operation *op) {
  SmallVector<Operation *> pending{op};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!pending.empty()) {
    auto reader = dyn_cast<linalg::GenericOp>(pending.pop_back_val());
    if (!reader || !isElementwise(reader) || !seen.insert(reader).second)
      continue;
    for (OpOperand *input : reader.getDpsInputOperands()) {
      Operation *source = input->get().getDefiningOp();
      if (!source || !reader.getMatchingIndexingMap(input).isPermutation() ||
          llvm::count_if(source->getUses(), readsContent) != 1)
        continue;
      if (isReduction(source))
        return true;
      pending.push_back(source);
    }
  }
  return false;
}

/// Whether all that read the elementwise op make the queries of the attention:
/// the first operand of its scores, which a program reads once.
static bool makesQueries(Operation *op, const Group &group) {
  linalg::GenericOp scores = group.attention->scores;
  return isElementwise(op) && llvm::all_of(op->getUses(), [&](OpOperand &use) {
           Operation *reader = use.getOwner();
           return !readsContent(use) || &use == scores.getDpsInputOperand(0) ||
                  (group.ops.contains(reader) && isElementwise(reader) &&
                   !group.isInAttention(reader) &&
                   !group.alignment.contains(reader) &&
                   makesQueries(reader, group));
         });
}

bool Grouper::mayJoin(Operation *op, const Group &group,
                      std::string &reason) const {
  if (group.isInAttention(op)) {
    reason = "a part of the attention, block by block of the keys";
    return true;
  }
  if (!llvm::all_of(op->getUses(), [&](OpOperand &use) {
        return !group.ops.contains(use.getOwner()) || isStructuredRead(use);
      })) {
    reason = "it is read through subscripts that no tile load has";
    return false;
  }
  if (group.ops.size() >= maxGroupOps) {
    reason = "the kernel has " + std::to_string(maxGroupOps) + " ops already";
    return false;
  }
  if (isa<CompositeOp>(op)) {
    reason = "its kernel was given by the user";
    return false;
  }
  if (isa<tensor::ConcatOp>(op)) {
    reason = "its inputs have kernels of their own";
    return false;
  }
  if (hasOwnKernels(op)) {
    reason = "kernels of its own compute it";
    return false;
  }
  if (group.isConcat)
    return joinsConcat(op, group, reason);
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
  if (group.attention && makesQueries(op, group) && !continuesReduction(op)) {
    reason = "computed once, where a program reads its queries";
    return true;
  }
  if (onRootPath && isContraction(group.root) && isForCpus &&
      decompresses(dyn_cast<linalg::GenericOp>(op))) {
    reason = "constants of fewer bytes, which a step of the contraction reads";
    return true;
  }
  if (onRootPath && isContraction(group.root)) {
    reason = "each tile of the contraction would compute it again";
    return false;
  }
  if (onRootPath && windowLoops(cast<linalg::GenericOp>(group.root)).any()) {
    reason = "overlapping windows would compute it again";
    return false;
  }
  if (onRootPath && continuesReduction(op)) {
    reason = "the kernel that reduces its operand stores it for as much";
    return false;
  }
  reason = onRootPath ? "computed where the reduction reads it"
                      : "same iteration space";
  return true;
}

/// The decisions of a group with a user's kernel: one for each of the
/// frontend's nodes in the body.
static void explainReplaced(CompositeOp op, Group &group) {
  std::string reason =
      "replaced by @" + op.getKernel().str() + ", given by the user";
  for (const std::string &node : nodesOf(group))
    group.decisions.push_back({true, node, reason});
}

bool Grouper::isRefused(Operation *op, std::string &reason) const {
  if (!refusals)
    return true;
  auto known = refusals->find(op);
  if (known == refusals->end())
    return false;
  reason = known->second;
  return true;
}

/// Whether the kernel of one input of a concatenation computes the op, where it
/// stores its part of the result.
bool Grouper::joinsConcat(Operation *op, const Group &group,
                          std::string &reason) const {
  reason = "a concatenation copies it";
  if (!isElementwise(op) && !isa<tensor::PadOp, tensor::ExtractSliceOp>(op))
    return false;
  unsigned kernels = 0;
  for (ArrayRef<unsigned> inputs : group.inputsOfKernels()) {
    const Group part = group.partOf(inputs);
    const bool reads =
        llvm::any_of(inputs,
                     [&](unsigned input) {
                       return group.last->getOperand(input).getDefiningOp() ==
                              op;
                     }) ||
        llvm::any_of(op->getUsers(), [&](Operation *user) {
          return user != group.last && part.ops.contains(user);
        });
    kernels += reads ? 1 : 0;
  }
  if (kernels != 1) {
    reason = "several kernels of the concatenation would compute it";
    return false;
  }
  if (isRefused(op, reason))
    return false;
  reason = "computed where its part of the result is stored";
  return true;
}

/// Whether the group may store the op, which it may take in.
bool Grouper::joinsStored(Operation *op, const Group &group,
                          std::string &reason) const {
  return !isRefused(op, reason) && mayStore(op, group, reason);
}

/// What an element of the op costs if its operands are in memory.
static int64_t priceFromMemory(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic)
    return isa<linalg::FillOp>(op) ? 0 : loadPrice;
  int64_t price = bodyPrice(generic);
  for (OpOperand *input : generic.getDpsInputOperands()) {
    Operation *source = input->get().getDefiningOp();
    if (!generic.getMatchingBlockArgument(input).use_empty() &&
        (!source || !isWrittenDown(source)))
      price += loadPrice;
  }
  return price;
}

/// Whether the kernel may compute all tiles of the op that the group wants,
/// which a kernel of its own would compute once.
bool Grouper::isWorthTiles(Operation *op, const Group &group, bool isStored,
                           std::string &reason) {
  // All readers of a reduction want one tile, and those in an attention.
  if (isReduction(op) || group.isInAttention(op))
    return true;
  // Each is code of its own.
  constexpr size_t mostTiles = 16;
  GroupTiles &tiles = tilesOf.find(&group)->second;
  const SmallVector<GroupTiles::Tile, 2> wanted = tiles.wanted(op);
  if (wanted.size() <= 1)
    return true;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  double times = 0;
  for (const GroupTiles::Tile &tile : wanted)
    times += tiles.shareOf(tile, type);
  if (wanted.size() <= mostTiles &&
      isCheaperAgain(times, priceFromMemory(op), type, isStored))
    return true;
  reason = "the kernel would compute " + std::to_string(wanted.size()) +
           " tiles of it for one of its own";
  return false;
}

/// Why the softmax that a product multiplies is not in its kernel.
static void explainAttention(Operation *product, Group &group) {
  if (auto reason = product->getAttrOfType<StringAttr>(kNoAttentionAttr))
    group.decisions.push_back(
        {false, describeOp(product->getOperand(0).getDefiningOp()),
         "no attention in one kernel: " + reason.str()});
}

void Grouper::place(Operation *op) {
  Readers readers = readersOf(op);
  Group *group = readers.first;
  const bool isStored = !readers.inMemory.empty();
  std::string reason;
  if (group && mayJoin(op, *group, reason) &&
      (!isStored || joinsStored(op, *group, reason)) &&
      isWorthTiles(op, *group, isStored, reason)) {
    group->join(op);
    if (!group->isInAttention(op))
      tilesOf.find(group)->second.join(op);
    groupOf[op] = group;
    if (isStored) {
      reason += "; stored: " + readers.inMemory;
      for (OpResult result : op->getResults())
        if (llvm::any_of(result.getUses(), [&](OpOperand &use) {
              return readsContent(use) &&
                     groupOf.lookup(
                         block.findAncestorOpInBlock(*use.getOwner())) != group;
            }))
          group->alsoStored.push_back(result);
    }
    group->decisions.push_back({true, describeOp(op), reason});
    explainAttention(op, *group);
    return;
  }
  if (group)
    group->decisions.push_back({false, describeOp(op), reason});
  groups.push_back(std::make_unique<Group>(op));
  Group &fresh = *groups.back();
  if (isStored)
    fresh.decisions.push_back({false, describeOp(op), readers.inMemory});
  if (auto replaced = dyn_cast<CompositeOp>(op))
    explainReplaced(replaced, fresh);
  explainAttention(op, fresh);
  groupOf[op] = &fresh;
  tilesOf.try_emplace(&fresh, fresh);
}

std::vector<Group> Grouper::run() {
  for (Operation &op : llvm::reverse(block)) {
    if (llvm::none_of(op.getUses(), readsContent) ||
        (!isComputeOp(&op) && !hasOwnKernels(&op) && !isa<CompositeOp>(op)))
      continue;
    // A constant is written down where it is read.
    if (isa<linalg::FillOp>(op) &&
        llvm::all_of(op.getUsers(), [](Operation *user) {
          return isComputeOp(user) || isa<tensor::ConcatOp>(user);
        }))
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

std::vector<Group> formGroups(Block &block) {
  StoreRefusals refusals;
  auto withoutStores = [&] {
    return peakMemory(Grouper(block, nullptr).run());
  };
  while (true) {
    std::vector<Group> groups = Grouper(block, &refusals).run();
    if (!refuseStores(groups, withoutStores, refusals))
      return groups;
  }
}

} // namespace tilewright::graph
