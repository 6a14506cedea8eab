#include "verify/numerics/Numerics.h"

#include "library/model/ModelLevels.h"
#include "support/Format.h"
#include "verify/numerics/ExactResults.h"
#include "verify/numerics/Inputs.h"
#include "verify/validate/Elements.h"
#include "verify/validate/Match.h"
#include "verify/validate/OpenProgram.h"
#include "verify/validate/PackageProgram.h"
#include <cmath>
#include <limits>

namespace tilewright::verify {

using llvm::APFloat;
using runtime::DType;
using runtime::HostTensor;

struct Numerics::State {
  State(ModelSource model, NumericsOptions options)
      : model(std::move(model)), options(std::move(options)) {}

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

/// As f64, to nearest.
static double nearest(APFloat quad) {
  bool isLost = false;
  quad.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &isLost);
  return quad.convertToDouble();
}

/// An element as f128.
static APFloat quadOf(const HostTensor &tensor, size_t position) {
  const uint64_t bits = bitsOf(tensor, position);
  const runtime::DTypeInfo &info = runtime::dtypeInfo(tensor.dtype());
  bool isLost = false;
  if (const llvm::fltSemantics *semantics = semanticsOf(tensor.dtype())) {
    APFloat number(*semantics, llvm::APInt(info.bits, bits));
    number.convert(APFloat::IEEEquad(), APFloat::rmNearestTiesToEven, &isLost);
    return number;
  }
  APFloat number(APFloat::IEEEquad());
  number.convertFromAPInt(llvm::APInt(info.bits, bits),
                          info.kind == runtime::DTypeKind::signedInteger,
                          APFloat::rmNearestTiesToEven);
  return number;
}

/// |computed - exact|: 0 for two NaN and for equal infinities.
static double distance(APFloat computed, const APFloat &exact) {
  if ((computed.isNaN() && exact.isNaN()) || computed == exact)
    return 0;
  if (computed.isNaN() || !exact.isFinite())
    return std::numeric_limits<double>::infinity();
  computed.subtract(exact, APFloat::rmNearestTiesToEven);
  return std::fabs(nearest(computed));
}

/// A unit in the last place that `exact` has in the type; 1 for integers.
static double unitOf(DType dtype, const APFloat &exact) {
  const llvm::fltSemantics *semantics = semanticsOf(dtype);
  if (!semantics || !exact.isFinite())
    return 1;
  int exponent = APFloat::semanticsMinExponent(*semantics);
  if (!exact.isZero())
    exponent = std::clamp(llvm::ilogb(exact), exponent,
                          APFloat::semanticsMaxExponent(*semantics));
  return std::ldexp(1.0, exponent -
                             int(APFloat::semanticsPrecision(*semantics)) + 1);
}

static void raise(Greatest &greatest, double value,
                  const runtime::Shape &index) {
  if (value > greatest.value)
    greatest = {value, index};
}

static OutputErrors errorsOf(const Port &port, const ExactOutput &exact,
                             const HostTensor &computed) {
  OutputErrors errors{port, exact.shape, elementCount(exact.shape),
                      int64_t(exact.positions.size())};
  for (auto [position, number] :
       llvm::zip_equal(exact.positions, exact.numbers)) {
    const double error = distance(quadOf(computed, size_t(position)), number);
    const runtime::Shape index = indexOf(exact.shape, size_t(position));
    raise(errors.absolute, error, index);
    raise(errors.ulps, error / unitOf(port.dtype, number), index);
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
    tensor.as<double>()[size_t(position)] = nearest(number);
  return tensor;
}

//===--- The model --------------------------------------------------------===//

StatusOr<std::unique_ptr<Numerics>>
Numerics::open(const ModelSource &model, CompileModelOptions compile,
               const NumericsOptions &options) {
  auto state = std::make_unique<State>(model, options);
  TILEWRIGHT_ASSIGN_OR_RETURN(state->levels,
                              ModelLevels::open(model, std::move(compile)));
  TILEWRIGHT_ASSIGN_OR_RETURN(mlir::func::FuncOp graph, state->levels->graph());
  if (!graph)
    return Status::unsupported(
        state->levels->name() +
        ": exact results are known of models, and of files of --stop-after up "
        "to form-groups, not of kernels");
  TILEWRIGHT_ASSIGN_OR_RETURN(state->program, programOf(state->levels));
  TILEWRIGHT_ASSIGN_OR_RETURN(
      state->inputs,
      chooseInputs(*state->program, options.given, options.seed));
  // About as many in a second.
  constexpr double opsPerSecond = 1e6;
  StatusOr<std::vector<ExactOutput>> results =
      exactResults(graph, state->program->signature(), state->inputs,
                   {options.samples, options.seed,
                    uint64_t(options.time.count() * opsPerSecond)});
  if (!results.ok())
    return results.status();
  state->results = *std::move(results);
  for (const ExactOutput &output : state->results) {
    TILEWRIGHT_ASSIGN_OR_RETURN(state->exact.emplace_back(), tensorOf(output));
  }
  return std::unique_ptr<Numerics>(new Numerics(std::move(state)));
}

StatusOr<TargetErrors> Numerics::measure(CompileModelOptions compile) {
  TargetErrors errors;
  TILEWRIGHT_ASSIGN_OR_RETURN(
      auto levels, ModelLevels::open(state->model, std::move(compile)));
  errors.targets = levels->targets();
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
  for (size_t i = 0; i < match.outputs.size(); ++i) {
    HostTensor &computed = outcome.outputs[match.outputs[i]];
    const Port &port = state->program->signature().outputs[i];
    if (computed.shape() != state->results[i].shape)
      return Status::invalidInput(
          format("output '{}' has shape {}, exact arithmetic gives {}",
                 {port.name, runtime::printShape(computed.shape()),
                  runtime::printShape(state->results[i].shape)}));
    errors.outputs.push_back(errorsOf(port, state->results[i], computed));
    errors.computed.push_back(std::move(computed));
  }
  return errors;
}

} // namespace tilewright::verify
