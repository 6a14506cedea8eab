//===- PackageCache.h - Whole packages in a cache ---------------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_PACKAGE_PACKAGECACHE_H
#define TILEWRIGHT_LIBRARY_MODEL_PACKAGE_PACKAGECACHE_H

#include "tilewright/compiler/CompileModel.h"

namespace tilewright {

/// The package of one model and one set of options. An entry has the package's
/// small files and the report; each large file, its weights, is a separate
/// entry, which packages with the same weights share.
class PackageCache {
public:
  /// None where the caller wants more than the package, or where it depends on
  /// more than the options and one file.
  static std::optional<PackageCache> open(const ModelSource &source,
                                          const CompileModelOptions &options);

  /// Writes the package `output` and reports it, if it is there and whole.
  /// Errors: it cannot be written.
  StatusOr<std::optional<CompileModelReport>>
  restore(const std::filesystem::path &output) const;

  /// Stores the package in `folder`, unless the model has changed. Errors: the
  /// cache cannot be written.
  Status keep(const std::filesystem::path &folder,
              const CompileModelReport &report) const;

private:
  PackageCache(const ModelSource &source, const CompileModelOptions &options);

  ModelSource source;
  const CompileModelOptions *options;
  /// Of the model as it was when this was opened.
  CacheKey key;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_PACKAGE_PACKAGECACHE_H
