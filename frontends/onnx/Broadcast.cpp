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

/// A size of 1 repeats. Sizes that are computed from dimensions are taken to be
/// equal to the others, which is checked at run time; dynamic dimensions of
/// inputs may be 1.
FailureOr<Expr> GraphBuilder::broadcastSize(ArrayRef<Expr> given,
                                            const Twine &what) {
  SmallVector<Expr> all;
  for (Expr size : given)
    if (!isConst(size, 1) && !llvm::is_contained(all, size))
      all.push_back(size);
  if (all.size() < 2)
    return all.empty() ? sizes.constant(1) : all.front();
  // A constant decides, else a computed size, else the greatest.
  auto freedom = [](Expr e) {
    return constantOf(e) ? 0 : isa<AffineSymbolExpr>(e) ? 2 : 1;
  };
  Expr whole = *std::min_element(all.begin(), all.end(), [&](Expr a, Expr b) {
    return freedom(a) < freedom(b);
  });
  if (freedom(whole) == 2 && llvm::any_of(all, [&](Expr size) {
        return mayRepeat(sizes, all.front(), size);
      }))
    for (Expr size : all)
      whole = sizes.max(whole, size);
  for (Expr size : all) {
    std::string message =
        (what + ": " + sizes.str(whole) + " and " + sizes.str(size) + " differ")
            .str();
    if (mayRepeat(sizes, size, whole))
      checkEither(size, whole, message);
    else if (sizes.equal(size, whole) == false)
      return fail(message);
    else
      check(size, whole, message);
  }
  return whole;
}

/// Checks at run time that a size is `expected` or 1: one of two differences is
/// 0 then.
void GraphBuilder::checkEither(Expr size, Expr expected, const Twine &message) {
  check(sizes.mul(sizes.sub(size, expected), sizes.add(size, -1)), zero(),
        message);
}

FailureOr<Dims> GraphBuilder::broadcastDims(ArrayRef<ArrayRef<Expr>> shapes) {
  size_t rank = 0;
  std::string text;
  for (ArrayRef<Expr> shape : shapes) {
    rank = std::max(rank, shape.size());
    text += (text.empty() ? "" : " and ") + sizes.str(shape);
  }
  Dims dims;
  for (size_t d = 0; d < rank; ++d) {
    SmallVector<Expr> along;
    for (ArrayRef<Expr> shape : shapes)
      if (d + shape.size() >= rank)
        along.push_back(shape[d + shape.size() - rank]);
    TRY(Expr size,
        broadcastSize(along,
                      "operands have shapes that do not broadcast: " + text));
    dims.push_back(size);
  }
  return dims;
}

FailureOr<Dims> GraphBuilder::broadcastDims(ArrayRef<Tensor> tensors) {
  SmallVector<ArrayRef<Expr>> shapes;
  for (const Tensor &tensor : tensors)
    shapes.push_back(tensor->dims);
  return broadcastDims(shapes);
}

/// Reads repeated elements at min(i, size - 1).
FailureOr<Tensor> GraphBuilder::repeatUnits(const Tensor &tensor,
                                            ArrayRef<Expr> wanted) {
  Dims dims = tensor->dims;
  SmallVector<bool> repeats(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) {
    repeats[i] = dims[i] != wanted[i] && mayRepeat(sizes, dims[i], wanted[i]);
    if (!repeats[i])
      continue;
    checkEither(dims[i], wanted[i],
                "an operand of shape " + sizes.str(tensor->dims) +
                    " does not broadcast to " + sizes.str(wanted));
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

FailureOr<Operand> GraphBuilder::broadcastOperand(const Tensor &tensor,
                                                  ArrayRef<Expr> dims) {
  if (tensor->rank() > int64_t(dims.size()))
    return fail("cannot broadcast " + sizes.str(tensor->dims) + " to " +
                sizes.str(dims));
  size_t offset = dims.size() - tensor->rank();
  TRY(Tensor repeated, repeatUnits(tensor, dims.drop_front(offset)));
  Operand operand{repeated, {}};
  for (auto [i, size] : llvm::enumerate(operand.tensor->dims))
    operand.at.push_back(isConst(size, 1) ? zero() : loop(offset + i));
  return operand;
}

FailureOr<Tensor> GraphBuilder::elementwise(ArrayRef<Tensor> tensors,
                                            Element out, BodyFn body,
                                            bool widen) {
  TRY(Dims dims, broadcastDims(tensors));
  return elementwiseOver(dims, tensors, out, body, widen);
}

FailureOr<Tensor> GraphBuilder::elementwiseOver(ArrayRef<Expr> dims,
                                                ArrayRef<Tensor> tensors,
                                                Element out, BodyFn body,
                                                bool widen) {
  SmallVector<Operand> operands;
  for (const Tensor &tensor : tensors) {
    TRY(Operand operand, broadcastOperand(tensor, dims));
    operands.push_back(operand);
  }
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
  TRY(Operand operand, broadcastOperand(tensor, dims));
  if (tensor->constant && isScalarOperand(*tensor) && constantsOf(dims)) {
    TRY(Tensor result, wrap(nullptr, dims, tensor->element));
    return splat(scalarAttr(*tensor, 0), dims, tensor->element);
  }
  return gather({operand}, dims, tensor->element,
                [](Scalar &, ArrayRef<Value> v) { return v[0]; });
}

} // namespace tilewright::onnx
