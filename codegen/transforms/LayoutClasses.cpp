//===- LayoutClasses.cpp - What a kernel's layouts are chosen from --------===//
#include "codegen/transforms/LayoutClasses.h"

#include "codegen/tilegpu/TileGpu.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewright::tilegpu {

using MaybeLayout = std::optional<layout::Layout>;

static bool isTile(Value value) {
  return isa<RankedTensorType>(value.getType());
}

LayoutTable::Id LayoutTable::idOf(const layout::Layout &layout) {
  auto [entry, isNew] = ids.try_emplace(layout, Id(layouts.size()));
  if (isNew)
    layouts.push_back(&entry->first);
  return entry->second;
}

//===--- Classes ----------------------------------------------------------===//

LayoutClasses::LayoutClasses(tile::KernelOp kernel) {
  collect(kernel);
  kernel.getBody()->walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (isTile(operand.get()))
        if (std::optional<unsigned> consumer = consumerOf(operand))
          all[*consumer].inputs.push_back(&operand);
  });
}

unsigned LayoutClasses::addClass(Operation *op, ValueRange tiles,
                                 bool isOfOperands) {
  unsigned index = unsigned(all.size());
  LayoutClass &made = all.emplace_back();
  made.op = op;
  made.isOfOperands = isOfOperands;
  made.tiles.assign(tiles.begin(), tiles.end());
  for (Value tile : tiles)
    ofTiles[tile] = index;
  if (op)
    ofOps[op] = index;
  return index;
}

void LayoutClasses::collect(tile::KernelOp kernel) {
  auto addCarried = [&](Value tile) {
    if (isTile(tile) && !ofTiles.contains(tile))
      addClass(nullptr, sameTile(tile), false);
  };
  kernel.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<scf::SCFDialect>(op->getDialect())) {
      for (Region &region : op->getRegions())
        for (BlockArgument argument : region.getArguments())
          addCarried(argument);
      for (Value result : op->getResults())
        addCarried(result);
      return;
    }
    const LayoutRelation &relation = layoutRelation(op);
    if (relation.isFree)
      return;
    auto access = dyn_cast<tile::ViewAccessOpInterface>(op);
    SmallVector<Value> tiles;
    llvm::copy_if(op->getResults(), std::back_inserter(tiles), isTile);
    if (relation.hasOwnOperands) {
      addClass(nullptr, tiles, false);
      addClass(op, {}, true);
      return;
    }
    if (!tiles.empty()) {
      // Results of which each has its own layout share the first one's.
      addClass(op, tiles,
               relation.isSettledByOperands && !relation.movesElements);
      return;
    }
    if (llvm::any_of(op->getOperands(), isTile) &&
        (relation.operandLayout || access))
      addClass(op, {}, true);
  });
}

std::optional<unsigned> LayoutClasses::classOf(Value tile) const {
  auto found = ofTiles.find(tile);
  return found == ofTiles.end() ? std::nullopt : std::optional(found->second);
}

std::optional<unsigned> LayoutClasses::consumerOf(OpOperand &operand) const {
  if (Value carried = carriedBy(operand))
    return classOf(carried);
  auto found = ofOps.find(operand.getOwner());
  if (found == ofOps.end())
    return std::nullopt;
  return found->second;
}

//===--- Candidates -------------------------------------------------------===//

/// A lookup of operands' layouts: all have `layout`.
static LayoutLookup ofOperands(Operation *op, const layout::Layout &layout) {
  return [op, &layout](Value value) -> MaybeLayout {
    return llvm::is_contained(op->getOperands(), value) ? MaybeLayout(layout)
                                                        : std::nullopt;
  };
}

static OpOperand &firstTile(Operation *op) {
  return *llvm::find_if(op->getOpOperands(), [](OpOperand &operand) {
    return isTile(operand.get());
  });
}

Value LayoutClass::inputTile() const { return firstTile(op).get(); }

/// The layout that results have if the class has `layout`.
MaybeLayout LayoutClasses::producedBy(const LayoutClass &made,
                                      const layout::Layout &layout) const {
  if (!made.isOfOperands || made.tiles.empty())
    return layout;
  // What the op itself demands of operands with this layout.
  LayoutLookup lookup = ofOperands(made.op, layout);
  MaybeLayout own = operandLayout(firstTile(made.op), lookup);
  if (own && *own != layout)
    return std::nullopt;
  return resultLayout(cast<OpResult>(made.tiles[0]), lookup);
}

bool LayoutClasses::isLegal(const LayoutClass &made,
                            const layout::Layout &layout) const {
  if (!made.op)
    return true;
  if (!takesLayout(made.op, layout))
    return false;
  if (layoutRelation(made.op).needsOperandLayout)
    return operandLayoutFor(made.op->getOpOperand(0), layout) != std::nullopt;
  return true;
}

void LayoutClasses::add(unsigned index, const layout::Layout &layout) {
  LayoutClass &made = all[index];
  if (made.isFixed || made.candidates.size() >= most)
    return;
  const Id id = table.idOf(layout);
  if (llvm::is_contained(made.candidates, id) || !isLegal(made, layout))
    return;
  MaybeLayout produced = producedBy(made, layout);
  if (!produced)
    return;
  made.candidates.push_back(id);
  made.produced.push_back(table.idOf(*produced));
  added.push_back({index, unsigned(made.candidates.size() - 1)});
}

/// The same; of a layout that the op does not take for its operands, what it
/// asks for instead.
void LayoutClasses::addNearest(unsigned index, const layout::Layout &layout) {
  Operation *op = all[index].op;
  const bool isFree =
      !op || !all[index].isOfOperands || isa<tile::ViewAccessOpInterface>(op);
  MaybeLayout own = isFree
                        ? std::nullopt
                        : operandLayout(firstTile(op), ofOperands(op, layout));
  add(index, own.value_or(layout));
}

void LayoutClasses::proposeToConsumer(OpOperand &use,
                                      const layout::Layout &layout) {
  std::optional<unsigned> index = consumerOf(use);
  if (!index)
    return;
  const LayoutClass &consumer = all[*index];
  Operation *op = consumer.op;
  if (!op || consumer.isOfOperands)
    return addNearest(*index, layout);
  const LayoutLookup lookup = [&](Value value) {
    return value == use.get() ? MaybeLayout(layout) : std::nullopt;
  };
  if (MaybeLayout result =
          resultLayout(cast<OpResult>(consumer.tiles[0]), lookup))
    add(*index, *result);
}

void LayoutClasses::proposeToProducer(Value tile,
                                      const layout::Layout &layout) {
  std::optional<unsigned> index = classOf(tile);
  if (!index)
    return;
  const LayoutClass &producer = all[*index];
  if (!producer.isOfOperands)
    return add(*index, layout);
  if (MaybeLayout own = operandLayoutFor(firstTile(producer.op), layout))
    add(*index, *own);
}

std::optional<LayoutClasses::Id>
LayoutClasses::demanded(unsigned index, unsigned candidate, OpOperand &input) {
  const LayoutClass &made = all[index];
  const Id own = made.candidates[candidate];
  if (!made.op || made.isOfOperands)
    return own;
  MaybeLayout layout = operandLayoutFor(input, table[own]);
  return layout ? std::optional(table.idOf(*layout)) : std::nullopt;
}

void LayoutClasses::propagate() {
  while (!added.empty()) {
    auto [index, candidate] = added.front();
    added.pop_front();
    const layout::Layout &produced = table[all[index].produced[candidate]];
    for (Value tile : all[index].tiles)
      for (OpOperand &use : tile.getUses())
        proposeToConsumer(use, produced);
    for (OpOperand *input : all[index].inputs)
      if (std::optional<Id> layout = demanded(index, candidate, *input))
        proposeToProducer(input->get(), table[*layout]);
  }
}

void LayoutClasses::propose(unsigned index, const layout::Layout &layout) {
  addNearest(index, layout);
  propagate();
}

void LayoutClasses::propose(tile::ViewAccessOpInterface op,
                            const layout::Layout &layout) {
  propose(ofOps.at(op), layout);
}

void LayoutClasses::fix(Value tile, ArrayRef<layout::Layout> layouts) {
  const unsigned index = ofTiles.at(tile);
  LayoutClass &made = all[index];
  made.candidates.clear();
  made.produced.clear();
  for (const layout::Layout &layout : layouts)
    addNearest(index, layout);
  made.isFixed = true;
  propagate();
}

} // namespace tilewright::tilegpu
