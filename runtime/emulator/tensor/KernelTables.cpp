#include "runtime/emulator/tensor/Kernels.h"
#include <cassert>
#include <cstddef>

// The copies of AlignedSum.cpp and ExactSums.cpp, by instruction set.
namespace tilewright::emulator {

#define TENSOR_KERNELS(ISA)                                                    \
  namespace ISA {                                                              \
  bool alignedSum(const MatrixData &, const AlignedSum &, std::uint64_t *);    \
  void integerSum(const MatrixData &, const IntegerSum &);                     \
  void bitCount(const MatrixData &, bool conjunction);                         \
  void fusedChainToNearest(const MatrixData &);                                \
  constexpr Kernels kernels = {alignedSum, integerSum, bitCount,               \
                               fusedChainToNearest};                           \
  }
TENSOR_KERNELS(baseline)
#ifdef TILEWRIGHT_HAS_avx2
TENSOR_KERNELS(avx2)
#endif
#ifdef TILEWRIGHT_HAS_avx512
TENSOR_KERNELS(avx512)
#endif
#undef TENSOR_KERNELS

static const Kernels *find(HostIsa isa) {
#ifdef TILEWRIGHT_HAS_avx512
  if (isa == HostIsa::avx512)
    return &avx512::kernels;
#endif
#ifdef TILEWRIGHT_HAS_avx2
  if (isa == HostIsa::avx2)
    return &avx2::kernels;
#endif
  return isa == HostIsa::baseline ? &baseline::kernels : nullptr;
}

const Kernels &tensorKernels(HostIsa isa) {
  assert(hasTensorKernels(isa));
  return *find(isa);
}

bool hasTensorKernels(HostIsa isa) { return isa <= hostIsa() && find(isa); }

} // namespace tilewright::emulator
