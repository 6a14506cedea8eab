// linalg.generic over symbolic sizes.
#include "frontends/onnx/GraphBuilder.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <numeric>

using namespace mlir;

namespace tilewright::onnx {

/// Constants of up to this many elements are computed at import.
static constexpr int64_t foldLimit = 1024;

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

/// Evaluates a generic over constants by building the body per element, where
/// every operation folds. Null if something does not.
Tensor GraphBuilder::foldGeneric(ArrayRef<Operand> operands,
                                 ArrayRef<Expr> loops, Element out, BodyFn body,
                                 bool widen) {
  auto shape = constantsOf(loops);
  if (!shape)
    return nullptr;
  int64_t count = 1;
  for (int64_t size : *shape)
    if (size < 0 || __builtin_mul_overflow(count, size, &count) ||
        count > foldLimit)
      return nullptr;
  char *data;
  auto constant = ownedConstant(count, out.bytes(), data);
  Block scratch;
  OpBuilder inner(builder.getContext());
  for (int64_t i = 0; i < count; ++i) {
    inner.setInsertionPointToEnd(&scratch);
    SmallVector<Expr> at(loops.size());
    for (int64_t d = loops.size() - 1, rest = i; d >= 0; --d) {
      at[d] = sizes.constant(rest % (*shape)[d]);
      rest /= (*shape)[d];
    }
    Scalar s(inner, loc, signednessOf(operands, out), at);
    SmallVector<Value> args;
    for (const Operand &operand : operands) {
      const TensorInfo &tensor = *operand.tensor;
      int64_t position = 0;
      for (auto [e, dim] : llvm::zip(operand.at, tensor.dims))
        position = position * *constantOf(dim) +
                   *constantOf(e.replaceDimsAndSymbols(at, {}));
      Value arg =
          arith::ConstantOp::create(inner, loc, scalarAttr(tensor, position));
      args.push_back(widened(s, arg, widen));
    }
    Value result = body(s, args);
    if (out.isFloat() && isa<FloatType>(result.getType()))
      result = s.convert(result, out.type);
    auto known = result.getDefiningOp<arith::ConstantOp>();
    if (!known || result.getType() != out.type)
      return nullptr;
    writeElement(data + i * out.bytes(), out, known.getValue());
    scratch.clear();
  }
  auto tensor = std::make_shared<TensorInfo>();
  tensor->element = out;
  tensor->dims.assign(loops.begin(), loops.end());
  tensor->constant = constant;
  if (!out.isFloat()) {
    tensor->content.emplace();
    for (int64_t i = 0; i < count; ++i)
      tensor->content->push_back(sizes.constant(intAt(*tensor, i)));
  }
  return tensor;
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

FailureOr<Tensor> GraphBuilder::generic(ArrayRef<Operand> operands,
                                        ArrayRef<Expr> loops, Element out,
                                        BodyFn body,
                                        const GenericOptions &options) {
  unsigned parallel = options.parallelLoops.value_or(loops.size());
  for (const Operand &operand : operands)
    if (operand.tensor->rank() != int64_t(operand.at.size()))
      return fail("an operand has shape " + sizes.str(operand.tensor->dims) +
                  ", expected " + Twine(operand.at.size()) + " dimensions");
  Tensor result = TRY(wrap(nullptr, loops.take_front(parallel), out));
  bool constants = llvm::all_of(operands, [](const Operand &operand) {
    return operand.tensor->constant && countOf(*operand.tensor) > 0;
  });
  if (constants && !operands.empty() && parallel == loops.size())
    if (Tensor folded = foldGeneric(operands, loops, out, body, options.widen))
      return folded;

  // Reductions over one element are not loops.
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
  auto inBody = [&](const Operand &operand) {
    return isScalarOperand(*operand.tensor) &&
           !(options.keepSplats && countOf(*operand.tensor) != 1);
  };
  MLIRContext *context = builder.getContext();
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (const Operand &operand : operands) {
    if (inBody(operand))
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
  if (options.init) {
    Value start = arith::ConstantOp::create(builder, loc, options.init);
    init = linalg::FillOp::create(builder, loc, start, init).getResult(0);
  }
  bool typesAgree = true;
  auto emit = [&](OpBuilder &b, Location loc, ValueRange args) {
    Scalar s(b, loc, signednessOf(operands, out), position);
    SmallVector<Value> values;
    unsigned next = 0;
    for (const Operand &operand : operands) {
      Value value = inBody(operand) ? scalarOperand(s, *operand.tensor)
                                    : Value(args[next++]);
      values.push_back(widened(s, value, options.widen));
    }
    if (options.init)
      values.push_back(args.back());
    Value element = body(s, values);
    if (out.isFloat() && isa<FloatType>(element.getType()))
      element = s.convert(element, out.type);
    typesAgree = element.getType() == out.type;
    linalg::YieldOp::create(b, loc, element);
  };
  auto op =
      linalg::GenericOp::create(builder, loc, TypeRange{init.getType()}, inputs,
                                ValueRange{init}, maps, iterators, emit);
  if (!typesAgree)
    return fail("operands have element types that do not go together");
  result->value = op.getResult(0);
  return result;
}

FailureOr<Dims> GraphBuilder::broadcastDims(ArrayRef<Tensor> operands) {
  int64_t rank = 0;
  for (const Tensor &tensor : operands)
    rank = std::max(rank, tensor->rank());
  Dims dims(rank, sizes.constant(1));
  for (const Tensor &tensor : operands)
    for (int64_t i = 0; i < tensor->rank(); ++i) {
      Expr &dim = dims[rank - tensor->rank() + i], size = tensor->dims[i];
      if (isConst(size, 1) || size == dim)
        continue;
      if (isConst(dim, 1)) {
        dim = size;
        continue;
      }
      std::string both =
          "shapes that do not broadcast: " + sizes.str(operands[0]->dims) +
          " and " + sizes.str(tensor->dims) + ": " + sizes.str(dim) + " and " +
          sizes.str(size) + " differ";
      if (!compatible(size, dim) || sizes.equal(size, dim) == false)
        return fail("operands have " + both);
      // Dynamic sizes are taken to be equal, which is checked when run.
      check(constantOf(dim) ? size : dim, constantOf(dim) ? dim : size,
            "operands have " + both);
      if (constantOf(size))
        dim = size;
    }
  return dims;
}

/// Where an operand is read, given the result's dimensions.
static Operand broadcastOperand(GraphBuilder &b, const Tensor &tensor,
                                int64_t rank) {
  Operand operand{tensor, {}};
  for (auto [i, size] : llvm::enumerate(tensor->dims))
    operand.at.push_back(isConst(size, 1) ? b.zero()
                                          : b.loop(rank - tensor->rank() + i));
  return operand;
}

FailureOr<Tensor> GraphBuilder::elementwise(ArrayRef<Tensor> tensors,
                                            Element out, BodyFn body,
                                            bool widen) {
  Dims dims = TRY(broadcastDims(tensors));
  SmallVector<Operand> operands;
  for (const Tensor &tensor : tensors)
    operands.push_back(broadcastOperand(*this, tensor, dims.size()));
  GenericOptions options;
  options.widen = widen;
  // Dimensions of size 1 that no operand stores stay unstored.
  for (Expr dim : dims)
    options.unitLoops.push_back(isConst(dim, 1));
  for (const Tensor &tensor : tensors)
    if (tensor->value && !tensor->constant)
      for (unsigned axis : tensor->axes)
        options.unitLoops[dims.size() - tensor->rank() + axis] = false;
  return generic(operands, dims, out, body, options);
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
  Tensor result = TRY(generic({operand}, loops, accumulator, combine, options));
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
  Tensor result = TRY(generic(
      {a, b}, loops, sum,
      [&](Scalar &s, ArrayRef<Value> v) {
        return s.add(
            v[2], s.mul(s.convert(v[0], sum.type), s.convert(v[1], sum.type)));
      },
      options));
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
