// The test program is its own worker: `worker DESCRIPTOR SEED`.
#include "autotune/measure/WorkerMain.h"
#include "test/main/TestMain.h"
#include "tools/tilewright/WorkerSetup.h"

#include <cstdlib>

[[maybe_unused]] static const bool isRegistered = [] {
  tilewright::test::testMain().before = [](int argc, char **argv) {
    if (argc != 4 || std::string(argv[1]) != "worker")
      return std::optional<int>();
    int descriptor = std::atoi(argv[2]);
    tilewright::tool::setUpWorker(descriptor,
                                  std::strtoull(argv[3], nullptr, 10));
    tilewright::autotune::serveWorker(descriptor);
    return std::optional(0);
  };
  return true;
}();
