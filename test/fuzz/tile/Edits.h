//===- Edits.h - Ways to make a kernel simpler ------------------*- C++ -*-===//
//
// Each edit changes one thing, the `number`-th that it can change, and says
// whether there was one. What a kernel computes changes, of course: the reducer
// asks whether the fault is still there.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TEST_FUZZ_TILE_EDITS_H
#define TILEWRIGHT_TEST_FUZZ_TILE_EDITS_H

#include "test/codegen/cpu/Harness.h"

namespace tilewright::fuzz {

/// A kernel that is edited; `inputs` are those of its arguments.
struct Edited {
  tile::KernelOp kernel;
  std::vector<cputest::Input> inputs;
};

/// Erases `count` ops that nobody uses the results of, whatever they do.
bool eraseEffects(Edited &edited, size_t number, size_t count);
/// Puts a region in the place of its op, run once.
bool flattenRegion(Edited &edited, size_t number);
/// Puts an operand in the place of a result of its type.
bool forwardOperand(Edited &edited, size_t number);
/// Puts a load of an argument of its own in the place of an op; a constant for
/// a scalar.
bool replaceByLoad(Edited &edited, size_t number);
/// Puts a constant in the place of a result.
bool replaceByConstant(Edited &edited, size_t number);
/// One program.
bool dropGrid(Edited &edited, size_t number);

/// Erases what has no use and no effect: ops, arguments, functions.
void cleanUp(Edited &edited);

} // namespace tilewright::fuzz

#endif // TILEWRIGHT_TEST_FUZZ_TILE_EDITS_H
