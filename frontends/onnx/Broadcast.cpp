// Operands of different shapes brought to one.
#include "frontends/onnx/GraphBuilder.h"

using namespace mlir;

namespace tilewright::onnx {

/// Whether a size is a dynamic dimension of an input that may be 1 where the
/// other is not: it repeats then.
static bool mayRepeat(Sizes &sizes, Expr size, Expr other) {
  auto symbol = dyn_cast<AffineSymbolExpr>(size);
  if (!symbol || sizes.positivePartOf(symbol))
    return false;
  auto then = constantOf(sizes.where(other, size, sizes.constant(1)));
  return !then || *then > 1 || constantOf(other);
}

/// The size to which two sizes broadcast: a size of 1 repeats. Dynamic
/// dimensions of inputs may be 1 at run time; sizes that are computed from them
/// are taken to be equal to the other, which is checked at run time.
FailureOr<Expr> GraphBuilder::broadcastSize(Expr a, Expr b, const Twine &what) {
  if (a == b || isConst(b, 1))
    return a;
  if (isConst(a, 1))
    return b;
  std::string message =
      (what + ": " + sizes.str(a) + " and " + sizes.str(b) + " differ").str();
  bool aRepeats = mayRepeat(sizes, a, b), bRepeats = mayRepeat(sizes, b, a);
  if (!aRepeats && !bRepeats) {
    if (sizes.equal(a, b) == false)
      return fail(message);
    check(constantOf(a) ? b : a, constantOf(a) ? a : b, message);
    return constantOf(a) ? a : b;
  }
  Expr both = aRepeats && bRepeats ? sizes.max(a, b) : aRepeats ? b : a;
  if (aRepeats)
    checkEither(a, both, message);
  if (bRepeats)
    checkEither(b, both, message);
  return both;
}

/// Checks at run time that a size is `expected` or 1: one of two differences is
/// 0 then.
void GraphBuilder::checkEither(Expr size, Expr expected, const Twine &message) {
  std::string text = sizes.str(size);
  check("(" + text + " - " + sizes.str(expected) + ")*(" + text + " - 1)", "0",
        message);
}

FailureOr<Dims> GraphBuilder::broadcastDims(ArrayRef<ArrayRef<Expr>> shapes) {
  size_t rank = 0;
  for (ArrayRef<Expr> shape : shapes)
    rank = std::max(rank, shape.size());
  Dims dims(rank, sizes.constant(1));
  for (ArrayRef<Expr> shape : shapes)
    for (auto [i, size] : llvm::enumerate(shape)) {
      Expr &dim = dims[rank - shape.size() + i];
      dim = TRY(broadcastSize(dim, size,
                              "operands have shapes that do not broadcast: " +
                                  sizes.str(shapes[0]) + " and " +
                                  sizes.str(shape)));
    }
  return dims;
}

FailureOr<Dims> GraphBuilder::broadcastDims(ArrayRef<Tensor> tensors) {
  SmallVector<ArrayRef<Expr>> shapes;
  for (const Tensor &tensor : tensors)
    shapes.push_back(tensor->dims);
  return broadcastDims(shapes);
}

/// Repeats dimensions that are 1 at run time and were taken to be of another
/// size by broadcastSize: reads their elements at min(i, size - 1).
FailureOr<Tensor> GraphBuilder::repeatUnits(const Tensor &tensor,
                                            ArrayRef<Expr> wanted) {
  Dims dims = tensor->dims;
  SmallVector<bool> repeats(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) {
    repeats[i] = dims[i] != wanted[i] && mayRepeat(sizes, dims[i], wanted[i]);
    if (repeats[i])
      dims[i] = wanted[i];
  }
  if (!llvm::is_contained(repeats, true))
    return tensor;
  dense(tensor);
  return gather({}, dims, tensor->element, [&](Scalar &s, ArrayRef<Value>) {
    Scalar t(s.builder, s.loc);
    SmallVector<Value> at;
    for (size_t i = 0; i < dims.size(); ++i) {
      Value position = s.loop(i);
      if (repeats[i])
        position = t.min(position, index(sizes.add(tensor->dims[i], -1)));
      at.push_back(position);
    }
    return extract(s, tensor, at);
  });
}

FailureOr<Tensor> GraphBuilder::repeatTo(const Tensor &tensor,
                                         ArrayRef<Expr> wanted,
                                         const Twine &what) {
  for (auto [size, expected] : llvm::zip(tensor->dims, wanted))
    if (size != expected && mayRepeat(sizes, size, expected))
      checkEither(size, expected,
                  what + " has size " + sizes.str(size) + ", expected 1 or " +
                      sizes.str(expected));
  return repeatUnits(tensor, wanted);
}

FailureOr<Operand> GraphBuilder::broadcastOperand(const Tensor &tensor,
                                                  ArrayRef<Expr> dims) {
  size_t offset = dims.size() - tensor->rank();
  Operand operand{TRY(repeatUnits(tensor, dims.drop_front(offset))), {}};
  for (auto [i, size] : llvm::enumerate(operand.tensor->dims))
    operand.at.push_back(isConst(size, 1) ? zero() : loop(offset + i));
  return operand;
}

FailureOr<Tensor> GraphBuilder::elementwise(ArrayRef<Tensor> tensors,
                                            Element out, BodyFn body,
                                            bool widen) {
  Dims dims = TRY(broadcastDims(tensors));
  SmallVector<Operand> operands;
  for (const Tensor &tensor : tensors)
    operands.push_back(TRY(broadcastOperand(tensor, dims)));
  GenericOptions options;
  options.widen = widen;
  // Dimensions of size 1 that no operand stores stay unstored.
  for (Expr dim : dims)
    options.unitLoops.push_back(isConst(dim, 1));
  for (const Operand &operand : operands) {
    const Tensor &tensor = operand.tensor;
    if (tensor->value && !tensor->constant)
      for (unsigned axis : tensor->axes)
        options.unitLoops[dims.size() - tensor->rank() + axis] = false;
  }
  return generic(operands, dims, out, body, options);
}

FailureOr<Tensor> GraphBuilder::broadcastTo(const Tensor &tensor,
                                            ArrayRef<Expr> dims) {
  if (ArrayRef<Expr>(tensor->dims) == dims)
    return tensor;
  if (tensor->rank() > int64_t(dims.size()))
    return fail("cannot broadcast " + sizes.str(tensor->dims) + " to " +
                sizes.str(dims));
  Operand operand = TRY(broadcastOperand(tensor, dims));
  if (tensor->constant && isScalarOperand(*tensor) && constantsOf(dims)) {
    Tensor result = TRY(wrap(nullptr, dims, tensor->element));
    return splat(scalarAttr(*tensor, 0), dims, tensor->element);
  }
  return gather({operand}, dims, tensor->element,
                [](Scalar &, ArrayRef<Value> v) { return v[0]; });
}

} // namespace tilewright::onnx
