//===- CompileCommand.cpp - The options of `compile` ----------------------===//
#include "support/Format.h"
#include "tilewright/compiler/ModelKind.h"
#include "tilewright/mlir/Registry.h"
#include "tools/tilewright/Commands.h"
#include "tools/tilewright/CompileArguments.h"
#include "tools/tilewright/Compiler.h"
#include "tools/tilewright/Report.h"
#include "tools/tilewright/Usage.h"

#include <algorithm>
#include <memory>

namespace tilewright::tool {

/// "cpu", "interpreter", "sm_80", ..
static std::vector<std::string> targetNames() {
  std::vector<std::string> names = {"cpu", "interpreter"};
  for (const target::GpuTarget &gpu : target::gpuTargets())
    names.emplace_back(gpu.name);
  return names;
}

void readTargets(const std::vector<std::string> &names,
                 CompileModelOptions &options) {
  options.cpu.reset();
  for (const std::string &name : names) {
    if (name == "cpu") {
      options.cpu = cpu::hostTarget();
      continue;
    }
    if (name == "interpreter") {
      options.interpreter = true;
      continue;
    }
    const target::GpuTarget *gpu = target::findGpuTarget(name);
    if (!gpu && options.plugins)
      gpu = options.plugins->registry().findTarget(name);
    if (!gpu)
      throw UsageError(format(
          "--target: there is no target '{}'{}\n  the targets are {}",
          {name, didYouMean(name, targetNames()), joined(targetNames())}));
    if (std::find(options.gpus.begin(), options.gpus.end(), gpu) ==
        options.gpus.end())
      options.gpus.push_back(gpu);
  }
}

//===--- Options that go together -----------------------------------------===//

static bool isOneOf(const std::string &text,
                    std::initializer_list<const char *> list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

/// What a GPU alone has.
static void checkGpuOptions(const CompileArguments &arguments) {
  if (!arguments.options.gpus.empty())
    return;
  const std::string option =
      isOneOf(arguments.emit, {"ptx", "cubin", "scheduled"})
          ? "--emit " + arguments.emit
      : arguments.checkBarriers    ? "--check-barriers"
      : arguments.explainSchedule  ? "--explain-schedule"
      : arguments.explainLayouts   ? "--explain-layouts"
      : arguments.options.lineInfo ? "--lineinfo"
                                   : "";
  if (!option.empty())
    throw UsageError(format("{} needs a GPU: --target {}",
                            {option, target::gpuTargetNames()}));
}

/// What is written where.
static void checkOutput(const CompileArguments &arguments) {
  const std::filesystem::path output = arguments.output;
  const std::string extension = output.extension().string();
  if (!arguments.options.stopAfter.empty()) {
    if (extension != ".mlir")
      throw UsageError("--stop-after writes the model as it is then: expected "
                       "-o FILE.mlir, found " +
                       (output.empty() ? "no -o" : "-o " + arguments.output));
    return;
  }
  if (output.empty()) {
    if (arguments.emit == "cubin")
      throw UsageError("--emit cubin needs the directory of the cubins: -o "
                       "DIRECTORY");
    if (arguments.json && arguments.emitsText())
      throw UsageError("--json and the text of a stage both go to the "
                       "standard output; write the text to a file: -o FILE");
    if (arguments.emit.empty() && !arguments.explain &&
        !arguments.explainSchedule && !arguments.explainLayouts &&
        !arguments.checkBarriers)
      throw UsageError("expected what to make: -o X.twp, --emit STAGE, "
                       "--explain-fusion, --explain-schedule, "
                       "--explain-layouts or --check-barriers");
    return;
  }
  if (arguments.emitsText()) {
    if (output == "-")
      throw UsageError("-o: expected a file to write, found '-'; without -o "
                       "the text is printed");
    if (extension == ".twp")
      throw UsageError(
          format("-o {}: a stage is written as a text, expected the name of a "
                 "file; without --emit a package is written",
                 {arguments.output}));
    return;
  }
  if (output == "-")
    throw UsageError("-o: expected a directory to write, found '-'; --emit "
                     "prints");
  if (arguments.emit != "cubin" &&
      isOneOf(extension, {".ptx", ".ll", ".s", ".mlir", ".o", ".cubin", ".onnx",
                          ".pt2", ".npy", ".json"}))
    throw UsageError(
        format("-o {}: expected the directory of a package, X.twp; --emit "
               "STAGE -o FILE writes a text, --emit cubin -o DIRECTORY cubins",
               {arguments.output}));
}

/// What one kind of model alone has.
static void checkModelOptions(const CLI::App &command,
                              const CompileArguments &arguments,
                              const ModelKind &kind, const Plugins *plugins) {
  const bool isKernel = kind.isKernel;
  const std::string kernel =
      arguments.model + " is a tile kernel, there is nothing ";
  requireEffect(command, "--explain-fusion", !isKernel, kernel + "to fuse");
  requireEffect(command, "--fusion", !isKernel, kernel + "to fuse");
  if (isKernel && arguments.emit == "graph")
    throw UsageError(format("--emit graph has no effect here: {}above the tile "
                            "level; --emit tile prints it",
                            {kernel}));
  requireEffect(command, "--input-shape", kind.takesShapes,
                format("it fixes the inputs of a graph; {}, {}, says itself "
                       "what its shapes are",
                       {arguments.model, kind.name}));
  requireEffect(
      command, "--replace", kind.takesPatterns,
      format("it replaces nodes of {}, and {} is {}",
             {kindsWithPatterns(plugins), arguments.model, kind.name}));
  requireEffect(command, "--max-shape", !isKernel,
                kernel + "whose memory is planned");
  requireEffect(
      command, "--kernel",
      isKernel || arguments.explainSchedule || arguments.explainLayouts ||
          arguments.checkBarriers ||
          isOneOf(arguments.emit, {"tile", "scheduled", "loops", "llvm", "asm",
                                   "ptx", "cubin"}),
      "it picks what --emit tile, .., cubin, --explain-schedule, "
      "--explain-layouts and --check-barriers show, or one of a file's tile "
      "kernels");
}

Status checkOptions(const CLI::App &command,
                    const CompileArguments &arguments) {
  const CompileModelOptions &options = arguments.options;
  TILEWRIGHT_RETURN_IF_ERROR(requireFile(arguments.model));
  checkOutput(arguments);
  checkGpuOptions(arguments);
  const bool makesCode = options.cpu || !options.gpus.empty();
  const std::string code = "it needs a target that code is made for: cpu, " +
                           target::gpuTargetNames();
  requireEffect(command, "--schedule", makesCode, code);
  requireEffect(command, "--tuning", makesCode, code);
  if (!makesCode && isOneOf(arguments.emit, {"loops", "llvm", "asm"}))
    throw UsageError(
        format("--emit {} has no effect here: {}", {arguments.emit, code}));
  requireEffect(command, "--ptxas", arguments.emit == "cubin",
                "it makes the cubins of --emit cubin");
  if (arguments.patterns.size() != arguments.kernels.size())
    throw UsageError(
        format("expected a --with FILE.mlir for each --replace, found {} "
               "--replace and {} --with",
               {arguments.patterns.size(), arguments.kernels.size()}));
  TILEWRIGHT_ASSIGN_OR_RETURN(ModelSource source,
                              ModelSource::file(arguments.model));
  const Plugins *plugins = options.plugins.get();
  TILEWRIGHT_ASSIGN_OR_RETURN(ModelKind kind, kindOf(source, plugins));
  checkModelOptions(command, arguments, kind, plugins);
  return {};
}

//===--- The command ------------------------------------------------------===//

void addCompile(CLI::App &app, Action &action) {
  auto arguments = std::make_shared<CompileArguments>();
  CLI::App *command =
      app.add_subcommand("compile", "Compile a model into a package");
  command
      ->add_option(
          "MODEL", arguments->model,
          ".onnx, .pt2, graph-level .mlir, a tile kernel as .mlir, or what "
          "a plug-in reads")
      ->required();
  command->add_option("-o,--output", arguments->output,
                      "The package to write, X.twp; with --emit the file of "
                      "the text, or the directory of the cubins");
  command
      ->add_option("--target", arguments->targets,
                   "Targets, by comma: cpu, sm_80, .., sm_120a, interpreter")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      ->add_option("--emit", arguments->emit,
                   "Print a stage, or write it to -o FILE: graph, tile, "
                   "scheduled, loops, llvm, asm, ptx; or write each kernel's "
                   "cubin")
      ->check(oneOf({"graph", "tile", "scheduled", "loops", "llvm", "asm",
                     "ptx", "cubin"}));
  command
      ->add_option("--stop-after", arguments->options.stopAfter,
                   "Stop a model after this pass and write it to -o FILE.mlir, "
                   "which --resume goes on with: form-groups, canonicalize:2, "
                   "..")
      ->excludes("--emit");
  command->add_flag("--resume", arguments->options.resume,
                    "Go on with a file of --stop-after or --reproducer, which "
                    "is code, as a package is");
  command->add_option_function<std::string>(
      "--reproducer",
      [arguments](const std::string &file) {
        arguments->options.reproducer = file;
      },
      "Where a pass fails, write the program as it was before it to this "
      "file, X.mlir");
  command->add_option("--kernel", arguments->options.onlyKernel,
                      "Show this kernel only; of a file with several tile "
                      "kernels compile it");
  command
      ->add_option("--input-shape", arguments->shapes,
                   "Fix an input's shape: NAME=2x3x45x61; ? or a name leaves a "
                   "size open: NAME=?x3xHx61")
      ->allow_extra_args(false);
  command
      ->add_option(
          "--max-shape", arguments->maxShapes,
          "The largest shape of an input or output, or the largest value "
          "of a size: NAME=2x3x45x61 (docs/command-line.md)")
      ->allow_extra_args(false);
  command
      ->add_option("--replace", arguments->patterns,
                   "Nodes that a kernel of yours computes: 'y = Mul(x, "
                   "Sigmoid(x))' (docs/onnx.md); --with names it")
      ->allow_extra_args(false);
  command
      ->add_option("--with", arguments->kernels,
                   "The kernel for a --replace: K.mlir, or K.mlir@NAME")
      ->allow_extra_args(false);
  command
      ->add_option("--threads", arguments->options.threads,
                   "Threads that compile; default all cores")
      ->check(wholeNumber(1));
  command
      ->add_option("--max-llvm-ir", arguments->maxLlvmIr,
                   "Give a kernel up that becomes more instructions of LLVM "
                   "IR; 0: no limit")
      ->capture_default_str()
      ->check(wholeNumber(0));
  command
      ->add_option("--max-ir-memory", arguments->maxIrMiB,
                   "Give a kernel up whose IR takes more MiB; 0: no limit")
      ->capture_default_str()
      ->check(wholeNumber(0));
  command
      ->add_option("--time-limit", arguments->timeLimit,
                   "Give up after so many seconds; 0: no limit")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--cache", arguments->cache,
                      "Keep what is compiled in this folder; default: "
                      "TILEWRIGHT_CACHE_DIR, or .cache/tilewright in HOME");
  command->add_flag("--no-cache", arguments->noCache, "Compile all anew")
      ->excludes("--cache");
  addPlugins(*command, arguments->plugins);
  command->add_flag_callback(
      "--no-assertions", [arguments] { arguments->options.assertions = false; },
      "Leave assertions out");
  addFastMath(*command, arguments->options.fastMath);
  addPrecision(*command, arguments->options.precision);
  command->add_flag("--explain-fusion", arguments->explain,
                    "Print each kernel and why ops are (not) in it, and "
                    "which loops a kernel runs");
  command
      ->add_option_function<std::vector<std::string>>(
          "--fusion",
          [arguments](const std::vector<std::string> &choices) {
            using enum CompileModelOptions::Attention;
            for (const std::string &choice : choices)
              arguments->options.attention = choice == "attention=on" ? always
                                             : choice == "attention=off"
                                                 ? never
                                                 : whereFaster;
          },
          "Attentions in one kernel: attention=auto (where that is faster), "
          "attention=on, attention=off")
      ->delimiter(',')
      ->check(oneOf({"attention=auto", "attention=on", "attention=off"}))
      ->allow_extra_args(false);
  command->add_option(
      "--schedule", arguments->schedule,
      "The schedule of all kernels, e.g. \"warps=8 vector_bits=64\" for a GPU, "
      "\"rows=6 vectors=4 tile0=96\" for the cpu (docs/schedules.md)");
  command->add_option("--tuning", arguments->tuning,
                      "Take schedules from this database of `tune`");
  command->add_flag("--explain-schedule", arguments->explainSchedule,
                    "Print what was chosen for each GPU kernel, and why");
  command->add_flag("--explain-layouts", arguments->explainLayouts,
                    "Print the layout of each tile of GPU kernels, its price, "
                    "conversions and the runner-up");
  command->add_flag("--time-passes", arguments->time,
                    "Print the time of each stage and pass");
  command
      ->add_option("--print-ir-after", arguments->printAfter,
                   "Print what these passes leave, by comma, on standard "
                   "error: canonicalize, assign-layouts, ..")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_flag("--print-ir-after-change",
                    arguments->options.printPasses.afterChange,
                    "Print what each pass leaves that changed something");
  command->add_flag("--verify-each", arguments->options.verifyEach,
                    "Check kernels after each pass, and what each stage "
                    "promises to the next");
  command->add_flag("--lineinfo", arguments->options.lineInfo,
                    "Name the source's lines in PTX and cubins, for profilers");
  command->add_flag("--check-barriers", arguments->checkBarriers,
                    "Check that barriers order the accesses of each kernel");
  command->add_option("--ptxas", arguments->ptxas,
                      "The ptxas that makes cubins; default: that of PATH");
  command->add_flag("--json", arguments->json, "Machine-readable results");
  command->callback([arguments, command, &action] {
    action = [arguments, command] {
      CompileModelOptions &options = arguments->options;
      auto plugins = loadPlugins(arguments->plugins);
      if (!plugins.ok())
        return fail(plugins.status());
      options.plugins = *std::move(plugins);
      readTargets(arguments->targets, options);
      if (Status wrong = checkOptions(*command, *arguments); !wrong.ok())
        return fail(wrong);
      return compile(*arguments);
    };
  });
}

} // namespace tilewright::tool
