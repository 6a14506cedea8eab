//===- BuildIdentity.h - Which build of the compiler this is ----*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_COMPILER_BUILDIDENTITY_H
#define TILEWRIGHT_LIBRARY_COMPILER_BUILDIDENTITY_H

#include <string>

namespace tilewright {

/// Differs between any two builds whose code may differ: version, and of the
/// files that hold this library, MLIR and LLVM the linker's build id, or a hash
/// of the file where it has none. Computed once; safe from many threads.
const std::string &buildIdentity();

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_COMPILER_BUILDIDENTITY_H
