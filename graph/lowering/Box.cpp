//===- Box.cpp - Boxes of elements and their offsets -------------------===//
#include "graph/lowering/Box.h"

#include "graph/lowering/KernelFrame.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;

namespace tilewright::graph {

Offset constantOffset(KernelFrame &frame, int64_t value) {
  return {frame.index(value), value, value};
}

Offset steppedOffset(Value value, AffineExpr extent, int64_t step) {
  Offset offset{value, 0, {}};
  if (auto fixed = dyn_cast<AffineConstantExpr>(extent))
    offset.max = (llvm::divideCeil(fixed.getValue(), step) - 1) * step;
  return offset;
}

Offset addOffsets(KernelFrame &frame, const Offset &a, const Offset &b) {
  Offset sum;
  // Beyond 64 bits a bound is not known.
  if (a.min && b.min)
    sum.min = llvm::checkedAdd(*a.min, *b.min);
  if (a.max && b.max)
    sum.max = llvm::checkedAdd(*a.max, *b.max);
  if (sum.min && sum.max && *sum.min == *sum.max)
    return constantOffset(frame, *sum.min);
  if (a.min == 0 && a.max == 0)
    return b;
  if (b.min == 0 && b.max == 0)
    return a;
  sum.value =
      frame.builder.createOrFold<arith::AddIOp>(frame.loc, a.value, b.value);
  sum.form = frame.formOf(a) + frame.formOf(b);
  return sum;
}

Offset subtractOffset(KernelFrame &frame, const Offset &a, const Offset &b) {
  if (b.min == 0 && b.max == 0)
    return a;
  Offset difference;
  if (b.min && b.max && a.min)
    difference.min = llvm::checkedSub(*a.min, *b.max);
  if (b.min && b.max && a.max)
    difference.max = llvm::checkedSub(*a.max, *b.min);
  if (difference.min && difference.min == difference.max)
    return constantOffset(frame, *difference.min);
  difference.value =
      frame.builder.createOrFold<arith::SubIOp>(frame.loc, a.value, b.value);
  difference.form = frame.formOf(a) - frame.formOf(b);
  return difference;
}

Offset scaleOffset(KernelFrame &frame, const Offset &a, int64_t factor) {
  if (factor == 1)
    return a;
  Offset product{{}, a.min, a.max};
  for (auto *bound : {&product.min, &product.max})
    if (*bound)
      *bound = llvm::checkedMul(**bound, factor);
  if (product.min && product.max && *product.min == *product.max)
    return constantOffset(frame, *product.min);
  product.value = frame.builder.createOrFold<arith::MulIOp>(
      frame.loc, a.value, frame.index(factor));
  product.form = frame.formOf(a) * factor;
  return product;
}

Offset divideOffset(KernelFrame &frame, const Offset &a, int64_t divisor) {
  Offset quotient{{}, 0, {}};
  if (a.min)
    quotient.min = *a.min / divisor;
  if (a.max)
    quotient.max = *a.max / divisor;
  if (quotient.min == quotient.max)
    return constantOffset(frame, *quotient.min);
  quotient.value = frame.builder.createOrFold<arith::DivUIOp>(
      frame.loc, a.value, frame.index(divisor));
  return quotient;
}

FailureOr<Offset> foldedOffset(KernelFrame &frame, OpFoldResult value) {
  FailureOr<AffineExpr> expr = frame.shapes.exprOf(value);
  if (failed(expr))
    return failure();
  if (auto constant = dyn_cast<AffineConstantExpr>(*expr))
    return constantOffset(frame, constant.getValue());
  FailureOr<Value> size = frame.sizeValue(*expr);
  if (failed(size))
    return failure();
  return Offset{*size, {}, {}};
}

bool isSameBox(KernelFrame &frame, const Box &a, const Box &b) {
  if (a.size != b.size || a.step != b.step)
    return false;
  for (auto [x, y] : llvm::zip(a.offset, b.offset))
    if (x.value != y.value && frame.formOf(x) != frame.formOf(y))
      return false;
  return true;
}

bool isInside(Value tensor, const Box &box) {
  auto type = cast<RankedTensorType>(tensor.getType());
  for (unsigned d = 0; d < box.rank(); ++d) {
    const Offset &offset = box.offset[d];
    if (type.isDynamicDim(d) || !offset.min || !offset.max || *offset.min < 0)
      return false;
    std::optional<int64_t> last =
        llvm::checkedMulAdd(box.size[d] - 1, box.step[d], *offset.max);
    if (!last || *last >= type.getDimSize(d))
      return false;
  }
  return true;
}

} // namespace tilewright::graph
