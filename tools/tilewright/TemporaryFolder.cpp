//===- TemporaryFolder.cpp - A folder of one command ----------------------===//
#include "tools/tilewright/TemporaryFolder.h"

#include "support/Format.h"
#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace tilewright::tool {

StatusOr<std::unique_ptr<TemporaryFolder>> TemporaryFolder::create() {
  std::error_code error;
  std::string name =
      (std::filesystem::temp_directory_path(error) / "tilewright-XXXXXX")
          .string();
  if (error)
    return Status::ioError(
        format("no folder for temporary files: {}", {error.message()}));
  if (!::mkdtemp(name.data()))
    return Status::ioError(
        format("{}: cannot be created: {}", {name, std::strerror(errno)}));
  return std::unique_ptr<TemporaryFolder>(new TemporaryFolder(name));
}

TemporaryFolder::~TemporaryFolder() { remove(); }

void TemporaryFolder::remove() const {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

} // namespace tilewright::tool
