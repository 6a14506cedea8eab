//===- TargetKernels.h - The kernels of a program, by target ----*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_TARGETKERNELS_H
#define TILEWRIGHT_LIBRARY_MODEL_TARGETKERNELS_H

#include "library/model/session/ModelProgram.h"
#include "tilewright/manifest/PackageManifest.h"
#include "tilewright/mlir/Tile.h"

namespace tilewright {

/// The kernels for targets that share a tiling.
struct TargetKernels {
  /// As in TargetAttr.
  std::vector<std::string> targets;
  llvm::SmallVector<tile::KernelOp> kernels = {};
  /// Of kernels by name, where their schedules are from.
  std::map<std::string, std::string> origins = {};
};

/// The kernels of a lowered graph, and the user's kernels in it.
std::vector<TargetKernels> findTargetKernels(const ModelProgram &program);

/// Whether there is exactly one kernel to show. Errors: there is not; the
/// kernels are listed.
Status checkOnlyKernel(const ModelSession &session,
                       const TargetKernels &targetKernels);

/// Where the schedules of kernels are from.
void addOrigins(const std::vector<TargetKernels> &kernelsByTarget,
                runtime::PackageManifest &manifest);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_TARGETKERNELS_H
