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

/// The fast-math flags of the kernel's ops, with commas.
std::string fastMathOf(mlir::FunctionOpInterface function);

/// The part of a kernel's manifest that follows from its signature and from the
/// attribute `tile.persistent`, which may be null: name, entry, arguments,
/// grid, workspace, and as guards the arguments' assumptions and the sizes and
/// strides that their types fix. So each launch checks them.
StatusOr<runtime::KernelManifest>
describeKernel(llvm::StringRef name, tile::SignatureAttr signature,
               llvm::StringRef target, mlir::IntegerAttr persistent = {});

/// The attribute of a kernel, or of the function that it became; or null.
mlir::IntegerAttr persistentOf(mlir::Operation *kernel);

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_PIPELINE_DESCRIBEKERNEL_H
