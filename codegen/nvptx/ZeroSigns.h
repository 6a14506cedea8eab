// Selections for which code generation would choose the wrong zero.
#ifndef TILEWRIGHT_CODEGEN_NVPTX_ZEROSIGNS_H
#define TILEWRIGHT_CODEGEN_NVPTX_ZEROSIGNS_H

#include "llvm/IR/Module.h"

namespace tilewright::nvptx {

/// Selects integers where `select (fcmp P, a, b), a, b` may be between zeros of
/// different signs. If b is a constant, LLVM 22 turns such a select of floats
/// into min or max, for which PTX orders -0 before +0: `select (fcmp olt x, 0),
/// x, 0` of -0 is +0, but min(-0, +0) is -0. Runs last before code generation:
/// InstCombine would restore selections of floats.
void keepZeroSigns(llvm::Module &module);

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_CODEGEN_NVPTX_ZEROSIGNS_H
