//===- NoCompiler.cpp - A build without the compiler ----------------------===//
#include "support/Format.h"
#include "tools/tilewright/Commands.h"
#include "tools/tilewright/Compiler.h"
#include "tools/tilewright/Report.h"
#include "tools/tilewright/ScheduleFile.h"

#include <memory>

namespace tilewright::tool {

static Status noCompiler(const std::string &found) {
  return Status::unsupported(
      "this tilewright was built without the compiler: it runs packages "
      "(X.twp) on inputs in .npy files, found " +
      found);
}

StatusOr<std::shared_ptr<const Plugins>>
loadPlugins(const std::vector<std::string> &files) {
  if (files.empty())
    return std::shared_ptr<const Plugins>();
  return noCompiler("--plugin " + files.front());
}

Status compileForRun(const std::string &model, const std::filesystem::path &,
                     const CompileForRun &, const RunInputs &) {
  return noCompiler(format("'{}'", {model}));
}

bool addsTarget(const Plugins *, const std::string &) { return false; }
bool isKernelFile(const std::filesystem::path &, const Plugins *) {
  return false;
}
bool needsShapes(const std::filesystem::path &, const Plugins *) {
  return false;
}

StatusOr<std::string> describeKernels(const std::string &model,
                                      const std::string &,
                                      const std::string &) {
  return noCompiler(format("'{}'", {model}));
}

StatusOr<std::string> describeLayout(const std::string &layout,
                                     const std::string &, unsigned) {
  return noCompiler(format("the layout '{}'", {layout}));
}

StatusOr<runtime::HostTensor> readProto(const std::filesystem::path &path) {
  return noCompiler(format("'{}'", {path.string()}));
}

StatusOr<std::vector<runtime::HostTensor>>
readSequence(const std::filesystem::path &path) {
  return noCompiler(format("'{}'", {path.string()}));
}

/// A command that reports that it is not available.
static void addMissing(CLI::App &app, Action &action, const char *name) {
  CLI::App *command = app.add_subcommand(name, "(not in this build)");
  command->allow_extras();
  command->callback([name, &action] {
    action = [name] { return fail(noCompiler(format("'{}'", {name}))); };
  });
}

void addCompile(CLI::App &app, Action &action) {
  addMissing(app, action, "compile");
}
void addMap(CLI::App &app, Action &action) { addMissing(app, action, "map"); }
void addTune(CLI::App &app, Action &action) { addMissing(app, action, "tune"); }
/// Only a schedule is verified without the compiler.
void addVerify(CLI::App &app, Action &action) {
  struct Arguments {
    std::string file;
    bool json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App *command = app.add_subcommand(
      "verify", "Judge a schedule, X.tws (nothing else in this build)");
  command->add_option("BEFORE", arguments->file, "A schedule, X.tws");
  command->add_flag("--json", arguments->json, "Machine-readable results");
  command->allow_extras();
  command->callback([arguments, command, &action] {
    action = [arguments, command] {
      if (!isScheduleFile(arguments->file) || !command->remaining().empty())
        return fail(noCompiler("'verify'"));
      return verifySchedule(arguments->file, arguments->json, 0);
    };
  });
}

} // namespace tilewright::tool
