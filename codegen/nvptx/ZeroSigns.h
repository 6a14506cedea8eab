// Selections that code generation would give the wrong zero.
#ifndef TILEWRIGHT_CODEGEN_NVPTX_ZEROSIGNS_H
#define TILEWRIGHT_CODEGEN_NVPTX_ZEROSIGNS_H

#include "llvm/IR/Module.h"

namespace tilewright::nvptx {

/// Selects integers where `select (fcmp P, a, b), a, b` may be between zeros
/// of two signs. LLVM 22 makes such a selection of floats min or max where b is
/// a constant, of which PTX orders -0 before +0: `select (fcmp olt x, 0), x, 0`
/// of -0 is +0, and min(-0, +0) is -0. Runs last before code generation:
/// InstCombine makes them selections of floats again.
void keepZeroSigns(llvm::Module &module);

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_CODEGEN_NVPTX_ZEROSIGNS_H
