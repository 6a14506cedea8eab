//===- VerifyCommand.cpp - The options of `verify` ------------------------===//
#include "support/Format.h"
#include "tools/tilewright/Commands.h"
#include "tools/tilewright/Report.h"
#include "tools/tilewright/ScheduleFile.h"
#include "tools/tilewright/Usage.h"
#include "tools/tilewright/Verify.h"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>

namespace tilewright::tool {

/// A number above 0.
static CLI::Validator someNumber() {
  return {[](std::string &text) -> std::string {
            double number = 0;
            const char *end = text.data() + text.size();
            auto [stop, error] = std::from_chars(text.data(), end, number);
            if (error == std::errc() && stop == end && number > 0 &&
                std::isfinite(number))
              return "";
            return format("expected a number greater than 0, found '{}'",
                          {text});
          },
          ""};
}

/// A package or a kernel in PTX.
static bool isCompiled(const std::filesystem::path &file) {
  std::error_code none;
  return file.extension() == ".ptx" ||
         std::filesystem::is_directory(file, none);
}

/// What two programs have, and what one and its compilation.
static void checkTogether(const CLI::App &command,
                          const VerifyArguments &arguments) {
  const bool isPair = !arguments.after.empty();
  for (const char *option : {"--relation", "--launch", "--runs"})
    requireEffect(command, option, isPair,
                  "it is of two programs, not of one and its compilation");
  for (const char *option :
       {"--target", "--precision", "--numerics", "--input", "--resume"})
    requireEffect(command, option, !isPair,
                  "it is of one program and its compilation");
  requireEffect(command, "--samples", arguments.numerics,
                "it is of --numerics");
  requireEffect(command, "--error", arguments.opPrecision && arguments.numerics,
                "it is of --numerics with a --precision");
  if (arguments.opPrecision && verify::isNarrowType(*arguments.opPrecision))
    requireEffect(command, "--precision", arguments.numerics,
                  "a type is only of --numerics");
  for (const char *option : {"--by-kernel", "--evidence", "--oracle"})
    requireEffect(command, option, !isPair && !arguments.numerics,
                  "it is of a compilation whose passes are judged");
  if (!isPair && isCompiled(arguments.before))
    throw UsageError(arguments.before +
                     " is compiled already; give the program that it is to be "
                     "compared with, too");
}

/// The Python of "onnxruntime" or "onnxruntime=PYTHON".
static std::string parseOracle(const std::string &text) {
  constexpr std::string_view name = "onnxruntime";
  if (text == name)
    return "python3";
  if (text.starts_with(std::string(name) + "=") &&
      text.size() > name.size() + 1)
    return text.substr(name.size() + 1);
  throw UsageError(format("--oracle: expected onnxruntime or "
                          "onnxruntime=PYTHON, found '{}'",
                          {text}));
}

/// The precisions of a compilation, and types, which are only for --numerics.
static void addPrecisions(CLI::App &command, VerifyArguments &arguments) {
  std::vector<std::string> known = runtime::f32PrecisionNames();
  known.insert(known.end(), {"bf16", "f16"});
  command
      .add_option_function<std::string>(
          "--precision",
          [&arguments](const std::string &name) {
            arguments.opPrecision = verify::findOpPrecision(name);
            if (auto read = runtime::parseF32Precision(name); read.ok())
              arguments.precision = *read;
          },
          "How exact products of f32 must be: ieee (default), tf32, tf32x3, "
          "bf16x3, bf16x6; --numerics says what each op loses by it, also by "
          "bf16 or f16 as the type of ops")
      ->check(oneOf(known));
}

void addVerify(CLI::App &app, Action &action) {
  auto arguments = std::make_shared<VerifyArguments>();
  auto relation = std::make_shared<std::string>("exact");
  auto oracle = std::make_shared<std::string>();
  CLI::App *command = app.add_subcommand(
      "verify", "Look for inputs on which two programs differ");
  command
      ->add_option("BEFORE", arguments->before,
                   "A graph or a tile kernel as .mlir, another model, a file "
                   "of --stop-after, a package, a kernel in PTX, or a "
                   "schedule, X.tws, which is judged without data")
      ->required();
  command->add_option(
      "AFTER", arguments->after,
      "Another one, which may stand for it; without it BEFORE is "
      "compiled, and each of its passes judged");
  command
      ->add_option("--target", arguments->targets,
                   "Of a compilation: targets, by comma (cpu)")
      ->delimiter(',')
      ->allow_extra_args(false);
  addPrecisions(*command, *arguments);
  command->add_flag("--numerics", arguments->numerics,
                    "Of a compilation: the errors of its results against "
                    "exact arithmetic");
  command
      ->add_option("--samples", arguments->samples,
                   "Of --numerics: elements of each output to compare (1000)")
      ->check(wholeNumber(1));
  command
      ->add_option("--error", arguments->mostError,
                   "Of --numerics with a --precision: which ops to keep in f32 "
                   "so that no error is greater")
      ->check(someNumber());
  command
      ->add_option(
          "--input", arguments->inputs,
          "Of a compilation: NAME=FILE.npy or .pb, an input that it is "
          "judged on")
      ->allow_extra_args(false);
  command->add_option(
      "--evidence", arguments->evidence,
      "Of a compilation: X.twp, a package of it, keeps what was "
      "found in evidence.json; inspect X.twp --evidence shows "
      "it");
  command->add_flag("--by-kernel", arguments->byKernel,
                    "Judge a compilation kernel by kernel, as is done where a "
                    "run of the whole model takes long");
  command->add_option(
      "--oracle", *oracle,
      "Of the compilation of an ONNX model: onnxruntime judges its import, "
      "too; "
      "onnxruntime=PYTHON where python3 does not have that module");
  command->add_flag("--resume", arguments->resume,
                    "Of a compilation that goes on with a file of "
                    "--stop-after, which is code: run that on this machine");
  command
      ->add_option("--relation", *relation,
                   "What AFTER keeps: exact, reassociated, near=R, bounded "
                   "(docs/verification.md)")
      ->capture_default_str();
  command->add_option("--output-dir", arguments->outputDirectory,
                      "Write the tensors of a counterexample to DIR/in, "
                      "DIR/before and DIR/after; of --numerics to DIR/in, "
                      "DIR/exact, DIR/computed and DIR/bound");
  command->add_option("--seed", arguments->seed, "Seed of the inputs (0)");
  command
      ->add_option("--time-limit", arguments->timeLimit,
                   "Look for so many seconds; default 4, longer while few "
                   "runs are defined; of a compilation for each pass, "
                   "default 2, or for all kernels, default 75; of --numerics "
                   "for exact results, default 60; of a schedule none")
      ->check(someNumber());
  command
      ->add_option("--runs", arguments->runs,
                   "Of two programs: end after so many runs in which BEFORE "
                   "is defined (4000)")
      ->check(CLI::Range(int64_t(100), int64_t(1'000'000'000)));
  command
      ->add_option("--launch", arguments->launches,
                   "The launch of a side in PTX; twice where both are")
      ->allow_extra_args(false);
  addPlugins(*command, arguments->pluginFiles);
  command->add_flag("--json", arguments->json, "Machine-readable results");
  command->callback([arguments, relation, oracle, command, &action] {
    action = [arguments, relation, oracle, command] {
      if (isScheduleFile(arguments->before)) {
        requireScheduleOptions(*command, {"BEFORE", "--time-limit", "--json"});
        return verifySchedule(arguments->before, arguments->json,
                              arguments->timeLimit);
      }
      StatusOr<verify::Relation> parsed = verify::Relation::parse(*relation);
      if (!parsed.ok())
        throw UsageError("--relation: " + parsed.status().message());
      arguments->relation = *parsed;
      if (command->count("--oracle"))
        arguments->oraclePython = parseOracle(*oracle);
      checkTogether(*command, *arguments);
      if (arguments->numerics)
        return verifyNumerics(*arguments);
      return arguments->after.empty() ? verifyModel(*arguments)
                                      : verifyPrograms(*arguments);
    };
  });
}

} // namespace tilewright::tool
