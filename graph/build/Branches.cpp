#include "graph/build/Regions.h"

#include "graph/build/Checks.h"
#include "graph/build/Movement.h"
#include "graph/build/TensorValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tilewright::build {

namespace {
/// What a side gave, as values at its end.
struct Results {
  SmallVector<Tensor> tensors;
  SmallVector<Value> values;
};
} // namespace

static FailureOr<Results> writeSide(GraphBuilder &b, Block &block, Side side) {
  RegionScope scope(b, block);
  Results results;
  TRY(results.tensors, side());
  for (const Tensor &tensor : results.tensors)
    results.values.push_back(denseValue(b, tensor));
  return results;
}

/// A value with sizes in its type only where both sides have them.
static Value withType(GraphBuilder &b, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return tensor::CastOp::create(b.builder, b.loc, type, value);
}

/// Results of the branch as tensors. A size that the sides differ in is a new
/// symbol.
static FailureOr<Tensor> resultOf(GraphBuilder &b, Value value, const Tensor &x,
                                  const Tensor &y) {
  Dims dims = x->dims;
  for (auto [d, size] : llvm::enumerate(dims))
    if (size != y->dims[d]) {
      Value number =
          arith::ConstantIndexOp::create(b.builder, b.loc, int64_t(d));
      size = b.sizes.symbols.fresh("branch", 0);
      b.indices.defineHere(
          size, tensor::DimOp::create(b.builder, b.loc, value, number));
    }
  return wrap(b, value, dims, x->element);
}

FailureOr<SmallVector<Tensor>> branch(GraphBuilder &b, const Tensor &condition,
                                      Side first, Side second) {
  Value truth = denseValue(b, rearrange(b, condition, {}));
  Value scalar = tensor::ExtractOp::create(b.builder, b.loc, truth);
  const Location loc = b.loc;
  auto open = scf::IfOp::create(b.builder, loc, TypeRange(), scalar,
                                /*addThenBlock=*/true, /*addElseBlock=*/true);
  auto written = [&]() -> FailureOr<std::pair<Results, Results>> {
    TRY(Results left, writeSide(b, *open.thenBlock(), first));
    TRY(Results right, writeSide(b, *open.elseBlock(), second));
    return std::pair(std::move(left), std::move(right));
  }();
  b.loc = loc;
  SmallVector<Type> types;
  bool fits = succeeded(written);
  const size_t count = fits ? written->first.tensors.size() : 0;
  if (fits && written->second.tensors.size() != count)
    fits = succeeded(b.fail("the branches differ in their number of results"));
  for (size_t i = 0; fits && i < count; ++i) {
    const Tensor &x = written->first.tensors[i],
                 &y = written->second.tensors[i];
    fits = x->element == y->element && x->rank() == y->rank();
    if (!fits) {
      (void)b.fail("a result is " + dtypeName(x->element) +
                   b.sizes.str(x->dims) + " in one branch and " +
                   dtypeName(y->element) + b.sizes.str(y->dims) +
                   " in the other");
      break;
    }
    SmallVector<int64_t> shape(typeOf(x->dims, x->element).getShape());
    for (auto [size, a, c] : llvm::zip(shape, x->dims, y->dims))
      size = a == c ? size : ShapedType::kDynamic;
    types.push_back(RankedTensorType::get(shape, x->element.type));
  }
  if (!fits) {
    open.erase();
    return failure();
  }
  auto op = scf::IfOp::create(b.builder, loc, types, scalar,
                              /*addThenBlock=*/false, /*addElseBlock=*/false);
  op.getThenRegion().takeBody(open.getThenRegion());
  op.getElseRegion().takeBody(open.getElseRegion());
  open.erase();
  for (auto [block, results] : {std::pair(op.thenBlock(), &written->first),
                                {op.elseBlock(), &written->second}}) {
    OpBuilder::InsertionGuard guard(b.builder);
    b.builder.setInsertionPointToEnd(block);
    SmallVector<Value> values;
    for (auto [value, type] : llvm::zip(results->values, types))
      values.push_back(withType(b, value, type));
    scf::YieldOp::create(b.builder, loc, values);
  }
  SmallVector<Tensor> results;
  for (size_t i = 0; i < count; ++i) {
    TRY(Tensor result,
        resultOf(b, op.getResult(unsigned(i)), written->first.tensors[i],
                 written->second.tensors[i]));
    results.push_back(result);
  }
  return results;
}

} // namespace tilewright::build
