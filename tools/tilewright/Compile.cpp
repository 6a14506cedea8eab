//===- Compile.cpp - tilewright compile -----------------------------------===//
#include "autotune/session/Lookup.h"
#include "codegen/schedule/ScheduleText.h"
#include "frontends/package/CompileModel.h"
#include "runtime/core/MappedFile.h"
#include "tools/tilewright/Commands.h"
#include "tools/tilewright/Cubin.h"
#include "tools/tilewright/Report.h"
#include "verify/barriers/BarrierCheck.h"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

namespace tilewright::tool {

namespace {
struct CompileArguments {
  std::string model, output, emit, dumpAfter, ptxas, schedule, tuning;
  std::vector<std::string> shapes, maxShapes, targets = {"cpu"};
  std::vector<std::string> patterns, kernels;
  unsigned threads = 0;
  bool explain = false, time = false, json = false;
  bool noAssertions = false, lineInfo = false, checkBarriers = false;
  bool explainSchedule = false;
};

/// What the check of barriers finds, in kernels of several threads: each text
/// once, in one order.
struct BarrierFindings {
  std::mutex mutex;
  std::set<std::string> texts;

  void check(tile::KernelOp kernel) {
    for (const verify::UnorderedAccesses &finding :
         verify::findUnordered(kernel)) {
      std::lock_guard<std::mutex> lock(mutex);
      texts.insert(verify::describe(finding));
    }
  }
};
} // namespace

/// "cpu, sm_90a".
static std::string joined(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

static int printReport(const CompileArguments &arguments,
                       const CompileModelReport &report) {
  const std::string &stage =
      arguments.emit.empty() ? arguments.dumpAfter : arguments.emit;
  for (const auto &[name, text] :
       {std::pair("graph", &report.graph), std::pair("import", &report.graph),
        std::pair("tile", &report.tiles), std::pair("fusion", &report.tiles),
        std::pair("scheduled", &report.scheduled),
        std::pair("loops", &report.loops), std::pair("llvm", &report.llvm),
        std::pair("asm", &report.assembly), std::pair("ptx", &report.assembly)})
    if (stage == name)
      std::cout << *text;
  if (arguments.json) {
    nlohmann::ordered_json object = {{"package", arguments.output},
                                     {"nodes", report.nodes},
                                     {"steps", report.steps},
                                     {"kernels", report.kernels},
                                     {"import_ms", report.importSeconds * 1e3},
                                     {"lower_ms", report.lowerSeconds * 1e3},
                                     {"code_ms", report.codeSeconds * 1e3}};
    if (report.memory)
      object["memory"] = {{"arena", report.memory->arena},
                          {"arena_live", report.memory->arenaLive},
                          {"weights", report.memory->weights}};
    if (arguments.time)
      object["times"] = nlohmann::ordered_json::parse(report.times);
    if (arguments.explainSchedule)
      object["schedules"] = report.schedules;
    if (arguments.explain)
      object["fusion"] = nlohmann::ordered_json::parse(report.fusionJson);
    std::cout << object.dump(2) << "\n";
    return exitGood;
  }
  if (arguments.explain) {
    std::cout << report.fusionText;
    if (report.memory)
      std::printf("%.1f MB arena (largest live set %.1f MB), %.1f MB weights\n",
                  report.memory->arena / 1e6, report.memory->arenaLive / 1e6,
                  report.memory->weights / 1e6);
    else
      std::printf("arena: as the input shapes need; --max-shape plans it\n");
  }
  if (arguments.explainSchedule)
    std::cout << report.schedules;
  if (!stage.empty())
    return exitGood;
  std::printf("%lld nodes, %zu step%s, %zu kernel%s for %s, %.2f s%s%s\n",
              static_cast<long long>(report.nodes), report.steps,
              report.steps == 1 ? "" : "s", report.kernels,
              report.kernels == 1 ? "" : "s", joined(arguments.targets).c_str(),
              report.importSeconds + report.lowerSeconds + report.codeSeconds,
              arguments.output.empty() ? "" : " -> ", arguments.output.c_str());
  if (arguments.time)
    std::cout << report.times;
  return exitGood;
}

/// Reads --target.
static Status readTargets(const CompileArguments &arguments,
                          CompileModelOptions &options) {
  options.cpu.reset();
  for (const std::string &name : arguments.targets) {
    if (name == "cpu") {
      options.cpu = cpu::hostTarget();
      continue;
    }
    if (name == "interpreter") {
      options.interpreter = true;
      continue;
    }
    const target::GpuTarget *gpu = target::findGpuTarget(name);
    if (!gpu)
      return Status::unsupported(
          "target '" + name +
          "' is not supported; expected cpu, interpreter, " +
          target::gpuTargetNames());
    if (std::find(options.gpus.begin(), options.gpus.end(), gpu) ==
        options.gpus.end())
      options.gpus.push_back(gpu);
  }
  const bool emitsGpu = arguments.emit == "ptx" || arguments.emit == "cubin" ||
                        arguments.emit == "scheduled";
  const std::string option = emitsGpu ? "--emit " + arguments.emit
                             : arguments.checkBarriers   ? "--check-barriers"
                             : arguments.explainSchedule ? "--explain-schedule"
                             : arguments.lineInfo        ? "--lineinfo"
                                                         : "";
  if (options.gpus.empty() && !option.empty())
    return Status::invalidInput(option + " needs a GPU: --target " +
                                target::gpuTargetNames());
  return Status();
}

/// Reads --schedule: its keys for the CPU go there, those for GPUs there. Where
/// there is only one of them, keys for the other are an error.
static Status readSchedule(const CompileArguments &arguments,
                           CompileModelOptions &options) {
  using schedule::Kind;
  if (arguments.schedule.empty())
    return Status();
  if (!options.cpu && options.gpus.empty())
    return Status::invalidInput("--schedule needs a target that code is made "
                                "for: cpu, " +
                                target::gpuTargetNames());
  const bool both = options.cpu && !options.gpus.empty();
  auto own = [&](Kind kind) -> StatusOr<std::string> {
    if (both)
      return schedule::scheduleOf(arguments.schedule, kind);
    return arguments.schedule;
  };
  if (options.cpu) {
    TILEWRIGHT_ASSIGN_OR_RETURN(std::string text, own(Kind::cpu));
    TILEWRIGHT_ASSIGN_OR_RETURN(options.cpuSchedule,
                                schedule::CpuSchedule::parse(text));
  }
  if (!options.gpus.empty()) {
    TILEWRIGHT_ASSIGN_OR_RETURN(std::string text, own(Kind::gpu));
    if (!text.empty()) {
      TILEWRIGHT_ASSIGN_OR_RETURN(options.schedule,
                                  schedule::Schedule::parse(text));
    }
  }
  return Status();
}

/// Reads --replace and --with: FILE.mlir, or FILE.mlir@KERNEL.
static Status readReplacements(const CompileArguments &arguments,
                               CompileModelOptions &options) {
  if (arguments.patterns.size() != arguments.kernels.size())
    return Status::invalidInput(
        "expected a --with FILE.mlir for each --replace, found " +
        std::to_string(arguments.patterns.size()) + " --replace and " +
        std::to_string(arguments.kernels.size()) + " --with");
  for (size_t i = 0; i < arguments.patterns.size(); ++i) {
    KernelReplacement &replacement = options.replacements.emplace_back();
    replacement.pattern = arguments.patterns[i];
    std::string file = arguments.kernels[i];
    if (size_t at = file.rfind(".mlir@"); at != std::string::npos) {
      replacement.kernel = file.substr(at + 6);
      file.resize(at + 5);
    }
    TILEWRIGHT_ASSIGN_OR_RETURN(replacement.kernels.code,
                                runtime::readFile(file));
    replacement.kernels.name = file;
  }
  return Status();
}

/// Prints what the check found, if it ran.
static int printFindings(const CompileArguments &arguments,
                         const BarrierFindings &findings) {
  if (!arguments.checkBarriers)
    return exitGood;
  for (const std::string &text : findings.texts)
    std::cout << text;
  if (!findings.texts.empty())
    return exitFinding;
  if (!arguments.json)
    std::cout << "barriers: none is missing\n";
  return exitGood;
}

namespace {
/// Schedules from a database, and what came of it.
struct Tuning {
  autotune::Lookup lookup;
  size_t asked = 0, found = 0;
  /// Of kernels that were tuned, but whose schedules cannot be taken: why.
  std::string notes;
  Status status;

  StatusOr<std::optional<ChosenSchedule>> find(const KernelToSchedule &kernel);
  std::optional<ChosenSchedule> choose(const KernelToSchedule &kernel);
};
} // namespace

StatusOr<std::optional<ChosenSchedule>>
Tuning::find(const KernelToSchedule &kernel) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::optional<autotune::Found> best,
                              lookup.find(kernel.code, kernel.target));
  if (best)
    return std::optional(ChosenSchedule{best->schedule, best->origin});
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<std::string> arguments,
                              lookup.argumentsOf(kernel.code, kernel.target));
  std::string shapes;
  for (const std::string &known : arguments)
    shapes += (shapes.empty() ? "'" : ", '") + known + "'";
  if (!arguments.empty())
    notes += kernel.label + " for " + kernel.target +
             ": tuned with --argument " + shapes +
             ", but which sizes its views will have is not known here; give "
             "one of the schedules of `tune best` with --schedule\n";
  return std::optional<ChosenSchedule>();
}

std::optional<ChosenSchedule> Tuning::choose(const KernelToSchedule &kernel) {
  ++asked;
  if (kernel.code.empty() || !status.ok())
    return std::nullopt;
  StatusOr<std::optional<ChosenSchedule>> best = find(kernel);
  if (!best.ok()) {
    status = best.status();
    return std::nullopt;
  }
  found += best->has_value();
  return *best;
}

static int compile(const CompileArguments &arguments) {
  CompileModelOptions options;
  Status targets = readTargets(arguments, options);
  if (!targets.ok())
    return fail(targets);
  if (Status given = readReplacements(arguments, options); !given.ok())
    return fail(given);
  StatusOr<std::map<std::string, std::vector<int64_t>>> shapes =
      parseShapes(arguments.shapes);
  if (!shapes.ok())
    return fail(shapes.status());
  options.inputShapes = *shapes;
  shapes = parseShapes(arguments.maxShapes);
  if (!shapes.ok())
    return fail(shapes.status());
  options.maxShapes = *shapes;
  options.threads = arguments.threads;
  options.assertions = !arguments.noAssertions;
  options.progress = terminalProgress();
  const std::string &stage =
      arguments.emit.empty() ? arguments.dumpAfter : arguments.emit;
  using TimeFormat = CompileModelOptions::TimeFormat;
  if (arguments.time)
    options.times = arguments.json ? TimeFormat::json : TimeFormat::text;
  options.wantGraph = stage == "graph" || stage == "import";
  options.wantTiles = stage == "tile" || stage == "fusion";
  options.wantScheduled = stage == "scheduled";
  options.wantLoops = stage == "loops";
  options.wantLlvm = stage == "llvm";
  options.wantAssembly = stage == "asm" || stage == "ptx";
  options.lineInfo = arguments.lineInfo;
  options.wantSchedules = arguments.explainSchedule;
  if (Status given = readSchedule(arguments, options); !given.ok())
    return fail(given);
  std::optional<Tuning> tuned;
  if (!arguments.tuning.empty()) {
    StatusOr<autotune::Lookup> opened =
        autotune::Lookup::open(arguments.tuning);
    if (!opened.ok())
      return fail(opened.status());
    tuned.emplace(Tuning{std::move(*opened), 0, 0, {}, {}});
    options.chooseSchedule = [&](const KernelToSchedule &kernel) {
      return tuned->choose(kernel);
    };
  }
  BarrierFindings findings;
  if (arguments.checkBarriers)
    options.onScheduled = [&](tile::KernelOp kernel) {
      findings.check(kernel);
    };
  const bool cubins = arguments.emit == "cubin";
  options.wantPtx = cubins;
  StatusOr<CompileModelReport> report =
      compileModel(arguments.model, cubins ? "" : arguments.output, options);
  if (tuned && !tuned->status.ok())
    return fail(tuned->status);
  if (!report.ok())
    return fail(report.status());
  if (tuned && !arguments.json)
    std::printf("%s%zu of %zu kernels have a tuned schedule in %s\n",
                tuned->notes.c_str(), tuned->found, tuned->asked,
                arguments.tuning.c_str());
  if (cubins)
    if (Status status = writeCubins(report->ptx, arguments.output,
                                    {arguments.ptxas, arguments.lineInfo});
        !status.ok())
      return fail(status);
  if (cubins && !arguments.json)
    std::printf("%zu cubin%s -> %s\n", report->ptx.size(),
                report->ptx.size() == 1 ? "" : "s", arguments.output.c_str());
  int code = printReport(arguments, *report);
  return code ? code : printFindings(arguments, findings);
}

void addCompile(CLI::App &app, Action &action) {
  auto arguments = std::make_shared<CompileArguments>();
  CLI::App *command =
      app.add_subcommand("compile", "Compile a model into a package");
  command
      ->add_option("MODEL", arguments->model,
                   ".onnx, graph-level .mlir, or a tile kernel as .mlir")
      ->required();
  command->add_option("-o,--output", arguments->output,
                      "The package directory to write, X.twp; with --emit "
                      "cubin the directory of the cubins");
  command
      ->add_option("--target", arguments->targets,
                   "Targets, by comma: cpu, sm_80, .., sm_120a, interpreter")
      ->delimiter(',');
  command
      ->add_option("--emit", arguments->emit,
                   "Print a stage: graph, tile, scheduled, loops, llvm, asm, "
                   "ptx; or write each kernel's cubin")
      ->check(CLI::IsMember({"graph", "tile", "scheduled", "loops", "llvm",
                             "asm", "ptx", "cubin"}));
  command
      ->add_option("--dump-after", arguments->dumpAfter,
                   "Print the module after a step: import, fusion, loops, llvm")
      ->check(CLI::IsMember({"import", "fusion", "loops", "llvm"}));
  command->add_option("--input-shape", arguments->shapes,
                      "Fix an input's shape: NAME=2x3x45x61");
  command->add_option("--max-shape", arguments->maxShapes,
                      "Report memory for an input up to NAME=2x3x45x61");
  command
      ->add_option("--replace", arguments->patterns,
                   "Nodes that a kernel of yours computes: 'y = Mul(x, "
                   "Sigmoid(x))' (docs/onnx.md); --with names it")
      ->allow_extra_args(false);
  command
      ->add_option("--with", arguments->kernels,
                   "The kernel for a --replace: K.mlir, or K.mlir@NAME")
      ->allow_extra_args(false);
  command->add_option("--threads", arguments->threads,
                      "Threads that compile; default all cores");
  command->add_flag("--no-assertions", arguments->noAssertions,
                    "Leave assertions out");
  command->add_flag("--explain-fusion", arguments->explain,
                    "Print each kernel and why ops are (not) in it");
  command->add_option(
      "--schedule", arguments->schedule,
      "The schedule of all kernels, e.g. \"warps=8 access=64\" for a GPU, "
      "\"rows=6 vectors=4 tile0=96\" for the cpu (docs/schedules.md)");
  command->add_option("--tuning", arguments->tuning,
                      "Take schedules from this database of `tune`");
  command->add_flag("--explain-schedule", arguments->explainSchedule,
                    "Print what was chosen for each GPU kernel, and why");
  command->add_flag("--time-passes", arguments->time,
                    "Print the time of each stage and pass");
  command->add_flag("--lineinfo", arguments->lineInfo,
                    "Name the source's lines in PTX and cubins, for profilers");
  command->add_flag("--check-barriers", arguments->checkBarriers,
                    "Check that barriers order the accesses of each kernel");
  command->add_option("--ptxas", arguments->ptxas,
                      "The ptxas that makes cubins; default: that of PATH");
  command->add_flag("--json", arguments->json, "Machine-readable results");
  command->footer("Examples:\n"
                  "  tilewright compile m.onnx -o m.twp\n"
                  "  tilewright compile m.onnx --explain-fusion\n"
                  "  tilewright compile m.onnx --emit tile\n"
                  "  tilewright compile m.onnx -o m.twp --replace 'y = Mul(x, "
                  "Sigmoid(x))' --with silu.mlir\n"
                  "  tilewright compile k.mlir --target sm_90a --emit ptx\n"
                  "  tilewright compile k.mlir --target sm_90a --emit cubin -o "
                  "cubins");
  command->callback([arguments, &action] {
    if (arguments->output.empty() && arguments->emit.empty() &&
        arguments->dumpAfter.empty() && !arguments->explain &&
        !arguments->explainSchedule && !arguments->checkBarriers)
      throw CLI::RequiredError("-o X.twp, --emit, --explain-fusion, "
                               "--explain-schedule or --check-barriers");
    if (arguments->output == "-")
      throw CLI::ValidationError(
          "-o: expected a directory to write, found '-'; --emit prints");
    if (arguments->output.empty() && arguments->emit == "cubin")
      throw CLI::RequiredError("-o DIRECTORY");
    action = [arguments] { return compile(*arguments); };
  });
}

} // namespace tilewright::tool
