#include "graph/build/Generic.h"

#include "graph/build/Checks.h"
#include "graph/build/KnownTensor.h"
#include "graph/build/TensorValues.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace tilewright::build {

bool isScalarOperand(const TensorInfo &tensor) {
  if (tensor.constant)
    return tensor.constant->splat || countOf(tensor) == 1;
  return tensor.content && tensor.content->size() == 1;
}

/// The scalar of a constant or known operand that all iterations read.
static Value scalarOperand(GraphBuilder &b, Scalar &s,
                           const TensorInfo &tensor) {
  if (tensor.constant)
    return arith::ConstantOp::create(s.builder, s.loc, scalarAttr(tensor, 0));
  return s.fromIndex(b.index((*tensor.content)[0]), tensor.element.type);
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

/// Loops of the generic whose extent no operand's map determines.
static SmallVector<unsigned>
loopsWithoutExtent(ArrayRef<AffineMap> maps, unsigned first, unsigned count) {
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

/// A dimension that a loop walks along has the loop's size: an error where it
/// cannot have, else a check at run time.
static LogicalResult matchLoops(GraphBuilder &b, ArrayRef<Operand> operands,
                                ArrayRef<Expr> loops) {
  for (const auto &[i, operand] : llvm::enumerate(operands)) {
    ArrayRef<Expr> dims = operand.tensor->dims;
    if (dims.size() != operand.at.size())
      return b.fail("an operand has shape " + b.sizes.str(dims) +
                    ", expected " + Twine(operand.at.size()) + " dimensions");
    for (auto [d, subscript] : llvm::enumerate(operand.at))
      if (auto loop = dyn_cast<AffineDimExpr>(subscript))
        if (failed(matchSize(b, dims[d], loops[loop.getPosition()],
                             "an operand of shape " + b.sizes.str(dims))))
          return failure();
  }
  return success();
}

/// Does every iteration read this operand's one element?
static bool isInBody(const Operand &operand, const GenericOptions &options) {
  return isScalarOperand(*operand.tensor) &&
         !(options.keepSplats && countOf(*operand.tensor) != 1);
}

namespace {
/// The loops of the operation: those of one iteration are left out.
struct KeptLoops {
  /// What each of the given loops is: a loop of the operation or 0.
  SmallVector<Expr> position;
  /// The sizes of those that are there.
  SmallVector<Expr> sizes;
  /// The dimensions of the result that are stored: its parallel loops.
  SmallVector<unsigned, 4> axes;

  AffineMap map(ArrayRef<Expr> at, MLIRContext *context) const {
    return AffineMap::get(sizes.size(), 0, at, context);
  }
};

/// What the operation reads.
struct Inputs {
  SmallVector<Value> values;
  SmallVector<AffineMap> maps;
};
} // namespace

static KeptLoops keepLoops(GraphBuilder &b, ArrayRef<Expr> loops,
                           unsigned parallel, const GenericOptions &options) {
  KeptLoops kept;
  for (auto [i, size] : llvm::enumerate(loops)) {
    bool unit = i < parallel
                    ? i < options.unitLoops.size() && options.unitLoops[i]
                    : isConst(size, 1);
    if (unit) {
      kept.position.push_back(b.zero());
      continue;
    }
    if (i < parallel)
      kept.axes.push_back(i);
    kept.position.push_back(b.loop(kept.sizes.size()));
    kept.sizes.push_back(size);
  }
  return kept;
}

static Inputs readOperands(GraphBuilder &b, ArrayRef<Operand> operands,
                           const KeptLoops &kept, Element out,
                           const GenericOptions &options) {
  MLIRContext *context = b.builder.getContext();
  Inputs inputs;
  for (const Operand &operand : operands) {
    if (isInBody(operand, options))
      continue;
    Storage stored = storageOf(b, operand.tensor, options.absorbTranspose);
    SmallVector<Expr> at;
    for (unsigned axis : stored.axes)
      at.push_back(operand.at[axis].replaceDims(kept.position));
    inputs.values.push_back(stored.value);
    inputs.maps.push_back(kept.map(at, context));
  }
  SmallVector<unsigned> missing =
      loopsWithoutExtent(inputs.maps, kept.axes.size(), kept.sizes.size());
  if (!missing.empty()) {
    SmallVector<Expr> at, window;
    for (unsigned d : missing) {
      at.push_back(b.loop(d));
      window.push_back(kept.sizes[d]);
    }
    inputs.values.push_back(emptyValue(b, window, out.type));
    inputs.maps.push_back(kept.map(at, context));
  }
  return inputs;
}

/// The scalars of the operands; `args` are those that the operation reads.
static SmallVector<Value> scalarsOf(GraphBuilder &b, Scalar &s,
                                    ArrayRef<Operand> operands, ValueRange args,
                                    const GenericOptions &options) {
  SmallVector<Value> values;
  unsigned next = 0;
  for (const Operand &operand : operands) {
    Value value = isInBody(operand, options)
                      ? scalarOperand(b, s, *operand.tensor)
                      : Value(args[next++]);
    values.push_back(widened(s, value, options.widen));
  }
  return values;
}

FailureOr<Tensor> generic(GraphBuilder &b, ArrayRef<Operand> operands,
                          ArrayRef<Expr> loops, Element out, BodyFn body,
                          const GenericOptions &options) {
  unsigned parallel = options.parallelLoops.value_or(loops.size());
  if (failed(matchLoops(b, operands, loops)))
    return failure();
  TRY(Tensor result, wrap(b, nullptr, loops.take_front(parallel), out));

  const KeptLoops kept = keepLoops(b, loops, parallel, options);
  parallel = kept.axes.size();
  bool accumulates = options.init && kept.sizes.size() > parallel;
  Inputs inputs = readOperands(b, operands, kept, out, options);
  SmallVector<Expr> at;
  for (unsigned axis : kept.axes)
    at.push_back(kept.position[axis]);
  inputs.maps.push_back(kept.map(at, b.builder.getContext()));
  SmallVector<utils::IteratorType> iterators(kept.sizes.size(),
                                             utils::IteratorType::reduction);
  std::fill_n(iterators.begin(), parallel, utils::IteratorType::parallel);
  Value init =
      emptyValue(b, ArrayRef<Expr>(kept.sizes).take_front(parallel), out.type);
  if (accumulates) {
    Value start = arith::ConstantOp::create(b.builder, b.loc, options.init);
    init = linalg::FillOp::create(b.builder, b.loc, start, init).getResult(0);
  }
  bool typesAgree = true;
  auto emit = [&](OpBuilder &inner, Location where, ValueRange args) {
    Scalar s(inner, where, signednessOf(operands, out), kept.position);
    SmallVector<Value> values = scalarsOf(b, s, operands, args, options);
    // One element is combined with what the reduction starts from.
    if (options.init)
      values.push_back(accumulates ? Value(args.back())
                                   : Value(arith::ConstantOp::create(
                                         inner, where, options.init)));
    Value element = body(s, values);
    if (out.isFloat() && isa<FloatType>(element.getType()))
      element = s.convert(element, out.type);
    typesAgree = element.getType() == out.type;
    linalg::YieldOp::create(inner, where, element);
  };
  llvm::SaveAndRestore extents(b.loopExtents, ArrayRef<Expr>(kept.sizes));
  auto op = linalg::GenericOp::create(
      b.builder, b.loc, TypeRange{init.getType()}, inputs.values,
      ValueRange{init}, inputs.maps, iterators, emit);
  if (!b.error.empty())
    return failure();
  if (!typesAgree)
    return b.fail("operands have element types that do not go together");
  result->axes = kept.axes;
  result->value = op.getResult(0);
  SmallVector<Tensor> sources;
  for (const Operand &operand : operands)
    sources.push_back(operand.tensor);
  return folded(b, result, sources);
}

FailureOr<Tensor> gather(GraphBuilder &b, ArrayRef<Operand> operands,
                         ArrayRef<Expr> dims, Element out, BodyFn body) {
  GenericOptions options;
  options.widen = false;
  return generic(b, operands, dims, out, body, options);
}

Value extractElement(GraphBuilder &b, Scalar &s, const Tensor &tensor,
                     ArrayRef<Value> indices, bool isPart) {
  for (auto [size, index] : llvm::zip(tensor->dims, indices))
    if (auto loop = index.getDefiningOp<linalg::IndexOp>(); loop && !isPart)
      (void)matchSize(b, size, b.loopExtents[loop.getDim()],
                      "an operand of shape " + b.sizes.str(tensor->dims));
  return tensor::ExtractOp::create(s.builder, s.loc, tensor->dense, indices);
}

Value boundedIndex(GraphBuilder &b, Scalar &s, Value index, Expr size,
                   bool wrapNegative) {
  Scalar signedScalar(s.builder, s.loc, /*isUnsigned=*/false);
  Value limit = constantOf(size) ? s.index(*constantOf(size)) : b.index(size);
  Value zero = s.index(0), at = index;
  if (wrapNegative)
    at = s.select(signedScalar.lt(at, zero), s.add(at, limit), at);
  return signedScalar.clamp(at, zero, s.sub(limit, s.index(1)));
}

} // namespace tilewright::build
