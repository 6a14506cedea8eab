//===- LayoutPrices.cpp - What a choice of layouts costs ------------------===//
#include "codegen/transforms/LayoutPrices.h"

#include "codegen/layout/Families.h"
#include "codegen/layout/MatrixAccess.h"
#include "codegen/layout/Transforms.h"
#include "codegen/tilegpu/Fiber.h"
#include "codegen/tilegpu/MatrixProduct.h"
#include "codegen/tilegpu/TileGpu.h"
#include "codegen/tilegpu/WarpReduction.h"
#include "codegen/transforms/ElementOrder.h"
#include "codegen/transforms/Instructions.h"
#include "codegen/transforms/OpCosts.h"
#include "codegen/transforms/SharedTiles.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace tilewright::tilegpu {

using layout::HardwareDim;
using layout::Layout;
using layout::Price;

/// Nothing is executed more often, as far as prices go.
static constexpr int64_t mostIterations = int64_t(1) << 20;

/// The iterations of a loop, or what is assumed of one that has no bounds yet.
static int64_t iterationsOf(scf::ForOp loop) {
  constexpr int64_t unknown = 16;
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                         upper = getConstantIntValue(loop.getUpperBound()),
                         step = getConstantIntValue(loop.getStep());
  if (!lower || !upper || !step || *step <= 0)
    return unknown;
  if (*upper <= *lower)
    return 1;
  const uint64_t distance = uint64_t(*upper) - uint64_t(*lower);
  return int64_t(
      std::min<uint64_t>((distance - 1) / uint64_t(*step) + 1, mostIterations));
}

int64_t frequencyOf(Operation *op) {
  constexpr int64_t unknown = 16;
  int64_t frequency = 1;
  for (Operation *outer = op->getParentOp(); outer;
       outer = outer->getParentOp()) {
    if (auto loop = dyn_cast<scf::ForOp>(outer))
      frequency *= iterationsOf(loop);
    else if (isa<scf::WhileOp>(outer))
      frequency *= unknown;
    frequency = std::min(frequency, mostIterations);
  }
  return frequency;
}

Operation *hoistedBefore(Value tile, Operation *user) {
  Region *defined = tile.getParentRegion();
  Operation *result = nullptr;
  for (Operation *outer = user; outer && outer->getParentRegion() != defined;) {
    outer = outer->getParentOp();
    if (isa_and_nonnull<scf::ForOp, scf::WhileOp>(outer))
      result = outer;
  }
  return result;
}

//===--- Prices of ops ----------------------------------------------------===//

/// Warp instructions that handle each register of a tile once.
static int64_t registersOf(const Layout &layout) {
  return layout.items() * layout.size(HardwareDim::warp);
}

Price LayoutPrices::ofAccess(tile::ViewAccessOpInterface op,
                             const Layout &layout) {
  RankedTensorType type = op.getTile().getType();
  const ElementOrder memory = elementOrder(op);
  layout::GlobalTile tile;
  tile.shape = tilegpu::toDims(type.getShape());
  tile.order = memory.order;
  tile.elementBits = tilegpu::elementBits(type.getElementType());
  tile.alignmentBytes = unsigned(tile.elementBits / 8 * memory.contiguous);
  tile.vectorBits = vectorBits;
  tile.isWritten = op.getWrittenTile();
  return priceOfAccess(layout, tile);
}

/// Pointers that are not known to be neighbours may lead anywhere.
Price LayoutPrices::ofAccess(tile::PointerAccessOpInterface op,
                             const Layout &layout) {
  constexpr int64_t ofPointer = 8;
  const ElementOrder memory = elementOrder(op);
  if (memory.contiguous == 1)
    return Price{.slots = ofPointer * registersOf(layout)};
  layout::GlobalTile tile;
  tile.shape = layout.shape();
  tile.order = memory.order;
  tile.elementBits = tilegpu::elementBits(op.getPointee());
  tile.alignmentBytes = unsigned(tile.elementBits / 8 * memory.contiguous);
  tile.vectorBits = vectorBits;
  tile.isWritten = op.getWrittenValue() != nullptr;
  return priceOfAccess(layout, tile);
}

/// Of combining two elements.
static int64_t slotsOfCombiner(tile::CombiningOpInterface op) {
  int64_t combine = 0;
  op.getCombiner().walk([&](Operation *inner) {
    if (!inner->hasTrait<OpTrait::IsTerminator>())
      combine += costOf(inner).slots;
  });
  return combine;
}

Price priceOfReduction(tile::CombiningOpInterface op, const Layout &layout) {
  const RankedTensorType type = tileType(op.getInputs()[0]);
  const unsigned axis = unsigned(op.getAxis());
  const int64_t inputs = int64_t(op.getInputs().size());
  const int64_t combine = slotsOfCombiner(op);
  auto within = [&](const Layout &held, int64_t size)
      -> std::pair<Price, std::optional<tilegpu::WarpReduction>> {
    StatusOr<tilegpu::WarpReduction> reduction =
        tilegpu::warpReduction(held, axis, size);
    if (!reduction.ok())
      return {};
    const int64_t targets = reduction->layout.items();
    const int64_t masks = int64_t(reduction->laneMasks.size());
    int64_t slots = (held.items() - targets) * combine +
                    masks * targets * (inputs + combine);
    // What is padding in some threads counts as nothing.
    layout::Dims shape = tilegpu::toDims(type.getShape());
    shape[axis] = size;
    constexpr int64_t ofChoice = 2;
    for (int64_t reg = 0; reg < held.items() && held.shape() != shape; ++reg)
      if (held.coverage(reg, shape) == layout::Coverage::sometimes)
        slots += ofChoice;
    return {Price{.slots = slots * held.size(HardwareDim::warp)}, *reduction};
  };
  auto [price, first] = within(layout, type.getDimSize(axis));
  if (!first || first->parts == 1)
    return price;
  StatusOr<Layout> gathered = tilegpu::gatherWarpsInLanes(first->layout, axis);
  if (!gathered.ok())
    return price;
  layout::ConversionOptions options;
  options.shape = tilegpu::toDims(type.getShape());
  options.shape[axis] = first->parts;
  for (Value input : op.getInputs()) {
    options.elementBits =
        tilegpu::elementBits(tileType(input).getElementType());
    StatusOr<layout::ConversionPlan> plan =
        layout::planConversion(first->layout, *gathered, options);
    if (plan.ok())
      price +=
          priceOf(*plan, options.elementBits, layout.size(HardwareDim::warp));
  }
  return price + within(*gathered, first->parts).first;
}

/// The steps of nvptx/EmitScan.cpp.
static Price priceOfScan(tile::CombiningOpInterface op, const Layout &layout) {
  const unsigned axis = unsigned(op.getAxis());
  StatusOr<tilegpu::Fiber> fiber =
      tilegpu::fiberAlong(layout, axis, tilegpu::Rounds::any);
  if (!fiber.ok())
    return {};
  const int64_t inputs = int64_t(op.getInputs().size());
  const int64_t combine = slotsOfCombiner(op);
  const int64_t fibers = int64_t(fiber->registers[0].size());
  // Within pieces, and with what precedes them.
  int64_t slots = 2 * combine * fiber->perThread() * fibers;
  // A shuffle, a choice and a combination for each bit of the lane and for the
  // neighbour's total; of several rounds also that of the whole warp.
  const int64_t ofLane = 2 * inputs + combine;
  int64_t steps = fiber->laneMask ? std::popcount(fiber->laneMask) + 1 : 0;
  slots += fiber->rounds() * fibers * ofLane * steps;
  if (fiber->rounds() > 1)
    slots += fiber->rounds() * fibers * (inputs + combine);
  Price price = {.slots = slots * layout.size(HardwareDim::warp)};
  if (fiber->warpMask)
    price += priceOfReduction(op, layout);
  return price;
}

/// Of fragments that a warp loads: ldmatrix fills four words of each thread, in
/// a wavefront each.
static Price priceOfMatrices(const Layout &fragments, int64_t bytes) {
  const int64_t words = fragments.items() * bytes / 4;
  return {.slots = words / 4, .wavefronts = words};
}

/// Of storing bytes, held in `held`, for a matrix instruction that takes
/// `fragments`. Wider elements are stored from any layout for about as much.
static Price priceOfBytes(RankedTensorType tile, const Layout &held,
                          const Layout &fragments) {
  if (tilegpu::elementBits(tile.getElementType()) != 8)
    return {};
  StatusOr<layout::MatrixMemory> memory =
      layout::matrixMemory(held, fragments, 8);
  if (memory.ok() && memory->takesStored)
    return {.wavefronts = memory->storeWavefronts};
  // Converted before: two more accesses to shared memory, byte by byte.
  return {.slots = 2 * held.items(), .wavefronts = 4 * held.items()};
}

/// The fragments of an operand of a dot by a matrix instruction; nothing where
/// the dot has other accumulators.
static std::optional<Layout>
fragmentsOf(tile::ContractionOpInterface op,
            const target::MatrixInstruction &instruction, bool isLhs,
            const Layout &accumulators) {
  const RankedTensorType lhs = tileType(op.getLhs());
  StatusOr<tilegpu::MatrixProduct> product = tilegpu::matrixProduct(
      instruction, tilegpu::elementBits(lhs.getElementType()), accumulators,
      lhs.getShape().back());
  if (!product.ok())
    return std::nullopt;
  return isLhs ? product->lhs : product->rhs;
}

/// Of bringing an operand, held in `held`, to the fragments of a dot by a
/// matrix instruction; rhs is loaded in priceOfDot().
static Price priceOfOperand(OpOperand &operand,
                            const target::MatrixInstruction &instruction,
                            const Layout &held, const Layout &accumulators) {
  auto op = cast<tile::ContractionOpInterface>(operand.getOwner());
  const bool isLhs = operand.getOperandNumber() == 0;
  const RankedTensorType type = tileType(operand.get());
  if (!isLhs && tilegpu::elementBits(type.getElementType()) != 8)
    return {};
  std::optional<Layout> fragments =
      fragmentsOf(op, instruction, isLhs, accumulators);
  if (!fragments || (isLhs && layout::sourceRegisters(held, *fragments)))
    return {};
  const int64_t warps = held.size(HardwareDim::warp);
  Operation *before = hoistedBefore(operand.get(), op);
  Price price = priceOfBytes(type, held, *fragments) * warps *
                frequencyOf(before ? before : op);
  if (!isLhs)
    return price;
  Operation *loop = keepsFragments(operand.get(), *fragments, op);
  return price +
         priceOfMatrices(*fragments,
                         tilegpu::elementBits(type.getElementType()) / 8) *
             warps * frequencyOf(loop ? loop : op);
}

/// Of a dot that may be done by matrix instructions, in what a multiprocessor
/// issues for four warps at once: with `layout` as its accumulators' fragments,
/// else by multiplications and additions.
static Price priceOfDot(tile::ContractionOpInterface op,
                        const target::MatrixInstruction &instruction,
                        const Layout &layout) {
  constexpr int64_t issuedAtOnce = 4;
  const int64_t warps = layout.size(HardwareDim::warp);
  const auto lhs = cast<RankedTensorType>(op.getLhs().getType());
  const int64_t depth = lhs.getShape().back();
  const int64_t bytes = tilegpu::elementBits(lhs.getElementType()) / 8;
  StatusOr<tilegpu::MatrixProduct> product =
      tilegpu::matrixProduct(instruction, unsigned(bytes * 8), layout, depth);
  if (product.ok()) {
    const auto parts = int64_t(tilegpu::partsOfProduct(precisionOf(op)).size());
    const int64_t products =
        instruction.m * instruction.n * instruction.k * parts;
    Price price = {.slots = int64_t(product->steps.size()) * products *
                            issuedAtOnce / instruction.productsOfCycle};
    // Splitting an element takes about an instruction for each part of the
    // product.
    if (parts > 1)
      price.slots += (product->lhs.items() + product->rhs.items()) * parts;
    // What lhs costs depends on where it is: priceOfOperand().
    return (price + priceOfMatrices(product->rhs, bytes)) * warps;
  }
  int64_t fibers = 0;
  for (unsigned dim : {layout.rank() - 1, layout.rank() - 2})
    fibers += *llvm::max_element(layout::collapsedRegister(layout, dim)) + 1;
  // Elements are widened one by one, and read in vectors of 16 bytes.
  return Price{.slots = (layout.items() + fibers) * depth,
               .wavefronts = fibers * depth * bytes / 4} *
         warps;
}

Price LayoutPrices::ofCandidate(unsigned index, unsigned candidate) {
  const LayoutClass &made = classes.classes()[index];
  Operation *op = made.op;
  if (!op)
    return {};
  const Layout &layout = classes[made.candidates[candidate]];
  const int64_t frequency = frequencyOf(op);
  if (auto access = dyn_cast<tile::ViewAccessOpInterface>(op))
    return ofAccess(access, layout) * frequency;
  if (const target::MatrixInstruction *instruction = instructionOf(op))
    return priceOfDot(cast<tile::ContractionOpInterface>(op), *instruction,
                      layout) *
           frequency;
  const LayoutRelation &relation = layoutRelation(op);
  if (auto combining = dyn_cast<tile::CombiningOpInterface>(op))
    return (relation.scansFibers ? priceOfScan(combining, layout)
                                 : priceOfReduction(combining, layout)) *
           frequency;
  if (relation.isRenaming)
    return {};
  if (auto access = dyn_cast<tile::PointerAccessOpInterface>(op))
    return ofAccess(access, layout) * frequency;
  const int64_t slots = costOf(op).slots;
  const Layout &held =
      made.tiles.empty() ? layout : classes[made.produced[candidate]];
  const int64_t tiles = int64_t(std::max<size_t>(1, made.tiles.size()));
  return Price{.slots = slots * tiles * registersOf(held)} * frequency;
}

//===--- Prices of conversions --------------------------------------------===//

Price LayoutPrices::ofConversion(Id from, Id to, RankedTensorType tile) {
  if (from == to)
    return {};
  layout::ConversionOptions options;
  options.elementBits = tilegpu::elementBits(tile.getElementType());
  options.shape = tilegpu::toDims(tile.getShape());
  auto [known, isNew] =
      conversions.try_emplace({from, to, options.elementBits});
  if (!isNew)
    return known->second;
  if (layout::sourceRegisters(classes[from], classes[to]))
    return {};
  StatusOr<layout::ConversionPlan> plan =
      layout::planConversion(classes[from], classes[to], options);
  const int64_t warps = classes[from].size(HardwareDim::warp);
  Price price = plan.ok() ? priceOf(*plan, options.elementBits, warps)
                          : throughMemory(tile, warps);
  // A tile that takes more of shared memory than any block has without asking,
  // or that leaves too little for other blocks, goes there only if it must.
  constexpr int64_t mostBytes = 48 << 10, tooMany = int64_t(1) << 30;
  const bool isShared =
      !plan.ok() || plan->kind == layout::ConversionKind::shared;
  if (isShared && options.shape.product() * options.elementBits / 8 > mostBytes)
    price.slots += tooMany;
  known->second = price;
  return known->second;
}

/// An exchange of elements one by one, where there is no plan.
Price LayoutPrices::throughMemory(RankedTensorType tile, int64_t warps) {
  layout::ConversionPlan plan;
  plan.kind = layout::ConversionKind::shared;
  plan.isByElement = true;
  plan.shared.memory = *layout::dense(tilegpu::toDims(tile.getShape()));
  return priceOf(plan, tilegpu::elementBits(tile.getElementType()), warps);
}

Value beforeConversions(Value tile) {
  while (auto convert = tile.getDefiningOp<tilegpu::ConvertLayoutOp>())
    tile = convert.getSource();
  return tile;
}

bool isMadeOfOperands(Operation *op) {
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         layoutRelation(op).isRepeatable;
}

/// Of the ops that make a tile, with another layout: loads, elementwise ops and
/// broadcasts of such tiles, where they are; nothing for others, and for chains
/// that are long.
std::optional<Price>
LayoutPrices::ofMakingAgain(Value tile, const Layout &layout, unsigned depth) {
  constexpr unsigned longest = 3;
  Operation *op = tile.getDefiningOp();
  if (!op || depth > longest || op->getNumResults() != 1)
    return std::nullopt;
  const LayoutRelation &relation = layoutRelation(op);
  const int64_t frequency = frequencyOf(op);
  if (relation.isFree)
    return Price{.slots = relation.isRenaming ? 0 : registersOf(layout)} *
           frequency;
  if (auto access = dyn_cast<tile::LoadOp>(op)) {
    if (needsOwners(op) || !layout::hasSeparableCell(layout))
      return std::nullopt;
    return ofAccess(access, layout) * frequency;
  }
  if (!isMadeOfOperands(op))
    return std::nullopt;
  Price price;
  if (!relation.isRenaming)
    price.slots = costOf(op).slots * registersOf(layout) * frequency;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    std::optional<Layout> wanted = operandLayoutFor(operand, layout);
    std::optional<Price> made =
        wanted ? ofMakingAgain(beforeConversions(operand.get()), *wanted,
                               depth + 1)
               : std::nullopt;
    if (!made)
      return std::nullopt;
    price += *made;
  }
  return price;
}

/// Of making a tile again; nothing where its conversion costs no more.
std::optional<Price> LayoutPrices::ofCheaperMaking(Value tile, Id held,
                                                   Id wanted) {
  if (held == wanted)
    return std::nullopt;
  std::optional<Price> again = ofMakingAgain(tile, classes[wanted], 0);
  const bool isCheaper =
      again && again->total() < (ofConversion(held, wanted, tileType(tile)) *
                                 frequencyOf(tile.getDefiningOp()))
                                    .total();
  return isCheaper ? again : std::nullopt;
}

Price LayoutPrices::ofInput(OpOperand &input, Id held, unsigned index,
                            unsigned candidate) {
  const RankedTensorType tile = tileType(input.get());
  Operation *user = input.getOwner();
  Operation *before = hoistedBefore(input.get(), user);
  const int64_t frequency = frequencyOf(before ? before : user);
  if (std::optional<Id> demanded = classes.demanded(index, candidate, input)) {
    std::optional<Price> again = ofCheaperMaking(input.get(), held, *demanded);
    return again ? *again : ofConversion(held, *demanded, tile) * frequency;
  }
  const Id wanted = classes.classes()[index].candidates[candidate];
  if (isMatrixOperand(input))
    return priceOfOperand(input, *instructionOf(user), classes[held],
                          classes[wanted]);
  // Elements that an op moves itself: in registers, if the layouts agree.
  if (!layoutRelation(user).movesElements)
    return {};
  std::optional<Layout> follows =
      resultLayout(user->getResult(0), [&](Value value) {
        return value == input.get() ? std::optional(classes[held])
                                    : std::nullopt;
      });
  if (follows)
    return ofConversion(classes.idOf(*follows), wanted,
                        tileType(user->getResult(0))) *
           frequency;
  return throughMemory(tile, classes[held].size(HardwareDim::warp)) * frequency;
}

} // namespace tilewright::tilegpu
