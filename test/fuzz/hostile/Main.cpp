// fuzz-corpus-NAME FOLDER: gives each file of a corpus to the fuzz target. In
// place of libFuzzer, so that any compiler and any build can run them.
#include "targets/Target.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: fuzz-corpus-NAME FOLDER\n");
    return 2;
  }
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto &entry : std::filesystem::directory_iterator(argv[1], error))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path &path : files) {
    // Before it is read: the last line names the file that ended the program.
    std::printf("%s\n", path.filename().c_str());
    std::fflush(stdout);
    std::ifstream file(path, std::ios::binary);
    // Of exactly its length, so that a sanitizer sees a read behind the end.
    const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
    if (bytes.empty()) {
      std::fprintf(stderr, "error: %s is empty or cannot be read\n",
                   path.c_str());
      return 1;
    }
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(bytes.data()),
                           bytes.size());
  }
  if (files.empty())
    std::fprintf(stderr, "error: expected files in %s, found none\n", argv[1]);
  return files.empty();
}
