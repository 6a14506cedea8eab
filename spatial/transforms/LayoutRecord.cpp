//===- LayoutRecord.cpp - What --explain says of layouts ------------------===//
#include "spatial/transforms/LayoutRecord.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "spatial/transforms/Points.h"

using namespace mlir;

namespace tilewright::spatial {

void LayoutRecord::begin() {
  before.clear();
  for (int64_t i = 0; i < tensors.size(); ++i)
    before.push_back(tensors.info(i).arrangements.size());
}

//===--- How one tensor lies ----------------------------------------------===//

namespace {
struct Shape {
  /// Dimensions along which lanes of one vector differ.
  SmallVector<int64_t> inLanes;
  int64_t vectors = 0;
  /// The share of lanes that hold an element.
  double filled = 0;
};
} // namespace

static Shape shapeOf(const Arrangement &arrangement, ArrayRef<int64_t> shape) {
  SmallVector<bool> varies(shape.size());
  int64_t held = 0;
  for (int64_t vector = 0; vector < arrangement.vectors(); ++vector) {
    int32_t first = -1;
    for (int64_t lane = 0; lane < arrangement.lanes; ++lane) {
      const int32_t element =
          arrangement.elements[vector * arrangement.lanes + lane];
      if (element < 0)
        continue;
      ++held;
      if (first < 0)
        first = element;
      int64_t a = first, b = element;
      for (size_t dim = shape.size(); dim-- > 0 && a != b;) {
        varies[dim] = varies[dim] || a % shape[dim] != b % shape[dim];
        a /= shape[dim];
        b /= shape[dim];
      }
    }
  }
  Shape result;
  for (auto [dim, isInLanes] : llvm::enumerate(varies))
    if (isInLanes)
      result.inLanes.push_back(static_cast<int64_t>(dim));
  result.vectors = arrangement.vectors();
  result.filled = static_cast<double>(held) /
                  static_cast<double>(arrangement.elements.size());
  return result;
}

void LayoutRecord::add(StringRef label, int64_t tensor, ArrayAttr operands) {
  const TensorInfo &info = tensors.info(tensor);
  Builder &builder = tensors.builder;
  const Shape shape = shapeOf(*info.arrangements.front(), info.shape);
  list.push_back(builder.getDictionaryAttr(
      {builder.getNamedAttr("node", builder.getStringAttr(label)),
       builder.getNamedAttr("shape", builder.getDenseI64ArrayAttr(info.shape)),
       builder.getNamedAttr("vectors",
                            builder.getI64IntegerAttr(shape.vectors)),
       builder.getNamedAttr("lanes",
                            builder.getDenseI64ArrayAttr(shape.inLanes)),
       builder.getNamedAttr("filled", builder.getF64FloatAttr(shape.filled)),
       builder.getNamedAttr("operands", operands)}));
}

//===--- Why --------------------------------------------------------------===//

/// The node that makes a tensor, or the name of an input.
static std::string labelOf(Value tensor) {
  if (Operation *maker = tensor.getDefiningOp())
    return nodeOf(maker->getLoc());
  auto argument = cast<BlockArgument>(tensor);
  auto graph = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto name =
      graph.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "graph.name");
  return name ? name.str() : std::string();
}

/// Whether the element was in this lane before the op.
bool LayoutRecord::isInLane(ElementId id, int64_t lane) const {
  const auto number = static_cast<size_t>(tensorOf(id));
  const TensorInfo &info = tensors.info(tensorOf(id));
  // An input is laid out for its first reader.
  const bool isNew = info.argument && number < before.size() && !before[number];
  const size_t known = isNew                    ? info.arrangements.size()
                       : number < before.size() ? before[number]
                                                : 0;
  for (size_t i = 0; i < known; ++i)
    for (int32_t slot : info.arrangements[i]->slots(elementOf(id)))
      if (slot % info.arrangements[i]->lanes == lane)
        return true;
  return false;
}

/// Where the elements of an operand lie that a lane of the result reads, first
/// of all steps of a reduction.
LayoutRecord::Lies LayoutRecord::liesOf(OpOperand &operand,
                                        int64_t result) const {
  auto op = cast<linalg::GenericOp>(operand.getOwner());
  const Arrangement &held = *tensors.info(result).arrangements.front();
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  const SmallVector<int64_t> extents = loopExtents(op);
  const OperandAccess access(operand);
  const int64_t tensor = tensors.numberOf(operand.get());
  Lies lies = Lies::constant;
  for (auto [slot, element] : llvm::enumerate(held.elements)) {
    if (element < 0)
      continue;
    // The result's loops, in its order of elements.
    int64_t point = 0, rest = element;
    for (unsigned dim = out.getNumResults(); dim-- > 0;) {
      const unsigned loop = out.getDimPosition(dim);
      int64_t stride = 1;
      for (size_t inner = loop + 1; inner < extents.size(); ++inner)
        stride *= extents[inner];
      point += rest % extents[loop] * stride;
      rest /= extents[loop];
    }
    const ElementId id = tensors.resolve(tensor, access.at(point));
    if (id == noElement || tensors.isConstant(id))
      continue;
    if (!isInLane(id, static_cast<int64_t>(slot) % held.lanes))
      return Lies::elsewhere;
    lies = Lies::inPlace;
  }
  return lies;
}

/// {node, lies} of each tensor that the op reads.
ArrayAttr LayoutRecord::operandsOf(Operation *op, int64_t result) const {
  Builder &builder = tensors.builder;
  SmallVector<Attribute> operands;
  auto generic = cast<linalg::GenericOp>(op);
  if (!generic.getMatchingIndexingMap(generic.getDpsInitOperand(0))
           .isProjectedPermutation())
    return builder.getArrayAttr({});
  constexpr StringRef texts[] = {"in place", "in other lanes", "constant"};
  for (OpOperand *operand : generic.getDpsInputOperands()) {
    if (!isa<RankedTensorType>(operand->get().getType()) ||
        !tensors.has(operand->get()))
      continue;
    operands.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("node",
                              builder.getStringAttr(labelOf(operand->get()))),
         builder.getNamedAttr(
             "lies",
             builder.getStringAttr(
                 texts[static_cast<size_t>(liesOf(*operand, result))]))}));
  }
  return builder.getArrayAttr(operands);
}

void LayoutRecord::end(Operation *op) {
  if (!isa<linalg::GenericOp>(op) || op->getNumResults() != 1 ||
      !tensors.has(op->getResult(0)))
    return;
  const int64_t number = tensors.numberOf(op->getResult(0));
  const TensorInfo &info = tensors.info(number);
  if (!info.arrangements.empty() && info.view.empty() && !info.constant)
    add(nodeOf(op->getLoc()), number, operandsOf(op, number));
}

void LayoutRecord::addInput(BlockArgument input) {
  Builder &builder = tensors.builder;
  add(labelOf(input), tensors.numberOf(input), builder.getArrayAttr({}));
  NamedAttrList entry(cast<DictionaryAttr>(list.back()));
  entry.append("input", builder.getUnitAttr());
  list.back() = entry.getDictionary(builder.getContext());
}

ArrayAttr LayoutRecord::entries() const {
  return tensors.builder.getArrayAttr(list);
}

} // namespace tilewright::spatial
