//===- TargetKernels.h - The kernels of a program, by target ----*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_TARGETKERNELS_H
#define TILEWRIGHT_LIBRARY_MODEL_TARGETKERNELS_H

#include "library/model/ModelProgram.h"
#include "tilewright/manifest/PackageManifest.h"
#include "tilewright/mlir/Tile.h"

namespace tilewright {

/// The kernels for some targets: tiled alike.
struct TargetKernels {
  /// As TargetAttr names them.
  std::vector<std::string> targets;
  llvm::SmallVector<tile::KernelOp> kernels = {};
  /// Of kernels by name, where their schedules are from.
  std::map<std::string, std::string> origins = {};
};

/// The kernels of a lowered graph, and those that the user gave to it.
std::vector<TargetKernels> findTargetKernels(const ModelProgram &program);

/// Whether there is the one kernel that is to be shown. Errors: there is not;
/// the kernels are listed.
Status checkOnlyKernel(const ModelSession &session,
                       const TargetKernels &targetKernels);

/// Where the schedules of kernels are from.
void addOrigins(const std::vector<TargetKernels> &kernelsByTarget,
                runtime::PackageManifest &manifest);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_TARGETKERNELS_H
