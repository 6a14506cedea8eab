// Small models as files.
#ifndef TILEWRIGHT_TEST_LIBRARY_MODEL_MODELS_H
#define TILEWRIGHT_TEST_LIBRARY_MODEL_MODELS_H

#include <filesystem>
#include <map>
#include <string>

namespace tilewright::test {

/// A folder that goes away with the object.
class ModelFolder {
public:
  ModelFolder();
  ~ModelFolder();
  ModelFolder(const ModelFolder &) = delete;
  ModelFolder &operator=(const ModelFolder &) = delete;

  /// Writes a file and returns its path.
  std::filesystem::path write(const std::string &name,
                              const std::string &text) const;
  std::filesystem::path operator/(const std::string &name) const {
    return path / name;
  }

  std::filesystem::path path;
};

/// The content of each file below `folder`, by its path there.
std::map<std::string, std::string>
contentOf(const std::filesystem::path &folder);

/// Two kernels: h = x + W * `factor`, y = the sums of h's rows, where W has
/// 600 x 600 elements: 1.4 MB.
std::string twoKernels(int factor = 2);

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_LIBRARY_MODEL_MODELS_H
