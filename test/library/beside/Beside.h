/* Two compilers in one process, both opened by dlopen and used through their C
 * interfaces: Tilewright (with its LLVM 22) and an older LLVM. */
#ifndef TILEWRIGHT_TEST_LIBRARY_BESIDE_BESIDE_H
#define TILEWRIGHT_TEST_LIBRARY_BESIDE_BESIDE_H

#include <dlfcn.h>
#include <functional>
#include <map>
#include <string>
#include <vector>

/// What was compiled, by name: its bytes, or what went wrong.
using Results = std::map<std::string, std::string>;

/// One of the two: each call compiles all over again. Safe from many threads.
using Compiler = std::function<Results()>;

/// Ends the program: status 77 skips the test, 1 fails it.
[[noreturn]] void end(int status, const std::string &message);

/// A library at `path`, its symbols in the scope of all that comes later.
void *openLibrary(const char *path, int statusOfFailure);

/// The function of this name and type.
template <class Function> Function *find(void *library, const char *name) {
  void *found = dlsym(library, name);
  if (!found)
    end(1, std::string("no symbol ") + name);
  return reinterpret_cast<Function *>(found);
}

Compiler openTilewright(const char *path);
Compiler openLlvm(const char *path);

#endif // TILEWRIGHT_TEST_LIBRARY_BESIDE_BESIDE_H
