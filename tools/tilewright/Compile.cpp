//===- Compile.cpp - tilewright compile -----------------------------------===//
#include "tilewright/mlir/Compile.h"
#include "autotune/session/Lookup.h"
#include "codegen/schedule/ScheduleText.h"
#include "mlir/Parser/Parser.h"
#include "support/Format.h"
#include "tilewright/compiler/DiagnosticText.h"
#include "tilewright/runtime/MappedFile.h"
#include "tools/tilewright/CompileArguments.h"
#include "tools/tilewright/Cubin.h"
#include "tools/tilewright/Interrupt.h"
#include "tools/tilewright/ModelCache.h"
#include "tools/tilewright/Report.h"
#include "tools/tilewright/Usage.h"
#include "verify/barriers/BarrierCheck.h"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>

namespace tilewright::tool {

Status visitScheduled(const CompileModelReport &report,
                      llvm::function_ref<void(tile::KernelOp)> visit) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  prepareContext(context);
  for (const KernelBytecode &kernel : report.bytecode) {
    auto module =
        mlir::parseSourceString<mlir::ModuleOp>(kernel.bytes, &context);
    if (!module)
      return Status::internal("kernel '" + kernel.kernel +
                              "': its bytecode cannot be read");
    visit(*module->getOps<tile::KernelOp>().begin());
  }
  return {};
}

/// The text of a stage.
static const std::string &textOf(const std::string &stage,
                                 const CompileModelReport &report) {
  static const std::string none;
  for (const auto &[name, text] :
       {std::pair("graph", &report.graph), std::pair("tile", &report.tiles),
        std::pair("scheduled", &report.scheduled),
        std::pair("loops", &report.loops), std::pair("llvm", &report.llvm),
        std::pair("asm", &report.assembly)})
    if (stage == name)
      return *text;
  return none;
}

/// Prints a stage, or writes it to its file.
static Status emitText(const CompileArguments &arguments,
                       const CompileModelReport &report) {
  std::string text = textOf(arguments.emit, report);
  for (const KernelPtx &kernel : report.ptx)
    text += kernel.text;
  if (!arguments.output.empty())
    return writeReport(arguments.output, text);
  std::cout << text;
  return {};
}

static int printReport(const CompileArguments &arguments,
                       const CompileModelReport &report) {
  if (arguments.json) {
    nlohmann::ordered_json object = {{"package", arguments.output},
                                     {"nodes", report.nodes},
                                     {"steps", report.steps},
                                     {"kernels", report.kernels},
                                     {"from_cache", report.fromCache},
                                     {"cached_images", report.cachedImages},
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
    if (arguments.explainLayouts)
      object["layouts"] = report.layouts;
    if (arguments.explain)
      object["fusion"] = nlohmann::ordered_json::parse(report.fusionJson);
    object["diagnostics"] =
        nlohmann::ordered_json::parse(diagnosticsAsJson(report.warnings));
    printObject(object);
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
  if (arguments.explainLayouts)
    std::cout << report.layouts;
  const bool printsText = arguments.emitsText() && arguments.output.empty();
  if (arguments.time && printsText)
    std::cerr << report.times;
  if (printsText || arguments.emit == "cubin")
    return exitGood;
  if (!arguments.options.stopAfter.empty()) {
    std::printf("stopped after %s -> %s\n", arguments.options.stopAfter.c_str(),
                arguments.output.c_str());
    return exitGood;
  }
  std::printf("%lld nodes, %zu step%s, %zu kernel%s for %s, %.2f s%s%s%s\n",
              static_cast<long long>(report.nodes), report.steps,
              report.steps == 1 ? "" : "s", report.kernels,
              report.kernels == 1 ? "" : "s", joined(arguments.targets).c_str(),
              report.importSeconds + report.lowerSeconds + report.codeSeconds,
              report.fromCache ? " from the cache" : "",
              arguments.output.empty() ? "" : " -> ", arguments.output.c_str());
  if (arguments.time)
    std::cout << report.times;
  return exitGood;
}

/// Reads --schedule: its parameters for the CPU go there, those for GPUs there.
/// Where there is only one of them, keys for the other are an error.
static Status readSchedule(const CompileArguments &arguments,
                           CompileModelOptions &options) {
  using schedule::Kind;
  if (arguments.schedule.empty())
    return Status();
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
                                  schedule::GpuSchedule::parse(text));
    }
  }
  return Status();
}

/// Reads --replace and --with: FILE.mlir, or FILE.mlir@KERNEL.
static Status readReplacements(const CompileArguments &arguments,
                               CompileModelOptions &options) {
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

/// Checks barriers, if asked to, and prints each finding once.
static int checkBarriers(const CompileArguments &arguments,
                         const CompileModelReport &report) {
  if (!arguments.checkBarriers)
    return exitGood;
  std::set<std::string> findings;
  Status visited = visitScheduled(report, [&](tile::KernelOp kernel) {
    for (const verify::UnorderedAccesses &finding :
         verify::findUnordered(kernel))
      findings.insert(verify::describe(finding));
  });
  if (!visited.ok())
    return fail(visited);
  for (const std::string &text : findings)
    std::cout << text;
  if (!findings.empty())
    return exitFinding;
  if (!arguments.json)
    std::cout << "barriers: none is missing\n";
  return exitGood;
}

namespace {
/// Schedules from a database, and what came of it.
struct Tuning : ScheduleTable {
  explicit Tuning(autotune::Lookup lookup) : lookup(std::move(lookup)) {}

  autotune::Lookup lookup;
  size_t asked = 0, found = 0;

  StatusOr<std::optional<ChosenSchedule>>
  find(const KernelToSchedule &kernel) override;
};
} // namespace

StatusOr<std::optional<ChosenSchedule>>
Tuning::find(const KernelToSchedule &kernel) {
  ++asked;
  if (kernel.code.empty())
    return std::nullopt;
  TILEWRIGHT_ASSIGN_OR_RETURN(std::optional<autotune::Found> best,
                              lookup.find(kernel.code, kernel.target));
  if (!best)
    return std::nullopt;
  ++found;
  return ChosenSchedule{best->schedule, best->origin};
}

/// Opens the database of --tuning.
static Status openTuning(const CompileArguments &arguments,
                         std::optional<Tuning> &tuned,
                         CompileModelOptions &options) {
  if (arguments.tuning.empty())
    return {};
  TILEWRIGHT_ASSIGN_OR_RETURN(
      autotune::Lookup opened,
      autotune::Lookup::open(arguments.tuning, options.plugins));
  tuned.emplace(std::move(opened));
  options.scheduleTable = &*tuned;
  return {};
}

/// What of the report is wanted.
static void wantTexts(const CompileArguments &arguments,
                      CompileModelOptions &options) {
  const std::string &stage = arguments.emit;
  using TimeFormat = CompileModelOptions::TimeFormat;
  if (arguments.time)
    options.times = arguments.json ? TimeFormat::json : TimeFormat::text;
  options.wantGraph = stage == "graph";
  options.wantTiles = stage == "tile";
  options.wantScheduled = stage == "scheduled";
  options.wantLoops = stage == "loops";
  options.wantLlvm = stage == "llvm";
  options.wantAssembly = stage == "asm";
  options.wantPtx = stage == "ptx" || stage == "cubin";
  options.wantSchedules = arguments.explainSchedule;
  options.wantLayouts = arguments.explainLayouts;
  options.wantFusion = arguments.explain;
  options.wantBytecode = arguments.checkBarriers;
}

static Budget budgetOf(const CompileArguments &arguments) {
  Budget budget;
  budget.llvmIr = arguments.maxLlvmIr;
  budget.memory = int64_t(arguments.maxIrMiB) << 20;
  if (arguments.maxLlvmIr == 0)
    budget.llvmIr.reset();
  if (arguments.maxIrMiB == 0)
    budget.memory.reset();
  return budget;
}

/// The options that the compiler does not take as they are given.
static Status readOptions(const CompileArguments &arguments,
                          CompileModelOptions &options) {
  TILEWRIGHT_RETURN_IF_ERROR(readReplacements(arguments, options));
  TILEWRIGHT_ASSIGN_OR_RETURN(
      options.inputShapes, parseShapes(arguments.shapes, OpenSizes::Allowed));
  TILEWRIGHT_ASSIGN_OR_RETURN(
      options.maxShapes,
      parseShapes(arguments.maxShapes, OpenSizes::Rejected, "--max-shape"));
  options.wantMemory = arguments.explain || arguments.json;
  options.budget = budgetOf(arguments);
  if (arguments.timeLimit > 0)
    options.timeLimit = std::chrono::ceil<std::chrono::milliseconds>(
        std::chrono::duration<double>(arguments.timeLimit));
  if (!arguments.noCache) {
    TILEWRIGHT_ASSIGN_OR_RETURN(options.cache, openModelCache(arguments.cache));
  }
  options.progress = terminalProgress();
  options.printPasses.after = {arguments.printAfter.begin(),
                               arguments.printAfter.end()};
  options.printPasses.sink = [](std::string_view text) { std::cerr << text; };
  wantTexts(arguments, options);
  return readSchedule(arguments, options);
}

/// Whether each pass that is to be printed ran.
static Status checkPrinted(const CompileArguments &arguments,
                           const std::vector<std::string> &passes) {
  for (const std::string &name : arguments.printAfter)
    if (std::ranges::find(passes, name) == passes.end())
      return Status::invalidInput(
          format("--print-ir-after: no pass '{}' ran{}\n  these ran: {}",
                 {name, didYouMean(name, passes), joined(passes)}));
  return {};
}

/// Compiles, and writes the requested outputs.
static StatusOr<CompileModelReport> make(const CompileArguments &arguments,
                                         CompileModelOptions &options) {
  std::optional<Tuning> tuned;
  TILEWRIGHT_RETURN_IF_ERROR(openTuning(arguments, tuned, options));
  const bool isPackage = arguments.emit.empty();
  StatusOr<CompileModelReport> report = Status::internal("not compiled");
  {
    Interrupt interrupt;
    options.stop = interrupt.token();
    report = compileModel(arguments.model, isPackage ? arguments.output : "",
                          options);
  }
  TILEWRIGHT_RETURN_IF_ERROR(report.status());
  warn(report->warnings);
  TILEWRIGHT_RETURN_IF_ERROR(checkPrinted(arguments, report->passes));
  if (tuned && !arguments.json)
    std::printf("%zu of %zu kernels have a tuned schedule in %s\n",
                tuned->found, tuned->asked, arguments.tuning.c_str());
  if (arguments.emit == "cubin") {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        std::vector<Diagnostic> warnings,
        writeCubins(report->ptx, arguments.output,
                    {arguments.ptxas, arguments.options.lineInfo}));
    warn(warnings);
    report->warnings.insert(report->warnings.end(), warnings.begin(),
                            warnings.end());
    if (!arguments.json)
      std::printf("%zu cubin%s -> %s\n", report->ptx.size(),
                  report->ptx.size() == 1 ? "" : "s", arguments.output.c_str());
  } else if (!isPackage) {
    TILEWRIGHT_RETURN_IF_ERROR(emitText(arguments, *report));
  }
  return report;
}

int compile(const CompileArguments &arguments) {
  CompileModelOptions options = arguments.options;
  if (Status given = readOptions(arguments, options); !given.ok())
    return fail(given);
  std::vector<Diagnostic> errors;
  options.diagnostics = &errors;
  StatusOr<CompileModelReport> report = make(arguments, options);
  if (!report.ok()) {
    if (errors.empty())
      errors.emplace_back().message = report.status().message();
    if (arguments.json)
      std::cout << "{\"diagnostics\": " << diagnosticsAsJson(errors) << "}\n";
    return fail(report.status());
  }
  int code = printReport(arguments, *report);
  return code ? code : checkBarriers(arguments, *report);
}

} // namespace tilewright::tool
