//===- Run.cpp - The options of `run` -------------------------------------===//
#include "tools/tilewright/Commands.h"
#include "tools/tilewright/Compiler.h"
#include "tools/tilewright/Report.h"
#include "tools/tilewright/RunKernel.h"
#include "tools/tilewright/RunModel.h"
#include "tools/tilewright/ScheduleFile.h"
#include "tools/tilewright/TensorFile.h"
#include "tools/tilewright/Usage.h"

#include <algorithm>
#include <memory>

namespace tilewright::tool {

static bool isPtx(const RunArguments &arguments) {
  return std::filesystem::path(arguments.model).extension() == ".ptx";
}

/// "cuda" of "cuda:1".
static std::string kindOf(const std::string &device) {
  return device.substr(0, device.find(':'));
}

//===--- Options that go together -----------------------------------------===//

/// What a kernel in PTX has not.
static void checkPtxOptions(const CLI::App &command,
                            const RunArguments &arguments) {
  if (arguments.devices.size() != 1 ||
      kindOf(arguments.devices.front()) != "emulator")
    throw UsageError("a kernel in PTX runs with --device emulator, found "
                     "--device " +
                     joined(arguments.devices));
  if (!command.count("--launch"))
    throw UsageError("a kernel in PTX needs --launch L.json: its grid, block "
                     "and arguments");
  for (const char *option : {"--input", "--input-shape", "--scalar"})
    requireEffect(command, option, false,
                  "the arguments of a kernel in PTX are in its launch file");
  for (const char *option : {"--target", "--kernel"})
    requireEffect(command, option, false,
                  "the launch file names the kernel of the PTX");
  requireEffect(command, "--plugin", false,
                "a kernel in PTX is no model that a plug-in reads");
  for (const char *option : {"--fast-math", "--precision"})
    requireEffect(command, option, false,
                  "a kernel in PTX is compiled already");
  for (const char *option : {"--repeat", "--profile"})
    requireEffect(command, option, false,
                  "a kernel in PTX is launched once, and counted, not timed");
}

/// What only a kernel in PTX, or only some models and devices have.
static void checkModelOptions(const CLI::App &command,
                              const RunArguments &arguments) {
  for (const char *option :
       {"--launch", "--check", "--max-instructions", "--max-idle-instructions",
        "--max-memory", "--blocks"})
    requireEffect(command, option, false, "it is of a kernel in PTX, K.ptx");
  auto runsOn = [&](std::initializer_list<const char *> kinds) {
    return std::any_of(kinds.begin(), kinds.end(), [&](const char *kind) {
      return std::any_of(
          arguments.devices.begin(), arguments.devices.end(),
          [&](const std::string &device) { return kindOf(device) == kind; });
    });
  };
  for (const char *option : {"--summary", "--stats", "--annotate", "--html"})
    requireEffect(command, option, runsOn({"emulator"}),
                  "the emulator counts: --device emulator");
  for (const char *option : {"--landing", "--interleave"})
    requireEffect(command, option, runsOn({"emulator"}),
                  "the emulator orders copies and warps: --device emulator");
  requireEffect(command, "--threads", runsOn({"cpu", "emulator"}),
                "the devices cpu and emulator have threads");
  const bool isPackaged = isPackage(arguments.model);
  for (const char *option :
       {"--target", "--plugin", "--fast-math", "--precision"})
    requireEffect(command, option, !isPackaged,
                  arguments.model + " is compiled already");
  requireEffect(command, "--kernel",
                arguments.counters.any() ||
                    (!isPackaged &&
                     isKernelFile(arguments.model, arguments.plugins.get())),
                "it picks one of a file's tile kernels, or what --summary, "
                "--stats, --annotate and --html tell of");
}

static void checkOptions(const CLI::App &command,
                         const RunArguments &arguments) {
  if (isPtx(arguments))
    checkPtxOptions(command, arguments);
  else
    checkModelOptions(command, arguments);
  requireEffect(command, "--summary", !arguments.json,
                "with --json nothing else is printed; --stats FILE writes the "
                "counters as JSON");
}

//===--- The command ------------------------------------------------------===//

/// Takes over what models and kernels share.
static int runOneKernel(const RunArguments &shared, RunKernelArguments kernel) {
  kernel.file = shared.model;
  kernel.outputDirectory = shared.outputDirectory;
  kernel.threads = shared.threads;
  kernel.timeLimit = shared.timeLimit;
  kernel.seed = shared.seed;
  kernel.json = shared.json;
  kernel.copiesLandLate = shared.landing == "late";
  kernel.interleave = shared.interleave;
  kernel.counters = shared.counters;
  return runKernel(kernel);
}

static void addInputs(CLI::App &command, RunArguments &arguments) {
  // Each takes one value, so that MODEL may follow.
  command
      .add_option("--input", arguments.inputs,
                  "NAME=FILE.npy or .pb, of a sequence NAME[]=FILE.pb; without "
                  "it, random data")
      ->allow_extra_args(false);
  command
      .add_option("--scalar", arguments.scalars,
                  "The value of an input that is one number: NAME=5")
      ->allow_extra_args(false);
  command
      .add_option("--input-shape", arguments.shapes,
                  "Shape of a random input: NAME=2x3x45x61")
      ->allow_extra_args(false);
  command.add_option("--seed", arguments.seed,
                     "Seed of random inputs (0); of a kernel in PTX: not 0 "
                     "lets approximate functions be as wrong as PTX allows");
  command.add_option("--output-dir", arguments.outputDirectory,
                     "Write each output to DIR/NAME.npy, of several devices "
                     "to DIR/DEVICE/NAME.npy");
}

static void addCounters(CLI::App &command, CounterReports &counters) {
  command.add_flag("--summary", counters.summary,
                   "On the emulator: print what each kernel executed");
  command.add_option("--stats", counters.stats,
                     "On the emulator: write that to a file of JSON");
  command.add_option("--annotate", counters.annotate,
                     "On the emulator: write the PTX, each line with what it "
                     "executed");
  command.add_option("--html", counters.html,
                     "On the emulator: write all of it as a page of HTML");
}

static void addOrders(CLI::App &command, RunArguments &arguments) {
  command
      .add_option("--landing", arguments.landing,
                  "On the emulator: when asynchronous copies land: early "
                  "(default), as they start, or late, when they are waited for")
      ->check(oneOf({"early", "late"}));
  command
      .add_option("--interleave", arguments.interleave,
                  "On the emulator: change between the warps of a block at "
                  "random points, by this seed")
      ->check(wholeNumber(0));
}

static void addKernelOptions(CLI::App &command, RunKernelArguments &kernel) {
  command.add_option("--launch", kernel.launch,
                     "Of a kernel in PTX: grid, block and arguments, as JSON");
  command
      .add_option("--check", kernel.check,
                  "Of a kernel in PTX: none, bounds (always done), or "
                  "bounds,init")
      ->check(oneOf({"none", "bounds", "init", "bounds,init"}));
  command
      .add_option("--max-instructions", kernel.maxInstructions,
                  "Of a kernel in PTX: stop after so many instructions of "
                  "warps")
      ->check(wholeNumber(1));
  command
      .add_option("--max-idle-instructions", kernel.maxIdleInstructions,
                  "Of a kernel in PTX: stop after so many instructions of "
                  "warps in which global memory stays as it is and no warp "
                  "ends; 0: no limit")
      ->capture_default_str()
      ->check(wholeNumber(0));
  command
      .add_option("--max-memory", kernel.maxMemoryMiB,
                  "Of a kernel in PTX: stop where registers, local and shared "
                  "memory of the blocks that run at a time take more MiB; 0: "
                  "no limit")
      ->capture_default_str()
      ->check(wholeNumber(0));
  command
      .add_option("--blocks", kernel.blocks,
                  "Of a kernel in PTX: run and count only so many blocks, "
                  "spread over its grid")
      ->check(wholeNumber(1));
}

void addRun(CLI::App &app, Action &action) {
  auto arguments = std::make_shared<RunArguments>();
  auto kernel = std::make_shared<RunKernelArguments>();
  CLI::App *command =
      app.add_subcommand("run", "Run a model, a package or a kernel");
  command
      ->add_option(
          "MODEL", arguments->model,
          ".onnx, .pt2, .mlir (a graph or a tile kernel), package X.twp, "
          "kernel K.ptx, schedule X.tws, or what a plug-in reads")
      ->required();
  command
      ->add_option("--device", arguments->devices,
                   "Devices, by comma: cpu (default), emulator, interpreter, "
                   "cuda:0 (see devices)")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--target", arguments->target,
                      "What to compile for: sm_80, ..; default: the device's "
                      "best");
  command->add_option("--kernel", arguments->kernel,
                      "Which of a file's tile kernels to run, or to show the "
                      "counters of");
  addFastMath(*command, arguments->fastMath);
  addPrecision(*command, arguments->precision);
  addPlugins(*command, arguments->pluginFiles);
  addInputs(*command, *arguments);
  command
      ->add_option("--repeat", arguments->repeat,
                   "Run so many times, each time from the initial states")
      ->check(wholeNumber(1));
  command
      ->add_option("--threads", arguments->threads,
                   "Threads of cpu and emulator; default all cores")
      ->check(wholeNumber(1));
  command
      ->add_option("--time-limit", arguments->timeLimit,
                   "Give up after so many seconds; 0: no limit")
      ->check(CLI::NonNegativeNumber);
  command->add_flag("--profile", arguments->profile,
                    "Measure each step, slowest first");
  addCounters(*command, arguments->counters);
  addOrders(*command, *arguments);
  addKernelOptions(*command, *kernel);
  command->add_flag("--json", arguments->json, "Machine-readable results");
  command->callback([arguments, kernel, command, &action] {
    action = [arguments, kernel, command] {
      arguments->seedGiven = command->count("--seed") > 0;
      if (Status missing = requireFile(arguments->model); !missing.ok())
        return fail(missing);
      if (isScheduleFile(arguments->model))
        return runSchedule(*command, *arguments);
      auto plugins = loadPlugins(arguments->pluginFiles);
      if (!plugins.ok())
        return fail(plugins.status());
      arguments->plugins = *std::move(plugins);
      checkOptions(*command, *arguments);
      return isPtx(*arguments) ? runOneKernel(*arguments, *kernel)
                               : runModel(*arguments);
    };
  });
}

} // namespace tilewright::tool
