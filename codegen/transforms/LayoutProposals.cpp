//===- LayoutProposals.cpp - Layouts that ops would have ------------------===//
#include "codegen/transforms/LayoutProposals.h"

#include "codegen/tilegpu/Fiber.h"
#include "codegen/tilegpu/MatrixProduct.h"
#include "codegen/tilegpu/TileGpu.h"
#include "codegen/transforms/Instructions.h"
#include "codegen/transforms/OpCosts.h"
#include <limits>
#include <set>

using namespace mlir;

namespace tilewright::tilegpu {

/// Which repeats may be dealt to warps: all, where each op works on such
/// layouts; those along one dimension, where the others only reduce; none,
/// where some op would convert them. Warps that are no power of two share
/// tiles only so.
static layout::Dealing dealingOf(tile::KernelOp kernel, unsigned warps) {
  auto worst = DealtLayouts::any;
  kernel.walk(
      [&](Operation *op) { worst = std::max(worst, dealtLayouts(op)); });
  switch (worst) {
  case DealtLayouts::any:
    return layout::Dealing::any;
  case DealtLayouts::separable:
    return layout::Dealing::separable;
  case DealtLayouts::converted:
    return llvm::isPowerOf2_32(warps) ? layout::Dealing::none
                                      : layout::Dealing::separable;
  case DealtLayouts::none:
    return layout::Dealing::none;
  }
  llvm_unreachable("unknown kind of relation");
}

LayoutProposals::LayoutProposals(tile::KernelOp kernel,
                                 const schedule::GpuSchedule &schedule)
    : kernel(kernel), warps(schedule.warps), vectorBits(schedule.vectorBits),
      isInstructionGiven(schedule.instruction != 0),
      dealing(dealingOf(kernel, schedule.warps)) {
  kernel.walk([&](tile::TransposeOp op) {
    isTransposing |= llvm::any_of(
        op->getUsers(), [](Operation *user) { return !instructionOf(user); });
  });
}

/// Loads, stores and updates, those of the largest tiles first.
SmallVector<tile::ViewAccessOpInterface> LayoutProposals::accesses() {
  SmallVector<tile::ViewAccessOpInterface> result;
  kernel.walk(
      [&](tile::ViewAccessOpInterface access) { result.push_back(access); });
  llvm::stable_sort(result, [](auto a, auto b) {
    return a.getTile().getType().getNumElements() >
           b.getTile().getType().getNumElements();
  });
  return result;
}

/// What is done for each element of a tile: the ops on tiles of its size, and
/// its load and store.
int64_t LayoutProposals::slotsOfRegister(RankedTensorType tile) {
  constexpr int64_t moves = 3;
  int64_t slots = moves;
  kernel.walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (RankedTensorType made = tileType(result);
          made && made.getNumElements() == tile.getNumElements() &&
          !layoutRelation(op).isRenaming)
        slots += costOf(op).slots;
  });
  return slots;
}

layout::CoalescedParameters
LayoutProposals::parametersOf(Value tile, const ElementOrder &memory) {
  RankedTensorType type = tileType(tile);
  unsigned bits = tilegpu::elementBits(type.getElementType());
  layout::CoalescedParameters parameters;
  parameters.shape = tilegpu::toDims(type.getShape());
  parameters.elementBits = bits;
  parameters.warps = warps;
  parameters.order = memory.order;
  parameters.dealing = dealing;
  parameters.slotsOfRegister = slotsOfRegister(type);
  parameters.hasBlocks = isTransposing;
  parameters.vectorBits = std::min<int64_t>(
      vectorBits, bits * std::max<int64_t>(memory.contiguous, 1));
  return parameters;
}

layout::Layout LayoutProposals::rowMajor(Value tile, bool mayBeDealt) {
  ElementOrder memory;
  memory.order = layout::rowMajorOrder(tileType(tile).getRank());
  layout::CoalescedParameters parameters = parametersOf(tile, memory);
  if (!mayBeDealt)
    parameters.dealing = layout::Dealing::none;
  // Any tile's shape is right.
  return *layout::coalesced(parameters);
}

/// Elements of operands that a warp reads for a dot by matrix instructions.
static int64_t readsOf(const target::MatrixInstruction &instruction,
                       unsigned elementBits,
                       const layout::Layout &accumulators) {
  StatusOr<MatrixProduct> product =
      matrixProduct(instruction, elementBits, accumulators, instruction.k);
  return product.ok() ? product->lhs.items() + product->rhs.items()
                      : std::numeric_limits<int64_t>::max();
}

/// Of a dot by matrix instructions: those grids of warps that read the least;
/// with `keepsRows` also the one that leaves each row in a warp.
static std::vector<layout::Layout>
matrixLayouts(const target::MatrixInstruction &instruction,
              unsigned elementBits, const layout::Dims &shape, unsigned warps,
              bool keepsRows) {
  constexpr size_t most = 2;
  StatusOr<std::vector<layout::Layout>> found =
      matrixAccumulators(instruction, shape, warps);
  if (!found.ok())
    return {};
  // Registers of a thread, elements that a warp reads, position.
  std::vector<std::tuple<int64_t, int64_t, size_t>> order;
  for (auto [i, layout] : llvm::enumerate(*found))
    order.emplace_back(layout.items(),
                       readsOf(instruction, elementBits, layout), i);
  llvm::sort(order);
  std::vector<layout::Layout> best;
  for (auto [registers, reads, i] :
       ArrayRef(order).take_front(std::min(most, order.size())))
    best.push_back((*found)[i]);
  if (keepsRows && !llvm::is_contained(best, found->back()))
    best.push_back(found->back());
  return best;
}

/// Whether rows of tiles with as many rows as this one are reduced.
bool LayoutProposals::reducesRows(const layout::Dims &shape) {
  return kernel
      .walk([&](tile::CombiningOpInterface op) {
        const RankedTensorType reduced = tileType(op.getInputs()[0]);
        const int64_t rows = reduced.getRank() - 2;
        return rows >= 0 && int64_t(op.getAxis()) == rows + 1 &&
                       reduced.getDimSize(rows) == shape[shape.rank() - 2]
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Each dot's result has the layout of its accumulators.
LogicalResult LayoutProposals::proposeAccumulators(LayoutClasses &classes) {
  WalkResult walked = kernel.walk([&](tile::ContractionOpInterface op) {
    Value result = op->getResult(0);
    const layout::Dims shape = tilegpu::toDims(tileType(result).getShape());
    std::vector<layout::Layout> layouts;
    if (const target::MatrixInstruction *instruction = instructionOf(op))
      layouts = matrixLayouts(
          *instruction, elementBits(tileType(op.getLhs()).getElementType()),
          shape, warps, reducesRows(shape));
    StatusOr<layout::Layout> accumulators = layout::accumulator(shape, warps);
    if (accumulators.ok()) {
      if (layouts.empty() || !isInstructionGiven)
        layouts.push_back(*accumulators);
      classes.fix(result, layouts);
      return WalkResult::advance();
    }
    op.emitError() << op->getName() << ": " << accumulators.status().message();
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

/// `order` with `axis` behind all others.
static layout::Dims withLast(const layout::Dims &order, int64_t axis) {
  layout::Dims result;
  for (int64_t dim : order)
    if (dim != axis)
      result.append(dim);
  result.append(axis);
  return result;
}

/// For bytes that a matrix instruction may need transposed, which ldmatrix
/// does not do: blocks whose words the threads turn on the way to shared
/// memory.
std::optional<layout::Layout>
LayoutProposals::blocksOf(tile::ViewAccessOpInterface access,
                          const ElementOrder &memory) {
  const RankedTensorType type = access.getTile().getType();
  const bool feedsMatrices =
      type.getRank() >= 2 && elementBits(type.getElementType()) == 8 &&
      kernel
          .walk([&](tile::ContractionOpInterface dot) {
            return instructionOf(dot) &&
                           getElementTypeOrSelf(dot.getLhs().getType()) ==
                               type.getElementType()
                       ? WalkResult::interrupt()
                       : WalkResult::advance();
          })
          .wasInterrupted();
  if (!feedsMatrices)
    return std::nullopt;
  StatusOr<layout::Layout> blocks = layout::transposingBlocks(
      toDims(type.getShape()), unsigned(memory.order[1]),
      unsigned(memory.order[0]), warps);
  return blocks.ok() ? std::optional(*std::move(blocks)) : std::nullopt;
}

/// Wide, coalesced accesses; where the kernel reduces tiles of the shape, also
/// with fibers that stay within a warp.
void LayoutProposals::proposeAccesses(LayoutClasses &classes) {
  std::set<std::pair<ArrayRef<int64_t>, int64_t>> reductions;
  kernel.walk([&](tile::CombiningOpInterface op) {
    reductions.insert({tileType(op.getInputs()[0]).getShape(), op.getAxis()});
  });
  for (tile::ViewAccessOpInterface op : accesses()) {
    const ElementOrder memory = elementOrder(op);
    layout::CoalescedParameters parameters = parametersOf(op.getTile(), memory);
    classes.propose(op, *layout::coalesced(parameters));
    if (std::optional<layout::Layout> blocks = blocksOf(op, memory))
      classes.propose(op, *blocks);
    for (const auto &[shape, axis] : reductions)
      if (shape == op.getTile().getType().getShape()) {
        parameters.warpOrder = withLast(memory.order, axis);
        classes.propose(op, *layout::coalesced(parameters));
      }
  }
}

/// Fibers in rounds, whose runs are what loads and stores of as many elements
/// access at once.
void LayoutProposals::proposeScans(LayoutClasses &classes) {
  kernel.walk([&](tile::CombiningOpInterface op) {
    if (!layoutRelation(op).scansFibers)
      return;
    RankedTensorType type = tileType(op.getInputs()[0]);
    for (tile::ViewAccessOpInterface access : accesses()) {
      if (access.getTile().getType().getNumElements() != type.getNumElements())
        continue;
      layout::CoalescedParameters parameters =
          parametersOf(access.getTile(), elementOrder(access));
      const int64_t run = parameters.vectorBits / parameters.elementBits;
      classes.propose(*classes.classOf(op->getResult(0)),
                      tilegpu::fiberLayout(tilegpu::toDims(type.getShape()),
                                           unsigned(op.getAxis()), warps, run));
    }
  });
}

/// For classes without a candidate so far.
LogicalResult LayoutProposals::proposeDefaults(LayoutClasses &classes) {
  for (unsigned index = 0; index < classes.classes().size(); ++index) {
    const LayoutClass &made = classes.classes()[index];
    Value tile = made.isOfOperands ? made.inputTile() : made.tiles[0];
    for (bool mayBeDealt : {true, false})
      if (made.candidates.empty())
        classes.propose(index, rowMajor(tile, mayBeDealt));
    if (made.candidates.empty())
      classes.propose(
          index, replicated(tilegpu::toDims(tileType(tile).getShape()), warps));
    if (made.candidates.empty())
      return made.op->emitError() << "no layout of " << tile.getType()
                                  << " lets it work on the tile";
  }
  return success();
}

LogicalResult LayoutProposals::propose(LayoutClasses &classes) {
  if (failed(proposeAccumulators(classes)))
    return failure();
  proposeAccesses(classes);
  proposeScans(classes);
  return proposeDefaults(classes);
}

} // namespace tilewright::tilegpu
