// Scalars of bodies that are known while a model is imported.
#include "frontends/onnx/Evaluator.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::onnx {

using Known = std::optional<KnownElement>;

/// The constant as an attribute of this type; null if it has none.
static TypedAttr constantAs(const KnownElement &element, Type type) {
  if (element.constant)
    return element.constant;
  std::optional<int64_t> value = constantOf(element.size);
  if (!value)
    return {};
  if (auto floatType = dyn_cast<FloatType>(type)) {
    APFloat number(floatType.getFloatSemantics());
    number.convertFromAPInt(APInt(64, *value, true), true,
                            APFloat::rmNearestTiesToEven);
    return FloatAttr::get(type, number);
  }
  if (type.isIndex())
    return IntegerAttr::get(type, *value);
  return IntegerAttr::get(
      type, APInt(64, *value, true).trunc(type.getIntOrFloatBitWidth()));
}

/// The whole number as a size; null if it is none.
static Expr sizeOf(Sizes &sizes, const KnownElement &element) {
  if (element.size)
    return element.size;
  if (auto integer = dyn_cast<IntegerAttr>(element.constant))
    return sizes.constant(integer.getType().isInteger(1)
                              ? integer.getValue().getZExtValue()
                              : integer.getValue().getSExtValue());
  auto number = dyn_cast<FloatAttr>(element.constant);
  APSInt whole(64, /*isUnsigned=*/false);
  bool isExact = false;
  if (!number ||
      number.getValue().convertToInteger(whole, APFloat::rmTowardZero,
                                         &isExact) ||
      !isExact)
    return {};
  return sizes.constant(whole.getExtValue());
}

Known Evaluator::scalar(Value value, Iteration &iteration) {
  if (auto found = iteration.scalars.find(value);
      found != iteration.scalars.end())
    return found->second;
  Known result = --budget > 0 ? computeScalar(value, iteration) : std::nullopt;
  iteration.scalars[value] = result;
  return result;
}

Known Evaluator::computeScalar(Value value, Iteration &iteration) {
  TypedAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return KnownElement{constant, {}};
  if (Expr size = b.sizeOf(value))
    return KnownElement{{}, size};
  if (auto argument = dyn_cast<BlockArgument>(value))
    return ofArgument(argument, iteration);
  Operation *op = value.getDefiningOp();
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return KnownElement{
        IntegerAttr::get(value.getType(), iteration.loops[index.getDim()]), {}};
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return ofExtract(extract, iteration);
  return ofOperation(op, iteration);
}

Known Evaluator::ofArgument(BlockArgument argument, Iteration &iteration) {
  auto op = dyn_cast<linalg::GenericOp>(argument.getOwner()->getParentOp());
  if (!op)
    return std::nullopt;
  OpOperand *operand = op.getMatchingOpOperand(argument);
  Position at;
  for (AffineExpr subscript : op.getMatchingIndexingMap(operand).getResults()) {
    SmallVector<Expr> dims;
    for (int64_t index : iteration.loops)
      dims.push_back(b.sizes.constant(index));
    auto position = constantOf(subscript.replaceDims(dims));
    if (!position)
      return std::nullopt;
    at.push_back(*position);
  }
  return element(operand->get(), at);
}

Known Evaluator::ofExtract(tensor::ExtractOp op, Iteration &iteration) {
  Position at;
  for (Value index : op.getIndices()) {
    Known position = scalar(index, iteration);
    Expr size = position ? onnx::sizeOf(b.sizes, *position) : Expr();
    std::optional<int64_t> constant = size ? constantOf(size) : std::nullopt;
    if (!constant)
      return std::nullopt;
    at.push_back(*constant);
  }
  return element(op.getTensor(), at);
}

Known Evaluator::ofOperation(Operation *op, Iteration &iteration) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0)
    return std::nullopt;
  // What is not chosen need not be known.
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    Known condition = scalar(select.getCondition(), iteration);
    if (!condition || !condition->constant)
      return std::nullopt;
    bool isTrue = !cast<IntegerAttr>(condition->constant).getValue().isZero();
    return scalar(isTrue ? select.getTrueValue() : select.getFalseValue(),
                  iteration);
  }
  SmallVector<KnownElement> operands;
  for (Value operand : op->getOperands()) {
    Known known = scalar(operand, iteration);
    if (!known)
      return std::nullopt;
    operands.push_back(*known);
  }
  return fold(op, operands);
}

Known Evaluator::fold(Operation *op, ArrayRef<KnownElement> operands) {
  SmallVector<Attribute> constants;
  for (auto [operand, value] : llvm::zip(operands, op->getOperands()))
    constants.push_back(constantAs(operand, value.getType()));
  if (llvm::is_contained(constants, Attribute()))
    return combineSizes(op, operands);
  SmallVector<OpFoldResult> results;
  if (failed(op->fold(constants, results)) || results.size() != 1)
    return std::nullopt;
  auto folded = dyn_cast<Attribute>(results[0]);
  if (!folded) {
    // One of its operands.
    auto same = llvm::find(op->getOperands(), cast<Value>(results[0]));
    if (same == op->getOperands().end())
      return std::nullopt;
    folded = constants[same - op->getOperands().begin()];
  }
  auto typed = dyn_cast<TypedAttr>(folded);
  return typed ? Known(KnownElement{typed, {}}) : std::nullopt;
}

std::optional<bool> Evaluator::areEqual(Expr a, Expr b) {
  std::optional<bool> truth = this->b.sizes.equal(a, b);
  if (truth || !assumesEqual)
    return truth;
  assumed.push_back({a, b});
  return true;
}

/// Arithmetic on whole numbers that are not all constant. Numbers of fewer than
/// 32 bits may overflow; sizes in those are not followed.
Known Evaluator::combineSizes(Operation *op, ArrayRef<KnownElement> operands) {
  Sizes &z = b.sizes;
  SmallVector<Expr> v;
  for (const KnownElement &operand : operands) {
    v.push_back(onnx::sizeOf(z, operand));
    if (!v.back())
      return std::nullopt;
  }
  auto size = [](Expr e) { return Known(KnownElement{{}, e}); };
  Type type = op->getResult(0).getType();
  auto isNatural = [&](Expr e, int64_t least) {
    auto low = z.lowerBound(e);
    return low && *low >= least;
  };
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    std::optional<bool> truth;
    using Predicate = arith::CmpIPredicate;
    auto negated = [](std::optional<bool> t) -> std::optional<bool> {
      return t ? std::optional<bool>(!*t) : std::nullopt;
    };
    switch (compare.getPredicate()) {
    case Predicate::eq:
      truth = areEqual(v[0], v[1]);
      break;
    case Predicate::ne:
      truth = negated(areEqual(v[0], v[1]));
      break;
    case Predicate::slt:
      truth = z.less(v[0], v[1]);
      break;
    case Predicate::sge:
      truth = negated(z.less(v[0], v[1]));
      break;
    case Predicate::sgt:
      truth = z.less(v[1], v[0]);
      break;
    case Predicate::sle:
      truth = negated(z.less(v[1], v[0]));
      break;
    default:
      break;
    }
    if (!truth)
      return std::nullopt;
    return KnownElement{b.builder.getBoolAttr(*truth), {}};
  }
  if (!type.isIndex() && type.getIntOrFloatBitWidth() < 32)
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, Known>(op)
      .Case<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp,
            arith::SIToFPOp, arith::FPToSIOp, arith::ExtFOp, arith::TruncFOp,
            math::FloorOp, math::CeilOp, math::RoundEvenOp, math::TruncOp>(
          [&](auto) { return size(v[0]); })
      .Case<arith::AddIOp, arith::AddFOp>(
          [&](auto) { return size(z.add(v[0], v[1])); })
      .Case<arith::SubIOp, arith::SubFOp>(
          [&](auto) { return size(z.sub(v[0], v[1])); })
      .Case<arith::MulIOp, arith::MulFOp>(
          [&](auto) { return size(z.mul(v[0], v[1])); })
      .Case<arith::MinSIOp, arith::MinimumFOp>(
          [&](auto) { return size(z.min(v[0], v[1])); })
      .Case<arith::MaxSIOp, arith::MaximumFOp>(
          [&](auto) { return size(z.max(v[0], v[1])); })
      .Case<arith::FloorDivSIOp>([&](auto) -> Known {
        if (!isNatural(v[1], 1))
          return std::nullopt;
        return size(z.floorDiv(v[0], v[1]));
      })
      .Case<arith::DivSIOp>([&](auto) -> Known {
        if (!isNatural(v[0], 0) || !isNatural(v[1], 1))
          return std::nullopt;
        return size(z.floorDiv(v[0], v[1]));
      })
      .Case<arith::RemSIOp>([&](auto) -> Known {
        if (!isNatural(v[0], 0) || !isNatural(v[1], 1))
          return std::nullopt;
        return size(z.mod(v[0], v[1]));
      })
      .Default([](Operation *) { return Known(); });
}

/// Tensors of up to this many elements are evaluated.
static constexpr int64_t mostElements = 1024;
/// Scalar operations for one tensor.
static constexpr int64_t mostOperations = 1 << 17;

Tensor GraphBuilder::evaluate(const Tensor &tensor) {
  Evaluator evaluator(*this, mostOperations);
  return evaluateBy(evaluator, tensor);
}

Tensor GraphBuilder::evaluateAssumingEqual(const Tensor &tensor) {
  Evaluator evaluator(*this, mostOperations);
  evaluator.assumesEqual = true;
  Tensor known = evaluateBy(evaluator, tensor);
  if (known)
    for (auto [a, b] : evaluator.assumed)
      check(constantOf(a) ? b : a, constantOf(a) ? a : b,
            "a condition of the model was taken to hold when it was compiled; "
            "compile it for this shape with --input-shape");
  return known;
}

Tensor GraphBuilder::evaluateBy(Evaluator &evaluator, const Tensor &tensor) {
  if (tensor->constant || tensor->content)
    return tensor;
  auto shape = constantsOf(tensor->dims);
  auto count = countOf(*tensor);
  if (!shape || !count || *count > mostElements || !tensor->value)
    return nullptr;
  SmallVector<KnownElement> elements;
  auto stored = cast<RankedTensorType>(tensor->value.getType());
  for (int64_t i = 0; i < *count; ++i) {
    // The stored dimensions' order, without those of size 1.
    SmallVector<int64_t> at(shape->size()), storedAt;
    for (int64_t d = shape->size() - 1, rest = i; d >= 0; --d) {
      at[d] = rest % (*shape)[d];
      rest /= (*shape)[d];
    }
    for (unsigned axis : tensor->axes)
      storedAt.push_back(at[axis]);
    if (int64_t(storedAt.size()) != stored.getRank())
      return nullptr;
    Known known = evaluator.element(tensor->value, storedAt);
    if (!known)
      return nullptr;
    elements.push_back(*known);
  }
  return knownTensor(elements, tensor->dims, tensor->element);
}

Tensor GraphBuilder::folded(const Tensor &tensor, ArrayRef<Tensor> sources) {
  bool constants =
      !sources.empty() && llvm::all_of(sources, [](const Tensor &source) {
        return source->constant != nullptr;
      });
  Tensor known = constants ? evaluate(tensor) : nullptr;
  return known ? known : tensor;
}

Tensor GraphBuilder::knownTensor(ArrayRef<KnownElement> elements,
                                 ArrayRef<Expr> dims, Element element) {
  auto tensor = std::make_shared<TensorInfo>();
  tensor->element = element;
  tensor->dims.assign(dims.begin(), dims.end());
  char *data;
  auto constant = ownedConstant(elements.size(), element.bytes(), data);
  SmallVector<Expr> values;
  for (auto [i, known] : llvm::enumerate(elements)) {
    if (TypedAttr attribute = constantAs(known, element.type)) {
      if (attribute.getType() != element.type)
        return nullptr;
      writeElement(data + i * element.bytes(), element, attribute);
    } else {
      constant = nullptr;
      break;
    }
  }
  tensor->constant = constant;
  if (constant && element.isFloat())
    return tensor;
  for (auto [i, known] : llvm::enumerate(elements)) {
    Expr size = constant ? sizes.constant(intAt(*tensor, i))
                         : onnx::sizeOf(sizes, known);
    if (!size)
      return nullptr;
    values.push_back(size);
  }
  tensor->content.emplace(values.begin(), values.end());
  return tensor;
}

} // namespace tilewright::onnx
