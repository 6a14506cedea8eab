//===- error-bounds.cpp - Bounds of errors, beside the errors -------------===//
//
//   error-bounds MODEL EXACT TARGET [--precision P] [--fast-math] [--kinds K]
//                [--runs N] [--seed S] [--loss L]
//       Compiles MODEL for TARGET, and runs it on random inputs: on the
//       reference of threads with bounds of errors, and on the target's device.
//       EXACT is the same model with f64 for all its floats, which the
//       reference of graphs runs. Prints, as JSON, the greatest error and bound
//       and how many errors are above their bounds. With --loss the model is
//       compiled a second time with a loss of precision, and what that one
//       computes is held against the bounds of the right one.
//
//===----------------------------------------------------------------------===//
#include "library/model/ModelLevels.h"
#include "test/verify/Losses.h"
#include "verify/validate/Elements.h"
#include "verify/validate/ErrorBounds.h"
#include "verify/validate/OpenProgram.h"

#include <cmath>
#include <cstdio>
#include <random>

using namespace tilewright;
using runtime::DType;
using runtime::HostTensor;

namespace {
struct Arguments {
  std::string model, exact, target, precision, loss;
  bool fastMath = false;
  /// Of inputs, one after the other.
  std::string kinds = "01234";
  unsigned runs = 5;
  uint64_t seed = 0;
};

/// Of random inputs.
constexpr unsigned kKinds = 5;

/// Of errors and bounds of all runs.
struct Tally {
  int64_t runs = 0, undetermined = 0, elements = 0, infinite = 0, above = 0;
  int64_t lossRuns = 0, lossesFound = 0;
  double error = 0, targetError = 0, bound = 0;
  /// Of the first run: by launch, and of all outputs.
  std::vector<verify::KernelErrorBound> kernels;
  double firstBound = 0;
  /// By kind of inputs: the greatest error and bound.
  std::array<double, kKinds> errors = {}, bounds = {};
};
} // namespace

//===--- Programs ---------------------------------------------------------===//

static StatusOr<CompileModelOptions> optionsFor(const Arguments &arguments) {
  CompileModelOptions options;
  options.threads = 1;
  if (arguments.fastMath)
    options.fastMath = "afn,arcp,contract";
  if (!arguments.precision.empty()) {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        options.precision, runtime::parseF32Precision(arguments.precision));
  }
  const std::string names[] = {arguments.target};
  TILEWRIGHT_RETURN_IF_ERROR(setTargets(names, options));
  return options;
}

/// The code for the device, with a loss before `lower-math`.
static StatusOr<std::unique_ptr<verify::Program>>
codeOf(const ModelSource &model, const Arguments &arguments,
       const std::string &loss, bool &isLossy) {
  TILEWRIGHT_ASSIGN_OR_RETURN(CompileModelOptions options,
                              optionsFor(arguments));
  TILEWRIGHT_ASSIGN_OR_RETURN(auto levels, ModelLevels::open(model, options));
  while (levels->position() < levels->passes().size() &&
         levels->passes().flag(levels->position()) != "lower-math")
    TILEWRIGHT_RETURN_IF_ERROR(levels->advance().status());
  isLossy = !loss.empty() && test::lose(levels->module(), loss);
  TILEWRIGHT_ASSIGN_OR_RETURN(auto package, levels->code());
  return verify::makePackageProgram(std::move(package), {});
}

//===--- Inputs -----------------------------------------------------------===//

static double randomNumber(unsigned kind, std::mt19937_64 &random) {
  std::normal_distribution<double> normal;
  switch (kind) {
  case 0:
    return normal(random);
  case 1:
    return std::uniform_real_distribution<double>()(random);
  case 2:
    return std::ldexp(normal(random), int(random() % 13) - 6);
  case 3:
    return double(int(random() % 7) - 3);
  default:
    return 10 + normal(random);
  }
}

/// As the model takes it, and as f64.
static StatusOr<std::pair<HostTensor, HostTensor>>
makeInput(const verify::Port &port, DType exactType, unsigned kind,
          std::mt19937_64 &random) {
  TILEWRIGHT_ASSIGN_OR_RETURN(HostTensor own,
                              HostTensor::allocate(port.dtype, port.shape));
  TILEWRIGHT_ASSIGN_OR_RETURN(HostTensor exact,
                              HostTensor::allocate(exactType, port.shape));
  const bool isFloat = verify::semanticsOf(port.dtype) != nullptr;
  for (size_t i = 0; i < own.size(); ++i) {
    const double number =
        isFloat ? randomNumber(kind, random) : double(random() % 8);
    const uint64_t bits =
        isFloat ? verify::fromDouble(port.dtype, number)
                : verify::fromInteger(port.dtype, int64_t(number));
    verify::setBits(own, i, bits);
    const double kept = verify::toDouble(port.dtype, bits);
    verify::setBits(exact, i,
                    isFloat ? verify::fromDouble(exactType, kept)
                            : verify::fromInteger(exactType, int64_t(kept)));
  }
  return std::pair(std::move(own), std::move(exact));
}

//===--- Runs -------------------------------------------------------------===//

namespace {
/// What is run beside each other.
struct Programs {
  std::unique_ptr<verify::BoundedProgram> bounded;
  std::unique_ptr<verify::Program> exact, code, lossy;
};
} // namespace

static double numberAt(const HostTensor &tensor, size_t i) {
  return verify::toDouble(tensor.dtype(), verify::bitsOf(tensor, i));
}

/// NaN and infinities differ from all others.
static double distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b)))
    return 0;
  const double difference = std::fabs(a - b);
  return std::isnan(difference) ? HUGE_VAL : difference;
}

static StatusOr<std::vector<HostTensor>>
outputsOf(verify::Program &program, std::span<const HostTensor> inputs) {
  TILEWRIGHT_ASSIGN_OR_RETURN(verify::Outcome outcome, program.run(inputs, 0));
  if (outcome.kind != verify::Outcome::Kind::completed)
    return Status::invalidInput(outcome.message);
  return std::move(outcome.outputs);
}

static void compareOutput(const HostTensor &exact,
                          const verify::BoundedOutput &bounded,
                          const HostTensor &target, const HostTensor *lossy,
                          unsigned kind, Tally &tally) {
  double error = 0, lossyError = 0;
  bool isFound = false;
  for (size_t i = 0; i < bounded.bounds.size(); ++i) {
    const double number = numberAt(exact, i), bound = bounded.bounds[i];
    // The exact numbers are rounded to f64, and computed in it.
    const double slack = std::fabs(number) * 0x1p-40;
    const double own = distance(numberAt(bounded.computed, i), number);
    const double device = distance(numberAt(target, i), number);
    ++tally.elements;
    if (std::isinf(bound)) {
      ++tally.infinite;
      continue;
    }
    if (own > bound + slack || device > bound + slack)
      ++tally.above;
    tally.error = std::max(tally.error, own);
    tally.targetError = std::max(tally.targetError, device);
    tally.bound = std::max(tally.bound, bound);
    error = std::max({error, own, device});
    tally.bounds[kind] = std::max(tally.bounds[kind], bound);
    tally.errors[kind] = std::max(tally.errors[kind], error);
    if (!lossy)
      continue;
    const double lost = distance(numberAt(*lossy, i), number);
    lossyError = std::max(lossyError, lost);
    isFound |= lost > bound + slack;
  }
  if (lossy && lossyError > 8 * error) {
    ++tally.lossRuns;
    tally.lossesFound += isFound;
  }
}

static Status runOnce(Programs &programs, unsigned kind,
                      std::mt19937_64 &random, Tally &tally) {
  const verify::Signature &own = programs.bounded->signature();
  const verify::Signature &other = programs.exact->signature();
  std::vector<HostTensor> inputs, exactInputs;
  for (size_t i = 0; i < own.inputs.size(); ++i) {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        auto made,
        makeInput(own.inputs[i], other.inputs[i].dtype, kind, random));
    inputs.push_back(std::move(made.first));
    exactInputs.push_back(std::move(made.second));
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(verify::ErrorBounds bounds,
                              programs.bounded->run(inputs));
  if (tally.runs == 0) {
    TILEWRIGHT_ASSIGN_OR_RETURN(tally.kernels,
                                programs.bounded->runByKernel(inputs));
  }
  ++tally.runs;
  if (!bounds.undetermined.empty()) {
    ++tally.undetermined;
    return {};
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(auto exact,
                              outputsOf(*programs.exact, exactInputs));
  TILEWRIGHT_ASSIGN_OR_RETURN(auto target, outputsOf(*programs.code, inputs));
  std::vector<HostTensor> lossy;
  if (programs.lossy) {
    TILEWRIGHT_ASSIGN_OR_RETURN(lossy, outputsOf(*programs.lossy, inputs));
  }
  for (size_t i = 0; i < exact.size(); ++i)
    compareOutput(exact[i], bounds.outputs[i], target[i],
                  lossy.empty() ? nullptr : &lossy[i], kind, tally);
  if (tally.runs == 1)
    tally.firstBound = tally.bound;
  return {};
}

static StatusOr<Tally> runAll(const Arguments &arguments) {
  TILEWRIGHT_ASSIGN_OR_RETURN(ModelSource model,
                              ModelSource::file(arguments.model));
  TILEWRIGHT_ASSIGN_OR_RETURN(CompileModelOptions options,
                              optionsFor(arguments));
  Programs programs;
  TILEWRIGHT_ASSIGN_OR_RETURN(programs.exact,
                              verify::openProgram(arguments.exact, nullptr));
  TILEWRIGHT_ASSIGN_OR_RETURN(programs.bounded,
                              verify::BoundedProgram::open(model, options));
  bool isLossy = false;
  TILEWRIGHT_ASSIGN_OR_RETURN(programs.code,
                              codeOf(model, arguments, "", isLossy));
  if (!arguments.loss.empty()) {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        programs.lossy, codeOf(model, arguments, arguments.loss, isLossy));
    if (!isLossy)
      return Tally();
  }
  Tally tally;
  std::mt19937_64 random(arguments.seed);
  for (unsigned run = 0; run < arguments.runs; ++run)
    TILEWRIGHT_RETURN_IF_ERROR(runOnce(
        programs,
        unsigned(arguments.kinds[run % arguments.kinds.size()] - '0') % kKinds,
        random, tally));
  return tally;
}

static bool parse(int argc, char **argv, Arguments &arguments) {
  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool hasMore = i + 1 < argc;
    if (word == "--fast-math")
      arguments.fastMath = true;
    else if (word == "--precision" && hasMore)
      arguments.precision = argv[++i];
    else if (word == "--loss" && hasMore)
      arguments.loss = argv[++i];
    else if (word == "--kinds" && hasMore)
      arguments.kinds = argv[++i];
    else if (word == "--runs" && hasMore)
      arguments.runs = unsigned(std::atoi(argv[++i]));
    else if (word == "--seed" && hasMore)
      arguments.seed = uint64_t(std::atoll(argv[++i]));
    else
      words.push_back(word);
  }
  if (words.size() != 3)
    return false;
  arguments.model = words[0];
  arguments.exact = words[1];
  arguments.target = words[2];
  return true;
}

/// As JSON of Python has it.
static std::string text(double number) {
  char buffer[40];
  std::snprintf(buffer, sizeof(buffer), "%.6g", number);
  return std::isfinite(number) ? buffer : "Infinity";
}

static void print(const Tally &tally) {
  auto count = [](const char *name, int64_t number) {
    std::printf("\"%s\": %lld, ", name, static_cast<long long>(number));
  };
  auto real = [](const char *name, double number) {
    std::printf("\"%s\": %s, ", name, text(number).c_str());
  };
  std::printf("{");
  count("runs", tally.runs);
  count("undetermined", tally.undetermined);
  count("elements", tally.elements);
  count("infinite", tally.infinite);
  count("above", tally.above);
  count("loss_runs", tally.lossRuns);
  count("losses_found", tally.lossesFound);
  real("error", tally.error);
  real("target_error", tally.targetError);
  real("bound", tally.bound);
  real("first_bound", tally.firstBound);
  std::printf("\"ratios\": [");
  for (unsigned kind = 0; kind < kKinds; ++kind)
    std::printf("%s%s", kind == 0 ? "" : ", ",
                tally.errors[kind] == 0
                    ? "0"
                    : text(tally.bounds[kind] / tally.errors[kind]).c_str());
  std::printf("], \"kernels\": [");
  for (const verify::KernelErrorBound &kernel : tally.kernels)
    std::printf("%s{\"name\": \"%s\", \"bound\": %s}",
                &kernel == tally.kernels.data() ? "" : ", ",
                kernel.kernel.c_str(), text(kernel.bound).c_str());
  std::printf("]}\n");
}

int main(int argc, char **argv) {
  Arguments arguments;
  if (!parse(argc, argv, arguments)) {
    std::fprintf(stderr, "usage: error-bounds MODEL EXACT TARGET [--precision "
                         "P] [--fast-math] [--kinds K] [--runs N] [--seed S] "
                         "[--loss L]\n");
    return 2;
  }
  StatusOr<Tally> tally = runAll(arguments);
  if (!tally.ok()) {
    std::fprintf(stderr, "error: %s\n", tally.status().message().c_str());
    return 1;
  }
  print(*tally);
  return 0;
}
