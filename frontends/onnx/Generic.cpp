// linalg.generic over symbolic sizes.
#include "frontends/onnx/GraphBuilder.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace tilewright::onnx {

bool GraphBuilder::isScalarOperand(const TensorInfo &tensor) {
  if (tensor.constant)
    return tensor.constant->splat || countOf(tensor) == 1;
  return tensor.content && tensor.content->size() == 1;
}

Value GraphBuilder::scalarOperand(Scalar &s, const TensorInfo &tensor) {
  if (tensor.constant)
    return arith::ConstantOp::create(s.builder, s.loc, scalarAttr(tensor, 0));
  return s.fromIndex(index((*tensor.content)[0]), tensor.element.type);
}

/// The signedness that a body's integer arithmetic follows.
static bool signednessOf(ArrayRef<Operand> operands, Element out) {
  for (const Operand &operand : operands)
    if (operand.tensor->element.isInteger())
      return operand.tensor->element.isUnsigned;
  return out.isUnsigned;
}

static Value widened(Scalar &s, Value v, bool widen) {
  auto type = dyn_cast<FloatType>(v.getType());
  if (widen && type && type.getWidth() < 32)
    return s.convert(v, s.builder.getF32Type());
  return v;
}

namespace {
/// Loops of the generic that no operand's map gives the extent of.
SmallVector<unsigned> loopsWithoutExtent(ArrayRef<AffineMap> maps,
                                         unsigned first, unsigned count) {
  SmallVector<unsigned> missing;
  for (unsigned d = first; d < count; ++d) {
    bool found = llvm::any_of(maps, [&](AffineMap map) {
      return llvm::any_of(map.getResults(), [&](AffineExpr e) {
        auto dim = dyn_cast<AffineDimExpr>(e);
        return dim && dim.getPosition() == d;
      });
    });
    if (!found)
      missing.push_back(d);
  }
  return missing;
}
} // namespace

/// A dimension that a loop walks along has the loop's size: an error where it
/// cannot have, else a check at run time.
LogicalResult GraphBuilder::matchLoops(ArrayRef<Operand> operands,
                                       ArrayRef<Expr> loops) {
  for (const auto &[i, operand] : llvm::enumerate(operands)) {
    ArrayRef<Expr> dims = operand.tensor->dims;
    if (dims.size() != operand.at.size())
      return fail("an operand has shape " + sizes.str(dims) + ", expected " +
                  Twine(operand.at.size()) + " dimensions");
    for (auto [d, subscript] : llvm::enumerate(operand.at))
      if (auto loop = dyn_cast<AffineDimExpr>(subscript))
        if (failed(matchSize(dims[d], loops[loop.getPosition()],
                             "an operand of shape " + sizes.str(dims))))
          return failure();
  }
  return success();
}

LogicalResult GraphBuilder::matchSize(Expr size, Expr expected,
                                      const Twine &where) {
  if (size == expected)
    return success();
  std::string message = (where + " has size " + sizes.str(size) +
                         " where the others have " + sizes.str(expected))
                            .str();
  if (sizes.equal(size, expected) == false)
    return fail(message);
  check(constantOf(size) ? expected : size, constantOf(size) ? size : expected,
        message);
  return success();
}

/// Does every iteration read this operand's one element?
bool GraphBuilder::isInBody(const Operand &operand,
                            const GenericOptions &options) {
  return isScalarOperand(*operand.tensor) &&
         !(options.keepSplats && countOf(*operand.tensor) != 1);
}

FailureOr<Tensor> GraphBuilder::generic(ArrayRef<Operand> operands,
                                        ArrayRef<Expr> loops, Element out,
                                        BodyFn body,
                                        const GenericOptions &options) {
  unsigned parallel = options.parallelLoops.value_or(loops.size());
  if (failed(matchLoops(operands, loops)))
    return failure();
  TRY(Tensor result, wrap(nullptr, loops.take_front(parallel), out));

  // Loops of one iteration are left out.
  SmallVector<Expr> position;
  SmallVector<Expr> kept;
  result->axes.clear();
  for (auto [i, size] : llvm::enumerate(loops)) {
    bool unit = i < parallel
                    ? i < options.unitLoops.size() && options.unitLoops[i]
                    : isConst(size, 1);
    if (unit) {
      position.push_back(zero());
      continue;
    }
    if (i < parallel)
      result->axes.push_back(i);
    position.push_back(loop(kept.size()));
    kept.push_back(size);
  }
  parallel = result->axes.size();
  bool accumulates = options.init && kept.size() > parallel;
  MLIRContext *context = builder.getContext();
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (const Operand &operand : operands) {
    if (isInBody(operand, options))
      continue;
    Storage stored = storage(operand.tensor, options.absorbTranspose);
    SmallVector<Expr> at;
    for (unsigned axis : stored.axes)
      at.push_back(operand.at[axis].replaceDims(position));
    inputs.push_back(stored.value);
    maps.push_back(AffineMap::get(kept.size(), 0, at, context));
  }
  SmallVector<unsigned> missing =
      loopsWithoutExtent(maps, parallel, kept.size());
  if (!missing.empty()) {
    SmallVector<Expr> at, window;
    for (unsigned d : missing) {
      at.push_back(loop(d));
      window.push_back(kept[d]);
    }
    inputs.push_back(empty(window, out.type));
    maps.push_back(AffineMap::get(kept.size(), 0, at, context));
  }
  SmallVector<Expr> at;
  for (unsigned axis : result->axes)
    at.push_back(position[axis]);
  maps.push_back(AffineMap::get(kept.size(), 0, at, context));
  SmallVector<utils::IteratorType> iterators(kept.size(),
                                             utils::IteratorType::reduction);
  std::fill_n(iterators.begin(), parallel, utils::IteratorType::parallel);
  Value init = empty(ArrayRef<Expr>(kept).take_front(parallel), out.type);
  if (accumulates) {
    Value start = arith::ConstantOp::create(builder, loc, options.init);
    init = linalg::FillOp::create(builder, loc, start, init).getResult(0);
  }
  bool typesAgree = true;
  auto emit = [&](OpBuilder &b, Location loc, ValueRange args) {
    Scalar s(b, loc, signednessOf(operands, out), position);
    SmallVector<Value> values;
    unsigned next = 0;
    for (const Operand &operand : operands) {
      Value value = isInBody(operand, options)
                        ? scalarOperand(s, *operand.tensor)
                        : Value(args[next++]);
      values.push_back(widened(s, value, options.widen));
    }
    // One element is combined with what the reduction starts from.
    if (options.init)
      values.push_back(
          accumulates ? Value(args.back())
                      : Value(arith::ConstantOp::create(b, loc, options.init)));
    Value element = body(s, values);
    if (out.isFloat() && isa<FloatType>(element.getType()))
      element = s.convert(element, out.type);
    typesAgree = element.getType() == out.type;
    linalg::YieldOp::create(b, loc, element);
  };
  llvm::SaveAndRestore extents(loopExtents, ArrayRef<Expr>(kept));
  auto op =
      linalg::GenericOp::create(builder, loc, TypeRange{init.getType()}, inputs,
                                ValueRange{init}, maps, iterators, emit);
  if (!error.empty())
    return failure();
  if (!typesAgree)
    return fail("operands have element types that do not go together");
  result->value = op.getResult(0);
  SmallVector<Tensor> sources;
  for (const Operand &operand : operands)
    sources.push_back(operand.tensor);
  return folded(result, sources);
}

FailureOr<Tensor> GraphBuilder::gather(ArrayRef<Operand> operands,
                                       ArrayRef<Expr> dims, Element out,
                                       BodyFn body) {
  GenericOptions options;
  options.widen = false;
  return generic(operands, dims, out, body, options);
}

FailureOr<Tensor> GraphBuilder::reduce(const Tensor &tensor,
                                       ArrayRef<int64_t> axes, bool keepDims,
                                       Element accumulator, TypedAttr init,
                                       BodyFn combine) {
  Operand operand{tensor, Dims(tensor->rank())};
  SmallVector<Expr> loops;
  SmallVector<int64_t> keptAxes;
  for (int64_t i = 0; i < tensor->rank(); ++i)
    if (!llvm::is_contained(axes, i)) {
      operand.at[i] = loop(loops.size());
      loops.push_back(tensor->dims[i]);
    }
  GenericOptions options;
  options.parallelLoops = loops.size();
  options.init = init;
  int64_t keptCount = 0;
  for (int64_t i = 0; i < tensor->rank(); ++i)
    keptAxes.push_back(llvm::is_contained(axes, i) ? -1 : keptCount++);
  for (int64_t axis : axes) {
    operand.at[axis] = loop(loops.size());
    loops.push_back(tensor->dims[axis]);
  }
  TRY(Tensor result, generic({operand}, loops, accumulator, combine, options));
  return keepDims ? rearrange(result, keptAxes) : result;
}

FailureOr<Tensor> GraphBuilder::reduceSum(const Tensor &tensor,
                                          ArrayRef<int64_t> axes,
                                          bool keepDims) {
  Element element = tensor->element.isNarrowFloat() ? f32() : tensor->element;
  return reduce(tensor, axes, keepDims, element,
                cast<TypedAttr>(builder.getZeroAttr(element.type)),
                [](Scalar &s, ArrayRef<Value> v) { return s.add(v[1], v[0]); });
}

FailureOr<Tensor> GraphBuilder::reduceMax(const Tensor &tensor,
                                          ArrayRef<int64_t> axes,
                                          bool keepDims) {
  Element element = tensor->element.isNarrowFloat() ? f32() : tensor->element;
  TypedAttr init = constantAttr(element, -INFINITY);
  return reduce(tensor, axes, keepDims, element, init,
                [](Scalar &s, ArrayRef<Value> v) { return s.max(v[1], v[0]); });
}

FailureOr<Tensor> GraphBuilder::contract(const Operand &a, const Operand &b,
                                         ArrayRef<Expr> loops,
                                         unsigned parallel, Element out) {
  Element sum = out.isNarrowFloat() ? f32() : out;
  GenericOptions options;
  options.parallelLoops = parallel;
  options.absorbTranspose = true;
  options.keepSplats = true;
  options.init = cast<TypedAttr>(builder.getZeroAttr(sum.type));
  auto body = [&](Scalar &s, ArrayRef<Value> v) {
    return s.add(v[2],
                 s.mul(s.convert(v[0], sum.type), s.convert(v[1], sum.type)));
  };
  TRY(Tensor result, generic({a, b}, loops, sum, body, options));
  return convert(result, out);
}

FailureOr<Tensor> GraphBuilder::convert(const Tensor &tensor, Element to,
                                        bool saturate) {
  if (tensor->element == to)
    return tensor;
  if (tensor->content && !to.isBool() && to.bits() >= 32 && !tensor->constant)
    return integers(*tensor->content, tensor->dims, to);
  return elementwise(
      {tensor}, to,
      [&](Scalar &s, ArrayRef<Value> v) {
        s.saturate = saturate;
        return s.convert(v[0], to.type, to.isUnsigned);
      },
      /*widen=*/false);
}

} // namespace tilewright::onnx
