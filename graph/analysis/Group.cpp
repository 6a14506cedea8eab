//===- Group.cpp - Ops that one kernel computes ---------------------------===//
#include "graph/analysis/Group.h"
#include "graph/analysis/Blocks.h"

#include "graph/analysis/Access.h"
#include "graph/analysis/Grouping.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tilewright::graph {

Group::Group(Operation *last)
    : last(last), isConcat(isa<tensor::ConcatOp>(last)),
      isAlone(hasOwnKernels(last)), isGiven(isa<CompositeOp>(last)) {
  ops.insert(last);
  if (isReduction(last)) {
    root = last;
    takeAttention(last);
  }
  unsigned rank = sizes().size();
  wholeLoops.resize(rank);
  alignment[last] = llvm::to_vector<4>(llvm::seq<int>(0, int(rank)));
  scanWhole(last);
}

void Group::takeAttention(Operation *op) {
  std::string reason;
  if (op->hasAttr(kAttentionAttr))
    attention = matchAttention(cast<linalg::GenericOp>(op), reason);
}

/// A row is scanned by one program.
void Group::scanWhole(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  std::optional<Prefixes> prefixes =
      generic ? matchPrefixes(generic) : std::nullopt;
  if (!prefixes)
    return;
  if (int loop = alignment[op][prefixes->dim]; loop >= 0)
    wholeLoops.set(unsigned(loop));
}

void Group::join(Operation *op) {
  if (isInAttention(op)) {
    ops.insert(op);
    return;
  }
  std::optional<Alignment> own = align(op);
  ops.insert(op);
  if (!own)
    return;
  alignment[op] = *own;
  if (!isReduction(op))
    return;
  llvm::SmallBitVector repeated = repeatedLoops(*own);
  if (repeated.any() || wholeLoops.any())
    wholeLoops |= repeated;
  else if (!root) {
    root = op;
    takeAttention(op);
  }
  scanWhole(op);
}

bool Group::hasLongRows() const {
  if (wholeLoops.none())
    return false;
  return !elementsHeld(sizesOf(wholeLoops)) ||
         llvm::any_of(ops, [](Operation *op) {
           return isReduction(op) && !rowElements(cast<linalg::GenericOp>(op));
         });
}

bool Group::hasRowsOfRoot() const {
  return root && !attention && llvm::any_of(ops, [&](Operation *op) {
           return op != root && isReduction(op);
         });
}

std::optional<unsigned> Group::partsDim() const {
  auto generic = dyn_cast_or_null<linalg::GenericOp>(root);
  std::optional<unsigned> loop =
      generic ? partsLoop(generic) : std::optional<unsigned>();
  auto known = alignment.find(root);
  if (!loop || known == alignment.end())
    return std::nullopt;
  AffineMap out = generic.getIndexingMapsArray().back();
  for (auto [subscript, dim] : llvm::zip(out.getResults(), known->second))
    if (subscript.isFunctionOfDim(*loop) && dim >= 0)
      return unsigned(dim);
  return std::nullopt;
}

Group Group::of(GroupOp op) {
  Operation *last = op.getYielded().front().getDefiningOp();
  Group group(last);
  SmallVector<Operation *> joined;
  for (Operation &inner : op.getBody().front().without_terminator())
    if (&inner != last && !isWrittenDown(&inner))
      joined.push_back(&inner);
  for (Operation *inner : llvm::reverse(joined))
    group.join(inner);
  for (Value yielded : op.getYielded())
    if (yielded.getDefiningOp() != last)
      group.alsoStored.push_back(yielded);
  group.ops.clear();
  group.ops.insert(joined.begin(), joined.end());
  group.ops.insert(last);
  return group;
}

size_t Group::kernelCount() const {
  if (isConcat)
    return inputsOfKernels().size();
  // One copies the data, and others put the updates into the copy: a set whose
  // updates may meet first finds the last one of each element.
  if (auto scatter = dyn_cast<ScatterOp>(last))
    return scatter.getOwners() ? 4 : 2;
  return 1;
}

/// Whether a divisor of the size is at least a seventh of whatever tile a
/// program can hold: no prime factor is greater.
static bool dividesIntoTiles(int64_t size) {
  if (ShapedType::isDynamic(size) || size < 1)
    return false;
  for (int64_t factor : {2, 3, 5, 7})
    while (size % factor == 0)
      size /= factor;
  return size == 1;
}

std::vector<SmallVector<unsigned>> Group::inputsOfKernels() const {
  // A program holds a tile of each.
  constexpr size_t mostInputs = 4;
  std::vector<SmallVector<unsigned>> kernels;
  int64_t sizeBefore = ShapedType::kDynamic;
  auto concat = cast<tensor::ConcatOp>(last);
  for (auto [input, value] : llvm::enumerate(concat.getInputs())) {
    const int64_t size =
        cast<RankedTensorType>(value.getType()).getDimSize(concat.getDim());
    if (size == sizeBefore && dividesIntoTiles(size) &&
        kernels.back().size() < mostInputs)
      kernels.back().push_back(unsigned(input));
    else
      kernels.push_back({unsigned(input)});
    sizeBefore = size;
  }
  return kernels;
}

Group Group::partOf(ArrayRef<unsigned> inputs) const {
  Group part = *this;
  llvm::SetVector<Operation *> wanted;
  auto pending = llvm::map_to_vector(
      inputs, [&](unsigned input) { return last->getOperand(input); });
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val().getDefiningOp();
    if (op && ops.contains(op) && wanted.insert(op))
      llvm::append_range(pending, op->getOperands());
  }
  part.ops.remove_if(
      [&](Operation *op) { return op != last && !wanted.contains(op); });
  return part;
}

SmallVector<Value> Group::results() const {
  if (auto op = dyn_cast<GroupOp>(last->getParentOp()))
    return llvm::to_vector(op.getYielded());
  SmallVector<Value> used;
  // Some write memory that only they, or other kernels of the group, read.
  const bool needsAll = isa<DigitScatterOp, ScatterOp>(last);
  for (OpResult result : last->getResults())
    if (needsAll || !result.use_empty())
      used.push_back(result);
  if (used.empty() && last->getNumResults() != 0)
    used.push_back(last->getResult(0));
  used.append(alsoStored);
  return used;
}

ArrayRef<int64_t> Group::sizes() const {
  if (last->getNumResults() == 0)
    return {};
  return cast<RankedTensorType>(result().getType()).getShape();
}

SmallVector<int64_t> Group::sizesOf(const llvm::SmallBitVector &loops) const {
  SmallVector<int64_t> chosen;
  for (unsigned loop : loops.set_bits())
    chosen.push_back(sizes()[loop]);
  return chosen;
}

Alignment loopsBehind(linalg::GenericOp op, const Alignment &result) {
  Alignment loops(op.getNumLoops(), -1);
  AffineMap out = op.getIndexingMapsArray().back();
  for (auto [dim, subscript] : llvm::enumerate(out.getResults()))
    if (auto loop = dyn_cast<AffineDimExpr>(subscript))
      loops[loop.getPosition()] = result[dim];
  return loops;
}

std::optional<Alignment> alignBySubscripts(AffineMap subscripts,
                                           ArrayRef<int> loops) {
  Alignment own;
  for (AffineExpr subscript : subscripts.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(subscript);
    if (!dim && !isa<AffineConstantExpr>(subscript))
      return std::nullopt;
    own.push_back(dim ? loops[dim.getPosition()] : -1);
  }
  return own;
}

/// What a reduction along whole rows reads follows the loops of its result, and
/// those of the rows, which are in the order of the reduction's own.
std::optional<Alignment> Group::alignThroughRow(linalg::GenericOp reader,
                                                OpOperand &use) const {
  auto known = alignment.find(reader);
  if (known == alignment.end())
    return std::nullopt;
  const llvm::SmallBitVector rows = repeatedLoops(known->second);
  if (rows.none() || rows.count() != reader.getNumReductionLoops())
    return std::nullopt;
  int row = rows.find_first();
  SmallVector<int64_t> ranges = reader.getStaticLoopRanges();
  Alignment loops = loopsBehind(reader, known->second);
  for (auto [loop, kind] : llvm::enumerate(reader.getIteratorTypesArray())) {
    if (kind != utils::IteratorType::reduction)
      continue;
    if (ShapedType::isDynamic(ranges[loop]) || ranges[loop] != sizes()[row])
      return std::nullopt;
    loops[loop] = row;
    row = rows.find_next(row);
  }
  return alignBySubscripts(reader.getMatchingIndexingMap(&use), loops);
}

std::optional<Alignment> Group::align(Operation *op) const {
  std::optional<Alignment> common, throughRows;
  for (OpOperand &use : op->getUses()) {
    const bool isOutside = use.getOwner()->getBlock() == op->getBlock() &&
                           !ops.contains(use.getOwner());
    if (isOutside || !readsContent(use))
      continue;
    auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
    // A reduction along a whole row reads the tile that is there anyway.
    if (reader && isReduction(reader) && reader != root) {
      if (!throughRows)
        throughRows = alignThroughRow(reader, use);
      continue;
    }
    if (!reader || !isElementwise(reader) || !reader.isDpsInput(&use))
      return std::nullopt;
    auto known = alignment.find(reader);
    if (known == alignment.end())
      return std::nullopt;
    std::optional<Alignment> own =
        alignBySubscripts(reader.getMatchingIndexingMap(&use),
                          loopsBehind(reader, known->second));
    if (!own || (common && *common != *own))
      return std::nullopt;
    common = own;
  }
  return common ? common : throughRows;
}

llvm::SmallBitVector Group::repeatedLoops(const Alignment &alignment) const {
  llvm::SmallBitVector repeated(sizes().size(), true);
  for (int loop : alignment)
    if (loop >= 0)
      repeated.reset(loop);
  for (auto [loop, size] : llvm::enumerate(sizes()))
    if (size == 1)
      repeated.reset(loop);
  return repeated;
}

/// What setDecisions() wrote.
static std::vector<FusionDecision> decisionsOf(Operation *op) {
  std::vector<FusionDecision> decisions;
  auto all = op->getAttrOfType<ArrayAttr>(kDecisionsAttr);
  if (!all)
    return decisions;
  for (Attribute each : all) {
    auto decision = dyn_cast<DictionaryAttr>(each);
    auto text = [&](StringRef key) {
      auto value = decision ? decision.getAs<StringAttr>(key) : StringAttr();
      return value ? value.str() : std::string();
    };
    decisions.push_back({decision && decision.getAs<UnitAttr>("taken"),
                         text("op"), text("reason")});
  }
  return decisions;
}

void setDecisions(Operation *op, ArrayRef<FusionDecision> decisions) {
  Builder b(op->getContext());
  SmallVector<Attribute> all;
  for (const FusionDecision &decision : decisions) {
    SmallVector<NamedAttribute> parts = {
        b.getNamedAttr("op", b.getStringAttr(decision.op)),
        b.getNamedAttr("reason", b.getStringAttr(decision.reason))};
    if (decision.taken)
      parts.push_back(b.getNamedAttr("taken", b.getUnitAttr()));
    all.push_back(b.getDictionaryAttr(parts));
  }
  op->setAttr(kDecisionsAttr, b.getArrayAttr(all));
}

std::vector<Group> groupsOf(func::FuncOp func) {
  std::vector<Group> groups;
  for (Operation *op : graphOps(func)) {
    if (auto group = dyn_cast<GroupOp>(op))
      groups.push_back(Group::of(group));
    else if (isa<CompositeOp>(op))
      groups.emplace_back(op);
    else
      continue;
    groups.back().decisions = decisionsOf(op);
  }
  return groups;
}

bool isWrittenDown(Operation *op) {
  if (isa<arith::ConstantOp>(op))
    return !isa<TensorType>(op->getResult(0).getType()) ||
           isSplatConstant(op->getResult(0));
  return isa<tensor::EmptyOp, linalg::FillOp>(op);
}

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
    if (auto replaced = dyn_cast<CompositeOp>(op))
      for (Operation &inner : replaced.getBody().front())
        add(&inner);
    else
      add(op);
  return names;
}

} // namespace tilewright::graph
