//===- Memory.cpp - Loads and stores of views -----------------------------===//
#include "codegen/cpu/Memory.h"

#include "codegen/cpu/Arithmetic.h"
#include "codegen/cpu/Buffers.h"
#include "codegen/cpu/CpuOp.h"
#include "codegen/cpu/Elements.h"
#include "codegen/cpu/LaneAccess.h"
#include "codegen/cpu/Loops.h"
#include "codegen/numeric/ElementTypes.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::cpu {

static ViewTile viewTileOf(tile::LoadOp op) {
  return viewTileOf(op, cast<RankedTensorType>(op.getResult().getType()));
}

static FailureOr<Value> evalLoad(tile::LoadOp op, const Lanes &at,
                                 Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  Address address = viewAddress(viewTileOf(op), at, op.getPad().has_value(), e);
  Value pad;
  if (address.mask && op.getPad())
    pad = splat(b, constantOf(b, *op.getPad()), at.width);
  return loadLanes(b, address.pointer, address.stride, address.isUnit,
                   getElementTypeOrSelf(op.getResult().getType()), at.width,
                   address.mask, pad);
}

static Value viewOf(tile::LoadOp op) { return op.getView(); }

std::optional<Address> addressInPlace(Value tile, Emission &e) {
  auto load = tile.getDefiningOp<tile::LoadOp>();
  if (!load)
    return std::nullopt;
  auto type = cast<RankedTensorType>(load.getResult().getType());
  if (numeric::storedType(type.getElementType()) != type.getElementType())
    return std::nullopt;
  ViewTile loaded = viewTileOf(load);
  if (load.getPad())
    for (unsigned dim = 0; dim < type.getRank(); ++dim)
      if (!isInside(loaded, dim, e))
        return std::nullopt;
  Lanes origin;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    origin.index.push_back(index(e.b, 0));
  return viewAddress(loaded, origin, /*isChecked=*/false, e);
}

Value strideInPlace(Value tile, unsigned dim, Emission &e) {
  auto load = tile.getDefiningOp<tile::LoadOp>();
  return mul(e.b, e.views[load.getView()].strides[dim],
             index(e.b, load.getStep(dim)));
}

bool isContiguousLoad(Value tile, unsigned dim, Emission &e) {
  auto load = tile.getDefiningOp<tile::LoadOp>();
  APInt stride;
  return load && load.getStep(dim) == 1 &&
         matchPattern(e.views[load.getView()].strides[dim],
                      m_ConstantInt(&stride)) &&
         stride == 1;
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// The kernel argument that a view or pointer points into; null when unknown.
static Value memoryRoot(Value reference) {
  while (Operation *op = reference.getDefiningOp()) {
    const CpuOp *known = lookupOp(op);
    if (!known || !known->keepsMemory)
      return {};
    reference = op->getOperand(0);
  }
  bool isArgument =
      isa<tile::KernelOp>(reference.getParentBlock()->getParentOp());
  return isArgument ? reference : Value();
}

/// Whether `op` is a load that reads each element from the address that the
/// store will write.
static bool isSameElement(Operation *op, tile::StoreOp store) {
  auto load = dyn_cast<tile::LoadOp>(op);
  return load && load.getView() == store.getView() &&
         load.getType() == store.getValue().getType() &&
         load.getByElement() == store.getByElement() &&
         load.getSteps() == store.getSteps() &&
         llvm::equal(load.getOffsets(), store.getOffsets());
}

/// Whether computing the stored tile reads memory that the store changes
/// before. Accesses through different arguments are not ordered but by what
/// flows from one to the other (docs/spec.md, Memory).
static bool readsWhatIsStored(tile::StoreOp store, Emission &e) {
  Value to = memoryRoot(store.getView());
  // Tiles, and whether each of their elements becomes the stored element at
  // its own index.
  SmallVector<std::pair<Value, bool>> work = {{store.getValue(), true}};
  llvm::DenseSet<std::pair<Value, unsigned>> seen;
  while (!work.empty()) {
    auto [tile, isInPlace] = work.pop_back_val();
    Operation *op = tile.getDefiningOp();
    if (!seen.insert({tile, isInPlace}).second || !op ||
        e.buffers.contains(tile) || !readsMemory(tile, e))
      continue;
    if (const CpuOp *known = lookupOp(op); known && known->loadsFrom) {
      Value from = memoryRoot(known->loadsFrom(op));
      bool isOther = from && to && from != to;
      if (!isOther && !(isInPlace && isSameElement(op, store)))
        return true;
    }
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        work.push_back({operand, isInPlace && isElementwise(op)});
  }
  return false;
}

/// For each dimension of a stored tile, how many of its indices may be inside
/// the view; null where all are, or where it has one index.
static Values endsInside(const ViewTile &tile, Emission &e) {
  Values ends(tile.shape.size());
  for (auto [d, size] : llvm::enumerate(tile.shape))
    if (size != 1 && !isInside(tile, d, e))
      ends[d] = endInside(tile, d, e);
  return ends;
}

static LogicalResult emitStore(tile::StoreOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  auto type = cast<RankedTensorType>(op.getValue().getType());
  ViewTile stored = viewTileOf(op, type);
  std::optional<Buffer> held;
  if (readsWhatIsStored(op, e)) {
    held = allocate(type.getShape(), type.getElementType(), e);
    if (failed(materializeInto(op.getValue(), *held, e)))
      return failure();
  }
  return forEachVector(
      type.getShape(), type.getElementType(), e,
      [&](const Lanes &at) -> LogicalResult {
        FailureOr<Value> value =
            held ? readBuffer(b, *held, at) : eval(op.getValue(), at, e);
        if (failed(value))
          return failure();
        Address address = viewAddress(stored, at, /*isChecked=*/true, e);
        storeLanes(b, *value, address.pointer, address.stride, address.isUnit,
                   type.getElementType(), at.width, address.mask);
        return success();
      },
      endsInside(stored, e), /*hoists=*/true);
}

void addMemoryOps(CpuOps &ops) {
  ops.add<tile::LoadOp>({.eval = onOp(evalLoad), .loadsFrom = onOp(viewOf)});
  ops.add<tile::StoreOp>({.emit = onOp(emitStore)});
}

} // namespace tilewright::cpu
