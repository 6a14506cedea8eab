//===- BuildIdentity.h - Which build of the compiler this is ----*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_COMPILER_BUILDIDENTITY_H
#define TILEWRIGHT_LIBRARY_COMPILER_BUILDIDENTITY_H

#include <string>

namespace tilewright {

/// Differs between any two builds whose code may differ. Has the version, and
/// for each file of this library, MLIR and LLVM the linker's build id, or else
/// a hash of the file. Computed once; safe from many threads.
const std::string &buildIdentity();

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_COMPILER_BUILDIDENTITY_H
