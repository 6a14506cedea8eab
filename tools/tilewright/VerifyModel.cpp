//===- VerifyModel.cpp - tilewright verify MODEL | KERNEL -----------------===//
#include "support/Format.h"
#include "tools/tilewright/CompileArguments.h"
#include "tools/tilewright/Compiler.h"
#include "tools/tilewright/Interrupt.h"
#include "tools/tilewright/Report.h"
#include "tools/tilewright/Usage.h"
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
} // namespace

/// What nobody judges, whatever the model is.
static const std::vector<std::string> &neverChecked() {
  static const std::vector<std::string> all = {"import of the model", "ptxas",
                                               "hardware"};
  return all;
}

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

static Json toJson(const TargetVerdict &verdict) {
  const LevelsVerdict &levels = verdict.model.levels;
  Json object = {{"target", verdict.target},
                 {"verdict", levels.guilty ? "different" : "equivalent"}};
  if (levels.guilty) {
    object["guilty"] = {{"pass", levels.guilty->pass},
                        {"relation", levels.guilty->relation.text()}};
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
  object["unchecked"] = neverChecked();
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
      "guilty: %s, which is %s%s\n  %s\n", levels.guilty->pass.c_str(),
      levels.guilty->relation.text().c_str(),
      kernel
          ? (", in " + printable(verdict.model.kernels[*kernel].kernel)).c_str()
          : "",
      printable(describe(*levels.counterexample)).c_str());
  if (!verdict.directory.empty())
    std::printf("  reproducer %s\n", verdict.reproducer().c_str());
}

static StatusOr<TargetRecord> recordOf(const TargetVerdict &verdict,
                                       const std::string &package) {
  const LevelsVerdict &levels = verdict.model.levels;
  TargetRecord record{verdict.target,
                      levels.guilty ? "different" : "equivalent",
                      levels.guilty ? levels.guilty->pass : "",
                      recordsOf(verdict.model), neverChecked()};
  if (record.kernels.empty()) {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        record.kernels, kernelsOfWhole(package, verdict.target, levels));
  }
  return record;
}

static Status keepEvidence(const VerifyArguments &arguments,
                           const std::vector<TargetVerdict> &verdicts) {
  std::vector<TargetRecord> records;
  for (const TargetVerdict &verdict : verdicts) {
    TILEWRIGHT_ASSIGN_OR_RETURN(records.emplace_back(),
                                recordOf(verdict, arguments.evidence));
  }
  return writeEvidence(arguments, records);
}

//===--- The command ------------------------------------------------------===//

static StatusOr<std::vector<TargetVerdict>>
checkTargets(const VerifyArguments &arguments) {
  TILEWRIGHT_RETURN_IF_ERROR(requireFile(arguments.before));
  TILEWRIGHT_ASSIGN_OR_RETURN(auto plugins, loadPlugins(arguments.pluginFiles));
  if (!arguments.evidence.empty())
    TILEWRIGHT_RETURN_IF_ERROR(checkIsPackageOf(arguments, plugins));
  TILEWRIGHT_ASSIGN_OR_RETURN(const verify::GivenInputs inputs,
                              readInputs(arguments.inputs));
  Interrupt interrupt;
  const std::stop_token stop = interrupt.token();
  std::vector<TargetVerdict> verdicts;
  for (const std::string &target : arguments.targets) {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        verdicts.emplace_back(),
        checkTarget(arguments, target, plugins, inputs, stop));
  }
  if (!arguments.evidence.empty())
    TILEWRIGHT_RETURN_IF_ERROR(keepEvidence(arguments, verdicts));
  return verdicts;
}

int verifyModel(const VerifyArguments &arguments) {
  StatusOr<std::vector<TargetVerdict>> verdicts = checkTargets(arguments);
  if (!verdicts.ok())
    return fail(verdicts.status());
  bool isGood = true;
  Json list = Json::array();
  for (const TargetVerdict &verdict : *verdicts) {
    isGood &= !verdict.model.levels.guilty;
    if (arguments.json)
      list.push_back(toJson(verdict));
    else
      print(verdict);
  }
  if (arguments.json)
    printObject(
        {{"verdict", isGood ? "equivalent" : "different"}, {"targets", list}});
  return isGood ? exitGood : exitFinding;
}

} // namespace tilewright::tool
