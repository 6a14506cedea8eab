//===- DescribeKernel.h - What a launch of a kernel takes -------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_PIPELINE_DESCRIBEKERNEL_H
#define TILEWRIGHT_CODEGEN_PIPELINE_DESCRIBEKERNEL_H

#include "runtime/abi/KernelManifest.h"
#include "tileir/ir/Tile.h"

namespace tilewright {

/// What the kernel's arguments promise, as guards of a manifest.
std::vector<std::string> promisesOf(tile::KernelOp kernel);

/// What the types of the kernel's views fix, as guards: static sizes, static
/// strides, and those of dense row-major views. For launches by hand; whoever
/// plans its launches from the kernel itself fulfils them.
std::vector<std::string> fixedSizesOf(tile::KernelOp kernel);

/// The part of a kernel's manifest that its signature says: name, entry,
/// arguments, grid and promises.
StatusOr<runtime::KernelManifest> describeKernel(tile::KernelOp kernel,
                                                 llvm::StringRef target);

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_PIPELINE_DESCRIBEKERNEL_H
