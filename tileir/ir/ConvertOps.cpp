// Block-scaled dot and conversions: the ops on small floats.
#include "tileir/ir/Support.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilewright::tile;
using support::noteAt;
using support::opError;
using support::shapeOf;
using support::shapeText;

//===--- scaled_dot -------------------------------------------------------===//

int64_t ScaledDotOp::getBlockSize() {
  int64_t scales = shapeOf(getLhsScale()).back();
  return shapeOf(getLhs()).back() / scales;
}

/// Scales of one operand: its shape with k divided by the block.
static LogicalResult verifyScale(ScaledDotOp op, StringRef side,
                                 ArrayRef<int64_t> operand,
                                 ArrayRef<int64_t> scale, size_t kDim) {
  SmallVector<int64_t> expected(operand);
  if (scale.size() != operand.size())
    return opError(op) << side << " is " << shapeText(operand) << ", its scale "
                       << shapeText(scale)
                       << "; expected equal numbers of dimensions "
                          "(scaled_dot_c4)";
  int64_t k = std::exchange(expected[kDim], scale[kDim]);
  int64_t block = k / scale[kDim];
  if (ArrayRef<int64_t>(expected) != scale || k != block * scale[kDim] ||
      (block != 16 && block != 32))
    return opError(op) << side << " is " << shapeText(operand) << ", its scale "
                       << shapeText(scale)
                       << "; expected one scale for each 16 or 32 elements "
                          "along dimension "
                       << kDim << " (scaled_dot_c4)";
  return success();
}

/// scaled_dot_c1 to scaled_dot_c4.
static LogicalResult verifyScaledShapes(ScaledDotOp op) {
  ArrayRef<int64_t> lhs = shapeOf(op.getLhs()), rhs = shapeOf(op.getRhs()),
                    acc = shapeOf(op.getAcc());
  // scaled_dot_c1
  size_t rank = lhs.size();
  if ((rank != 2 && rank != 3) || rhs.size() != rank || acc.size() != rank)
    return opError(op) << "lhs is " << shapeText(lhs) << ", rhs "
                       << shapeText(rhs) << ", acc " << shapeText(acc)
                       << "; expected all with 2 or all with 3 dimensions "
                          "(scaled_dot_c1)";
  // scaled_dot_c2
  if (lhs[rank - 1] != rhs[rank - 2])
    return opError(op) << "inner dimensions differ: lhs is " << shapeText(lhs)
                       << ", rhs is " << shapeText(rhs) << " (scaled_dot_c2)";
  // scaled_dot_c3
  SmallVector<int64_t> expected(lhs.drop_back());
  expected.push_back(rhs[rank - 1]);
  if (acc != ArrayRef<int64_t>(expected) || (rank == 3 && lhs[0] != rhs[0]))
    return opError(op) << "acc is " << shapeText(acc) << ", lhs "
                       << shapeText(lhs) << " times rhs " << shapeText(rhs)
                       << " does not give it (scaled_dot_c3)";
  // scaled_dot_c4
  ArrayRef<int64_t> lhsScale = shapeOf(op.getLhsScale()),
                    rhsScale = shapeOf(op.getRhsScale());
  if (failed(verifyScale(op, "lhs", lhs, lhsScale, rank - 1)) ||
      failed(verifyScale(op, "rhs", rhs, rhsScale, rank - 2)))
    return failure();
  if (lhsScale[rank - 1] != rhsScale[rank - 2])
    return opError(op) << "lhs has " << lhsScale[rank - 1]
                       << " scales along k, rhs " << rhsScale[rank - 2]
                       << " (scaled_dot_c4)";
  return success();
}

LogicalResult ScaledDotOp::verify() {
  if (failed(verifyScaledShapes(*this)))
    return failure();
  Type lhs = getElementTypeOrSelf(getLhs()),
       rhs = getElementTypeOrSelf(getRhs()),
       acc = getElementTypeOrSelf(getAcc());
  auto isSmall = [](Type type) {
    return isa<Float8E4M3FNType, Float8E5M2Type, Float4E2M1FNType>(type);
  };
  // scaled_dot_c5
  if (!isSmall(lhs) || !isSmall(rhs) || !acc.isF32())
    return opError(*this) << "elements " << lhs << " times " << rhs << " into "
                          << acc
                          << "; expected f8E4M3FN, f8E5M2 or f4E2M1FN into "
                             "f32 (scaled_dot_c5)";
  // scaled_dot_c6
  Type lhsScale = getElementTypeOrSelf(getLhsScale()),
       rhsScale = getElementTypeOrSelf(getRhsScale());
  bool areFours = isa<Float4E2M1FNType>(lhs) && isa<Float4E2M1FNType>(rhs);
  bool isScale = isa<Float8E8M0FNUType>(lhsScale) ||
                 (areFours && isa<Float8E4M3FNType>(lhsScale));
  if (lhsScale != rhsScale || !isScale)
    return opError(*this) << "scales " << lhsScale << " and " << rhsScale
                          << "; expected both f8E8M0FNU, or both f8E4M3FN "
                             "with f4E2M1FN operands (scaled_dot_c6)";
  return success();
}

//===--- convert ----------------------------------------------------------===//

LogicalResult ConvertOp::verify() {
  Type from = getElementTypeOrSelf(getSource()),
       to = getElementTypeOrSelf(getResult());
  // convert_c1
  if (shapeOf(getSource()) != shapeOf(getResult()))
    return opError(*this) << "the source is " << shapeText(shapeOf(getSource()))
                          << ", the result " << shapeText(shapeOf(getResult()))
                          << " (convert_c1)";
  // convert_c2
  bool isFloat = isa<FloatType>(from), toFloat = isa<FloatType>(to);
  if (!from.isIntOrIndexOrFloat() || !to.isIntOrIndexOrFloat() ||
      to.isInteger(1))
    return opError(*this) << "cannot convert " << from << " to " << to
                          << "; expected integers, index or floats, and not "
                             "to i1 (convert_c2)";
  // convert_c3
  if ((getFromUnsigned() && isFloat) || (getToUnsigned() && toFloat))
    return opError(*this) << "from_unsigned is for an integer source, "
                             "to_unsigned for an integer result; this "
                             "converts "
                          << from << " to " << to << " (convert_c3)";
  // convert_c4
  bool isStochastic = getRounding() == Rounding::stochastic;
  bool hasRandom = getRandom() && isFloat && toFloat &&
                   shapeOf(getRandom()) == shapeOf(getSource());
  if (isStochastic ? !hasRandom : static_cast<bool>(getRandom()))
    return opError(*this) << "stochastic rounding, and only it, takes random "
                             "numbers of the source's shape, from float to "
                             "float (convert_c4)";
  return success();
}

OpFoldResult ConvertOp::fold(FoldAdaptor) {
  // Saturation changes an infinity even where the type stays.
  if (getSource().getType() == getType() && !getSaturate() &&
      getFromUnsigned() == getToUnsigned())
    return getSource();
  return {};
}
