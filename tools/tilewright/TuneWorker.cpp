//===- TuneWorker.cpp - tilewright tune-worker ----------------------------===//
#include "autotune/measure/WorkerMain.h"
#include "tools/tilewright/Report.h"
#include "tools/tilewright/Tune.h"
#include "tools/tilewright/Usage.h"
#include "tools/tilewright/WorkerSetup.h"

#include <memory>

namespace tilewright::tool {

void addTuneWorker(CLI::App &app, Action &action) {
  struct Arguments {
    int descriptor = -1;
    size_t memoryBytes = 0;
    std::vector<std::string> pluginFiles;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App *command = app.add_subcommand("tune-worker", "")->group("");
  command->add_option("DESCRIPTOR", arguments->descriptor)->required();
  command->add_option("BYTES", arguments->memoryBytes)->required();
  addPlugins(*command, arguments->pluginFiles);
  command->callback([arguments, &action] {
    action = [arguments] {
      setUpWorker(arguments->descriptor, arguments->memoryBytes);
      auto plugins = loadPlugins(arguments->pluginFiles);
      if (!plugins.ok())
        return fail(plugins.status());
      autotune::serveWorker(arguments->descriptor, *plugins);
      return exitGood;
    };
  });
}

} // namespace tilewright::tool
