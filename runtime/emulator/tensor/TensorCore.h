// Tensor-core arithmetic, bit for bit, on plain arrays.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_TENSORCORE_H
#define TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_TENSORCORE_H

#include "runtime/emulator/tensor/Rule.h"
#include "support/HostIsa.h"

namespace tilewright::emulator {

/// D = A * B + C for one instruction: A is rows x K, B is K x columns, C and D
/// are rows x columns, with K = rule.operation.depth.
///
/// Every matrix is stored by columns without gaps: element (i, j) of a matrix
/// with R rows is element j * R + i of the array. An element takes
/// elementFacts(type).storageBytes, the number in its low bits. b1 is packed:
/// 32 elements that are neighbours in k make one word, the first in bit 0, so
/// that A is an array of rows x K/32 words and B of K/32 x columns.
///
/// `c` may be null (zeros), and may be `d` if both have the same type.
/// rows is 8 or a multiple of 16 up to 64; any number of columns. Fails if a
/// size is not supported. Any thread.
Status multiplyAccumulate(const Rule &rule, int rows, int columns,
                          const void *a, const void *b, const void *c, void *d,
                          HostIsa isa = hostIsa());

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_TENSORCORE_H
