//===- Verify.cpp - tilewright verify BEFORE AFTER ------------------------===//
#include "support/Format.h"
#include "tools/tilewright/Compiler.h"
#include "tools/tilewright/Interrupt.h"
#include "tools/tilewright/PtxProgram.h"
#include "tools/tilewright/Report.h"
#include "tools/tilewright/Usage.h"
#include "tools/tilewright/VerifyReport.h"
#include "verify/validate/OpenProgram.h"
#include "verify/validate/Search.h"

namespace tilewright::tool {

using verify::Program;
using verify::Verdict;

static nlohmann::ordered_json toJson(const Verdict &verdict,
                                     const VerifyArguments &arguments) {
  nlohmann::ordered_json object = {
      {"verdict", verdict.isEquivalent() ? "equivalent" : "different"},
      {"relation", arguments.relation.text()},
      {"strength", verify::strengthName(verdict.strength)},
      {"cases", verdict.cases}};
  if (verdict.counterexample)
    object["counterexample"] = toJson(*verdict.counterexample);
  return object;
}

static void print(const Verdict &verdict, const VerifyArguments &arguments) {
  std::printf("%s: %s, %s, %lld runs\n",
              verdict.isEquivalent() ? "equivalent" : "different",
              arguments.relation.text().c_str(),
              std::string(verify::strengthName(verdict.strength)).c_str(),
              static_cast<long long>(verdict.cases));
  if (verdict.counterexample)
    std::printf("  %s\n", printable(describe(*verdict.counterexample)).c_str());
}

static bool isPtx(const std::filesystem::path &file) {
  return file.extension() == ".ptx";
}

/// Which launch is for which side.
static void checkLaunches(const VerifyArguments &arguments) {
  const size_t sides = isPtx(arguments.before) + isPtx(arguments.after);
  const size_t given = arguments.launches.size();
  if (sides > 0 && given == 0)
    throw UsageError("a kernel in PTX needs --launch L.json: its grid, block "
                     "and arguments");
  if (given > sides)
    throw UsageError(
        format("--launch is of a kernel in PTX, K.ptx: expected {}, found {}",
               {sides, given}));
}

/// Opens both sides.
static Status open(const VerifyArguments &arguments,
                   std::unique_ptr<Program> &before,
                   std::unique_ptr<Program> &after) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto plugins, loadPlugins(arguments.pluginFiles));
  auto openSide = [&](const std::string &file,
                      size_t launch) -> StatusOr<std::unique_ptr<Program>> {
    if (!isPtx(file))
      return verify::openProgram(file, plugins);
    return openPtx(
        file,
        arguments.launches[std::min(launch, arguments.launches.size() - 1)]);
  };
  TILEWRIGHT_ASSIGN_OR_RETURN(before, openSide(arguments.before, 0));
  TILEWRIGHT_ASSIGN_OR_RETURN(
      after, openSide(arguments.after, isPtx(arguments.before) ? 1 : 0));
  return {};
}

static StatusOr<Verdict> search(const VerifyArguments &arguments) {
  checkLaunches(arguments);
  for (const std::string &file : {arguments.before, arguments.after})
    TILEWRIGHT_RETURN_IF_ERROR(requireFile(file));
  std::unique_ptr<Program> before, after;
  TILEWRIGHT_RETURN_IF_ERROR(open(arguments, before, after));
  Interrupt interrupt;
  const std::stop_token stop = interrupt.token();
  verify::SearchOptions options;
  options.relation = arguments.relation;
  options.seed = arguments.seed;
  options.isStopped = [&] { return stop.stop_requested(); };
  if (arguments.timeLimit > 0)
    options.time = options.mostTime =
        std::chrono::duration<double>(arguments.timeLimit);
  if (arguments.runs > 0)
    options.mostCases = arguments.runs;
  TILEWRIGHT_ASSIGN_OR_RETURN(Verdict verdict,
                              verify::findDifference(*before, *after, options));
  if (verdict.counterexample && !arguments.outputDirectory.empty())
    TILEWRIGHT_RETURN_IF_ERROR(writeCounterexample(*verdict.counterexample,
                                                   before->signature(),
                                                   arguments.outputDirectory));
  return verdict;
}

int verifyPrograms(const VerifyArguments &arguments) {
  StatusOr<Verdict> verdict = search(arguments);
  if (!verdict.ok())
    return fail(verdict.status());
  if (arguments.json)
    printObject(toJson(*verdict, arguments));
  else
    print(*verdict, arguments);
  return verdict->isEquivalent() ? exitGood : exitFinding;
}

} // namespace tilewright::tool
