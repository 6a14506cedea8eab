#include "graph/build/Constants.h"
#include "graph/build/Generic.h"

using namespace mlir;

namespace tilewright::build {

TypedAttr constantAttr(GraphBuilder &b, Element element, double value) {
  Block scratch;
  OpBuilder inner(b.builder.getContext());
  inner.setInsertionPointToEnd(&scratch);
  Scalar s(inner, b.loc, element.isUnsigned);
  Value constant = s.constant(element.type, value);
  return constant.getDefiningOp<arith::ConstantOp>().getValue();
}

Tensor splat(GraphBuilder &b, TypedAttr value, ArrayRef<Expr> dims,
             Element element) {
  auto tensor = std::make_shared<TensorInfo>();
  tensor->element = element;
  tensor->dims.assign(dims.begin(), dims.end());
  char *data;
  tensor->constant = ownedConstant(1, element.bytes(), data);
  writeElement(data, element, value);
  tensor->constant->splat = true;
  auto count = countOf(*tensor);
  if (count && *count <= 1024 && !element.isFloat())
    tensor->content.emplace(*count, b.sizes.constant(intAt(*tensor, 0)));
  return tensor;
}

Tensor scalarConstant(GraphBuilder &b, Element element, double value) {
  return splat(b, constantAttr(b, element, value), {}, element);
}

Tensor integerTensor(GraphBuilder &b, ArrayRef<Expr> values,
                     ArrayRef<Expr> dims, Element element) {
  auto tensor = std::make_shared<TensorInfo>();
  tensor->element = element;
  tensor->dims.assign(dims.begin(), dims.end());
  tensor->content.emplace(values.begin(), values.end());
  auto constants = constantsOf(values);
  if (!constants)
    return tensor;
  char *data;
  unsigned bytes = element.bytes();
  tensor->constant = ownedConstant(values.size(), bytes, data);
  for (auto [i, value] : llvm::enumerate(*constants)) {
    if (element.isFloat())
      writeElement(data + i * bytes, element,
                   constantAttr(b, element, double(value)));
    else
      std::memcpy(data + i * bytes, &value, bytes);
  }
  return tensor;
}

Tensor floatTensor(GraphBuilder &b, ArrayRef<float> values,
                   ArrayRef<int64_t> dims) {
  auto tensor = std::make_shared<TensorInfo>();
  tensor->element = f32(b);
  for (int64_t dim : dims)
    tensor->dims.push_back(b.sizes.constant(dim));
  char *data;
  tensor->constant = ownedConstant(values.size(), 4, data);
  if (!values.empty())
    std::memcpy(data, values.data(), values.size() * 4);
  return tensor;
}

Tensor shapeTensor(GraphBuilder &b, ArrayRef<Expr> dims) {
  Expr rank = b.sizes.constant(dims.size());
  return integerTensor(b, dims, {rank}, i64(b));
}

FailureOr<Tensor> iota(GraphBuilder &b, Expr count, Element element) {
  auto constant = constantOf(count);
  if (constant && *constant <= 1024) {
    SmallVector<Expr> values;
    for (int64_t i = 0; i < *constant; ++i)
      values.push_back(b.sizes.constant(i));
    return integerTensor(b, values, {count}, element);
  }
  return gather(b, {}, {count}, element, [&](Scalar &s, ArrayRef<Value>) {
    return s.fromIndex(s.loop(0), element.type);
  });
}

SmallVector<Expr> exprsOf(Sizes &sizes, ArrayRef<int64_t> values) {
  SmallVector<Expr> exprs;
  for (int64_t value : values)
    exprs.push_back(sizes.constant(value));
  return exprs;
}

Element accumulatorOf(GraphBuilder &b, Element element) {
  return element.isNarrowFloat() ? f32(b) : element;
}

TypedAttr zeroOf(GraphBuilder &b, Element element) {
  return cast<TypedAttr>(b.builder.getZeroAttr(element.type));
}

} // namespace tilewright::build
