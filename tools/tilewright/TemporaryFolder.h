//===- TemporaryFolder.h - A folder of one command --------------*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_TEMPORARYFOLDER_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_TEMPORARYFOLDER_H

#include "tilewright/support/Status.h"

#include <filesystem>
#include <memory>

namespace tilewright::tool {

/// A folder that only this user may enter, under a name that nobody can know
/// before. It is removed with the object.
class TemporaryFolder {
public:
  static StatusOr<std::unique_ptr<TemporaryFolder>> create();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  const std::filesystem::path path;
  /// For one who ends the process.
  void remove() const;

private:
  explicit TemporaryFolder(std::filesystem::path path)
      : path(std::move(path)) {}
};

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_TEMPORARYFOLDER_H
