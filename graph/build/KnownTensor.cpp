#include "graph/build/KnownTensor.h"

#include "graph/analysis/Evaluator.h"
#include "graph/build/Checks.h"
#include "graph/build/Remedy.h"

using namespace mlir;

namespace tilewright::build {

using graph::Evaluator;
using graph::KnownElement;

using Known = std::optional<KnownElement>;

/// Tensors of up to this many elements are evaluated.
static constexpr int64_t mostElements = 1024;

/// Scalar operations for one tensor.
static constexpr int64_t mostOperations = 1 << 17;

static Evaluator makeEvaluator(GraphBuilder &b) {
  return Evaluator(
      b.sizes, [&](Value index) { return b.indices.sizeOf(index); },
      mostOperations);
}

/// A tensor of these elements; null if one has another type.
static Tensor knownTensor(GraphBuilder &b, ArrayRef<KnownElement> elements,
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
    Expr size = constant ? b.sizes.constant(intAt(*tensor, i))
                         : graph::sizeOf(b.sizes, known);
    if (!size)
      return nullptr;
    values.push_back(size);
  }
  tensor->content.emplace(values.begin(), values.end());
  return tensor;
}

/// All elements of a tensor; nothing if one is not known.
static std::optional<SmallVector<KnownElement>>
elementsOf(Evaluator &evaluator, const Tensor &tensor) {
  auto shape = constantsOf(tensor->dims);
  auto count = countOf(*tensor);
  if (!shape || !count || *count > mostElements || !tensor->value)
    return std::nullopt;
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
      return std::nullopt;
    Known known = evaluator.element(tensor->value, storedAt);
    if (!known)
      return std::nullopt;
    elements.push_back(*known);
  }
  return elements;
}

static Tensor evaluateBy(GraphBuilder &b, Evaluator &evaluator,
                         const Tensor &tensor) {
  if (tensor->constant || tensor->content)
    return tensor;
  auto elements = elementsOf(evaluator, tensor);
  return elements ? knownTensor(b, *elements, tensor->dims, tensor->element)
                  : nullptr;
}

std::optional<SizeRatio> evaluateRatio(GraphBuilder &b, const Tensor &tensor) {
  Evaluator evaluator = makeEvaluator(b);
  auto elements = elementsOf(evaluator, tensor);
  if (!elements || elements->size() != 1)
    return std::nullopt;
  auto ratio = graph::ratioOf(b.sizes, elements->front());
  return ratio ? std::optional(SizeRatio{ratio->first, ratio->second})
               : std::nullopt;
}

Tensor evaluate(GraphBuilder &b, const Tensor &tensor) {
  Evaluator evaluator = makeEvaluator(b);
  return evaluateBy(b, evaluator, tensor);
}

static std::string withOptions(const std::string &options) {
  return options.empty() ? "" : ", as with " + options;
}

Tensor evaluateAssumingEqual(GraphBuilder &b, const Tensor &tensor) {
  Evaluator evaluator = makeEvaluator(b);
  evaluator.assumesEqual = true;
  Tensor known = evaluateBy(b, evaluator, tensor);
  if (known)
    for (auto [left, right] : evaluator.assumed)
      checkEqual(
          b, constantOf(left) ? right : left, constantOf(left) ? left : right,
          "a condition of the model was taken to hold when it was compiled; "
          "compile it for this shape" +
              withOptions(sizeOptions(b, {left, right})));
  return known;
}

Tensor folded(GraphBuilder &b, const Tensor &tensor, ArrayRef<Tensor> sources) {
  bool isShapeLike = !tensor->element.isFloat() && !sources.empty() &&
                     llvm::all_of(sources, [](const Tensor &source) {
                       return source->constant != nullptr;
                     });
  Tensor known = isShapeLike ? evaluate(b, tensor) : nullptr;
  return known ? known : tensor;
}

} // namespace tilewright::build
