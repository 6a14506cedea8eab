//===- EdgeValues.h - Inputs at which conversions differ --------*- C++ -*-===//
#ifndef TILEWRIGHT_TEST_CODEGEN_KERNELS_EDGEVALUES_H
#define TILEWRIGHT_TEST_CODEGEN_KERNELS_EDGEVALUES_H

#include <cstdint>
#include <string>
#include <vector>

namespace tilewright::kerneltest {

/// Bit patterns of type `from` that are hard to convert to type `to`: all of a
/// type of up to 8 bits; else zeros, infinities, NaN, the largest and least
/// numbers, subnormals, the numbers of `to`, their midpoints and the neighbours
/// of both, the ends of its range, and random ones.
std::vector<uint64_t> edgeBits(const std::string &from, const std::string &to);

/// Those patterns of float type `from` that every rounding makes an integer
/// of `width` bits.
std::vector<uint64_t> inRange(const std::vector<uint64_t> &bits,
                              const std::string &from, unsigned width,
                              bool isUnsigned);

/// All but zeros and signaling NaN.
std::vector<uint64_t> withoutZerosAndSignals(std::vector<uint64_t> bits,
                                             const std::string &type);

/// All 2^width bit patterns.
std::vector<uint64_t> allBits(unsigned width);

} // namespace tilewright::kerneltest

#endif // TILEWRIGHT_TEST_CODEGEN_KERNELS_EDGEVALUES_H
