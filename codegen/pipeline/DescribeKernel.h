//===- DescribeKernel.h - What a launch of a kernel takes -------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_PIPELINE_DESCRIBEKERNEL_H
#define TILEWRIGHT_CODEGEN_PIPELINE_DESCRIBEKERNEL_H

#include "tilewright/manifest/KernelManifest.h"
#include "tilewright/mlir/Tile.h"

namespace tilewright {

/// The function that a kernel became: the one of the module with a
/// `tile.signature`. Errors: there is none, or several.
StatusOr<mlir::FunctionOpInterface> kernelFunction(mlir::ModuleOp module);
tile::SignatureAttr signatureOf(mlir::FunctionOpInterface function);

/// What the types of the kernel's views fix, as guards: static sizes, static
/// strides, and those of dense row-major views. For launches by hand; whoever
/// plans its launches from the kernel itself fulfils them.
std::vector<std::string> fixedSizesOf(tile::SignatureAttr signature);

/// The part of a kernel's manifest that its signature says: name, entry,
/// arguments, grid, and what the arguments assume, as guards.
StatusOr<runtime::KernelManifest> describeKernel(llvm::StringRef name,
                                                 tile::SignatureAttr signature,
                                                 llvm::StringRef target);

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_PIPELINE_DESCRIBEKERNEL_H
