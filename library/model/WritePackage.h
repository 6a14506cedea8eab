//===- WritePackage.h - The last stage of a compilation ---------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_WRITEPACKAGE_H
#define TILEWRIGHT_LIBRARY_MODEL_WRITEPACKAGE_H

#include "library/model/package/PackageBuilder.h"
#include "library/model/package/PackageCache.h"
#include "library/model/session/ModelProgram.h"

namespace tilewright {

/// The manifest of a package of which nothing but its model is known.
runtime::PackageManifest startManifest(const ModelInfo &info);

/// What a package is made of.
struct PackageParts {
  runtime::PackageManifest manifest;
  std::vector<KernelImage> images;
  /// Has the weights; none where there are none.
  std::optional<PackageBuilder> builder;
};

/// Where a package goes: a folder, or memory if `files` is not null. Neither:
/// nothing is written.
struct PackageOutput {
  std::filesystem::path folder;
  runtime::PackageFiles *files = nullptr;

  [[nodiscard]] bool isNothing() const { return folder.empty() && !files; }
};

/// Writes the package. Stores it in `packages`, if that is not null, where it
/// depends only on the model's file and the options.
Status writePackage(ModelSession &session, const ModelProgram &program,
                    PackageParts &parts, const PackageCache *packages,
                    const PackageOutput &output, CompileModelReport &report);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_WRITEPACKAGE_H
