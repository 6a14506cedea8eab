//===- Agree.h - Kernels on the device of the run ---------------*- C++ -*-===//
//
// The kernels of this folder are written once and run on each device, by
// `tilewright-kernels-test --device cpu|gpu|levels`. A kernel agrees:
//
// - cpu: if the CPU device computes what the interpreter does;
// - levels: if the interpreter, behind each pass on the way to the CPU and to a
//   GPU, computes what it does at the tile level. One kernel in 16 runs so;
// - gpu: if the scheduled level, on the interpreter, and the PTX, on the
//   emulator, compute what the interpreter does at the tile level, and no
//   barrier is missing. A kernel has one of the targets and one of the numbers
//   of warps; where there is a ptxas, it has to accept the PTX of one kernel in
//   six. A kernel's text alone decides all this, so that a case is the same
//   alone and among others.
//
// A case that a device cannot run calls test::skip with the reason.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TEST_CODEGEN_KERNELS_AGREE_H
#define TILEWRIGHT_TEST_CODEGEN_KERNELS_AGREE_H

#include "Harness.h"

namespace tilewright::kerneltest {

enum class Device { cpu, gpu, levels };

/// The device of this run.
Device device();

/// What the device of this run computes, against the interpreter.
Result compareOnDevice(const std::string &text, std::vector<Input> inputs = {},
                       Tolerance tolerance = {}, uint64_t seed = 1);

/// Whether this run has this kernel, which is one of very many alike: a device
/// has one in `n`, the CPU others than the GPU.
bool isOneIn(unsigned n, const std::string &text);

/// Fails the test with the kernel's text if it does not agree.
void agree(const std::string &text, std::vector<Input> inputs = {},
           Tolerance tolerance = {}, uint64_t seed = 1);

} // namespace tilewright::kerneltest

#endif // TILEWRIGHT_TEST_CODEGEN_KERNELS_AGREE_H
