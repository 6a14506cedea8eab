#include "graph/build/Checks.h"

#include "graph/analysis/SizeBounds.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Movement.h"
#include "graph/build/TensorValues.h"
#include "graph/ir/Graph.h"

using namespace mlir;

namespace tilewright::build {

bool compatible(Expr a, Expr b) {
  return a == b || !constantOf(a) || !constantOf(b);
}

static void emitCheck(GraphBuilder &b, const Check &check) {
  Value size = b.index(check.size), expected = b.index(check.expected);
  graph::CheckOp::create(b.builder, b.loc, size, check.isLimit, expected,
                         check.message);
}

/// Each condition once, with the message of the first request.
static void addCheck(GraphBuilder &b, Check check) {
  if (b.indices.isLocal(check.size) || b.indices.isLocal(check.expected))
    return emitCheck(b, check); // It cannot be checked before.
  for (const Check &known : b.checks)
    if (known.size == check.size && known.expected == check.expected &&
        known.isLimit == check.isLimit)
      return;
  b.checks.push_back(std::move(check));
}

void checkEqual(GraphBuilder &b, Expr size, Expr expected,
                const Twine &message) {
  if (size != expected)
    addCheck(b, {size, expected, false, message.str()});
}

void checkAtMost(GraphBuilder &b, Expr size, Expr most, const Twine &message) {
  if (less(b.sizes, most, size) != false)
    addCheck(b, {size, most, true, message.str()});
}

void checkEither(GraphBuilder &b, Expr size, Expr expected,
                 const Twine &message) {
  // One of two differences is 0 then.
  checkEqual(b, b.sizes.mul(b.sizes.sub(size, expected), b.sizes.add(size, -1)),
             b.zero(), message);
}

LogicalResult matchSize(GraphBuilder &b, Expr size, Expr expected,
                        const Twine &where) {
  if (size == expected)
    return success();
  std::string message = (where + " has size " + b.sizes.str(size) +
                         " where the others have " + b.sizes.str(expected))
                            .str();
  if (equal(b.sizes, size, expected) == false)
    return b.fail(message);
  checkEqual(b, constantOf(size) ? expected : size,
             constantOf(size) ? size : expected, message);
  return success();
}

Expr staticUnlessEmpty(GraphBuilder &b, Expr size) {
  std::optional<int64_t> usual = constantUnlessEmpty(b.sizes, size);
  if (!usual || constantOf(size))
    return size;
  checkEqual(b, size, b.sizes.constant(*usual),
             "the model was compiled for dimensions of at least 1");
  return b.sizes.constant(*usual);
}

/// Whether kernels compute the elements: known ones are checked where they are
/// used.
static bool isComputed(const Tensor &x) { return !x->content && !x->constant; }

LogicalResult requireIndices(GraphBuilder &b, const Tensor &indices,
                             const Tensor &x, int64_t dim) {
  if (!isComputed(indices))
    return success();
  FailureOr<Tensor> numbers = indices;
  if (indices->element.isUnsigned)
    numbers = convert(b, indices, i64(b));
  if (failed(numbers))
    return failure();
  Expr size = x->dims[dim];
  Value low =
      b.index(indices->element.isUnsigned ? b.zero() : b.sizes.mul(size, -1));
  graph::RequireOp::create(
      b.builder, b.loc, denseValue(b, *numbers), {low, b.index(size)},
      "an index is outside of dimension " + std::to_string(dim) + " of " +
          b.sizes.str(x->dims));
  return success();
}

LogicalResult requireCoordinates(GraphBuilder &b, const Tensor &indices,
                                 const Tensor &x, int64_t first) {
  if (!isComputed(indices))
    return success();
  const int64_t depth = *constantOf(indices->dims.back());
  for (int64_t k = 0; k < depth; ++k) {
    SmallVector<Expr> starts(indices->rank(), b.zero()), dims(indices->dims);
    starts.back() = b.sizes.constant(k);
    dims.back() = b.sizes.constant(1);
    TRY(Tensor column,
        slice(b, indices, starts, dims, SmallVector<int64_t>(dims.size(), 1)));
    if (failed(requireIndices(b, column, x, first + k)))
      return failure();
  }
  return success();
}

LogicalResult requireDivisors(GraphBuilder &b, const Tensor &divisors) {
  if (!divisors->element.isInteger() || !isComputed(divisors))
    return success();
  Value elements = denseValue(b, divisors);
  if (b.requiredDivisors.insert(elements).second)
    graph::RequireOp::create(b.builder, b.loc, elements, ValueRange(),
                             "an integer is divided by zero");
  return success();
}

FailureOr<Tensor> withDims(GraphBuilder &b, const Tensor &tensor,
                           ArrayRef<Expr> dims, const Twine &where) {
  auto same = std::make_shared<TensorInfo>(*tensor);
  for (auto [size, expected] : llvm::zip(same->dims, dims)) {
    if (failed(matchSize(b, size, expected,
                         where + " of shape " + b.sizes.str(tensor->dims))))
      return failure();
    // The type of a value shows which dimensions are static.
    if (!constantOf(size) && !constantOf(expected))
      size = expected;
  }
  same->dense = {};
  return Tensor(same);
}

void emitChecks(GraphBuilder &b) {
  for (const Check &check : b.checks)
    emitCheck(b, check);
}

LogicalResult expectLengths(GraphBuilder &b, const Tensor &lengths, Expr size,
                            StringRef what) {
  if (!lengths->content)
    return success();
  for (Expr length : *lengths->content) {
    auto constant = constantOf(length), most = constantOf(size);
    if (constant && (*constant < 0 || (most && *constant > *most)))
      return b.fail(what + " has the length " + Twine(*constant) +
                    ", expected 0 to " + b.sizes.str(size) +
                    ", the size of the sequence");
    checkAtMost(b, length, size, what + " has a length beyond its sequence");
  }
  return success();
}

} // namespace tilewright::build
