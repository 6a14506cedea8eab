#include "graph/analysis/SizeBounds.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Checks.h"
#include "graph/build/Constants.h"
#include "graph/build/KnownTensor.h"
#include "graph/build/Movement.h"
#include "graph/build/Regions.h"
#include "graph/build/Remedy.h"
#include "graph/build/TensorValues.h"
#include "graph/ir/Graph.h"

using namespace mlir;

namespace tilewright::build {

RegionScope::RegionScope(GraphBuilder &b, Block &block)
    : b(b), block(block), outer(b.indices.enter(&block)), guard(b.builder),
      checks(std::exchange(b.checks, {})), requiredDivisors(b.requiredDivisors),
      memos(b.memos.size()), localSizes(b.indices.localCount()) {
  b.builder.setInsertionPointToEnd(&block);
  ++b.regionDepth;
}

RegionScope::~RegionScope() {
  // Those that follow from inputs hold before the region's ops run.
  b.builder.setInsertionPointToStart(&block);
  emitChecks(b);
  b.indices.enter(outer);
  b.checks = std::move(checks);
  b.requiredDivisors = std::move(requiredDivisors);
  for (size_t i = memos; i < b.memos.size(); ++i)
    *b.memos[i].place = nullptr;
  b.memos.resize(memos);
  b.indices.dropLocals(localSizes);
  --b.regionDepth;
}

/// A symbol for the number in a tensor of i64 without dimensions.
static Expr readNumber(GraphBuilder &b, const Tensor &number, int64_t least,
                       Value limit, std::optional<int64_t> most) {
  Value size = graph::SizeOp::create(b.builder, b.loc, b.builder.getIndexType(),
                                     denseValue(b, number), least, limit);
  Expr symbol = b.sizes.symbols.fresh("size", least, most);
  b.indices.defineHere(symbol, size);
  return symbol;
}

FailureOr<Expr> readSize(GraphBuilder &b, const Tensor &tensor, int64_t least,
                         Expr greatest) {
  if (!tensor->element.isInteger() || countOf(*tensor) != 1)
    return b.fail("expected one integer, found " + dtypeName(tensor->element) +
                  b.sizes.str(tensor->dims));
  if (Tensor known = evaluate(b, tensor); known && known->content)
    return known->content->front();
  Element wide{b.builder.getI64Type()};
  TRY(Tensor number, convert(b, rearrange(b, tensor, {}), wide));
  noteRead(b, number);
  Value limit = greatest ? b.index(greatest) : Value();
  return readNumber(b, number, least, limit,
                    greatest ? upperBound(b.sizes, greatest) : std::nullopt);
}

Expr readNested(GraphBuilder &b, Expr size) {
  constexpr unsigned most = 5;
  std::optional<int64_t> least = lowerBound(b.sizes, size);
  if (!least || b.sizes.symbols.nesting(size) <= most)
    return size;
  return readNumber(b, integerTensor(b, {size}, {}, i64(b)), *least, Value(),
                    upperBound(b.sizes, size));
}

bool isReadable(const TensorInfo &tensor) {
  constexpr int64_t most = 64;
  auto count = countOf(tensor);
  return tensor.rank() < 2 && count && *count <= most;
}

FailureOr<Tensor> readElements(GraphBuilder &b, const Tensor &tensor,
                               int64_t least, Expr greatest) {
  if (tensor->content)
    return tensor;
  const Expr one = b.sizes.constant(1);
  const bool isScalar = tensor->rank() == 0;
  SmallVector<Expr> elements;
  for (int64_t i = 0, count = *countOf(*tensor); i < count; ++i) {
    Tensor element = tensor;
    if (!isScalar) {
      TRY(element, slice(b, tensor, {b.sizes.constant(i)}, {one}, {1}));
    }
    TRY(Expr size, readSize(b, element, least, greatest));
    elements.push_back(size);
  }
  auto known = std::make_shared<TensorInfo>(*tensor);
  known->content = Dims(elements);
  return Tensor(known);
}

} // namespace tilewright::build
