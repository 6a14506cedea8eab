//===- DescribeKernel.h - What a launch of a kernel takes -------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_PIPELINE_DESCRIBEKERNEL_H
#define TILEWRIGHT_CODEGEN_PIPELINE_DESCRIBEKERNEL_H

#include "runtime/abi/KernelManifest.h"
#include "tileir/ir/Tile.h"

namespace tilewright {

/// The part of a kernel's manifest that its signature says: name, entry,
/// arguments and grid.
StatusOr<runtime::KernelManifest> describeKernel(tile::KernelOp kernel,
                                                 llvm::StringRef target);

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_PIPELINE_DESCRIBEKERNEL_H
