#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include "autotune/measure/WorkerMain.h"
#include "tools/tilewright/WorkerSetup.h"
#include <cstdlib>
#include <string>

/// The tests, or a process in which they have schedules tried.
int main(int argc, char **argv) {
  if (argc == 4 && std::string(argv[1]) == "worker") {
    int descriptor = std::atoi(argv[2]);
    tilewright::tool::setUpWorker(descriptor,
                                  std::strtoull(argv[3], nullptr, 10));
    tilewright::autotune::serveWorker(descriptor);
    return 0;
  }
  return Catch::Session().run(argc, argv);
}
