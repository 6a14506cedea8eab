#include "graph/build/Broadcast.h"
#include "graph/build/Movement.h"

#include "graph/analysis/SizeBounds.h"
#include "graph/build/Checks.h"
#include "graph/build/Constants.h"
#include "graph/build/Generic.h"
#include "graph/build/TensorValues.h"

using namespace mlir;

namespace tilewright::build {

/// The size where a dynamic dimension has this value.
static Expr where(Sizes &sizes, Expr size, Expr dimension, Expr value) {
  if (size == dimension)
    return value;
  if (auto symbol = dyn_cast<AffineSymbolExpr>(size)) {
    Expr part = sizes.symbols.positivePartOf(symbol);
    return part ? sizes.positivePart(where(sizes, part, dimension, value))
                : size;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(size);
  if (!binary)
    return size;
  Expr lhs = where(sizes, binary.getLHS(), dimension, value);
  Expr rhs = where(sizes, binary.getRHS(), dimension, value);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return sizes.add(lhs, rhs);
  case AffineExprKind::Mul:
    return sizes.mul(lhs, rhs);
  case AffineExprKind::FloorDiv:
    return isConst(rhs, 0) ? size : sizes.floorDiv(lhs, rhs);
  default:
    return size;
  }
}

/// Whether a size is a dynamic dimension of an input that may be 1 where the
/// other is not: it repeats then.
static bool mayRepeat(Sizes &sizes, Expr size, Expr other) {
  auto symbol = dyn_cast<AffineSymbolExpr>(size);
  if (!symbol || sizes.symbols.positivePartOf(symbol))
    return false;
  auto then = constantOf(where(sizes, other, size, sizes.constant(1)));
  return !then || *then > 1 || constantOf(other);
}

/// A size of 1 repeats. Sizes that are computed from dimensions are taken to be
/// equal to the others, which is checked at run time; dynamic dimensions of
/// inputs may be 1.
FailureOr<Expr> broadcastSize(GraphBuilder &b, ArrayRef<Expr> given,
                              const Twine &what) {
  SmallVector<Expr> all;
  for (Expr size : given)
    if (!isConst(size, 1) && !llvm::is_contained(all, size))
      all.push_back(size);
  if (all.size() < 2)
    return all.empty() ? b.sizes.constant(1) : all.front();
  // A constant decides, else a computed size, else the greatest.
  auto freedom = [](Expr e) {
    return constantOf(e) ? 0 : isa<AffineSymbolExpr>(e) ? 2 : 1;
  };
  Expr whole = *std::min_element(all.begin(), all.end(), [&](Expr x, Expr y) {
    return freedom(x) < freedom(y);
  });
  if (freedom(whole) == 2 && llvm::any_of(all, [&](Expr size) {
        return mayRepeat(b.sizes, all.front(), size);
      }))
    for (Expr size : all)
      whole = b.sizes.max(whole, size);
  for (Expr size : all) {
    std::string message = (what + ": " + b.sizes.str(whole) + " and " +
                           b.sizes.str(size) + " differ")
                              .str();
    if (mayRepeat(b.sizes, size, whole))
      checkEither(b, size, whole, message);
    else if (equal(b.sizes, size, whole) == false)
      return b.fail(message);
    else
      checkEqual(b, size, whole, message);
  }
  return whole;
}

FailureOr<Dims> broadcastDims(GraphBuilder &b,
                              ArrayRef<ArrayRef<Expr>> shapes) {
  size_t rank = 0;
  std::string text;
  for (ArrayRef<Expr> shape : shapes) {
    rank = std::max(rank, shape.size());
    text += (text.empty() ? "" : " and ") + b.sizes.str(shape);
  }
  Dims dims;
  for (size_t d = 0; d < rank; ++d) {
    SmallVector<Expr> along;
    for (ArrayRef<Expr> shape : shapes)
      if (d + shape.size() >= rank)
        along.push_back(shape[d + shape.size() - rank]);
    TRY(Expr size,
        broadcastSize(b, along,
                      "operands have shapes that do not broadcast: " + text));
    dims.push_back(size);
  }
  return dims;
}

FailureOr<Dims> broadcastDims(GraphBuilder &b, ArrayRef<Tensor> tensors) {
  SmallVector<ArrayRef<Expr>> shapes;
  for (const Tensor &tensor : tensors)
    shapes.push_back(tensor->dims);
  return broadcastDims(b, shapes);
}

/// Reads repeated elements at min(i, size - 1).
FailureOr<Tensor> repeatUnits(GraphBuilder &b, const Tensor &tensor,
                              ArrayRef<Expr> wanted) {
  Dims dims = tensor->dims;
  SmallVector<bool> repeats(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) {
    repeats[i] = dims[i] != wanted[i] && mayRepeat(b.sizes, dims[i], wanted[i]);
    if (!repeats[i])
      continue;
    checkEither(b, dims[i], wanted[i],
                "an operand of shape " + b.sizes.str(tensor->dims) +
                    " does not broadcast to " + b.sizes.str(wanted));
    dims[i] = wanted[i];
  }
  if (!llvm::is_contained(repeats, true))
    return tensor;
  denseValue(b, tensor);
  return gather(b, {}, dims, tensor->element, [&](Scalar &s, ArrayRef<Value>) {
    Scalar t(s.builder, s.loc);
    SmallVector<Value> at;
    for (size_t i = 0; i < dims.size(); ++i) {
      Value position = s.loop(i);
      if (repeats[i])
        position = t.min(position, b.index(b.sizes.add(tensor->dims[i], -1)));
      at.push_back(position);
    }
    return extractElement(b, s, tensor, at);
  });
}

FailureOr<Operand> broadcastOperand(GraphBuilder &b, const Tensor &tensor,
                                    ArrayRef<Expr> dims) {
  if (tensor->rank() > int64_t(dims.size()))
    return b.fail("cannot broadcast " + b.sizes.str(tensor->dims) + " to " +
                  b.sizes.str(dims));
  size_t offset = dims.size() - tensor->rank();
  TRY(Tensor repeated, repeatUnits(b, tensor, dims.drop_front(offset)));
  Operand operand{repeated, {}};
  for (auto [i, size] : llvm::enumerate(operand.tensor->dims))
    operand.at.push_back(isConst(size, 1) ? b.zero() : b.loop(offset + i));
  return operand;
}

FailureOr<Tensor> elementwiseOver(GraphBuilder &b, ArrayRef<Expr> dims,
                                  ArrayRef<Tensor> tensors, Element out,
                                  BodyFn body, bool widen) {
  SmallVector<Operand> operands;
  for (const Tensor &tensor : tensors) {
    TRY(Operand operand, broadcastOperand(b, tensor, dims));
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
  return generic(b, operands, dims, out, body, options);
}

FailureOr<Tensor> elementwise(GraphBuilder &b, ArrayRef<Tensor> tensors,
                              Element out, BodyFn body, bool widen) {
  TRY(Dims dims, broadcastDims(b, tensors));
  return elementwiseOver(b, dims, tensors, out, body, widen);
}

FailureOr<Tensor> broadcastTo(GraphBuilder &b, const Tensor &tensor,
                              ArrayRef<Expr> dims) {
  if (ArrayRef<Expr>(tensor->dims) == dims)
    return tensor;
  TRY(Operand operand, broadcastOperand(b, tensor, dims));
  if (tensor->constant && isScalarOperand(*tensor) && constantsOf(dims)) {
    TRY(Tensor result, wrap(b, nullptr, dims, tensor->element));
    return splat(b, scalarAttr(*tensor, 0), dims, tensor->element);
  }
  return gather(b, {operand}, dims, tensor->element,
                [](Scalar &, ArrayRef<Value> v) { return v[0]; });
}

FailureOr<Tensor> convert(GraphBuilder &b, const Tensor &tensor, Element to,
                          bool saturate) {
  if (tensor->element == to)
    return tensor;
  if (tensor->content && !to.isBool() && to.bits() >= 32 && !tensor->constant)
    return integerTensor(b, *tensor->content, tensor->dims, to);
  return elementwise(
      b, {tensor}, to,
      [&](Scalar &s, ArrayRef<Value> v) {
        s.saturate = saturate;
        return s.convert(v[0], to.type, to.isUnsigned);
      },
      /*widen=*/false);
}

FailureOr<Tensor> addBias(GraphBuilder &b, const Tensor &x,
                          const Tensor &bias) {
  if (x->rank() < 2 || bias->rank() != 1)
    return b.fail("the bias has shape " + b.sizes.str(bias->dims) +
                  ", expected [" + b.sizes.str(x->dims[1]) + "]");
  SmallVector<int64_t> kept(x->rank() - 1, -1);
  kept[0] = 0;
  TRY(Tensor row, withDims(b, bias, {x->dims[1]}, "a bias"));
  return elementwiseOver(
      b, x->dims, {x, rearrange(b, row, kept)}, x->element,
      [](Scalar &s, ArrayRef<Value> v) { return s.add(v[0], v[1]); });
}

} // namespace tilewright::build
