// BesideMain COMPILER...: opens compilers, in this order, and uses them
// alternately and from two threads at once. A compiler is tilewright=LIBRARY or
// llvm=LIBRARY. Prints a line for each result: a hash of its bytes, which must
// be the same each time.
#include "test/library/beside/Beside.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

void end(int status, const std::string &message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::fflush(nullptr);
  std::_Exit(status);
}

void *openLibrary(const char *path, int statusOfFailure) {
  void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (!library)
    end(statusOfFailure, std::string("not here: ") + dlerror());
  return library;
}

static Compiler openCompiler(const std::string &argument) {
  if (argument.starts_with("tilewright="))
    return openTilewright(argument.c_str() + std::strlen("tilewright="));
  if (argument.starts_with("llvm="))
    return openLlvm(argument.c_str() + std::strlen("llvm="));
  end(2, "usage: BesideMain tilewright=LIBRARY | llvm=LIBRARY ...");
}

static void checkSame(const Results &first, const Results &later) {
  for (const auto &[name, bytes] : first)
    if (!later.contains(name) || later.at(name) != bytes)
      end(1, "'" + name + "' differs from the first time");
}

int main(int argc, char **argv) {
  std::vector<Compiler> compilers;
  for (int i = 1; i < argc; ++i)
    compilers.push_back(openCompiler(argv[i]));
  std::vector<Results> first;
  for (const Compiler &compiler : compilers)
    first.push_back(compiler());
  constexpr int rounds = 3;
  for (int round = 0; round < rounds; ++round)
    for (size_t i = 0; i < compilers.size(); ++i)
      checkSame(first[i], compilers[i]());
  // Each thread begins with another.
  std::vector<std::jthread> threads;
  for (size_t thread = 0; thread < 2; ++thread)
    threads.emplace_back([&, thread] {
      for (size_t i = 0; i < rounds * compilers.size(); ++i) {
        size_t which = (i + thread) % compilers.size();
        checkSame(first[which], compilers[which]());
      }
    });
  threads.clear();
  for (size_t i = 0; i < compilers.size(); ++i)
    for (const auto &[name, bytes] : first[i])
      std::printf("%.4s %s: %zu bytes, %zx\n", argv[i + 1], name.c_str(),
                  bytes.size(), std::hash<std::string>()(bytes));
}
