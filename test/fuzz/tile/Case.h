//===- Case.h - A kernel, its inputs and who runs it ------------*- C++ -*-===//
//
// As text, a case is an .mlir file whose first lines say how it is run:
//
//   // data 7                  the seed of the random numbers of inputs
//   // input 0 dims=5,7 low=-4 high=4
//   // run cpu rows=3 vectors=1
//   // run sm_90a warps=2 vector_bits=32
//   tile.kernel @k(..) ..
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TEST_FUZZ_TILE_CASE_H
#define TILEWRIGHT_TEST_FUZZ_TILE_CASE_H

#include "test/codegen/kernels/Harness.h"
#include "tilewright/support/Status.h"

namespace tilewright::fuzz {

/// Who computes the kernel, and by which schedule.
struct Run {
  /// "cpu", "cpu-avx2", "cpu-sse2", "scheduled" (the interpreter at the
  /// scheduled level) or a GPU's name (PTX on the emulator).
  std::string target;
  std::string schedule;
};

struct Case {
  /// Of the generator; 0: from a file.
  uint64_t seed = 0;
  /// The kernel is called `k`.
  std::string text;
  std::vector<kerneltest::Input> inputs;
  uint64_t data = 1;
  std::vector<Run> runs;
};

/// What kernels are made of.
enum class Contents { anyOps, products };

/// The case of a seed, with random schedules.
Case makeCase(uint64_t seed, Contents contents);

std::string print(const Case &c);
/// Errors name the line.
StatusOr<Case> parseCase(const std::string &text);

} // namespace tilewright::fuzz

#endif // TILEWRIGHT_TEST_FUZZ_TILE_CASE_H
