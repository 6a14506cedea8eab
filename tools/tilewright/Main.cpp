//===- Main.cpp - tilewright compile | run | tune | verify | .. -----------===//
#include "tools/tilewright/Commands.h"
#include "tools/tilewright/Report.h"
#include "tools/tilewright/Usage.h"

#include <exception>
#include <filesystem>
#include <iostream>
#include <new>

using namespace tilewright::tool;

static int wrongUsage(const std::string &message) {
  std::cerr << "error: " << message << "\n";
  return exitUsage;
}

int main(int argc, char **argv) {
  CLI::App app("Tilewright compiles models to tile kernels and runs them.",
               "tilewright");
  app.set_version_flag("--version", "tilewright " TILEWRIGHT_VERSION);
  app.require_subcommand(1);
  Action action;
  addCompile(app, action);
  addRun(app, action);
  addMap(app, action);
  addTune(app, action);
  addVerify(app, action);
  addInspect(app, action);
  addDevices(app, action);
  addExamples(app);
  try {
    app.parse(argc, argv);
    return action();
  } catch (const CLI::Success &done) {
    return app.exit(done);
  } catch (const CLI::ParseError &wrong) {
    return wrongUsage(explain(app, wrong, {argv + 1, argv + argc}));
  } catch (const UsageError &wrong) {
    return wrongUsage(wrong.what());
  } catch (const std::filesystem::filesystem_error &wrong) {
    // Of the standard library, where no error code is asked for.
    return fail(tilewright::Status::ioError(wrong.what()));
  } catch (const std::bad_alloc &) {
    return fail(tilewright::Status::resourceExhausted(
        "there is not enough memory for this"));
  } catch (const std::exception &fault) {
    std::cerr << "error: internal fault: " << fault.what() << "\n";
    return exitFault;
  }
}
