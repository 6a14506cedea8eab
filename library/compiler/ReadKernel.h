//===- ReadKernel.h - The kernel that a request names -----------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_COMPILER_READKERNEL_H
#define TILEWRIGHT_LIBRARY_COMPILER_READKERNEL_H

#include "library/compiler/TunableModule.h"
#include "tilewright/codegen/CompilationControl.h"
#include "tilewright/compiler/CompileRequest.h"

namespace tilewright {

/// Reads the kernel of `request` into `context`: with its schedule, without
/// calls, alone in its module. Diagnostics go to `diagnostics`; on failure the
/// last one has the code. `control` gets the phases.
StatusOr<BoundKernel> readKernel(const CompileRequest &request,
                                 mlir::MLIRContext &context,
                                 CompilationControl &control,
                                 std::vector<Diagnostic> &diagnostics);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_COMPILER_READKERNEL_H
