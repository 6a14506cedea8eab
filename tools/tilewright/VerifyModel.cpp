//===- VerifyModel.cpp - tilewright verify MODEL | KERNEL -----------------===//
#include "support/Format.h"
#include "tools/tilewright/CompileArguments.h"
#include "tools/tilewright/Compiler.h"
#include "tools/tilewright/Interrupt.h"
#include "tools/tilewright/Report.h"
#include "tools/tilewright/Usage.h"
#include "tools/tilewright/VerifyImport.h"
#include "tools/tilewright/VerifyKernels.h"
#include "tools/tilewright/VerifyReport.h"

namespace tilewright::tool {

using verify::LevelsVerdict;
using verify::ModelVerdict;
using verify::PassEvidence;
using Json = nlohmann::ordered_json;

namespace {
/// What came of one target.
struct TargetVerdict {
  std::string target;
  ModelVerdict model;
  /// Where the counterexample and the levels around the guilty pass are;
  /// empty: nowhere.
  std::filesystem::path directory;

  [[nodiscard]] std::string reproducer() const {
    return (directory / "reproducer.mlir").string();
  }
};

/// What came of a model.
struct WholeVerdict {
  /// Only where an oracle was asked.
  std::optional<JudgedImport> import;
  /// None where the import is wrong.
  std::vector<TargetVerdict> targets;

  [[nodiscard]] bool isImportWrong() const {
    return import && import->isDifferent();
  }
  [[nodiscard]] bool isGood() const {
    return !isImportWrong() &&
           std::ranges::none_of(targets, [](const TargetVerdict &target) {
             return target.model.levels.guilty.has_value();
           });
  }
  /// What nobody judged.
  [[nodiscard]] std::vector<std::string> unchecked() const {
    std::vector<std::string> all = {"import of the model", "ptxas", "hardware"};
    if (import && import->isTested())
      all.erase(all.begin());
    return all;
  }
};
} // namespace

//===--- One target -------------------------------------------------------===//

static Status writeGuilty(const TargetVerdict &verdict) {
  const LevelsVerdict &levels = verdict.model.levels;
  TILEWRIGHT_RETURN_IF_ERROR(writeCounterexample(
      *levels.counterexample, levels.signature, verdict.directory));
  TILEWRIGHT_RETURN_IF_ERROR(
      writeReport(verdict.reproducer(), levels.guilty->reproducer));
  TILEWRIGHT_RETURN_IF_ERROR(
      writeReport(verdict.directory / "before.mlir", levels.guilty->before));
  return writeReport(verdict.directory / "after.mlir", levels.guilty->after);
}

static StatusOr<TargetVerdict>
checkTarget(const VerifyArguments &arguments, const std::string &target,
            const std::shared_ptr<const Plugins> &plugins,
            const verify::GivenInputs &inputs, const std::stop_token &stop) {
  CompileModelOptions compile;
  compile.plugins = plugins;
  compile.precision = arguments.precision;
  compile.threads = 1;
  readTargets({target}, compile);
  TILEWRIGHT_ASSIGN_OR_RETURN(ModelSource source,
                              ModelSource::file(arguments.before));
  verify::ModelCheckOptions options;
  options.seed = arguments.seed;
  options.byKernel = arguments.byKernel;
  options.resume = arguments.resume;
  options.inputs = inputs;
  if (arguments.timeLimit > 0)
    options.time = std::chrono::duration<double>(arguments.timeLimit);
  options.isStopped = [&] { return stop.stop_requested(); };
  TargetVerdict verdict;
  TILEWRIGHT_ASSIGN_OR_RETURN(
      verdict.model, verify::checkModel(source, std::move(compile), options));
  verdict.target = joined(verdict.model.targets);
  if (verdict.model.levels.guilty && !arguments.outputDirectory.empty()) {
    verdict.directory = arguments.outputDirectory;
    if (arguments.targets.size() > 1)
      verdict.directory /= fileName(target);
    TILEWRIGHT_RETURN_IF_ERROR(writeGuilty(verdict));
  }
  return verdict;
}

//===--- Reports ----------------------------------------------------------===//

static Json toJson(const verify::LlvmPass &llvm) {
  Json object = {{"llvm_pass", nullptr}};
  if (llvm.number > 0)
    object = {{"llvm_pass", llvm.pass}, {"llvm_where", llvm.where}};
  object["llvm_number"] = llvm.number;
  object["llvm_count"] = llvm.count;
  return object;
}

static std::string describe(const verify::LlvmPass &llvm) {
  return llvm.number == 0
             ? format("none of LLVM's {} optional passes: it is wrong without "
                      "them",
                      {llvm.count})
             : format("LLVM's pass {} on {}, {} of {} optional ones",
                      {llvm.pass, llvm.where, llvm.number, llvm.count});
}

static Json toJson(const TargetVerdict &verdict,
                   const std::vector<std::string> &unchecked) {
  const LevelsVerdict &levels = verdict.model.levels;
  Json object = {{"target", verdict.target},
                 {"verdict", levels.guilty ? "different" : "equivalent"}};
  if (levels.guilty) {
    object["guilty"] = {{"pass", levels.guilty->pass},
                        {"relation", levels.guilty->relation.text()}};
    if (const auto &llvm = levels.guilty->llvmPass)
      object["guilty"].update(toJson(*llvm));
    object["counterexample"] = toJson(*levels.counterexample);
    if (verdict.model.guiltyKernel)
      object["guilty"]["kernel"] =
          verdict.model.kernels[*verdict.model.guiltyKernel].kernel;
    if (!verdict.directory.empty()) {
      object["guilty"]["before"] = (verdict.directory / "before.mlir").string();
      object["guilty"]["after"] = (verdict.directory / "after.mlir").string();
      object["reproducer"] = verdict.reproducer();
    }
  }
  if (verdict.model.kernels.empty())
    object["passes"] = toJson(recordsOf(levels.passes));
  else
    object["kernels"] = toJson(recordsOf(verdict.model));
  object["unchecked"] = unchecked;
  return object;
}

static void print(const TargetVerdict &verdict) {
  const LevelsVerdict &levels = verdict.model.levels;
  const char *result = levels.guilty ? "different" : "equivalent";
  if (verdict.model.kernels.empty())
    print(levels.passes, verdict.target + ": " + result);
  else
    print(recordsOf(verdict.model), verdict.target + ": " + result);
  if (!levels.guilty)
    return;
  const std::optional<size_t> kernel = verdict.model.guiltyKernel;
  std::printf(
      "guilty: %s, which is %s%s%s\n  %s\n", levels.guilty->pass.c_str(),
      levels.guilty->relation.text().c_str(),
      levels.passes.back().isDeclared ? "" : ", as it declares no relation",
      kernel
          ? (", in " + printable(verdict.model.kernels[*kernel].kernel)).c_str()
          : "",
      printable(describe(*levels.counterexample)).c_str());
  if (const auto &llvm = levels.guilty->llvmPass)
    std::printf("  %s\n", printable(describe(*llvm)).c_str());
  if (!verdict.directory.empty())
    std::printf("  reproducer %s\n", verdict.reproducer().c_str());
}

static void print(const JudgedImport &import) {
  print(recordOf(import));
  if (import.isDifferent())
    std::printf("guilty: import, which is %s\n  %s\n",
                import.verdict.evidence.relation.text().c_str(),
                printable(describe(*import.verdict.counterexample)).c_str());
}

static Json toJson(const WholeVerdict &verdict) {
  Json object = {{"verdict", verdict.isGood() ? "equivalent" : "different"}};
  if (verdict.import)
    object["import"] = toJson(recordOf(*verdict.import));
  if (verdict.isImportWrong()) {
    const verify::ImportVerdict &import = verdict.import->verdict;
    object["guilty"] = {{"pass", import.evidence.pass},
                        {"relation", import.evidence.relation.text()}};
    object["counterexample"] = toJson(*import.counterexample);
  }
  object["targets"] = Json::array();
  for (const TargetVerdict &target : verdict.targets)
    object["targets"].push_back(toJson(target, verdict.unchecked()));
  return object;
}

static StatusOr<TargetRecord>
recordOf(const TargetVerdict &verdict, const std::string &package,
         const std::vector<std::string> &unchecked) {
  const LevelsVerdict &levels = verdict.model.levels;
  TargetRecord record{verdict.target,
                      levels.guilty ? "different" : "equivalent",
                      levels.guilty ? levels.guilty->pass : "",
                      recordsOf(verdict.model), unchecked};
  if (record.kernels.empty()) {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        record.kernels, kernelsOfWhole(package, verdict.target, levels));
  }
  return record;
}

static Status keepEvidence(const VerifyArguments &arguments,
                           const WholeVerdict &verdict) {
  Evidence evidence;
  if (verdict.import)
    evidence.import = recordOf(*verdict.import);
  for (const TargetVerdict &target : verdict.targets) {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        evidence.targets.emplace_back(),
        recordOf(target, arguments.evidence, verdict.unchecked()));
  }
  return writeEvidence(arguments, std::move(evidence));
}

//===--- The command ------------------------------------------------------===//

/// The import, if an oracle is given, and the passes for each target. Behind a
/// wrong import no pass is judged, unless it may have been a pass: what a large
/// model compiles to ran in its place.
static StatusOr<WholeVerdict> checkAll(const VerifyArguments &arguments) {
  TILEWRIGHT_RETURN_IF_ERROR(requireFile(arguments.before));
  TILEWRIGHT_ASSIGN_OR_RETURN(auto plugins, loadPlugins(arguments.pluginFiles));
  if (!arguments.evidence.empty())
    TILEWRIGHT_RETURN_IF_ERROR(checkIsPackageOf(arguments, plugins));
  TILEWRIGHT_ASSIGN_OR_RETURN(const verify::GivenInputs inputs,
                              readInputs(arguments.inputs));
  Interrupt interrupt;
  const std::stop_token stop = interrupt.token();
  WholeVerdict verdict;
  if (!arguments.oraclePython.empty()) {
    TILEWRIGHT_ASSIGN_OR_RETURN(verdict.import,
                                judgeImport(arguments, plugins, inputs, stop));
  }
  if (!verdict.isImportWrong() || verdict.import->verdict.isCompiled)
    for (const std::string &target : arguments.targets) {
      TILEWRIGHT_ASSIGN_OR_RETURN(
          verdict.targets.emplace_back(),
          checkTarget(arguments, target, plugins, inputs, stop));
      if (verdict.isImportWrong() && verdict.targets.back().model.levels.guilty)
        withdraw(*verdict.import);
    }
  if (verdict.isImportWrong() && !arguments.outputDirectory.empty())
    TILEWRIGHT_RETURN_IF_ERROR(writeCounterexample(
        *verdict.import->verdict.counterexample,
        verdict.import->verdict.signature, arguments.outputDirectory));
  if (!arguments.evidence.empty())
    TILEWRIGHT_RETURN_IF_ERROR(keepEvidence(arguments, verdict));
  return verdict;
}

int verifyModel(const VerifyArguments &arguments) {
  StatusOr<WholeVerdict> verdict = checkAll(arguments);
  if (!verdict.ok())
    return fail(verdict.status());
  if (arguments.json) {
    printObject(toJson(*verdict));
  } else {
    if (verdict->import)
      print(*verdict->import);
    for (const TargetVerdict &target : verdict->targets)
      print(target);
  }
  return verdict->isGood() ? exitGood : exitFinding;
}

} // namespace tilewright::tool
