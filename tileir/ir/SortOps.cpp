// Sorting, selection, counting.
#include "tileir/ir/Support.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilewright::tile;
using support::opError;
using support::shapeOf;
using support::shapeText;

/// True for ordered types: integers and floats.
static bool isOrdered(Type tile) {
  return getElementTypeOrSelf(tile).isIntOrIndexOrFloat();
}

//===--- sort -------------------------------------------------------------===//

void SortOp::build(OpBuilder &builder, OperationState &state, ValueRange inputs,
                   int64_t axis, bool descending) {
  build(builder, state, inputs.getTypes(), inputs, axis, descending,
        /*isUnsigned=*/false);
}

LogicalResult SortOp::verify() {
  // sort_c1
  if (getInputs().empty())
    return opError(*this) << "expected at least one input (sort_c1)";
  ArrayRef<int64_t> shape = shapeOf(getInputs().front());
  for (Value input : getInputs())
    if (shapeOf(input) != shape)
      return opError(*this) << "the inputs are " << shapeText(shape) << " and "
                            << shapeText(shapeOf(input))
                            << ", expected equal shapes (sort_c1)";
  // sort_c2
  int64_t axis = getAxis();
  if (axis < 0 || axis >= static_cast<int64_t>(shape.size()))
    return opError(*this) << "axis " << axis << " of inputs with "
                          << shape.size() << " dimensions (sort_c2)";
  // sort_c3
  if (getResultTypes() != getInputs().getTypes())
    return opError(*this) << "the results are (" << getResultTypes()
                          << "), the inputs (" << getInputs().getTypes()
                          << ") (sort_c3)";
  // sort_c4
  Type keys = getInputs().front().getType();
  if (!isOrdered(keys) ||
      (getIsUnsigned() && !getElementTypeOrSelf(keys).isIntOrIndex()))
    return opError(*this) << "keys " << getElementTypeOrSelf(keys)
                          << "; expected floats, integers or index, and "
                             "unsigned only for the latter two (sort_c4)";
  return success();
}

//===--- top_k ------------------------------------------------------------===//

LogicalResult TopKOp::verify() {
  ArrayRef<int64_t> from = shapeOf(getSource()), to = shapeOf(getValues());
  // top_k_c1
  int64_t axis = getAxis();
  if (axis < 0 || axis >= static_cast<int64_t>(from.size()))
    return opError(*this) << "axis " << axis << " of a source with "
                          << from.size() << " dimensions (top_k_c1)";
  // top_k_c2
  SmallVector<int64_t> expected(from);
  if (to.size() == from.size())
    expected[axis] = std::min(to[axis], from[axis]);
  if (to != ArrayRef<int64_t>(expected) || shapeOf(getIndices()) != to)
    return opError(*this) << "the source is " << shapeText(from)
                          << ", the values " << shapeText(to)
                          << ", the indices "
                          << shapeText(shapeOf(getIndices()))
                          << "; the results may be smaller along dimension "
                          << axis << " alone (top_k_c2)";
  // top_k_c3
  Type element = getElementTypeOrSelf(getSource());
  if (getElementTypeOrSelf(getValues()) != element)
    return opError(*this) << "the source has elements " << element
                          << ", the values "
                          << getElementTypeOrSelf(getValues()) << " (top_k_c3)";
  // top_k_c4
  if (!isOrdered(getSource().getType()) ||
      (getIsUnsigned() && !element.isIntOrIndex()))
    return opError(*this) << "elements " << element
                          << "; expected floats, integers or index, and "
                             "unsigned only for the latter two (top_k_c4)";
  return success();
}

//===--- histogram --------------------------------------------------------===//

LogicalResult HistogramOp::verify() {
  // histogram_c1
  if (shapeOf(getResult()).size() != 1)
    return opError(*this) << "the result is " << shapeText(shapeOf(getResult()))
                          << ", expected one dimension (histogram_c1)";
  // histogram_c2
  if (getMask() && shapeOf(getMask()) != shapeOf(getSource()))
    return opError(*this) << "the mask is " << shapeText(shapeOf(getMask()))
                          << ", the source " << shapeText(shapeOf(getSource()))
                          << " (histogram_c2)";
  return success();
}
