#include "test/library/Kernels.h"

#include <algorithm>
#include <random>

namespace fs = std::filesystem;

namespace tilewright::test {

TemporaryFolder::TemporaryFolder()
    : path(fs::temp_directory_path() /
           ("tilewright-" + std::to_string(std::random_device()()))) {
  fs::create_directories(path);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

void TemporaryFolder::clear() const {
  for (const fs::directory_entry &entry : fs::directory_iterator(path))
    fs::remove_all(entry.path());
}

std::vector<fs::path> TemporaryFolder::files() const {
  std::vector<fs::path> found;
  for (const fs::directory_entry &entry :
       fs::recursive_directory_iterator(path))
    if (!entry.is_directory())
      found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

} // namespace tilewright::test
