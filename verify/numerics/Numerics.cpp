#include "verify/numerics/Numerics.h"

#include "library/model/ModelLevels.h"
#include "support/Format.h"
#include "tileir/reference/Quad.h"
#include "tileir/reference/Rounding.h"
#include "verify/numerics/Bounds.h"
#include "verify/numerics/ExactKernel.h"
#include "verify/numerics/Inputs.h"
#include "verify/numerics/LostDigits.h"
#include "verify/numerics/OpErrors.h"
#include "verify/numerics/Quad.h"
#include "verify/validate/Elements.h"
#include "verify/validate/Match.h"
#include "verify/validate/OpenProgram.h"
#include "verify/validate/PackageProgram.h"
#include <cmath>
#include <limits>

namespace tilewright::verify {

using runtime::DType;
using runtime::HostTensor;

struct Numerics::State {
  State(ModelSource model, NumericsOptions options)
      : model(std::move(model)), options(std::move(options)) {}
  /// The exact results.
  Status compute();
  /// Looks at the elements that have no bound.
  Status estimate(TargetErrors &errors);

  ModelSource model;
  NumericsOptions options;
  std::shared_ptr<ModelLevels> levels;
  /// The model on the reference of graphs.
  std::unique_ptr<Program> program;
  std::vector<HostTensor> inputs;
  std::vector<ExactOutput> results;
  std::vector<HostTensor> exact;
};

Numerics::Numerics(std::unique_ptr<State> state) : state(std::move(state)) {}
Numerics::~Numerics() = default;
const Signature &Numerics::signature() const {
  return state->program->signature();
}
const std::vector<HostTensor> &Numerics::inputs() const {
  return state->inputs;
}
const std::vector<HostTensor> &Numerics::exact() const { return state->exact; }

//===--- Errors of elements -----------------------------------------------===//

static void raise(Greatest &greatest, double value,
                  const runtime::Shape &index) {
  if (value > greatest.value)
    greatest = {value, index};
}

/// Compares one error with its bound.
static void addBound(OutputErrors &errors, double error, double bound,
                     const runtime::Shape &index) {
  errors.unbounded += std::isinf(bound);
  if (std::isinf(bound) || error == 0)
    return;
  raise(errors.byBound, error / bound, index);
  // The error is rounded to nearest.
  errors.exceeded += error * (1 - 0x1p-52) > bound;
}

static OutputErrors errorsOf(const Port &port, const ExactOutput &exact,
                             const HostTensor &computed,
                             const HostTensor *bounds) {
  OutputErrors errors{port, exact.shape, elementCount(exact.shape),
                      int64_t(exact.positions.size())};
  for (auto [position, number] :
       llvm::zip_equal(exact.positions, exact.numbers)) {
    const double error = distance(quadOf(computed, size_t(position)), number);
    const runtime::Shape index = indexOf(exact.shape, size_t(position));
    raise(errors.absolute, error, index);
    raise(errors.ulps, error / unitOf(port.dtype, number), index);
    if (bounds)
      addBound(errors, error, bounds->as<double>()[size_t(position)], index);
  }
  return errors;
}

static StatusOr<HostTensor> tensorOf(const ExactOutput &output) {
  TILEWRIGHT_ASSIGN_OR_RETURN(HostTensor tensor,
                              HostTensor::allocate(DType::F64, output.shape));
  std::ranges::fill(tensor.as<double>(),
                    std::numeric_limits<double>::quiet_NaN());
  for (auto [position, number] :
       llvm::zip_equal(output.positions, output.numbers))
    tensor.as<double>()[size_t(position)] = reference::asDouble(number);
  return tensor;
}

Status Numerics::State::compute() {
  TILEWRIGHT_ASSIGN_OR_RETURN(mlir::func::FuncOp graph, levels->graph());
  if (!graph) {
    TILEWRIGHT_ASSIGN_OR_RETURN(auto package, levels->package());
    TILEWRIGHT_ASSIGN_OR_RETURN(
        results,
        exactResults(package, program->signature(), inputs, options.time));
    return {};
  }
  // About as many in a second.
  constexpr double opsPerSecond = 1e6;
  TILEWRIGHT_ASSIGN_OR_RETURN(
      results, exactResults(graph, program->signature(), inputs,
                            {options.samples, options.seed,
                             uint64_t(options.time.count() * opsPerSecond)}));
  return {};
}

Status Numerics::State::estimate(TargetErrors &errors) {
  TILEWRIGHT_ASSIGN_OR_RETURN(mlir::func::FuncOp graph, levels->graph());
  std::vector<std::vector<int64_t>> positions(results.size());
  bool isNeeded = false;
  for (size_t i = 0; i < results.size(); ++i) {
    for (const int64_t position : results[i].positions)
      if (errors.bounds.empty() ||
          std::isinf(errors.bounds[i].as<double>()[size_t(position)]))
        positions[i].push_back(position);
    isNeeded |= !positions[i].empty();
  }
  if (!isNeeded)
    return {};
  if (!graph)
    return Status::unsupported("digits are not estimated of a tile kernel");
  TILEWRIGHT_ASSIGN_OR_RETURN(
      auto found, estimateLostDigits(graph, program->signature(), inputs,
                                     positions, options.seed, options.time));
  bool isLate = false;
  for (size_t i = 0; i < found.size(); ++i) {
    errors.outputs[i].lostDigits = found[i];
    isLate |= !found[i] && !positions[i].empty();
  }
  if (isLate)
    errors.whyNoDigits = "runs with random rounding reach --time-limit";
  return {};
}

//===--- The model --------------------------------------------------------===//

StatusOr<std::unique_ptr<Numerics>>
Numerics::open(const ModelSource &model, CompileModelOptions compile,
               const NumericsOptions &options) {
  auto state = std::make_unique<State>(model, options);
  TILEWRIGHT_ASSIGN_OR_RETURN(state->levels,
                              ModelLevels::open(model, std::move(compile)));
  if (state->levels->goesOn() && !options.resume)
    return needsResume(*state->levels);
  if (!reference::hasQuadFunctions())
    return Status::unsupported(
        "exact results need MPFR, which this build of Tilewright does not have "
        "(the Python wheel): use one of CMake");
  TILEWRIGHT_ASSIGN_OR_RETURN(state->program, programOf(state->levels));
  TILEWRIGHT_ASSIGN_OR_RETURN(
      state->inputs,
      chooseInputs(*state->program, options.given, options.seed));
  TILEWRIGHT_RETURN_IF_ERROR(state->compute());
  for (const ExactOutput &output : state->results) {
    TILEWRIGHT_ASSIGN_OR_RETURN(state->exact.emplace_back(), tensorOf(output));
  }
  return std::unique_ptr<Numerics>(new Numerics(std::move(state)));
}

StatusOr<TargetErrors> Numerics::measure(CompileModelOptions compile) {
  TargetErrors errors;
  TILEWRIGHT_ASSIGN_OR_RETURN(auto levels,
                              ModelLevels::open(state->model, compile));
  errors.targets = levels->targets();
  levels->setHook(state->options.hook);
  while (state->options.hook && levels->position() < levels->passes().size())
    TILEWRIGHT_RETURN_IF_ERROR(levels->advance().status());
  TILEWRIGHT_ASSIGN_OR_RETURN(auto package, levels->code());
  TILEWRIGHT_ASSIGN_OR_RETURN(
      auto code,
      makePackageProgram(std::move(package), {}, state->options.timeOfRun));
  TILEWRIGHT_ASSIGN_OR_RETURN(Match match,
                              matchPrograms(*state->program, *code));
  TILEWRIGHT_ASSIGN_OR_RETURN(
      std::vector<HostTensor> own,
      inputsOf(*code, match, state->inputs, state->exact));
  TILEWRIGHT_ASSIGN_OR_RETURN(Outcome outcome, code->run(own, 0));
  if (outcome.kind != Outcome::Kind::completed)
    return Status::invalidInput(outcome.message)
        .prefixed("the program for " + errors.targets.front());
  StatusOr<TargetBounds> bounds = boundsOf(state->model, std::move(compile),
                                           *code, own, state->options.time);
  if (bounds.ok())
    errors.kernels = bounds->kernels;
  else
    errors.whyNoBounds = bounds.status().message();
  for (size_t i = 0; i < match.outputs.size(); ++i) {
    const size_t from = match.outputs[i];
    HostTensor &computed = outcome.outputs[from];
    const Port &port = state->program->signature().outputs[i];
    if (computed.shape() != state->results[i].shape)
      return Status::invalidInput(
          format("output '{}' has shape {}, exact arithmetic gives {}",
                 {port.name, runtime::printShape(computed.shape()),
                  runtime::printShape(state->results[i].shape)}));
    errors.outputs.push_back(
        errorsOf(port, state->results[i], computed,
                 bounds.ok() ? &bounds->bounds[from] : nullptr));
    errors.computed.push_back(std::move(computed));
    if (!bounds.ok())
      continue;
    errors.bounds.push_back(bounds->bounds[from]);
    for (auto [share, all] : llvm::zip_equal(errors.kernels, bounds->kernels))
      share.shares[i] = all.shares[from];
  }
  if (Status found = state->estimate(errors); !found.ok())
    errors.whyNoDigits = found.message();
  return errors;
}

StatusOr<OpRanking> Numerics::rankOps(OpPrecision precision,
                                      std::optional<double> mostError) {
  TILEWRIGHT_ASSIGN_OR_RETURN(mlir::func::FuncOp graph, state->levels->graph());
  if (!graph)
    return Status::unsupported(
        "a tile kernel has no ops that could be ranked, only a graph has");
  return verify::rankOps(graph, precision, signature(), state->inputs,
                         state->results, state->options.time, mostError);
}

} // namespace tilewright::verify
