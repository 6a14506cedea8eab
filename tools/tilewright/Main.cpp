//===- Main.cpp - tilewright compile | run | tune | inspect | devices -----===//
#include "tools/tilewright/Commands.h"
#include "tools/tilewright/Report.h"

#include <exception>
#include <iostream>

using namespace tilewright::tool;

int main(int argc, char **argv) {
  CLI::App app("Tilewright compiles models to tile kernels and runs them.",
               "tilewright");
  app.set_version_flag("--version", "tilewright " TILEWRIGHT_VERSION);
  app.require_subcommand(1);
  app.footer("Examples:\n"
             "  tilewright run model.onnx --input x=x.npy --output-dir out\n"
             "  tilewright compile model.onnx -o model.twp\n"
             "  tilewright COMMAND --help");
  Action action;
  addCompile(app, action);
  addRun(app, action);
  addTune(app, action);
  addInspect(app, action);
  addDevices(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &done) {
    return app.exit(done);
  } catch (const CLI::ParseError &wrong) {
    app.exit(wrong);
    return exitUsage;
  }
  try {
    return action();
  } catch (const std::exception &fault) {
    std::cerr << "error: internal fault: " << fault.what() << "\n";
    return exitFault;
  }
}
