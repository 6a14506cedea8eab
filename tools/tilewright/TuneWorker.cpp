//===- TuneWorker.cpp - tilewright tune-worker ----------------------------===//
#include "autotune/measure/WorkerMain.h"
#include "tools/tilewright/Report.h"
#include "tools/tilewright/Tune.h"
#include "tools/tilewright/WorkerSetup.h"

#include <memory>

namespace tilewright::tool {

void addTuneWorker(CLI::App &app, Action &action) {
  struct Arguments {
    int descriptor = -1;
    size_t memoryBytes = 0;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App *command = app.add_subcommand("tune-worker", "")->group("");
  command->add_option("DESCRIPTOR", arguments->descriptor)->required();
  command->add_option("BYTES", arguments->memoryBytes)->required();
  command->callback([arguments, &action] {
    action = [arguments] {
      setUpWorker(arguments->descriptor, arguments->memoryBytes);
      autotune::serveWorker(arguments->descriptor);
      return exitGood;
    };
  });
}

} // namespace tilewright::tool
