// The entries that each compiled copy of the kernels exports.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_KERNELTABLES_H
#define TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_KERNELTABLES_H

#include "runtime/emulator/numeric/Isa.h"
#include "runtime/emulator/tensor/Kernels.h"

namespace tilewright::emulator {
inline namespace TILEWRIGHT_ISA {

// `Kernels` documents each.
bool alignedSum(const MatrixData &, const AlignedSum &, std::uint64_t *special);
void integerSum(const MatrixData &, const IntegerSum &);
void bitCount(const MatrixData &, bool conjunction);
void fusedChainToNearest(const MatrixData &);

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_KERNELTABLES_H
