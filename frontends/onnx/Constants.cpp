#include "frontends/onnx/Constants.h"

using namespace mlir;

namespace tilewright::onnx {

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

} // namespace tilewright::onnx
