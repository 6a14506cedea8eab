// The library under load: see StressCompile.cpp and StressCache.cpp.
#include "test/library/Stress.h"

#include <cstdio>
#include <cstdlib>
#include <string>

using namespace tilewright::test;

int main(int argc, char **argv) {
  std::string what = argc == 4 ? argv[1] : "";
  unsigned first = argc == 4 ? unsigned(std::atoi(argv[2])) : 0;
  unsigned second = argc == 4 ? unsigned(std::atoi(argv[3])) : 0;
  if (what == "worker")
    return cacheWorker(argv[2], second);
  if (what == "compile" && first && second)
    return stressCompile(first, second);
  if (what == "cache" && first && second)
    return stressCache(first, second);
  std::fprintf(stderr, "usage: tilewright-library-stress compile KERNELS "
                       "THREADS\n       tilewright-library-stress cache "
                       "PROCESSES SECONDS\n");
  return 2;
}
