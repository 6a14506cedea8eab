#include "spatial/machine/ValueTypes.h"

namespace tilewright::spatial {

std::optional<DType> valueTypeFromName(std::string_view name) {
  for (DType type : {DType::Bool, DType::I8, DType::U8, DType::I32, DType::F16,
                     DType::BF16, DType::F32})
    if (valueTypeName(type) == name)
      return type;
  return std::nullopt;
}

std::string_view valueTypeName(DType type) {
  return type == DType::Bool ? "i1" : runtime::dtypeName(type);
}

DType resultType(AluOp op, DType type) {
  if (delayClass(op) == DelayClass::compare)
    return DType::Bool;
  if (op == AluOp::convert)
    return type == DType::F32 ? DType::I32 : DType::F32;
  return type;
}

} // namespace tilewright::spatial
