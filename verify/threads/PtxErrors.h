//===- PtxErrors.h - Errors of inline PTX -----------------------*- C++ -*-===//
#ifndef TILEWRIGHT_VERIFY_THREADS_PTXERRORS_H
#define TILEWRIGHT_VERIFY_THREADS_PTXERRORS_H

#include "verify/threads/Combine.h"
#include "verify/threads/Thread.h"

namespace tilewright::verify::threads {

/// The mark of two numbers of `type`, combined.
Mark markOfCombined(Combining combining, mlir::Type type,
                    llvm::ArrayRef<Lane> x, uint64_t made);
/// Of two f32 that become 8-bit floats, the second one in the lower byte. Too
/// large a number becomes the largest one, which is an error, too.
Mark markOfNarrow(const llvm::fltSemantics &to, llvm::ArrayRef<Lane> x,
                  uint64_t made);
/// Of two 8-bit floats that become f16, which is exact.
Mark markOfWide(const Lane &x);

} // namespace tilewright::verify::threads

#endif // TILEWRIGHT_VERIFY_THREADS_PTXERRORS_H
