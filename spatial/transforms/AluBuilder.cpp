#include "spatial/transforms/AluBuilder.h"

using namespace mlir;

namespace tilewright::spatial {

std::optional<DType> scalarType(Type type) {
  if (type.isInteger(64) || type.isIndex() || type.isSignlessInteger(16))
    return DType::I32;
  return valueType(type);
}

unsigned widthOf(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

VectorScalar AluBuilder::number(double value, DType dtype) {
  VectorScalar scalar;
  scalar.operand.number = value;
  scalar.dtype = dtype;
  return scalar;
}

VectorScalar AluBuilder::integerNumber(int64_t value) {
  VectorScalar scalar;
  scalar.known = {value};
  scalar.dtype = DType::I32;
  return scalar;
}

Tensors::Operand AluBuilder::operandOf(const VectorScalar &scalar) {
  if (!scalar.isKnown())
    return scalar.operand;
  Tensors::Operand operand;
  const bool isUniform = llvm::all_of(scalar.known, [&](int64_t value) {
    return value == scalar.known.front();
  });
  if (isUniform) {
    operand.number =
        static_cast<double>(static_cast<int32_t>(scalar.known.front()));
    return operand;
  }
  std::vector<uint32_t> lanes;
  lanes.reserve(scalar.known.size());
  for (int64_t value : scalar.known)
    lanes.push_back(static_cast<uint32_t>(value));
  operand.reads = tensors.constants(where, lanes, scalar.dtype);
  return operand;
}

VectorScalar AluBuilder::operator()(AluOp operation, DType type,
                                    ArrayRef<VectorScalar> operands,
                                    DType result) {
  SmallVector<Tensors::Operand> list;
  for (const VectorScalar &operand : operands)
    list.push_back(operandOf(operand));
  VectorScalar scalar;
  scalar.dtype = result;
  scalar.operand.reads.value =
      tensors.alu(where, operation, type, list, count, result);
  auto range = llvm::seq<int32_t>(0, static_cast<int32_t>(count));
  scalar.operand.reads.indices.assign(range.begin(), range.end());
  return scalar;
}

} // namespace tilewright::spatial
