//===- KernelVariants.h - The kernels of a program, by target ---*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_KERNELVARIANTS_H
#define TILEWRIGHT_LIBRARY_MODEL_KERNELVARIANTS_H

#include "library/model/ModelProgram.h"
#include "tilewright/manifest/PackageManifest.h"
#include "tilewright/mlir/Tile.h"

namespace tilewright {

/// The kernels for some targets: cut alike.
struct KernelVariant {
  /// As TargetAttr names them.
  std::vector<std::string> targets;
  llvm::SmallVector<tile::KernelOp> kernels = {};
  /// Of kernels by name, where their schedules are from.
  std::map<std::string, std::string> origins = {};
};

/// The kernels of a lowered graph, and those that the user gave to it.
std::vector<KernelVariant> findVariants(const ModelProgram &program);

/// Whether there is the one kernel that is to be shown. Errors: there is not;
/// the kernels are listed.
Status checkOnlyKernel(const ModelSession &session,
                       const KernelVariant &variant);

/// Where the schedules of kernels are from.
void addOrigins(const std::vector<KernelVariant> &variants,
                runtime::PackageManifest &manifest);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_KERNELVARIANTS_H
