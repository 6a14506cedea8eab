//===- Edits.h - Ways to make a kernel simpler ------------------*- C++ -*-===//
//
// Each edit changes one thing, number `number` of those that it can change, and
// returns whether there was one. It may change the kernel's results: the
// reducer checks whether the fault remains.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TEST_FUZZ_TILE_EDITS_H
#define TILEWRIGHT_TEST_FUZZ_TILE_EDITS_H

#include "test/codegen/kernels/Harness.h"

namespace tilewright::fuzz {

/// A kernel that is edited; `inputs` are those of its arguments.
struct Edited {
  tile::KernelOp kernel;
  std::vector<kerneltest::Input> inputs;
};

/// Erases `count` ops that nobody uses the results of, whatever they do.
bool eraseEffects(Edited &edited, size_t number, size_t count);
/// Replaces an op by its region, run once.
bool flattenRegion(Edited &edited, size_t number);
/// Replaces a result by an operand of its type.
bool forwardOperand(Edited &edited, size_t number);
/// Replaces an op by a load of a new argument; by a constant for a scalar.
bool replaceByLoad(Edited &edited, size_t number);
/// Replaces a result by a constant.
bool replaceByConstant(Edited &edited, size_t number);
/// One program.
bool dropGrid(Edited &edited, size_t number);

/// Erases what has no use and no effect: ops, arguments, functions.
void cleanUp(Edited &edited);

} // namespace tilewright::fuzz

#endif // TILEWRIGHT_TEST_FUZZ_TILE_EDITS_H
