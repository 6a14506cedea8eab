//===- CopyAccess.cpp - Tiles that cp.async copies ------------------------===//
#include "codegen/transforms/CopyAccess.h"

#include "codegen/layout/Transforms.h"
#include "codegen/transforms/ElementOrder.h"
#include "codegen/transforms/LayoutRelations.h"
#include "support/Format.h"

#include <map>
#include <numeric>

using namespace mlir;

namespace tilewright::tilegpu {

/// The sizes of cp.async, in bits. (PTX ISA 9.7.9.25.3)
static constexpr unsigned sizes[] = {128, 64, 32};

bool renamesElements(Operation *op) {
  auto elements = [](Value tile) {
    return cast<RankedTensorType>(tile.getType()).getNumElements();
  };
  return layoutRelation(op).isRenaming && op->getNumOperands() == 1 &&
         op->getNumResults() == 1 && hasLayout(op->getResult(0).getType()) &&
         elements(op->getOperand(0)) == elements(op->getResult(0));
}

/// For each register of `tile`, that of `read` which it renames. Rejected where
/// elements do not stay in their threads.
static StatusOr<std::vector<int32_t>> readRegisters(Value tile, Value read) {
  if (tile == read) {
    std::vector<int32_t> same(size_t(layoutOf(tile.getType()).items()));
    std::iota(same.begin(), same.end(), 0);
    return same;
  }
  Operation *op = tile.getDefiningOp();
  if (!renamesElements(op))
    return Status::invalidInput(op->getName().getStringRef().str() +
                                " changes its elements");
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<int32_t> registers,
                              readRegisters(op->getOperand(0), read));
  auto reshape = dyn_cast<tile::ReshapeOp>(op);
  if (!reshape)
    return registers;
  auto from = cast<RankedTensorType>(reshape.getSource().getType());
  auto to = cast<RankedTensorType>(reshape.getType());
  TILEWRIGHT_ASSIGN_OR_RETURN(layout::Transformed reshaped,
                              layout::reshape(layoutOf(from),
                                              toDims(from.getShape()),
                                              toDims(to.getShape())));
  if (reshaped.layout != layoutOf(to))
    return Status::invalidInput("a reshape moves its elements");
  std::vector<int32_t> result;
  for (int32_t source : reshaped.source)
    result.push_back(source < 0 ? source : registers[size_t(source)]);
  return result;
}

/// The instructions of `store` for each of the groups; empty if they move other
/// elements together. `renamed`: the registers of groups by those of `store`.
static std::vector<layout::SharedInstruction>
instructionsFor(const layout::VectorAccess &groups,
                const layout::SharedAccess &store, ArrayRef<int32_t> renamed) {
  std::map<std::vector<int32_t>, layout::SharedInstruction> byRegisters;
  const size_t width = groups.elements;
  for (size_t i = 0; i < store.instructions.size(); ++i) {
    std::vector<int32_t> registers;
    for (int32_t reg :
         ArrayRef<int32_t>(store.registers).slice(i * width, width))
      registers.push_back(reg < 0 ? reg : renamed[size_t(reg)]);
    byRegisters[registers] = store.instructions[i];
  }
  std::vector<layout::SharedInstruction> instructions;
  for (auto first = groups.registers.begin(); first != groups.registers.end();
       first += ptrdiff_t(width)) {
    auto found = byRegisters.find({first, first + ptrdiff_t(width)});
    if (found == byRegisters.end())
      return {};
    instructions.push_back(found->second);
  }
  return instructions;
}

static bool isZero(Attribute padding) {
  if (auto number = dyn_cast_or_null<FloatAttr>(padding))
    return number.getValue().bitcastToAPInt().isZero();
  auto number = dyn_cast_or_null<IntegerAttr>(padding);
  return number && number.getValue().isZero();
}

StatusOr<CopyAccess> copyAccess(tile::ViewAccessOpInterface read, Value tile,
                                SharedType memory) {
  RankedTensorType type = read.getTile().getType();
  const unsigned bits = elementBits(type.getElementType());
  const bool isPadded = read.mayReachOutside();
  if (isPadded && !isZero(read->getInherentAttr("pad").value_or(Attribute())))
    return Status::invalidInput("cp.async pads with zeros only");
  const layout::Layout &layout = layoutOf(type);
  if (!layout::hasSeparableCell(layout))
    return Status::invalidInput("threads and registers choose the same bits of "
                                "a coordinate");
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<int32_t> renamed,
                              readRegisters(tile, read.getTile()));
  const ElementOrder order = elementOrder(read);
  const int64_t contiguous =
      isPadded ? order.contiguousAtEdge : order.contiguous;
  bool fitsView = false;
  for (unsigned size : sizes) {
    if (size < bits)
      continue;
    CopyAccess copy;
    copy.groups = layout::vectorAccess(layout, order.order, bits,
                                       unsigned(contiguous * bits / 8), size);
    if (copy.groups.elements * bits != size)
      continue;
    fitsView = true;
    StatusOr<layout::SharedAccess> store = layout::sharedAccess(
        layoutOf(tile.getType()), memory.getLayout().getLayout(), bits, size);
    if (!store.ok())
      return store.status();
    if (store->elements != copy.groups.elements)
      continue;
    copy.bytes = size / 8;
    copy.threadOffset = store->threadOffset;
    copy.instructions = instructionsFor(copy.groups, *store, renamed);
    if (!copy.instructions.empty())
      return copy;
  }
  if (fitsView)
    return Status::invalidInput("elements that are contiguous in the view are "
                                "not in shared memory");
  return Status::invalidInput(
      format("{} bytes are contiguous and aligned ({}), and cp.async takes 4",
             {contiguous * bits / 8, order.limit}));
}

} // namespace tilewright::tilegpu
