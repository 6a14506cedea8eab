//===- SizeBounds.h - The most that sizes from data may be ---- -*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_PACKAGE_SIZEBOUNDS_H
#define TILEWRIGHT_LIBRARY_MODEL_PACKAGE_SIZEBOUNDS_H

#include "tilewright/manifest/PackageManifest.h"
#include <map>
#include <string>
#include <vector>

namespace tilewright {

/// Gives sizes that steps decide the bounds of CompileModelOptions::maxShapes:
/// the symbol of that name, or those that are dimensions of the output of that
/// name. Errors: no such name, another rank, a static size above its bound, a
/// dimension of an output that is no symbol but depends on one; unless
/// `mayPlan`, a name whose sizes no data decides: it can only plan memory.
Status boundSizes(runtime::PackageManifest &manifest,
                  const std::map<std::string, std::vector<int64_t>> &maxShapes,
                  bool mayPlan);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_PACKAGE_SIZEBOUNDS_H
