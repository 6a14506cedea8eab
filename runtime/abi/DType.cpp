#include "tilewright/manifest/DType.h"

namespace tilewright::runtime {

static constexpr DTypeInfo table[] = {
#define DTYPE(ENUMERATOR, NAME, BITS, BYTES, KIND, NPY, SAFETENSORS)           \
  {DType::ENUMERATOR, NAME, BITS, BYTES, DTypeKind::KIND, NPY, SAFETENSORS},
#include "tilewright/manifest/DTypes.inc"
#undef DTYPE
};

const DTypeInfo &dtypeInfo(DType dtype) {
  return table[static_cast<size_t>(dtype)];
}

std::span<const DTypeInfo> allDTypes() { return table; }

std::optional<DType> dtypeFromName(std::string_view name) {
  for (const DTypeInfo &info : table)
    if (info.name == name)
      return info.dtype;
  return std::nullopt;
}

} // namespace tilewright::runtime
