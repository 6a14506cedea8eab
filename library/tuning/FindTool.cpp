#include "library/tuning/FindTool.h"
#include "support/Format.h"

#include <dlfcn.h>
#include <unistd.h>

namespace tilewright {

static bool isProgram(const std::filesystem::path &path) {
  return ::access(path.c_str(), X_OK) == 0;
}

/// The file with this code: a library, or the program itself.
static std::filesystem::path ownFile() {
  Dl_info info = {};
  if (::dladdr(reinterpret_cast<const void *>(&findTool), &info) == 0 ||
      !info.dli_fname)
    return "/proc/self/exe";
  return info.dli_fname;
}

StatusOr<std::filesystem::path> findTool(const std::filesystem::path &given) {
  if (!given.empty()) {
    if (isProgram(given))
      return given;
    return Status::notFound("tuning: there is no program " + given.string());
  }
  std::error_code error;
  const std::filesystem::path own =
      std::filesystem::canonical(ownFile(), error);
  // lib/ and bin/ are neighbours; some systems have lib/ARCHITECTURE/.
  for (std::filesystem::path folder = own.parent_path();
       folder.has_relative_path(); folder = folder.parent_path())
    if (isProgram(folder / "bin/tilewright"))
      return folder / "bin/tilewright";
  return Status::notFound(format("tuning: there is no bin/tilewright above {}; "
                                 "name the program in TuneLimits::tool",
                                 {own.string()}));
}

} // namespace tilewright
