//===- VerifyNumerics.cpp - tilewright verify MODEL --numerics ------------===//
#include "support/Format.h"
#include "tools/tilewright/CompileArguments.h"
#include "tools/tilewright/Compiler.h"
#include "tools/tilewright/NumericsReport.h"
#include "tools/tilewright/Report.h"
#include "tools/tilewright/Usage.h"
#include "tools/tilewright/VerifyReport.h"
#include "verify/numerics/Numerics.h"

namespace tilewright::tool {

using verify::Numerics;
using verify::OutputErrors;
using verify::TargetErrors;
using Json = nlohmann::ordered_json;

//===--- Reports ----------------------------------------------------------===//

static Json toJson(const OutputErrors &errors, bool hasBounds) {
  Json object = {{"output", errors.port.name},
                 {"dtype", runtime::dtypeName(errors.port.dtype)},
                 {"shape", errors.shape},
                 {"elements", errors.elements},
                 {"compared", errors.compared},
                 {"absolute", toJson(errors.absolute)},
                 {"ulps", toJson(errors.ulps)}};
  if (hasBounds) {
    object["bounds"] = toJson(errors.byBound);
    object["exceeded"] = errors.exceeded;
    object["unbounded"] = errors.unbounded;
  }
  if (errors.lostDigits)
    object["lost_digits"] = {{"lost", errors.lostDigits->lost},
                             {"of", errors.lostDigits->of},
                             {"index", errors.lostDigits->index},
                             {"elements", errors.lostDigits->elements},
                             {"runs", errors.lostDigits->runs}};
  return object;
}

static bool isWithinBounds(const TargetErrors &errors) {
  return std::ranges::all_of(errors.outputs, [](const OutputErrors &output) {
    return output.exceeded == 0;
  });
}

static const char *verdictOf(bool isGood) {
  return isGood ? "equivalent" : "different";
}

static Json toJson(const TargetErrors &errors) {
  Json object = {{"target", joined(errors.targets)},
                 {"verdict", verdictOf(isWithinBounds(errors))}};
  if (!errors.whyNoBounds.empty())
    object["no_bounds"] = errors.whyNoBounds;
  if (!errors.whyNoDigits.empty())
    object["no_digits"] = errors.whyNoDigits;
  object["outputs"] = Json::array();
  for (const OutputErrors &output : errors.outputs)
    object["outputs"].push_back(toJson(output, !errors.bounds.empty()));
  for (const verify::KernelShare &kernel : errors.kernels) {
    Json shares = Json::object();
    for (size_t i = 0; i < kernel.shares.size(); ++i)
      shares[errors.outputs[i].port.name] = kernel.shares[i];
    object["kernels"].push_back({{"kernel", kernel.kernel},
                                 {"launches", kernel.launches},
                                 {"own", kernel.own},
                                 {"shares", shares}});
  }
  return object;
}

/// How errors compare with bounds.
static std::string boundText(const OutputErrors &errors) {
  std::string text = ", " + textOf(errors.byBound, " of its bound");
  if (errors.exceeded)
    text += format(", {} above their bounds", {errors.exceeded});
  if (errors.unbounded)
    text += format(", {} without a bound", {errors.unbounded});
  return text;
}

/// "3.1e-07 by itself; of the bounds y 71 %, s 3 %".
static std::string shareText(const verify::KernelShare &kernel,
                             const TargetErrors &errors) {
  char number[32];
  std::snprintf(number, sizeof(number), "%.3g", kernel.own);
  std::string text = number + std::string(" by itself; of the bounds ");
  for (size_t i = 0; i < kernel.shares.size(); ++i) {
    std::snprintf(number, sizeof(number), " %.0f %%", kernel.shares[i] * 100);
    text +=
        (i == 0 ? "" : ", ") + printable(errors.outputs[i].port.name) + number;
  }
  return text;
}

/// A line about the element that random rounding spoils most.
static void print(const std::optional<verify::LostDigits> &digits) {
  if (digits)
    std::printf("    estimate by random rounding: %.1f of %.1f digits are lost "
                "at %s, of %lld elements without a bound\n",
                digits->lost, digits->of,
                runtime::printShape(digits->index).c_str(),
                static_cast<long long>(digits->elements));
}

static void print(const TargetErrors &errors) {
  std::printf("%s: %s\n", joined(errors.targets).c_str(),
              !errors.whyNoBounds.empty()
                  ? ("no bounds: " + printable(errors.whyNoBounds)).c_str()
              : isWithinBounds(errors) ? "within bounds"
                                       : "different");
  for (const OutputErrors &output : errors.outputs) {
    std::printf(
        "  %-20s %s%s, %lld of %lld elements: greatest error %s, %s%s\n",
        printable(output.port.name).c_str(),
        std::string(runtime::dtypeName(output.port.dtype)).c_str(),
        runtime::printShape(output.shape).c_str(),
        static_cast<long long>(output.compared),
        static_cast<long long>(output.elements),
        textOf(output.absolute, "").c_str(),
        textOf(output.ulps, " ulp").c_str(),
        errors.bounds.empty() ? "" : boundText(output).c_str());
    print(output.lostDigits);
  }
  if (!errors.whyNoDigits.empty())
    std::printf("  no estimate of lost digits: %s\n",
                printable(errors.whyNoDigits).c_str());
  for (const verify::KernelShare &kernel : errors.kernels)
    std::printf("  %s: %s\n", printable(kernel.kernel).c_str(),
                shareText(kernel, errors).c_str());
}

//===--- The command ------------------------------------------------------===//

static Status writeFiles(const VerifyArguments &arguments,
                         const Numerics &numerics, const TargetErrors &errors,
                         const std::string &target) {
  if (arguments.outputDirectory.empty())
    return {};
  const std::filesystem::path all = arguments.outputDirectory;
  const std::vector<verify::Port> &outputs = numerics.signature().outputs;
  TILEWRIGHT_RETURN_IF_ERROR(
      writeTensors(numerics.inputs(), numerics.signature().inputs, all / "in"));
  TILEWRIGHT_RETURN_IF_ERROR(
      writeTensors(numerics.exact(), outputs, all / "exact"));
  const std::filesystem::path own =
      arguments.targets.size() > 1 ? all / fileName(target) : all;
  if (!errors.bounds.empty())
    TILEWRIGHT_RETURN_IF_ERROR(
        writeTensors(errors.bounds, outputs, own / "bound"));
  return writeTensors(errors.computed, outputs, own / "computed");
}

namespace {
/// What is found out about a model.
struct Findings {
  std::vector<TargetErrors> targets;
  std::optional<verify::OpRanking> ranking;
  /// Why there is none, though there is a precision.
  std::string whyNoRanking = {};
};
} // namespace

/// Only of what was asked for alone it is an error that there is no ranking.
static Status rankOps(const VerifyArguments &arguments, Numerics &numerics,
                      Findings &all) {
  if (!arguments.opPrecision)
    return {};
  StatusOr<verify::OpRanking> ranking =
      numerics.rankOps(*arguments.opPrecision, arguments.mostError);
  if (ranking.ok())
    all.ranking = *std::move(ranking);
  else if (verify::isNarrowType(*arguments.opPrecision) || arguments.mostError)
    return ranking.status();
  else
    all.whyNoRanking = ranking.status().message();
  return {};
}

static StatusOr<Findings> measureTargets(const VerifyArguments &arguments) {
  TILEWRIGHT_RETURN_IF_ERROR(requireFile(arguments.before));
  CompileModelOptions compile;
  TILEWRIGHT_ASSIGN_OR_RETURN(compile.plugins,
                              loadPlugins(arguments.pluginFiles));
  compile.precision = arguments.precision;
  compile.threads = 1;
  TILEWRIGHT_ASSIGN_OR_RETURN(ModelSource source,
                              ModelSource::file(arguments.before));
  verify::NumericsOptions options;
  options.seed = arguments.seed;
  options.samples = arguments.samples;
  options.resume = arguments.resume;
  if (arguments.timeLimit > 0)
    options.time = std::chrono::duration<double>(arguments.timeLimit);
  TILEWRIGHT_ASSIGN_OR_RETURN(options.given, readInputs(arguments.inputs));
  std::unique_ptr<Numerics> numerics;
  Findings all;
  for (const std::string &target : arguments.targets) {
    CompileModelOptions own = compile;
    readTargets({target}, own);
    if (!numerics) {
      TILEWRIGHT_ASSIGN_OR_RETURN(numerics,
                                  Numerics::open(source, own, options));
    }
    TILEWRIGHT_ASSIGN_OR_RETURN(all.targets.emplace_back(),
                                numerics->measure(std::move(own)));
    TILEWRIGHT_RETURN_IF_ERROR(
        writeFiles(arguments, *numerics, all.targets.back(), target));
  }
  TILEWRIGHT_RETURN_IF_ERROR(rankOps(arguments, *numerics, all));
  return all;
}

int verifyNumerics(const VerifyArguments &arguments) {
  StatusOr<Findings> found = measureTargets(arguments);
  if (!found.ok())
    return fail(found.status());
  const bool isGood = std::ranges::all_of(found->targets, isWithinBounds);
  if (!arguments.json) {
    for (const TargetErrors &errors : found->targets)
      print(errors);
    if (found->ranking)
      printRanking(*found->ranking, *arguments.opPrecision);
    else if (!found->whyNoRanking.empty())
      std::printf("no op is ranked: %s\n",
                  printable(found->whyNoRanking).c_str());
    return isGood ? exitGood : exitFinding;
  }
  Json report = {{"verdict", verdictOf(isGood)}, {"targets", Json::array()}};
  for (const TargetErrors &errors : found->targets)
    report["targets"].push_back(toJson(errors));
  if (found->ranking)
    report["ops"] = toJson(*found->ranking, *arguments.opPrecision);
  else if (!found->whyNoRanking.empty())
    report["no_ops"] = found->whyNoRanking;
  printObject(report);
  return isGood ? exitGood : exitFinding;
}

} // namespace tilewright::tool
