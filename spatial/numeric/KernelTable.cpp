#include "spatial/numeric/MultiplyKernels.h"

// The copies of MultiplyKernels.cpp, by instruction set.
namespace tilewright::spatial {

#define MULTIPLY_KERNELS(ISA)                                                  \
  namespace ISA {                                                              \
  void exactProducts(const ProductSum &);                                      \
  void fused(const ProductSum &);                                              \
  void integers(const ProductSum &);                                           \
  constexpr MultiplyKernels kernels = {exactProducts, fused, integers};        \
  }
MULTIPLY_KERNELS(baseline)
#ifdef TILEWRIGHT_HAS_avx2
MULTIPLY_KERNELS(avx2)
#endif
#ifdef TILEWRIGHT_HAS_avx512
MULTIPLY_KERNELS(avx512)
#endif
#undef MULTIPLY_KERNELS

const MultiplyKernels *multiplyKernels(HostIsa isa) {
  if (isa > hostIsa())
    return nullptr;
  switch (isa) {
  case HostIsa::baseline:
    return &baseline::kernels;
  case HostIsa::avx2:
#ifdef TILEWRIGHT_HAS_avx2
    return &avx2::kernels;
#else
    return nullptr;
#endif
  case HostIsa::avx512:
#ifdef TILEWRIGHT_HAS_avx512
    return &avx512::kernels;
#else
    return nullptr;
#endif
  }
  return nullptr;
}

} // namespace tilewright::spatial
